/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When threads of a process suspended the others: a thread that waits for the
 * end of such a window began to wait in it, and is woken by who suspends.
 */
#ifndef GNOMON_MODEL_SUSPEND_H
#define GNOMON_MODEL_SUSPEND_H

#include <stdbool.h>
#include <stdint.h>

/* Windows that are remembered. A wait is told when it ends, so it can have
 * begun in one that is long gone; one that began before the oldest is not. */
#define GN_WINDOWS_MAX 64

struct gn_window {
	uint64_t begin, end;
	const void *owner; /* the thread that suspends */
	uint32_t depth;	   /* begins without an end; 0: it is over */
};

/* Of one process. All zeros: none. */
struct gn_windows {
	struct gn_window *at;
	uint32_t n, cap;
	uint32_t oldest; /* the one that is overwritten next, when full */
	uint32_t open;
	uint64_t last; /* the latest end of those that are over */
};

void gn_windows_free(struct gn_windows *ws);

/* The owner begins to suspend the others. 0 or -ENOMEM. */
int gn_windows_begin(struct gn_windows *ws, const void *owner, uint64_t time);
/* It ends; `all`: whatever was nested. Without a begin, nothing does. */
void gn_windows_end(struct gn_windows *ws, const void *owner, uint64_t time,
		    bool all);

/* Whether the owner has begun to, and not ended. */
bool gn_windows_opened(const struct gn_windows *ws, const void *owner);

/* The owner is no more; its suspensions are over. */
void gn_windows_forget(struct gn_windows *ws, const void *owner);

/* Until when a wait of `thread` from start to end, which `waker` ended, was one
 * for the end of a suspension: from `start` (it was not) to `end`. */
uint64_t gn_windows_until(const struct gn_windows *ws, const void *thread,
			  const void *waker, uint64_t start, uint64_t end);

/* Whether `start` is in a window of another thread that is still open. */
bool gn_windows_hold(const struct gn_windows *ws, const void *thread,
		     uint64_t start);

#endif
