/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that one thread packs bytes for and writes to, while another one asks
 * how that goes: which of the two takes longer, and whether the file is stuck.
 */
#ifndef GNOMON_TRACE_TIMEDFILE_H
#define GNOMON_TRACE_TIMEDFILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/outfile.h"

/* How often a pipe is asked whether it is writable. */
#define GN_TIMEDFILE_ASK_MS 50

struct gn_timedfile {
	struct gn_outfile out;
	_Atomic uint64_t begun;	  /* the write; ns, 0 = there is none */
	_Atomic uint64_t moved;	  /* when the file took something, ns */
	_Atomic uint64_t pack_ns; /* of the last piece */
	atomic_bool slow;	  /* writing it took longer */
	atomic_bool abandoned;
};

uint64_t gn_timedfile_now(void);

/* Writes bytes whose packing began at `begun`. -ETIMEDOUT: it was abandoned. */
int gn_timedfile_write(struct gn_timedfile *f, const unsigned char *bytes,
		       size_t n, uint64_t begun);

/* Whether the file can block, and has been blocked for long. */
bool gn_timedfile_stuck(const struct gn_timedfile *f);

/* All else is done: a reader that waited for that has a little time to begin.
 * Its writes may go on in another thread. */
void gn_timedfile_finish(struct gn_timedfile *f);

/* Whether to write takes longer than to pack. */
bool gn_timedfile_slow(const struct gn_timedfile *f);

/* A write that is blocked need not go on. */
void gn_timedfile_abandon(struct gn_timedfile *f);

#endif
