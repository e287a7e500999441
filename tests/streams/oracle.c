// SPDX-License-Identifier: BSD-2-Clause
#include "oracle.h"

#include "simulate.h"

#include <assert.h>
#include <string.h>

/* The time of an interval, and how it is added for its owner. */
struct part {
	uint64_t elapsed, app;
	uint64_t ns[GN_CLASS_COUNT];
	bool gap;
};

static void add_excl(struct gn_values *v, const struct part *p)
{
	v->elapsed_excl += p->elapsed;
	v->app_excl += p->app;
	for (int c = 0; c < GN_CLASS_COUNT; c++)
		v->class_excl[c] += p->ns[c];
	v->gap |= p->gap;
}

static void add_incl(struct gn_values *v, const struct part *p)
{
	v->elapsed_incl += p->elapsed;
	v->app_incl += p->app;
	for (int c = 0; c < GN_CLASS_COUNT; c++)
		v->class_incl[c] += p->ns[c];
	v->gap |= p->gap;
}

static void charge_stack(struct oracle *o, struct oracle_frame *f, int depth,
			 const struct part *p)
{
	bool fn[ORACLE_FUNCTIONS] = {false};
	bool module[ORACLE_MODULES] = {false};
	bool edge[ORACLE_FUNCTIONS][ORACLE_FUNCTIONS] = {{false}};
	int top = f[depth - 1].func;
	int below_top = depth > 1 ? f[depth - 2].func : 0;

	add_excl(&o->functions[top], p);
	add_excl(&o->modules[top % ORACLE_MODULES], p);
	add_excl(&o->edges[below_top][top], p);
	for (int i = 0; i < depth; i++) {
		int callee = f[i].func, caller = i ? f[i - 1].func : 0;

		f[i].age += p->elapsed;
		if (!fn[callee])
			add_incl(&o->functions[callee], p);
		fn[callee] = true;
		if (!module[callee % ORACLE_MODULES])
			add_incl(&o->modules[callee % ORACLE_MODULES], p);
		module[callee % ORACLE_MODULES] = true;
		if (!edge[caller][callee])
			add_incl(&o->edges[caller][callee], p);
		edge[caller][callee] = true;
	}
}

static enum gn_class running(const struct oracle_thread *t)
{
	return t->nnest ? t->nest[t->nnest - 1].class : GN_CLASS_APP;
}

/* The probe that made the record. */
static enum gn_probe_class probe_of(const struct oracle *o,
				    const struct oracle_event *e)
{
	if (e->kind == GN_KIND_ENTER) {
		bool both = o->enter[e->func] == GN_PROBE_STEPPED &&
			    o->leave[e->func] == GN_PROBE_RETURN;

		return both && o->costs[GN_PROBE_STEPPED_CALL].samples
			       ? GN_PROBE_STEPPED_CALL
			       : o->enter[e->func];
	}
	if (e->kind == GN_KIND_LEAVE || e->kind == GN_KIND_TAILCALL)
		return o->leave[e->func];
	if (e->kind == GN_KIND_EXIT || e->kind == GN_KIND_STOP ||
	    e->kind == GN_KIND_HOOK_WAITS)
		return GN_PROBE_NONE;
	return GN_PROBE_MANAGED;
}

static enum oracle_way way_of(const struct oracle_event *e)
{
	if (e->kind == GN_KIND_ENTER)
		return ORACLE_ENTERED;
	if (e->kind == GN_KIND_LEAVE || e->kind == GN_KIND_TAILCALL)
		return ORACLE_LEFT;
	return ORACLE_NEITHER;
}

/* Subtracts the cost of the probes at both ends, and what its owner owes, from
 * the rest of a time. */
static uint64_t take_cost(struct oracle *o, const struct oracle_thread *t,
			  const struct oracle_event *e, uint64_t *owed,
			  uint64_t rest)
{
	uint64_t cost = o->costs[probe_of(o, e)].before_ns;

	if ((t->way == ORACLE_ENTERED && way_of(e) == ORACLE_LEFT) ||
	    (t->way == ORACLE_LEFT && way_of(e) == ORACLE_ENTERED))
		cost += o->turns[probe_of(o, e)];
	cost += o->costs[t->begun_by].after_ns;
	if (t->begun_first)
		cost += o->costs[GN_PROBE_FIRST].after_ns;
	o->cost_left -= *owed;
	cost += *owed;
	while (cost && rest) {
		cost--;
		rest--;
		o->cost++;
	}
	*owed = cost;
	o->cost_left += cost;
	return rest;
}

static struct part measure(struct oracle *o, const struct oracle_thread *t,
			   const struct oracle_event *e, uint64_t *owed)
{
	struct part p = {.elapsed = e->time - t->since, .gap = t->gap};
	uint64_t known = 0, rest;

	if (t->gap) {
		p.ns[GN_CLASS_UNCLASSIFIED] = p.elapsed;
		return p;
	}
	if (t->hook_waits || t->own_work) {
		o->cost += p.elapsed;
		p.elapsed = 0;
		return p;
	}
	for (int i = 0; i < t->nparts; i++) {
		p.ns[t->parts[i].class] += t->parts[i].ns;
		known += t->parts[i].ns;
	}
	assert(known <= e->os && e->os <= p.elapsed);
	p.ns[GN_CLASS_UNCLASSIFIED] += e->os - known;
	rest = take_cost(o, t, e, owed, p.elapsed - e->os);
	p.ns[running(t)] += rest;
	p.elapsed = e->os + rest;
	if (o->classify == GN_CLASSIFY_EXACT)
		p.app = rest;
	else if (!e->os && !e->os_event && !t->nparts)
		p.app = p.elapsed;
	return p;
}

static void add_wait(struct oracle *o, const struct oracle_wait *w, int func)
{
	struct oracle_wait *to = o->waits;

	while (to < o->waits + o->nwaits &&
	       (to->func != func || to->class != w->class ||
		to->reason != w->reason || to->waker != w->waker ||
		to->waker_func != w->waker_func))
		to++;
	if (to == o->waits + o->nwaits) {
		assert(o->nwaits < ORACLE_WAITS);
		o->nwaits++;
		*to = *w;
		to->func = func;
		return;
	}
	to->ns += w->ns;
	to->count += w->count;
	if (w->ns > to->longest)
		to->longest = w->ns;
}

static void end_windows(struct oracle *o, int thread, uint64_t time)
{
	for (int i = 0; i < o->nwindows; i++) {
		if (o->windows[i].thread != thread || !o->windows[i].depth)
			continue;
		o->windows[i].depth = 0;
		o->windows[i].end = time;
	}
}

static void close_interval(struct oracle *o, struct oracle_thread *t,
			   const struct oracle_event *e)
{
	int number = e->thread % ORACLE_PROCESSES;
	struct gn_values *process = &o->processes[number];
	int last = t->stack, owner, func = 0;
	struct part p;

	if (t->interrupted && !t->depth[last])
		last = t->interrupted - 1;
	owner = last;
	if (t->next_stack != t->stack &&
	    (t->depth[t->next_stack] || !t->depth[last]))
		owner = t->next_stack;
	if (t->depth[owner])
		func = t->frames[owner][t->depth[owner] - 1].func;
	p = measure(o, t, e, func ? &o->owed[func] : &o->owed_outside[number]);
	t->left = 0;
	if (t->next_stack != t->stack && t->depth[t->stack])
		t->left = t->frames[t->stack][t->depth[t->stack] - 1].func;
	if (t->next_stack != t->stack)
		t->interrupted = t->signal ? 1 + last : 0;
	t->stack = t->next_stack;
	add_incl(&t->v, &p);
	add_incl(process, &p);
	if (func) {
		add_excl(&t->v, &p);
		add_excl(process, &p);
		charge_stack(o, t->frames[owner], t->depth[owner], &p);
	}
	for (int i = 0;
	     i < t->nparts && !t->gap && !t->hook_waits && !t->own_work; i++)
		add_wait(o, &t->parts[i], func);
	if (t->gap) {
		t->nnest = t->nsuspended = 0;
		t->own_work = false;
		end_windows(o, e->thread, t->since);
	}
	t->nparts = 0;
	t->gap = false;
	t->hook_waits = e->kind == GN_KIND_HOOK_WAITS;
	if (e->kind == GN_KIND_OWN_BEGIN || e->kind == GN_KIND_OWN_END)
		t->own_work = e->kind == GN_KIND_OWN_BEGIN;
	t->since = e->time;
	t->begun_by = probe_of(o, e);
	t->way = way_of(e);
	o->costs[t->begun_by].hits++;
	t->begun_first = e->first && (t->begun_by == GN_PROBE_STEPPED ||
				      t->begun_by == GN_PROBE_CALL ||
				      t->begun_by == GN_PROBE_STEPPED_CALL);
	o->costs[GN_PROBE_FIRST].hits += t->begun_first;
}

static void finished(struct gn_values *v, uint64_t age)
{
	if (!v->finished || age < v->min)
		v->min = age;
	if (age > v->max)
		v->max = age;
	v->finished++;
	v->spent += age;
}

enum how { LEFT, UNWOUND, CAUGHT, OPEN };

/* The frame at `i` ends; those above it stay. */
static void end_frame(struct oracle *o, const struct oracle_event *e, int i,
		      int stack, enum how how)
{
	struct oracle_thread *t = &o->threads[e->thread];
	struct oracle_frame *f = &t->frames[stack][i];
	int caller = i ? f[-1].func : 0;
	struct gn_values *all[] = {
		&o->functions[f->func],
		&o->modules[f->func % ORACLE_MODULES],
		&o->edges[caller][f->func],
	};

	for (int k = 0; k < 3; k++) {
		if (how == LEFT || how == CAUGHT)
			finished(all[k], f->age);
		if (how == UNWOUND || how == CAUGHT)
			all[k]->unwound++;
	}
	if (how == UNWOUND || how == CAUGHT) {
		o->unwound++;
		t->v.unwound++;
		o->processes[e->thread % ORACLE_PROCESSES].unwound++;
	}
	if (how == OPEN)
		o->open++;
	t->depth[stack]--;
	memmove(f, f + 1,
		(size_t)(t->depth[stack] - i) * sizeof(struct oracle_frame));
}

static void end_top(struct oracle *o, const struct oracle_event *e,
		    enum how how)
{
	struct oracle_thread *t = &o->threads[e->thread];

	end_frame(o, e, t->depth[t->stack] - 1, t->stack, how);
}

static void enter(struct oracle *o, const struct oracle_event *e)
{
	struct oracle_thread *t = &o->threads[e->thread];
	struct oracle_frame *f = t->frames[t->stack];
	int *n = &t->depth[t->stack];
	int caller;

	while (*n && f[*n - 1].key <= e->key)
		end_top(o, e, UNWOUND);
	assert(*n < ORACLE_DEPTH);
	caller = *n ? f[*n - 1].func : 0;
	f[*n] = (struct oracle_frame){.key = e->key, .func = e->func};
	++*n;
	o->functions[e->func].calls++;
	o->modules[e->func % ORACLE_MODULES].calls++;
	o->edges[caller][e->func].calls++;
	t->v.calls++;
	o->processes[e->thread % ORACLE_PROCESSES].calls++;
}

/* The function was called last on another stack, and leaves on this one: the
 * stacks of a thread are at least a page apart. */
static bool switches(const struct oracle_thread *t,
		     const struct oracle_event *e)
{
	int n = t->depth[t->stack];
	const struct oracle_frame *f = t->frames[t->stack] + n - 1;

	if (t->left || !n)
		return t->left == e->func;
	return f->func == e->func &&
	       (f->key >= e->key + 4096 || e->key >= f->key + 4096);
}

/* The function is on top and leaves above its own caller's frame, where it has
 * none: it takes the stack pointer of a handler. */
static bool raises(const struct oracle_thread *t, const struct oracle_event *e)
{
	const struct oracle_frame *f = t->frames[t->stack];
	int n = t->depth[t->stack];

	if (!n || f[n - 1].func != e->func || f[n - 1].key >= e->key)
		return false;
	while (n && f[n - 1].key < e->key)
		n--;
	return !n || f[n - 1].key != e->key || f[n - 1].func != e->func;
}

static void leave(struct oracle *o, const struct oracle_event *e)
{
	struct oracle_thread *t = &o->threads[e->thread];
	struct oracle_frame *f = t->frames[t->stack];
	int *n = &t->depth[t->stack];
	bool switched = switches(t, e);
	bool raised = !switched && raises(t, e);

	if (raised)
		end_top(o, e, LEFT);
	while (*n && f[*n - 1].key < e->key)
		end_top(o, e, UNWOUND);
	if (*n && f[*n - 1].key == e->key &&
	    (f[*n - 1].func == e->func || switched))
		end_top(o, e, LEFT);
	else if (!switched && !raised)
		o->unmatched_leaves++;
}

/* Both events name the function, so no begin is kept. */
static void unwound(struct oracle *o, const struct oracle_event *e)
{
	struct oracle_thread *t = &o->threads[e->thread];
	int i = t->depth[t->stack] - 1;

	while (i >= 0 && t->frames[t->stack][i].func != e->func)
		i--;
	if (i < 0)
		o->unmatched_unwinds++;
	else
		end_frame(o, e, i, t->stack, CAUGHT);
}

static void end_all(struct oracle *o, const struct oracle_event *e,
		    enum how how)
{
	struct oracle_thread *t = &o->threads[e->thread];

	for (int s = 0; s < ORACLE_STACKS; s++)
		while (t->depth[s])
			end_frame(o, e, t->depth[s] - 1, s, how);
	end_windows(o, e->thread, e->time);
	t->closed = true;
	t->end = e->time;
}

static void nest(struct oracle_thread *t, enum gn_kind kind)
{
	bool jit = kind == GN_KIND_JIT_BEGIN || kind == GN_KIND_JIT_END;
	enum gn_class class = jit ? GN_CLASS_JIT : GN_CLASS_GC;

	while (t->nnest && t->nest[t->nnest - 1].stack == t->stack &&
	       t->nest[t->nnest - 1].depth > t->depth[t->stack])
		t->nnest--;
	if (kind == GN_KIND_JIT_BEGIN || kind == GN_KIND_GC_BEGIN) {
		assert(t->nnest < 16);
		t->nest[t->nnest++] = (struct oracle_nest){class, t->stack,
							   t->depth[t->stack]};
	} else if (kind == GN_KIND_JIT_END || kind == GN_KIND_GC_END) {
		for (int i = t->nnest - 1; i >= 0; i--) {
			if (t->nest[i].class == class) {
				t->nnest = i;
				break;
			}
		}
	} else if (kind == GN_KIND_SUSPEND_BEGIN) {
		assert(t->nsuspended < ORACLE_SUSPENDS);
		t->suspended[t->nsuspended++] = t->nnest;
	} else if (kind == GN_KIND_SUSPEND_END && t->nsuspended) {
		/* what it has collected since then is over */
		t->nsuspended--;
		if (t->nsuspended >= 16)
			return;
		for (int i = t->nnest - 1; i >= t->suspended[t->nsuspended];
		     i--)
			if (t->nest[i].class == GN_CLASS_GC)
				t->nnest = i;
	}
}

/* The thread begins or ends a suspension of the others in its process. */
static void suspend(struct oracle *o, const struct oracle_event *e)
{
	struct oracle_window *w = o->windows;

	while (w < o->windows + o->nwindows &&
	       (!w->depth || w->thread != e->thread))
		w++;
	if (w == o->windows + o->nwindows) {
		if (e->kind == GN_KIND_SUSPEND_END)
			return;
		assert(o->nwindows < ORACLE_WINDOWS);
		o->nwindows++;
		*w = (struct oracle_window){
			.thread = e->thread, .depth = 1, .begin = e->time};
		return;
	}
	w->depth += e->kind == GN_KIND_SUSPEND_BEGIN ? 1 : -1;
	w->end = e->time;
}

/* Whether a thread that began to wait at `start` was suspended at `time`. */
static bool suspended(const struct oracle *o, const struct oracle_event *e,
		      uint64_t time)
{
	for (int i = 0; i < o->nwindows; i++) {
		const struct oracle_window *w = &o->windows[i];

		if (w->thread % ORACLE_PROCESSES !=
			    e->thread % ORACLE_PROCESSES ||
		    w->thread == e->thread || sim_tid(w->thread) != e->waker ||
		    e->start < w->begin)
			continue;
		if (w->depth || (e->start < w->end && time < w->end))
			return true;
	}
	return false;
}

static void add_part(struct oracle_thread *t, const struct oracle_wait *part)
{
	if (!part->ns)
		return;
	assert(t->nparts < ORACLE_PARTS);
	t->parts[t->nparts] = *part;
	t->parts[t->nparts++].longest = part->ns;
}

/* A slice that begins where the last one ended is the rest of the same wait. */
static bool is_rest(const struct oracle_thread *t, const struct oracle_event *e)
{
	return (e->class == GN_CLASS_FAULT || e->class == GN_CLASS_SYSCALL) &&
	       e->start && e->start == t->sliced;
}

static void take_slice(struct oracle *o, const struct oracle_event *e)
{
	struct oracle_thread *t = &o->threads[e->thread];
	struct oracle_wait rest = {.class = e->class,
				   .reason = e->reason,
				   .count = is_rest(t, e) ? 0 : 1};
	struct oracle_wait first = {
		.class = GN_CLASS_SUSPEND, .reason = e->reason, .count = 1};
	bool can_wake = e->class >= GN_CLASS_DISK;

	if (can_wake && e->waker) {
		rest.waker = e->waker;
		if (t->wake_by == e->waker && t->wake_time >= e->start &&
		    t->wake_time <= e->time)
			rest.waker_func = t->wake_func;
		if (t->wake_time <= e->time)
			t->wake_by = 0;
	}
	for (uint64_t at = e->start; at < e->time; at++)
		if (e->reason == SIM_FUTEX && !(e->detail & GN_WAIT_TIMED) &&
		    (e->class == GN_CLASS_LOCK || e->class == GN_CLASS_EVENT) &&
		    suspended(o, e, at))
			first.ns++;
		else
			rest.ns++;
	if (!rest.ns) {
		first.waker = rest.waker;
		first.waker_func = rest.waker_func;
	}
	if (e->time > t->sliced)
		t->sliced = e->time;
	add_part(t, &first);
	add_part(t, &rest);
}

static void take_wake(struct oracle *o, const struct oracle_event *e)
{
	const struct oracle_thread *by = &o->threads[e->thread];
	struct oracle_thread *t = &o->threads[e->woken];
	bool back = by->interrupted && !by->depth[by->stack];
	int on = back ? by->interrupted - 1 : by->stack;
	int n = by->depth[on];

	if (t->closed)
		return;
	t->wake_by = e->waker;
	t->wake_time = e->time;
	t->wake_func = n ? by->frames[on][n - 1].func : 0;
}

static void take_collect(struct oracle *o, const struct oracle_event *e)
{
	struct oracle_thread *t = &o->threads[e->thread];

	close_interval(o, t, e);
	switch (e->kind) {
	case GN_KIND_ENTER:
		enter(o, e);
		break;
	case GN_KIND_LEAVE:
	case GN_KIND_TAILCALL:
		leave(o, e);
		break;
	case GN_KIND_UNWIND_END:
		unwound(o, e);
		break;
	case GN_KIND_SUSPEND_BEGIN:
	case GN_KIND_SUSPEND_END:
		suspend(o, e);
		break;
	case GN_KIND_EXIT:
		end_all(o, e, UNWOUND);
		return;
	case GN_KIND_STOP:
		end_all(o, e, OPEN);
		return;
	default:
		break;
	}
	nest(t, e->kind);
}

void oracle_take(struct oracle *o, const struct oracle_event *e)
{
	struct oracle_thread *t = &o->threads[e->thread];

	if (e->lost) {
		o->lost += e->lost;
		t->gaps += !t->gap;
		t->gap = true;
	}
	switch (e->kind) {
	case GN_KIND_THREAD:
		t->start = t->since = e->time;
		break;
	case GN_KIND_STACK:
		t->next_stack = e->stack;
		t->signal = e->signal;
		break;
	case GN_KIND_SLICE:
		take_slice(o, e);
		break;
	case GN_KIND_WAKE:
		take_wake(o, e);
		break;
	default:
		take_collect(o, e);
	}
}
