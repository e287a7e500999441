/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file for which one thread packs and writes bytes, while another thread
 * checks its progress: whether packing or writing takes longer, and whether the
 * file is stuck.
 */
#ifndef GNOMON_TRACE_TIMEDFILE_H
#define GNOMON_TRACE_TIMEDFILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/outfile.h"

/* How often to check whether a pipe is writable. */
#define GN_TIMEDFILE_ASK_MS 50

struct gn_timedfile {
	struct gn_outfile out;
	_Atomic uint64_t begun;	  /* begin of the current write, ns; 0: none */
	_Atomic uint64_t moved;	  /* when the file last took something, ns */
	_Atomic uint64_t pack_ns; /* packing time of the last piece */
	atomic_bool slow;	  /* writing it took longer than that */
	atomic_bool abandoned;
};

uint64_t gn_timedfile_now(void);

/* Writes bytes whose packing began at `begun`. -ETIMEDOUT: the file was
 * abandoned. */
int gn_timedfile_write(struct gn_timedfile *f, const unsigned char *bytes,
		       size_t n, uint64_t begun);

/* Whether the file can block, and has blocked for long. */
bool gn_timedfile_stuck(const struct gn_timedfile *f);

/* Everything else is done: a reader that waited for that gets a little time to
 * start. Writes may continue in another thread. */
void gn_timedfile_finish(struct gn_timedfile *f);

/* Whether writing takes longer than packing. */
bool gn_timedfile_slow(const struct gn_timedfile *f);

/* Lets a blocked write give up. */
void gn_timedfile_abandon(struct gn_timedfile *f);

#endif
