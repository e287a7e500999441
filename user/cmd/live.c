// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/live.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/clock.h"
#include "cmd/live_budget.h"
#include "output/text.h"
#include "top/machine.h"

struct gn_live_run {
	const struct gn_live_opts *opts;
	const struct gn_live_show *show;
	struct gn_pipeline *pipeline;
	struct gn_muting muting;
	struct gn_model *model; /* of the last period */
	struct gn_model *held;	/* the model that stays shown while paused */
	bool paused;
	struct gn_top_period p;
	uint64_t period; /* wanted */
	uint64_t begin;	 /* of tracing */
	uint64_t last;	 /* end of the last period */
	struct gn_top_machine machine;
	uint64_t own_cpu;
	int epoll;
	struct gn_capture *capture;
	/* over all periods */
	uint64_t lost_by_cause, lost_by_number;
	bool broken;
};

struct gn_live_run *gn_live_new(const struct gn_live_opts *opts,
				const struct gn_live_show *show)
{
	struct gn_live_run *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->opts = opts;
	l->show = show;
	l->period = opts->period;
	l->muting.budget = opts->budget;
	l->epoll = -1;
	l->pipeline = gn_pipeline_new(&opts->pipeline);
	if (l->pipeline)
		return l;
	gn_live_free(l);
	return NULL;
}

void gn_live_free(struct gn_live_run *l)
{
	if (!l)
		return;
	if (l->held != l->model)
		gn_model_free(l->held);
	gn_muting_free(&l->muting);
	gn_model_free(l->model);
	gn_pipeline_free(l->pipeline);
	if (l->epoll >= 0)
		close(l->epoll);
	free(l);
}

void gn_live_pause(struct gn_live_run *l, bool paused)
{
	l->paused = paused;
	if (!paused)
		return;
	/* once the view goes on, it shows the last period, not the held one */
	if (l->held != l->model)
		gn_model_free(l->held);
	l->held = l->model;
}

const struct gn_top_period *gn_live_last(const struct gn_live_run *l)
{
	return &l->p;
}

/* A reader that reads nothing for so long after the end is considered gone. */
#define UNREAD_NS 2000000000u

int gn_live_writable(struct gn_live_run *l, int fd)
{
	struct gn_capture *c = l->capture;
	struct pollfd p[2] = {{.fd = fd, .events = POLLOUT},
			      {.fd = c->signals.fd, .events = POLLIN}};
	uint64_t over = 0;

	for (;;) {
		/* the next write will report an error of `fd` */
		if (poll(p, 2, 100) < 0 && errno != EINTR)
			return -errno;
		if (p[0].revents)
			return 0;
		/* rows do not depend on the size of the screen */
		gn_capture_signal(c);
		if (c->signals.end)
			return -EINTR;
		if (gn_session_lives(c->session))
			continue;
		if (!over)
			over = gn_now_ns();
		if (gn_now_ns() - over > UNREAD_NS)
			return -ETIMEDOUT;
	}
}

void gn_live_set_period(struct gn_live_run *l, uint64_t ns)
{
	l->period = ns;
}

void gn_live_set_classify(struct gn_live_run *l, enum gn_classify classify)
{
	gn_pipeline_classify(l->pipeline, classify);
}

static int feed(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct gn_live_run *l = ctx;

	return gn_pipeline_feed(l->pipeline, rec, size);
}

static int feed_calls(void *ctx, const struct gn_rec_func *recs, size_t n,
		      size_t *taken)
{
	struct gn_live_run *l = ctx;
	int err = gn_pipeline_feed_calls(l->pipeline, recs, n);

	*taken = err ? 0 : n;
	return err;
}

/* Fills in what gnomon and the machine did in the period. */
static void measure(struct gn_live_run *l, uint64_t now)
{
	struct gn_top_machine sums;
	struct timespec wall;
	uint64_t cpu = gn_own_cpu_ns();

	clock_gettime(CLOCK_REALTIME, &wall);
	l->p.wall =
		(uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
	l->p.length = now - l->last;
	l->p.session = now - l->begin;
	l->p.own_cpu_ns = cpu - l->own_cpu;
	l->p.own_rss = gn_own_rss();
	l->own_cpu = cpu;
	l->last = now;
	gn_machine_read(&sums); /* stays zero when /proc cannot be read */
	l->p.machine = sums;
	gn_machine_since(&l->p.machine, &l->machine);
	l->machine = sums;
}

/* Losses are counted twice: by cause, and by gaps in the threads' sequence
 * numbers. The two can count the same loss in different periods. */
static void add_losses(struct gn_live_run *l, const struct gn_model *m)
{
	l->lost_by_number += m->lost;
	l->lost_by_cause += gn_model_counted(m);
}

static uint64_t lost_so_far(const struct gn_live_run *l)
{
	return l->lost_by_cause > l->lost_by_number ? l->lost_by_cause
						    : l->lost_by_number;
}

/* Whether the view stays at the end. Not with a number of periods: then nobody
 * may be there to end it. */
static bool stays(const struct gn_live_run *l)
{
	return l->show->stays && !l->opts->iterations;
}

/* The target ended and nothing came after the last period, which stays
 * visible. */
static bool over_and_empty(const struct gn_live_run *l,
			   const struct gn_model *m)
{
	return stays(l) && l->model && l->p.target != GN_TOP_RUNNING &&
	       !m->nthreads && !gn_model_lossy(m);
}

/* A zombie thread counts as alive: its exit record will come. */
static bool lives(void *ctx, uint32_t pid, uint32_t tid)
{
	(void)ctx;
	return !syscall(SYS_tgkill, pid ? pid : tid, tid, 0) || errno != ESRCH;
}

/* The first period begins with the first record: the command runs before gnomon
 * gets to its loop, on a busy machine long before. */
static void begin_with(struct gn_live_run *l, const struct gn_model *m)
{
	if (!l->p.number && m->start && m->start < l->last)
		l->begin = l->last = m->start;
}

/* Makes a model of the records so far, which becomes the shown period. */
static int end_period(struct gn_live_run *l, struct gn_session *s)
{
	struct gn_model *m = NULL, *old = l->model;
	/* making a large model takes a while, which counts for the next
	 * period */
	uint64_t now = gn_now_ns();
	int err = gn_pipeline_silent(l->pipeline, lives, NULL);

	if (!err)
		err = gn_pipeline_period(l->pipeline, &m);
	if (err)
		return err;
	begin_with(l, m);
	measure(l, now);
	if (over_and_empty(l, m)) {
		gn_model_free(m);
		return l->show->period(l->show->ctx, &l->p);
	}
	l->model = m;
	l->p.m = m;
	l->p.number++;
	add_losses(l, m);
	l->broken |= gn_model_broken(m);
	l->p.lost = lost_so_far(l);
	err = gn_muting_apply(&l->muting, l->pipeline, m,
			      l->p.target == GN_TOP_RUNNING ? s : NULL);
	if (err)
		return err;
	l->p.slowdown = l->muting.slowdown;
	l->p.muted = l->muting.muted;
	l->p.nmuted = l->muting.nmuted;
	err = l->show->period(l->show->ctx, &l->p);
	if (old != l->held)
		gn_model_free(old);
	if (!l->paused && l->held) {
		if (l->held != l->model)
			gn_model_free(l->held);
		l->held = NULL;
	}
	return err;
}

static int tick(struct gn_live_run *l, struct gn_session *s)
{
	int err = gn_session_tick(s);

	return err ? err : end_period(l, s);
}

/* Checks whether the target has ended. Its last records are the last period. */
static int target_ended(struct gn_live_run *l, struct gn_capture *c)
{
	int err;

	/* only the parent of a process learns how it ended */
	if (!gn_session_child(c->session)) {
		l->p.status = -1;
	} else if (gn_session_ended(c->session, &c->status)) {
		l->p.signal = gn_session_signal(c->session);
		l->p.status = c->status;
	}
	l->p.target = l->p.signal ? GN_TOP_KILLED : GN_TOP_ENDED;
	err = gn_session_stop(c->session);
	return err ? err : end_period(l, c->session);
}

static int watch(struct gn_live_run *l, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

/* Makes one descriptor for signals and keys, for the session to wait for. */
static int open_inputs(struct gn_live_run *l, const struct gn_capture *c)
{
	int err, fd = l->show->fd ? l->show->fd(l->show->ctx) : -1;

	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0)
		return -errno;
	err = watch(l, c->signals.fd);
	return err || fd < 0 ? err : watch(l, fd);
}

static int take_signal(struct gn_live_run *l, struct gn_capture *c)
{
	int sig = gn_capture_signal(c);

	if (sig != SIGWINCH)
		return c->signals.end != 0;
	return l->show->resized ? l->show->resized(l->show->ctx) : 0;
}

/* 1: enough. */
static int take_inputs(struct gn_live_run *l, struct gn_capture *c)
{
	struct epoll_event e[2];
	int n = epoll_wait(l->epoll, e, 2, 0), done;

	/* also passes signals on */
	done = take_signal(l, c);
	for (int i = 0; i < n && !done; i++)
		done = e[i].data.fd == c->signals.fd
			       ? take_signal(l, c)
			       : l->show->input(l->show->ctx);
	return done;
}

#define IDLE_MS 200

static void idle(void *ctx)
{
	struct gn_live_run *l = ctx;

	if (l->show->idle)
		l->show->idle(l->show->ctx);
}

/* How long to wait for something to happen. */
static int patience(const struct gn_live_run *l, uint64_t ns)
{
	uint64_t ms = ns / 1000000 + 1;

	return l->show->idle && ms > IDLE_MS ? IDLE_MS : (int)ms;
}

/* Tracing is over; the last period stays visible. */
static int stay(struct gn_live_run *l, struct gn_capture *c)
{
	struct pollfd p = {.fd = l->epoll, .events = POLLIN};
	int done = 0;

	while (!done) {
		if (poll(&p, 1, l->show->idle ? IDLE_MS : -1) < 0 &&
		    errno != EINTR)
			return -errno;
		done = take_inputs(l, c);
		idle(l);
	}
	return done < 0 ? done : 0;
}

/* 1: it was the last one. */
static int end_in_time(struct gn_live_run *l, struct gn_session *s)
{
	uint64_t most = l->opts->iterations;
	int done = tick(l, s);

	return done ? done : most && l->p.number >= most;
}

/* Records outside of all periods are not shown, but losses in them count. */
static int pass_over(struct gn_live_run *l)
{
	struct gn_model *m = NULL;
	int err = gn_pipeline_period(l->pipeline, &m);

	if (err)
		return err;
	add_losses(l, m);
	l->broken |= gn_model_broken(m);
	gn_model_free(m);
	return 0;
}

/* The first period begins when the runtimes are done: the time that they took
 * is not a part of it. */
static int asked(struct gn_capture *c, void *ctx)
{
	int err = gn_session_tick(c->session);

	return err ? err : pass_over(ctx);
}

static int loop(struct gn_capture *c, void *ctx)
{
	struct gn_live_run *l = ctx;
	int more = 1, done = 0;

	l->capture = c;
	l->begin = l->last = gn_now_ns();
	l->p.title = l->opts->title;
	l->p.functions = l->opts->functions;
	l->p.budget = l->opts->budget;
	l->own_cpu = gn_own_cpu_ns();
	gn_machine_read(&l->machine);
	if (l->show->open)
		done = l->show->open(l->show->ctx, l);
	/* with a screen, Ctrl-C is a key like q */
	c->signals.interactive = l->show->fd && l->show->fd(l->show->ctx) >= 0;
	if (!done)
		done = open_inputs(l, c);
	while (!done) {
		uint64_t now = gn_now_ns(), at = l->last + l->period;

		if (now >= at || gn_pipeline_full(l->pipeline))
			done = end_in_time(l, c->session);
		else
			more = gn_session_poll(c->session, l->epoll,
					       patience(l, at - now));
		idle(l);
		/* even when drawing takes longer than a period */
		if (!done)
			done = more < 0 ? more : take_inputs(l, c);
		if (done || more)
			continue;
		done = target_ended(l, c);
		/* if the user ended the target by a signal, stop here */
		if (!done && stays(l) && !c->signals.first)
			done = stay(l, c);
		break;
	}
	return done < 0 ? done : 0;
}

struct gn_capture_use gn_live_use(struct gn_live_run *l)
{
	return (struct gn_capture_use){.sink = feed,
				       .calls = feed_calls,
				       .loop = loop,
				       .asked = asked,
				       .idle = idle,
				       .resizes = l->show->resized != NULL,
				       .ctx = l};
}

int gn_live_status(struct gn_live_run *l, bool allow_loss, const char *advice)
{
	if (pass_over(l)) {
		gn_error("no memory; free some");
		return GN_EXIT_FAILED;
	}
	if (l->broken) {
		gn_error("a self-check failed; record it (gnomon record) and "
			 "see gnomon report");
		return GN_EXIT_BROKEN;
	}
	if (!lost_so_far(l) || allow_loss)
		return GN_EXIT_OK;
	gn_error("%" PRIu64 " %s lost: %s", lost_so_far(l),
		 gn_word(lost_so_far(l), "record was", "records were"),
		 advice ? advice : GN_LOSS_ADVICE);
	return GN_EXIT_LOST;
}
