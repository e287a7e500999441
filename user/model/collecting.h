/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CLR's background collections, as the walk shows them: those that go on
 * while the program does, until another thread tells the end. Ends are matched
 * with begins as build_events.c does, but as they come.
 */
#ifndef GNOMON_MODEL_COLLECTING_H
#define GNOMON_MODEL_COLLECTING_H

#include <stdbool.h>
#include <stdint.h>

/* One that is under way in a process, and those that can begin in it. */
#define GN_COLLECTING_MAX 8

struct gn_collecting_one {
	uint64_t start;
	uint32_t thread; /* which began it */
	bool full;	 /* of all generations */
	bool resumed;	 /* the program went on meanwhile */
};

/* Of one process. */
struct gn_collecting {
	struct gn_collecting_one open[GN_COLLECTING_MAX];
	uint32_t n;
	/* The last full one that its own thread ended: what has ended can be
	 * one of the young generations that is told no begin of, and this one
	 * goes on. `start` 0: none. */
	struct gn_collecting_one full;
};

void gn_collecting_begin(struct gn_collecting *c, uint64_t start,
			 uint32_t thread, bool full);
/* No thread is suspended any more. */
void gn_collecting_resume(struct gn_collecting *c);
/* Records of the thread were lost: what it began, and stops all, can be over.
 */
void gn_collecting_lose(struct gn_collecting *c, uint32_t thread);
/* The thread tells an end. True: *out is the background collection that has
 * ended. */
bool gn_collecting_end(struct gn_collecting *c, uint32_t thread,
		       struct gn_collecting_one *out);

#endif
