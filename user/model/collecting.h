/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Background collections of the CLR, for observers: collections that are under
 * way while the program runs, until another thread reports their end. Ends are
 * matched with begins as in build_events.c, but while records come in.
 */
#ifndef GNOMON_MODEL_COLLECTING_H
#define GNOMON_MODEL_COLLECTING_H

#include <stdbool.h>
#include <stdint.h>

/* one that is under way in a process, and those that can begin within it */
#define GN_COLLECTING_MAX 8

struct gn_collecting_one {
	uint64_t start;
	uint32_t thread; /* that began it */
	bool full;	 /* of all generations */
	bool resumed;	 /* the program has run since it began */
};

/* Of one process. */
struct gn_collecting {
	struct gn_collecting_one open[GN_COLLECTING_MAX];
	uint32_t n;
	/*
	 * The last full collection whose own thread reported an end. If another
	 * thread then reports an end, the first one was that of a young
	 * collection without a begin, and this one was still under way. `start`
	 * 0: none.
	 */
	struct gn_collecting_one full;
};

void gn_collecting_begin(struct gn_collecting *c, uint64_t start,
			 uint32_t thread, bool full);
/* The runtime resumed all threads. */
void gn_collecting_resume(struct gn_collecting *c);
/* Records of the thread were lost: what it began in a suspension may be
 * over. */
void gn_collecting_lose(struct gn_collecting *c, uint32_t thread);
/* The thread reports an end. Returns true if it ends the background collection
 * *out. */
bool gn_collecting_end(struct gn_collecting *c, uint32_t thread,
		       struct gn_collecting_one *out);

#endif
