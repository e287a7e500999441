/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls by their thread and number. The parts of a call come as slices:
 * what it had of a CPU up to each switch, and what it waited between. The last
 * part says that the call returned, and whether it failed.
 */
#ifndef GNOMON_MODEL_SYSCALLS_H
#define GNOMON_MODEL_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/model.h"
#include "model/table.h"

/* All zeros is empty. */
struct gn_syscalls {
	struct gn_model_syscall *rows;
	uint32_t n, cap;
	struct gn_table by_key; /* thread and number */
};

/* The call that a thread is in. */
struct gn_syscall_open {
	uint64_t since, cpu, off;
	uint16_t nr;
	bool is;
	/* Slices were lost: the next call can be the rest of one, and is not
	 * told. `nr` is its number, GN_NO_SYSCALL: it has not come. */
	bool rest;
};

/* Takes a slice of the thread of that number, in the order of its slices. 0 or
 * -ENOMEM. */
int gn_syscalls_take(struct gn_syscalls *all, uint32_t thread,
		     struct gn_syscall_open *open,
		     const struct gn_rec_slice *s);
/* Slices of the thread were lost: the call that it was in can have ended, and
 * is not told. */
void gn_syscalls_lost(struct gn_syscalls *all, uint32_t thread,
		      struct gn_syscall_open *open);
/* Rows of the threads that `into` has become those of the thread that it says.
 * 0 or -ENOMEM. */
int gn_syscalls_fold(struct gn_syscalls *all, const struct gn_table *into);
/* Fills m->syscalls and m->thread_syscalls of a model that has its threads, in
 * their order. 0, -ENOMEM, or -EBADMSG: a thread is not there. */
int gn_syscalls_build(const struct gn_syscalls *all, struct gn_model *m);
void gn_syscalls_free(struct gn_syscalls *all);

#endif
