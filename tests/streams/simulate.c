// SPDX-License-Identifier: BSD-2-Clause
#include "simulate.h"

#include <stdio.h>
#include <string.h>

#define SLICES 4
#define DEPTH  60

struct plan {
	uint64_t begin, end; /* of the interval */
	struct gn_slice slices[SLICES];
	bool woken[SLICES]; /* the waker reports it, if it can */
	int n, sent;
};

struct sim_frame {
	uint64_t key;
	int func;
};

struct sim_thread {
	struct plan plan; /* the open interval */
	struct sim_frame frames[ORACLE_STACKS][DEPTH];
	int depth[ORACLE_STACKS];
	int stack;
	int nnest;
	int jump_to; /* function entered next by a tail call, 0 = none */
	uint64_t jump_key;
	uint64_t lost, lost_slices; /* since the last record that arrived */
	uint64_t seen;		    /* when it was last looked at */
};

struct sim {
	uint64_t random;
	const struct sim_opts *opts;
	struct stream *s;
	struct oracle *o;
	struct sim_thread threads[ORACLE_THREADS];
	uint64_t lost;
};

uint64_t sim_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int below(struct sim *m, int n)
{
	return (int)(sim_random(&m->random) % (uint64_t)n);
}

uint32_t sim_tid(int thread)
{
	return thread < ORACLE_PROCESSES ? sim_pid(thread)
					 : 200 + (uint32_t)thread;
}

uint32_t sim_pid(int process)
{
	return 100 + (uint32_t)process;
}

/* Some OS time at random places in the next interval. */
static struct plan make_plan(struct sim *m, uint64_t from)
{
	static const enum gn_class classes[] = {
		GN_CLASS_RUNQUEUE, GN_CLASS_OTHER, GN_CLASS_LOCK,
		GN_CLASS_SYSCALL,  GN_CLASS_IPC,   GN_CLASS_DISK,
		GN_CLASS_EVENT,
	};
	struct plan p = {.begin = from};
	uint64_t at = from;
	int n = below(m, 3) ? 0 : below(m, SLICES);

	for (; p.n < n; p.n++) {
		struct gn_slice *s = &p.slices[p.n];

		s->start = at + (uint64_t)below(m, 10);
		s->end = s->start + 1 + (uint64_t)below(m, 20);
		s->class = (uint8_t)classes[below(m, 7)];
		s->reason = below(m, 2) ? SIM_FUTEX : 1;
		s->detail = below(m, 3) ? 0 : GN_WAIT_TIMED;
		if (below(m, 2))
			s->waker = sim_tid(below(m, ORACLE_THREADS));
		p.woken[p.n] = s->waker && below(m, 2);
		at = s->end;
	}
	p.end = at + (uint64_t)below(m, 30);
	return p;
}

static bool is_lost(struct sim *m)
{
	bool lost = below(m, 1000) < m->opts->loss_permille;

	m->lost += lost;
	return lost;
}

/* Uses up the number of a lost record. */
static void skip_number(struct sim *m, int thread, bool slice)
{
	struct stream_seq *seq = stream_seq(m->s, sim_tid(thread));

	if (slice)
		seq->slice_seq++;
	else
		seq->seq++;
}

/* Writes a slice into the ring. True: it was not lost. */
static bool send_slice(struct sim *m, int thread, const struct gn_slice *s,
		       bool in_probe)
{
	struct sim_thread *t = &m->threads[thread];
	struct stream_event e = {.kind = GN_KIND_SLICE,
				 .time = s->end,
				 .start = s->start,
				 .tid = sim_tid(thread),
				 .class = s->class,
				 .detail = s->detail,
				 .reason = s->reason,
				 .waker = s->waker};

	if (is_lost(m)) {
		t->lost_slices++;
		skip_number(m, thread, true);
		return false;
	}
	/* the numbers do not show the loss of the last records */
	m->o->lost += t->lost_slices;
	t->lost_slices = 0;
	e.flags = in_probe ? GN_F_IN_PROBE : 0;
	stream_add(m->s, &e);
	return true;
}

static void tell_slice(struct sim *m, int thread, const struct gn_slice *s)
{
	struct oracle_event e = {.thread = thread,
				 .kind = GN_KIND_SLICE,
				 .time = s->end,
				 .start = s->start,
				 .class = s->class,
				 .detail = s->detail,
				 .reason = s->reason,
				 .waker = s->waker};

	oracle_take(m->o, &e);
}

/* Writes a collect or note record into the ring, and reports it to the
 * oracle. */
static void send(struct sim *m, int thread, struct stream_event *e, int stack,
		 bool keep)
{
	struct sim_thread *t = &m->threads[thread];
	bool is_call = e->kind == GN_KIND_ENTER || e->kind == GN_KIND_LEAVE;
	struct oracle_event truth = {.thread = thread,
				     .kind = e->kind,
				     .time = e->time,
				     .func = (int)e->func,
				     .key = e->key,
				     .os = e->os_ns,
				     .os_event = e->flags & GN_F_OS_EVENT,
				     .first = is_call && e->flags & GN_F_FIRST,
				     .stack = stack,
				     .signal = e->flags & GN_F_SIGNAL_STACK,
				     .waker = sim_tid(thread)};

	if (e->kind == GN_KIND_WAKE)
		truth.woken = stack;

	e->tid = sim_tid(thread);
	if (!keep && is_lost(m)) {
		t->lost++;
		skip_number(m, thread, false);
		return;
	}
	truth.lost = t->lost;
	t->lost = 0;
	stream_add(m->s, e);
	oracle_take(m->o, &truth);
}

/* The waker of a slice reports it, at some time during the slice. */
static void send_wake(struct sim *m, int thread, const struct gn_slice *s)
{
	struct stream_event e = {.kind = GN_KIND_WAKE, .key = sim_tid(thread)};
	int by = 0;

	e.time = s->start + (uint64_t)below(m, (int)(s->end - s->start) + 1);
	while (sim_tid(by) != s->waker)
		by++;
	if (by != thread && !m->o->threads[by].closed)
		send(m, by, &e, thread, false);
}

static bool is_wait(enum gn_class class)
{
	return class > GN_CLASS_RUNQUEUE;
}

/* What slice s says at `time`, which is inside it, and the slice after it,
 * which is reported together with it. */
static void fill_now(struct gn_rec_now *r, const struct gn_slice *s,
		     const struct gn_slice *then, uint64_t time)
{
	r->h.time = time;
	r->since = s->start;
	r->class = s->class;
	r->reason = s->reason;
	r->detail = s->detail;
	if (is_wait(s->class)) {
		r->state = GN_CPU_WAITING;
	} else if (s->class == GN_CLASS_RUNQUEUE) {
		r->state = GN_CPU_QUEUED;
	} else {
		r->state = GN_CPU_ON;
	}
	if (then && time > s->end) {
		r->state = GN_CPU_WOKEN;
		r->woken = s->end;
	}
}

/*
 * Looks at the thread at some time of the plan, after its last report and
 * before the next one, which is slice k.
 */
static void look(struct sim *m, int thread, const struct plan *p, int k)
{
	struct sim_thread *t = &m->threads[thread];
	struct gn_rec_now r = {
		.h = {.tid = sim_tid(thread), .kind = GN_KIND_NOW},
		.reason = GN_NO_SYSCALL,
		.state = GN_CPU_ON,
	};
	const struct gn_slice *s = k < p->n ? &p->slices[k] : NULL;
	const struct gn_slice *then = NULL;
	uint64_t from = k ? p->slices[k - 1].end : p->begin, to = p->end;

	if (below(m, 1000) >= m->opts->now_permille)
		return;
	if (s && k + 1 < p->n && is_wait(s->class) &&
	    s[1].class == GN_CLASS_RUNQUEUE && s[1].start == s->end)
		then = s + 1;
	if (s)
		to = then ? then->end : s->end;
	if (from < t->seen)
		from = t->seen;
	if (from > to)
		return;
	r.h.time = r.since = from + (uint64_t)below(m, (int)(to - from) + 1);
	t->seen = r.h.time;
	if (s && r.h.time > s->start)
		fill_now(&r, s, then, r.h.time);
	stream_raw(m->s, &r, sizeof(r));
}

static void maybe_end_period(struct sim *m)
{
	struct gn_rec r = {.kind = SIM_PERIOD};
	int i;

	if (below(m, 1000) >= m->opts->now_permille)
		return;
	for (i = 0; i < ORACLE_THREADS; i++)
		look(m, i, &m->threads[i].plan, m->threads[i].plan.sent);
	stream_raw(m->s, &r, sizeof(r));
}

/* The content of a late slice does not depend on when it arrives. */
static bool can_be_late(const struct gn_slice *s)
{
	return s->class == GN_CLASS_RUNQUEUE || s->class == GN_CLASS_SYSCALL;
}

/*
 * The open interval ends with this event. A slice of the next interval can
 * overtake the event's record, and a slice of this one can say that it might
 * have.
 */
static void end_interval(struct sim *m, int thread, enum gn_kind kind, int func,
			 uint64_t key, bool keep)
{
	struct sim_thread *t = &m->threads[thread];
	struct plan *p = &t->plan, next = make_plan(m, p->end);
	struct stream_event e = {.kind = kind,
				 .time = p->end,
				 .func = (uint32_t)func,
				 .key = key};
	bool told = false, late;
	int i;

	for (i = 0; i < p->n; i++) {
		e.os_ns += (uint32_t)(p->slices[i].end - p->slices[i].start);
		if (i < p->sent)
			continue;
		look(m, thread, p, i);
		late = i == p->n - 1 && !below(m, 4);
		if (late)
			keep = keep || !can_be_late(&p->slices[i]);
		else if (p->woken[i])
			send_wake(m, thread, &p->slices[i]);
		if (send_slice(m, thread, &p->slices[i], late))
			tell_slice(m, thread, &p->slices[i]);
	}
	look(m, thread, p, p->n);
	if (e.os_ns || !below(m, 10))
		e.flags = GN_F_OS_EVENT;
	if ((kind == GN_KIND_ENTER || kind == GN_KIND_LEAVE) && !below(m, 6))
		e.flags |= GN_F_FIRST;
	if (next.n && !below(m, 3)) {
		keep = keep || !can_be_late(&next.slices[0]);
		told = send_slice(m, thread, &next.slices[0], true);
		next.sent = 1;
	}
	if (m->opts->late && kind != GN_KIND_EXIT && kind != GN_KIND_STOP)
		look(m, thread, &next, next.sent);
	send(m, thread, &e, 0, keep);
	if (told)
		tell_slice(m, thread, &next.slices[0]);
	*p = next;
}

static void enter(struct sim *m, int thread, int func, uint64_t key)
{
	struct sim_thread *t = &m->threads[thread];
	int *n = &t->depth[t->stack];
	uint64_t top = *n ? t->frames[t->stack][*n - 1].key
			  : (uint64_t)(t->stack + 2) << 20;

	if (!key)
		key = top - 16 * (1 + (uint64_t)below(m, 3));
	t->frames[t->stack][*n] = (struct sim_frame){key, func};
	++*n;
	end_interval(m, thread, GN_KIND_ENTER, func, key, false);
}

static void switch_stack(struct sim *m, int thread, int stack, bool keep)
{
	struct sim_thread *t = &m->threads[thread];
	struct stream_event e = {.kind = GN_KIND_STACK,
				 .time = t->plan.end,
				 .lo = (uint64_t)(stack + 1) << 20,
				 .hi = (uint64_t)(stack + 2) << 20};

	/* its kind can change */
	if (stack && below(m, 2))
		e.flags = GN_F_SIGNAL_STACK;

	t->stack = stack;
	send(m, thread, &e, stack, keep);
}

/* An exception ends the innermost frame of a function near the top. The
 * runtime's own frames may be below it. */
static void unwind(struct sim *m, int thread)
{
	struct sim_thread *t = &m->threads[thread];
	struct sim_frame *f = t->frames[t->stack];
	int *n = &t->depth[t->stack];
	int i = *n - 1 - below(m, *n > 3 ? 3 : *n);
	int func = f[i].func, k;

	for (k = *n - 1; f[k].func != func; k--)
		;
	memmove(&f[k], &f[k + 1], (size_t)(*n - 1 - k) * sizeof(*f));
	--*n;
	end_interval(m, thread, GN_KIND_UNWIND_BEGIN, func, 0, true);
	end_interval(m, thread, GN_KIND_UNWIND_END, func, 0, true);
}

static void nest(struct sim *m, int thread)
{
	static const enum gn_kind begins[] = {GN_KIND_JIT_BEGIN,
					      GN_KIND_GC_BEGIN};
	static const enum gn_kind ends[] = {GN_KIND_JIT_END, GN_KIND_GC_END};
	struct sim_thread *t = &m->threads[thread];

	if (!m->opts->calm && !below(m, 3)) {
		end_interval(m, thread,
			     below(m, 2) ? GN_KIND_SUSPEND_BEGIN
					 : GN_KIND_SUSPEND_END,
			     1, 0, false);
		return;
	}
	/* limited, because the nesting could grow without end */
	if (t->nnest < 6 && below(m, 2)) {
		t->nnest++;
		end_interval(m, thread, begins[below(m, 2)], 1, 0, true);
	} else {
		t->nnest -= t->nnest > 0;
		end_interval(m, thread, ends[below(m, 2)], 1, 0, true);
	}
}

static void leave(struct sim *m, int thread, enum gn_kind kind)
{
	struct sim_thread *t = &m->threads[thread];
	struct sim_frame *f = t->frames[t->stack];
	struct sim_frame top = f[--t->depth[t->stack]];

	if (kind == GN_KIND_TAILCALL) {
		t->jump_to = 1 + below(m, ORACLE_FUNCTIONS - 1);
		t->jump_key = top.key;
	}
	end_interval(m, thread, kind, top.func, top.key, false);
}

/* longjmp: frames are gone, and the next event belongs to the others. */
static void jump(struct sim *m, int thread)
{
	struct sim_thread *t = &m->threads[thread];
	int *n = &t->depth[t->stack];
	int gone = 1 + below(m, *n);
	uint64_t key = t->frames[t->stack][*n - gone].key;

	*n -= gone;
	if (!*n || below(m, 2))
		enter(m, thread, 1 + below(m, ORACLE_FUNCTIONS - 1), key);
	else
		leave(m, thread, GN_KIND_LEAVE);
}

static void step(struct sim *m, int thread)
{
	/* times for gnomon; a begin may come twice, and an end alone */
	static const enum gn_kind own_kinds[] = {
		GN_KIND_HOOK_WAITS, GN_KIND_OWN_BEGIN, GN_KIND_OWN_END,
		GN_KIND_OWN_END};
	struct sim_thread *t = &m->threads[thread];
	int n = t->depth[t->stack], what = below(m, 100), func;

	if (t->jump_to) {
		func = t->jump_to;
		t->jump_to = 0;
		enter(m, thread, func, t->jump_key);
	} else if (what < 40 ? n < DEPTH - 1 : !n) {
		enter(m, thread, 1 + below(m, ORACLE_FUNCTIONS - 1), 0);
	} else if (what < 75) {
		leave(m, thread, GN_KIND_LEAVE);
	} else if (what < 80) {
		leave(m, thread, GN_KIND_TAILCALL);
	} else if (what < 84) {
		jump(m, thread);
	} else if (what < 88) {
		unwind(m, thread);
	} else if (what < 93) {
		nest(m, thread);
	} else if (what < 94) {
		/* not reported if a look can come before it */
		if (!m->opts->late)
			end_interval(m, thread, own_kinds[below(m, 4)], 0, 0,
				     false);
	} else if (what < 98) {
		if (!m->opts->calm)
			switch_stack(m, thread, below(m, ORACLE_STACKS), false);
		if (t->depth[t->stack] && below(m, 2))
			leave(m, thread, GN_KIND_LEAVE);
		else if (t->depth[t->stack] < DEPTH - 1)
			enter(m, thread, 1 + below(m, ORACLE_FUNCTIONS - 1), 0);
	} else {
		/* a leave without an enter */
		end_interval(m, thread, GN_KIND_LEAVE, 1 + below(m, 3),
			     t->frames[t->stack][n - 1].key - 8, false);
	}
}

static void begin_thread(struct sim *m, int thread)
{
	struct stream_event e = {.kind = GN_KIND_THREAD,
				 .time = 1000 + (uint64_t)below(m, 500),
				 .pid = sim_pid(thread % ORACLE_PROCESSES),
				 .comm = "sim"};

	send(m, thread, &e, 0, true);
	m->threads[thread].plan = make_plan(m, e.time);
	switch_stack(m, thread, 0, true);
}

/* Not every class is measured. */
static void define_costs(struct sim *m)
{
	struct stream_event e = {.kind = GN_KIND_COST};

	for (e.id = 1; e.id < GN_PROBE_CLASS_COUNT; e.id++) {
		struct gn_model_cost *c = &m->o->costs[e.id];

		if (!below(m, 4))
			continue;
		c->samples = e.samples = 100;
		c->before_ns = e.before = (uint32_t)below(m, 12);
		c->after_ns = e.after = (uint32_t)below(m, 6);
		c->spread_ns = e.spread = 1;
		e.turn = (uint32_t)below(m, 4);
		m->o->turns[e.id] = e.turn;
		stream_add(m->s, &e);
	}
}

static void define_functions(struct stream *s, struct oracle *o)
{
	char name[16];
	struct stream_event e = {.kind = GN_KIND_MODULE, .text = {name}};

	for (e.id = 1; e.id <= ORACLE_MODULES; e.id++) {
		snprintf(name, sizeof(name), "m%u", e.id - 1);
		stream_add(s, &e);
	}
	e.kind = GN_KIND_FUNCTION;
	for (e.id = 1; e.id < ORACLE_FUNCTIONS; e.id++) {
		snprintf(name, sizeof(name), "f%u", e.id);
		e.ref = e.id % ORACLE_MODULES + 1;
		/* everything that a record can say; one is single-stepped with
		 * a return probe */
		o->enter[e.id] = e.id % 8;
		o->leave[e.id] = (e.id + 1) % 8;
		e.flags = (uint8_t)GN_F_CLASSES(o->enter[e.id], o->leave[e.id]);
		stream_add(s, &e);
	}
}

void simulate(const struct sim_opts *opts, struct stream *s, struct oracle *o)
{
	struct sim m = {.random = opts->seed, .opts = opts, .s = s, .o = o};
	struct stream_event count = {.kind = GN_KIND_COUNT,
				     .id = GN_COUNTER_RING_FULL};
	int i;

	if (!opts->calm)
		define_costs(&m);
	define_functions(s, o);
	for (i = 0; i < ORACLE_THREADS; i++)
		begin_thread(&m, i);
	for (i = 0; i < opts->steps; i++) {
		step(&m, below(&m, ORACLE_THREADS));
		maybe_end_period(&m);
	}
	for (i = 0; i < ORACLE_THREADS; i++)
		end_interval(&m, i, below(&m, 2) ? GN_KIND_EXIT : GN_KIND_STOP,
			     0, 0, true);
	count.count = m.lost;
	if (m.lost)
		stream_add(s, &count);
}
