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
	uint32_t held; /* an end that is not told yet; 0: none */
};

/* `index`: as it shall be told when it ends. */
void gn_unwinds_push(struct gn_unwinds *u, uint32_t index);

/* The innermost, which is gone then; 0: there is none, or none since a filter
 * began. */
uint32_t gn_unwinds_pop(struct gn_unwinds *u);

/* The same for one that ended: 0 also when it is to be told later, or never. */
uint32_t gn_unwinds_end(struct gn_unwinds *u);

/* Before the next unwind begins: the one that ended and is to be told now. */
uint32_t gn_unwinds_settle(struct gn_unwinds *u);

/*
 * An exception filter of the function `index` begins and ends. What it throws
 * unwinds up to it and is caught there by the runtime. It then tells of the
 * filter's function as if that were unwound, although its frame goes on: up to
 * 8 a begin and an end, on 9 and 10 an end of what did not begin, and a begin
 * without an end. None of these ends an unwind of before the filter. The end
 * that 8 tells could be that of a frame of the same function, called by the
 * filter: it is held back until the next begin, which only such a frame has
 * after it.
 */
void gn_unwinds_filter_begin(struct gn_unwinds *u, uint32_t index);
void gn_unwinds_filter_end(struct gn_unwinds *u);

#endif
