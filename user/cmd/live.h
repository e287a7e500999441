/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The live capture of `top`: makes periods from a running session. Each is
 * passed to a `show` as values (top/top.h). A period's model is valid until the
 * next period was shown.
 */
#ifndef GNOMON_CMD_LIVE_H
#define GNOMON_CMD_LIVE_H

#include "cmd/capture.h"
#include "top/top.h"

struct gn_live_run;

/* What shows periods: the screen, or rows. */
struct gn_live_show {
	/* Called when tracing runs. 0 or <0. May be NULL. */
	int (*open)(void *ctx, struct gn_live_run *live);
	/* A period is over. 1: enough, 0: go on, <0. */
	int (*period)(void *ctx, const struct gn_top_period *p);
	/* A file descriptor to wait for, -1 = none, and what to do when it is
	 * ready. 1: enough. */
	int (*fd)(void *ctx);
	int (*input)(void *ctx);
	/* Called at least each fifth of a second, also while gnomon waits for
	 * the command afterwards. NULL: nothing is to be done. */
	void (*idle)(void *ctx);
	/* On SIGWINCH: 0 or <0. NULL: ignored. */
	int (*resized)(void *ctx);
	/* True: the view stays open after the target has ended and its last
	 * period was shown. */
	bool stays;
	void *ctx;
};

struct gn_live_opts {
	uint64_t period;     /* nanoseconds */
	uint64_t iterations; /* 0 = until the end */
	const char *title;
	bool functions;
	double budget; /* 0 = none */
	struct gn_pipeline_opts pipeline;
};

/* `opts` and `show` must outlive it. NULL: no memory. */
struct gn_live_run *gn_live_new(const struct gn_live_opts *opts,
				const struct gn_live_show *show);
void gn_live_free(struct gn_live_run *l);

/* For gn_capture_run(). */
struct gn_capture_use gn_live_use(struct gn_live_run *l);

/* While paused, the shown period stays valid. New ones are still made. */
void gn_live_pause(struct gn_live_run *l, bool paused);

/* The last period, whether or not it was shown. */
const struct gn_top_period *gn_live_last(const struct gn_live_run *l);

/* Waits until something can be written to `fd`. 0; -EINTR: a signal ended the
 * capture first; -ETIMEDOUT: nobody has read for two seconds, and the target
 * has ended; else -errno. */
int gn_live_writable(struct gn_live_run *l, int fd);

/* From the next period on. */
void gn_live_set_period(struct gn_live_run *l, uint64_t ns);
void gn_live_set_classify(struct gn_live_run *l, enum gn_classify classify);

/* Call after the capture: reports on stderr what went wrong, and returns the
 * exit status. `advice`: of the session, or NULL. */
int gn_live_status(struct gn_live_run *l, bool allow_loss, const char *advice);

#endif
