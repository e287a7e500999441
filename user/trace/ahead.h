/* SPDX-License-Identifier: BSD-2-Clause */
/* Two buffers: a thread fills one while the caller uses the other. From the
 * start on, only that thread calls the caller's fill function. */
#ifndef GNOMON_TRACE_AHEAD_H
#define GNOMON_TRACE_AHEAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define GN_AHEAD_BUFFERS 2u

/* Fills the buffer with this index. Returns false after the last one. */
typedef bool gn_ahead_fill(void *ctx, unsigned int buffer);

struct gn_ahead {
	bool on; /* there is a thread */
	gn_ahead_fill *fill;
	void *ctx;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock; both only grow */
	uint64_t filled; /* buffers filled */
	uint64_t taken;	 /* buffers given to the caller */
	bool quit;
};

/* Starts with buffer 0, which the caller must not use any more. 0, or -errno:
 * there is no thread. */
int gn_ahead_start(struct gn_ahead *a, gn_ahead_fill *fill, void *ctx);

/* Waits for the next filled buffer, and returns the previous one to the thread.
 * Must not be called after the last one. */
unsigned int gn_ahead_next(struct gn_ahead *a);

/* Ends the thread, if there is one, even while it fills a buffer. */
void gn_ahead_stop(struct gn_ahead *a);

#endif
