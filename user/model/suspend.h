/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows of time in which one thread suspended the other threads of its
 * process. A wait for the end of a window began in it, and was ended by the
 * thread that suspended the others.
 */
#ifndef GNOMON_MODEL_SUSPEND_H
#define GNOMON_MODEL_SUSPEND_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How many windows are kept. A wait is reported when it ends, so it may have
 * begun in a window that ended long ago. A wait that began before the oldest
 * window does not count as a suspension.
 */
#define GN_WINDOWS_MAX 64

struct gn_window {
	uint64_t begin, end;
	const void *owner; /* the thread that suspends */
	uint32_t depth;	   /* begins without an end; 0: the window has ended */
	bool collects;	   /* for a collection */
};

/* The windows of one process. All zeros: none. */
struct gn_windows {
	struct gn_window *at;
	uint32_t n, cap;
	uint32_t oldest; /* when full: the window to overwrite next */
	uint32_t open;
	uint64_t last; /* the latest end of a window */
};

void gn_windows_free(struct gn_windows *ws);

/* The owner begins to suspend the others. 0 or -ENOMEM. */
int gn_windows_begin(struct gn_windows *ws, const void *owner, uint64_t time);
/* The owner resumes them. `all`: ends nested suspensions, too. Without a begin,
 * does nothing. */
void gn_windows_end(struct gn_windows *ws, const void *owner, uint64_t time,
		    bool all);

/* The owner's open window is for a collection. NULL: all open windows are. */
void gn_windows_collect(struct gn_windows *ws, const void *owner);
/* Whether `time` is in a window of the owner that is for a collection. */
bool gn_windows_collected(const struct gn_windows *ws, const void *owner,
			  uint64_t time);

/* Whether the owner has an open window. */
bool gn_windows_opened(const struct gn_windows *ws, const void *owner);

/* Whether a kept window has this owner. */
bool gn_windows_owned(const struct gn_windows *ws, const void *owner);

/* The owner has ended: forgets it in the windows that it had. */
void gn_windows_forget(struct gn_windows *ws, const void *owner);

/* Returns until when the wait [start, end) of `thread`, ended by `waker`, was a
 * suspension; `start`: it was none. */
uint64_t gn_windows_until(const struct gn_windows *ws, const void *thread,
			  const void *waker, uint64_t start, uint64_t end);

/* Whether `start` is in an open window of another thread. */
bool gn_windows_hold(const struct gn_windows *ws, const void *thread,
		     uint64_t start);

#endif
