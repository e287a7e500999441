/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the session's records out of the ring and hands them to the sink. */
#include "capture/session_internal.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/clock.h"
#include "capture/drain.h"
#include "capture/meter.h"
#include "capture/sources.h"
#include "gnomon.skel.h"
#include "runtime/runtime.h"

/*
 * gnomon polls the ring, so that the traced program never has to wake it. Each
 * poll costs some 0.5 ms: the caches have forgotten gnomon meanwhile. So it
 * waits as long as half of the ring has room for all that the CPUs can write,
 * and at most POLL_LONG_MS. Until a function is entered it waits less, because
 * wakers are watched from then on.
 */
#define POLL_MS	      5
#define POLL_FIRST_MS 20
#define POLL_LONG_MS  100
#define CPU_BYTES_MS  (64u << 10) /* probes write so much on one CPU in 1 ms */
#define BUSY	      16384 /* samples: the ring is drained again at once */
#define IDLE_POLLS    20
#define HOLD_MS	      1 /* until the sink is asked again */
#define MARKS_MAX     8 /* in one round, for threads that get rings meanwhile */
/* A reader of a pipe may wait for the program's end before it reads. */
#define SINK_GRACE_NS 1500000000u

/* Takes an ENTER or LEAVE. Most records are these, and few modules look at
 * them. */
static int take_call(struct gn_session *s, const struct gn_rec *rec,
		     size_t size)
{
	/* watch wakers from now on: without native functions, they were not
	 * watched from the start */
	if (rec->kind == GN_KIND_ENTER) {
		s->managed = true;
		s->entered = rec->tid;
	}
	if (s->outside)
		gn_outside_record(s->outside, rec);
	return gn_session_put(s, rec, size);
}

static void note_end(struct gn_session *s, const struct gn_rec_func *r)
{
	for (size_t i = 0; !s->killed_by && i < s->opts.npids; i++)
		if ((uint32_t)s->opts.pids[i] == r->h.tid &&
		    r->h.flags & GN_F_PROCESS_ENDS &&
		    WIFSIGNALED(r->func & UINT16_MAX)) {
			s->killed = s->opts.pids[i];
			s->killed_by = WTERMSIG(r->func & UINT16_MAX);
		}
}

static void note_runtime(struct gn_session *s, const struct gn_rec_thread *r)
{
	const struct gn_runtime *rt = gn_runtime_of(GN_FUNC_RUNTIME(r->parent));

	s->stops |= rt && gn_runtime_stops(rt);
	gn_session_put_program(s, r->pid, r->comm);
}

static void note_exec(struct gn_session *s, const struct gn_rec_thread *r)
{
	/* it can have joined a group that limits it */
	gn_session_look_at_groups(s, (pid_t)r->pid);
	gn_session_put_started(s, r);
}

/* Takes a record in its order. */
static int take_record(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct gn_session *s = ctx;
	struct gn_rec_func room;
	int err;

	rec = gn_unwanted_record(&s->unwanted, rec, &room);
	if (rec->kind == GN_KIND_ENTER || rec->kind == GN_KIND_LEAVE)
		return take_call(s, rec, size);
	if (s->later)
		gn_later_record(s->later, rec);
	if (s->active)
		gn_running_record(s->active, rec);
	gn_unseen_record(s->unseen, rec, s->filter);
	if (s->outside)
		gn_outside_record(s->outside, rec);
	if (rec->kind == GN_KIND_EXIT)
		note_end(s, (const void *)rec);
	if (rec->kind == GN_KIND_EXEC)
		note_exec(s, (const void *)rec);
	if (rec->kind == GN_KIND_RUNTIME)
		note_runtime(s, (const void *)rec);
	err = gn_session_put(s, rec, size);
	if (s->sources)
		gn_sources_record(s->sources, rec);
	return err;
}

/* Takes ENTER and LEAVE records of one thread, in their order. */
static int take_calls(void *ctx, const struct gn_rec_func *recs, size_t n)
{
	struct gn_session *s = ctx;
	int err = 0;

	if (s->opts.calls && !gn_unwanted_any(&s->unwanted, recs, n)) {
		s->managed = true;
		s->entered = recs->h.tid;
		if (s->outside) {
			gn_outside_record(s->outside, &recs[0].h);
			gn_outside_record(s->outside, &recs[n - 1].h);
		}
		return gn_session_put_calls(s, recs, n);
	}
	for (size_t i = 0; i < n && !err; i++)
		err = take_record(s, &recs[i].h, sizeof(recs[i]));
	return err;
}

static int on_record(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct gn_session *s = ctx;

	if (gn_meter_take(s->meter, rec) || s->measuring)
		return 0;
	/* samples need the order of the ring, so take them before records wait
	 * to be merged */
	if (s->sampler && gn_sampler_record(s->sampler, rec))
		return 0;
	if (s->fast && gn_fast_record(s->fast, rec, size))
		return 0;
	return take_record(s, rec, size);
}

/* Whether records must wait in the ring. A sink that has failed takes none, so
 * then they need not wait. */
static bool held(struct gn_session *s)
{
	s->hold = s->opts.hold && !s->sink_error
			  ? s->opts.hold(s->opts.sink_ctx)
			  : GN_HOLD_NOT;
	return s->hold != GN_HOLD_NOT;
}

/* Whether to take no more records for now. */
static bool is_enough(void *ctx)
{
	struct gn_session *s = ctx;

	return held(s) || gn_now_ns() >= s->drain_until;
}

static int settle(void *ctx)
{
	return gn_watch_settle(ctx);
}

int gn_session_open_fast(struct gn_session *s, int ring)
{
	struct gn_fast_opts opts = {
		.put = take_record,
		.calls = take_calls,
		.settle = settle,
		.enough = is_enough,
		.ctx = s,
		.drops = s->opts.drops,
	};

	s->fast = gn_fast_new(&opts, ring);
	return s->fast ? 0 : -ENOMEM;
}

static int count_late(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct gn_session *s = ctx;

	(void)rec, (void)size;
	s->late++;
	return 0;
}

int gn_session_sample(void *ctx, void *data, size_t size)
{
	struct gn_session *s = ctx;

	if (s->dropping) {
		gn_drain_sample(data, size, count_late, s);
		return 0;
	}
	/* while measuring, hooks have no runtime's names, so errors of reading
	 * them do not count */
	if (gn_drain_sample(data, size, on_record, s) && !s->measuring)
		s->sink_lost++;
	if (held(s))
		return -EAGAIN;
	/* do not read the clock for each record */
	return ++s->drained % 256 || gn_now_ns() < s->drain_until ? 0 : -EAGAIN;
}

/* How long half of the ring is enough for what all CPUs can write. */
static int room_ms(const struct gn_session *s)
{
	int cpus = libbpf_num_possible_cpus();
	uint64_t ms = s->opts.ring_size / 2 / CPU_BYTES_MS /
		      (uint64_t)(cpus > 0 ? cpus : 1);
	uint64_t most = s->managed ? POLL_LONG_MS : POLL_FIRST_MS;

	return ms < POLL_MS ? POLL_MS : (int)(ms < most ? ms : most);
}

/* How long to wait for records after a draining. */
static int rest_ms(struct gn_session *s, bool more)
{
	int room;

	if (s->hold)
		return HOLD_MS;
	if (more || s->drained > BUSY)
		return 0;
	s->idle = s->drained ? 0 : s->idle + (s->idle < IDLE_POLLS);
	room = room_ms(s);
	return s->idle == IDLE_POLLS && room < POLL_FIRST_MS ? POLL_FIRST_MS
							     : room;
}

int gn_session_poll(struct gn_session *s, int wake_fd, int ms)
{
	struct pollfd p[] = {
		{.fd = wake_fd, .events = POLLIN},
		{.fd = s->child.pidfd, .events = POLLIN},
		{.fd = s->wake, .events = POLLIN},
		{.fd = s->later ? gn_later_fd(s->later) : -1, .events = POLLIN},
	};
	struct epoll_event woken;
	int more, rest, err, live = gn_session_lives(s);

	gn_session_note_clock(s);

	/* if the target has ended, this takes what is left */
	more = gn_session_drain(s, GN_DRAIN_NS);
	if (more < 0)
		return more;
	if (s->sink_error)
		return gn_session_not_kept(s);
	if (!live)
		return 0;
	err = s->managed || s->stops ? gn_watch_wakers(s) : 0;
	if (err)
		return err;
	rest = rest_ms(s, more);
	/* but do not spin while the sink holds records */
	if (s->fast && !gn_fast_sleep(s->fast) && !s->hold)
		rest = 0;
	poll(p, sizeof(p) / sizeof(p[0]), ms < rest ? ms : rest);
	if (s->fast)
		gn_fast_awake(s->fast);
	if (p[2].revents)
		epoll_wait(s->wake, &woken, 1, 0);
	if (s->later)
		gn_later_serve(s->later);
	return 1;
}

static int consume(struct gn_session *s)
{
	return held(s) ? -EAGAIN : ring_buffer__consume(s->ring);
}

int gn_session_drain(struct gn_session *s, uint64_t ns)
{
	uint64_t begun = gn_now_ns(), now = begun;
	int n, more = 0;

	s->drained = 0;
	s->drain_until = now + ns < now ? UINT64_MAX : now + ns;
	if (s->fast)
		gn_fast_mark(s->fast);
	n = consume(s);
	for (int i = 0;
	     s->fast && n >= 0 && i < MARKS_MAX && gn_fast_has_fresh(s->fast);
	     i++) {
		gn_fast_mark(s->fast);
		n = consume(s);
	}
	if (s->fast && n >= 0)
		more = gn_fast_merge(s->fast);
	now = gn_now_ns();
	/* more CPU time does not help against a slow sink */
	gn_priority_follow(&s->priority, n == -EAGAIN && !s->hold, now);
	gn_loss_follow(&s->loss, s->hold,
		       s->skel->bss->control.counters[GN_COUNTER_RING_FULL],
		       now);
	gn_meter_follow(s->meter, now, s->entered);
	s->entered = 0;
	if (more < 0)
		return gn_session_fail(s, more, 1, "no memory for records");
	if (n >= 0 && !more)
		gn_later_catch_up(s->later, begun);
	if (n >= 0 || n == -EAGAIN)
		return n == -EAGAIN || more;
	return gn_session_fail(s, n, 1, "the ring buffer is broken (%s)",
			       strerror(-n));
}

void gn_session_rest(struct gn_session *s)
{
	struct pollfd p = {.fd = s->wake, .events = POLLIN};
	struct epoll_event woken;

	if (poll(&p, 1, POLL_MS) > 0)
		epoll_wait(s->wake, &woken, 1, 0);
}

/* Drops what is left, and counts it. */
static void drop_all(struct gn_session *s)
{
	s->dropping = true;
	gn_session_drain(s, UINT64_MAX);
	s->dropping = false;
}

void gn_session_drain_all(struct gn_session *s, uint64_t ns)
{
	for (;;) {
		uint64_t begin = gn_now_ns(), took;

		if (gn_session_drain(s, ns) <= 0)
			return;
		if (!s->hold) {
			drop_all(s);
			return;
		}
		took = gn_now_ns() - begin;
		ns -= took < ns ? took : ns;
		if (s->hold == GN_HOLD_STUCK &&
		    begin - s->rest_begun > SINK_GRACE_NS)
			s->sink_error = -ETIMEDOUT;
		else
			poll(NULL, 0, HOLD_MS);
	}
}

const char *gn_session_loss_advice(const struct gn_session *s)
{
	return gn_loss_advice(&s->loss);
}

static uint64_t missed_by(const struct bpf_program *p)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);
	int fd = bpf_program__fd(p);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	return info.recursion_misses;
}

uint64_t gn_session_missed_wakers(struct gn_session *s)
{
	return missed_by(s->skel->progs.on_waking);
}

static uint64_t missed_samples(struct gn_session *s)
{
	return missed_by(s->skel->progs.on_sample);
}

uint64_t gn_session_missed(struct gn_session *s)
{
	struct bpf_program *p;
	uint64_t n = 0;

	bpf_object__for_each_program(p, s->skel->obj)
	{
		if (p != s->skel->progs.on_waking &&
		    p != s->skel->progs.on_sample)
			n += missed_by(p);
	}
	return n;
}

void gn_session_put_counts(struct gn_session *s)
{
	struct gn_rec_count r = {.h = {.kind = GN_KIND_COUNT}};

	for (uint32_t i = 0; i < GN_COUNTER_COUNT; i++) {
		uint64_t sum = s->skel->bss->control.counters[i];

		if (s->sampler)
			sum += gn_sampler_count(s->sampler, i);
		if (i == GN_COUNTER_SINK)
			sum += s->sink_lost;
		else if (i == GN_COUNTER_LATE)
			sum += s->late;
		else if (i == GN_COUNTER_MISSED)
			sum += gn_session_missed(s);
		else if (i == GN_COUNTER_SAMPLES_BUSY)
			sum += missed_samples(s);
		else if (i == GN_COUNTER_NO_WAKER)
			sum += gn_session_missed_wakers(s);
		else if (s->later)
			sum += gn_later_count(s->later, i);
		else if (i == GN_COUNTER_UNPROBED)
			sum += s->unprobed;
		else if (i == GN_COUNTER_UNPROBED_NS)
			sum += s->unprobed_ns;
		r.id = i;
		r.count = sum - s->told[i];
		s->told[i] = sum;
		if (r.count)
			gn_session_put(s, &r.h, sizeof(r));
	}
}

int gn_session_tick(struct gn_session *s)
{
	struct gn_control *control = &s->skel->bss->control;
	int err;

	control->ticking = 1;
	err = gn_session_look(s);
	control->ticking = 0;
	if (!err)
		err = gn_session_drain(s, GN_DRAIN_NS);
	if (err < 0)
		return err;
	gn_session_put_counts(s);
	return 0;
}
