/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The current unwinds of one thread. The runtime says which function's frame it
 * begins to unwind, but not whose frame it has unwound. An unwind ends, or its
 * frame turns out to catch the exception, or a new exception from its own
 * finally block overtakes it, and then it never ends.
 */
#ifndef GNOMON_CLR_UNWINDS_H
#define GNOMON_CLR_UNWINDS_H

#include <stdint.h>

/* Nested deeper than in any real program. The oldest entries are
 * overwritten. */
#define GN_UNWINDS_MAX 32

/* All zeros is a thread without unwinds. */
struct gn_unwinds {
	uint32_t index[GN_UNWINDS_MAX]; /* a ring */
	uint32_t top;			/* where the next entry goes */
	uint32_t n;
	uint32_t held; /* index of an end that is not reported yet; 0: none */
};

/* `index`: as it will be reported when the unwind ends. */
void gn_unwinds_push(struct gn_unwinds *u, uint32_t index);

/* Removes and returns the innermost unwind. 0: there is none, or none since a
 * filter began. */
uint32_t gn_unwinds_pop(struct gn_unwinds *u);

/* The same for an unwind that ended. Also 0 if the end is reported later, or
 * never. */
uint32_t gn_unwinds_end(struct gn_unwinds *u);

/* Call before the next unwind begins. Returns the end that was held back and is
 * now due, or 0. */
uint32_t gn_unwinds_settle(struct gn_unwinds *u);

/*
 * An exception filter of the function `index` begins and ends. An exception
 * that the filter throws unwinds up to it, and the runtime catches it there.
 * The runtime then reports an unwind of the filter's function, although its
 * frame goes on. Up to .NET 8 it reports a begin and an end. .NET 9 and 10
 * report an end without a begin, and a begin without an end. None of these ends
 * an unwind from before the filter. The end on .NET 8 could also be that of
 * another frame of the same function, which the filter called. So it is held
 * back until the next begin, which follows only for such a frame.
 */
void gn_unwinds_filter_begin(struct gn_unwinds *u, uint32_t index);
void gn_unwinds_filter_end(struct gn_unwinds *u);

#endif
