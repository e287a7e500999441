/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls by thread and number. The parts of a call come as slices: time
 * on a CPU up to each switch, and the waits between. The last part says that
 * the call returned, and whether it failed.
 */
#ifndef GNOMON_MODEL_SYSCALLS_H
#define GNOMON_MODEL_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/model.h"
#include "model/table.h"

/* All zeros: empty. */
struct gn_syscalls {
	struct gn_model_syscall *rows;
	uint32_t n, cap;
	struct gn_table by_key; /* thread << 16 | number */
};

/* The call that a thread is in. */
struct gn_syscall_open {
	uint64_t since, cpu, off;
	uint16_t nr;
	bool is;
	/* Slices were lost: the next ones may be the rest of a call, which is
	 * not counted. `nr` is its number; GN_NO_SYSCALL: no slice yet. */
	bool rest;
};

/* Takes a slice of a thread, in the order of its slices. `thread` is the number
 * of its life. 0 or -ENOMEM. */
int gn_syscalls_take(struct gn_syscalls *all, uint32_t thread,
		     struct gn_syscall_open *open,
		     const struct gn_rec_slice *s);
/* Slices of the thread were lost. The call that it was in may have ended, and
 * is not counted. */
void gn_syscalls_lost(struct gn_syscalls *all, uint32_t thread,
		      struct gn_syscall_open *open);
/* Moves the rows of threads to those that `into` maps them to. 0 or -ENOMEM. */
int gn_syscalls_fold(struct gn_syscalls *all, const struct gn_table *into);
/* Fills m->syscalls and m->thread_syscalls, after the model's threads are
 * sorted. 0, -ENOMEM, or -EBADMSG: a thread is missing. */
int gn_syscalls_build(const struct gn_syscalls *all, struct gn_model *m);
void gn_syscalls_free(struct gn_syscalls *all);

#endif
