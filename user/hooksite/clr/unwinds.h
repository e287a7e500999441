/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwinds of frames that one thread has under way: the runtime says which
 * function's frame it begins to unwind, but not whose it has unwound. An
 * unwind ends, or turns out to be the catching frame's, or is overtaken by an
 * exception out of its own finally block and then never ends.
 */
#ifndef GNOMON_CLR_UNWINDS_H
#define GNOMON_CLR_UNWINDS_H

#include <stdint.h>

/* Deeper nesting than any real program's; the oldest are forgotten. */
#define GN_UNWINDS_MAX 32

/* All zeros is a thread without unwinds. */
struct gn_unwinds {
	uint32_t index[GN_UNWINDS_MAX]; /* a ring */
	uint32_t top;			/* the next one's place */
	uint32_t n;
};

/* `index`: as it shall be told when it ends. */
void gn_unwinds_push(struct gn_unwinds *u, uint32_t index);

/* The innermost, which is gone then; 0: there is none, or none since a filter
 * began. */
uint32_t gn_unwinds_pop(struct gn_unwinds *u);

/*
 * An exception filter begins and ends. What it throws unwinds up to it and is
 * caught there by the runtime, which tells (seen on 9 and 10) an end of what
 * did not begin, and a begin of the filter's function without an end: both are
 * of the filter, and no unwind of before it is ended by them.
 */
void gn_unwinds_filter_begin(struct gn_unwinds *u);
void gn_unwinds_filter_end(struct gn_unwinds *u);

#endif
