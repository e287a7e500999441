// SPDX-License-Identifier: BSD-2-Clause
#include "oracle.h"

#include <assert.h>
#include <string.h>

/* One interval's time, and how it is added where it is owned. */
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

static struct part measure(const struct oracle *o,
			   const struct oracle_thread *t,
			   const struct oracle_event *e)
{
	struct part p = {.elapsed = e->time - t->since, .gap = t->gap};
	uint64_t known = 0;

	if (t->gap) {
		p.ns[GN_CLASS_UNCLASSIFIED] = p.elapsed;
		return p;
	}
	for (int c = 0; c < GN_CLASS_COUNT; c++) {
		p.ns[c] = t->slices[c];
		known += t->slices[c];
	}
	assert(known <= e->os && e->os <= p.elapsed);
	p.ns[GN_CLASS_UNCLASSIFIED] += e->os - known;
	p.ns[running(t)] += p.elapsed - e->os;
	if (o->classify == GN_CLASSIFY_EXACT)
		p.app = p.elapsed - e->os;
	else if (!e->os && !e->os_event && !t->any_slice)
		p.app = p.elapsed;
	return p;
}

static void close_interval(struct oracle *o, struct oracle_thread *t,
			   const struct oracle_event *e)
{
	struct part p = measure(o, t, e);
	struct gn_values *process = &o->processes[e->thread % ORACLE_PROCESSES];
	int owner = t->stack;

	if (t->next_stack != t->stack &&
	    (t->depth[t->next_stack] || !t->depth[t->stack]))
		owner = t->next_stack;
	t->stack = t->next_stack;
	add_incl(&t->v, &p);
	add_incl(process, &p);
	if (t->depth[owner]) {
		add_excl(&t->v, &p);
		add_excl(process, &p);
		charge_stack(o, t->frames[owner], t->depth[owner], &p);
	}
	if (t->gap)
		t->nnest = 0;
	memset(t->slices, 0, sizeof(t->slices));
	t->any_slice = t->gap = false;
	t->since = e->time;
}

static void finished(struct gn_values *v, uint64_t age)
{
	if (!v->finished || age < v->min)
		v->min = age;
	if (age > v->max)
		v->max = age;
	v->finished++;
}

enum how { LEFT, UNWOUND, CAUGHT, OPEN };

/* The frame at `i` ends; those above stay. */
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

static void leave(struct oracle *o, const struct oracle_event *e)
{
	struct oracle_thread *t = &o->threads[e->thread];
	struct oracle_frame *f = t->frames[t->stack];
	int *n = &t->depth[t->stack];

	while (*n && f[*n - 1].key < e->key)
		end_top(o, e, UNWOUND);
	if (*n && f[*n - 1].key == e->key && f[*n - 1].func == e->func)
		end_top(o, e, LEFT);
	else
		o->unmatched_leaves++;
}

/* The events name the function both times, so no begin need be kept. */
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
	}
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
		break;
	case GN_KIND_SLICE:
		t->slices[e->class] += e->time - e->start;
		t->any_slice = true;
		break;
	default:
		take_collect(o, e);
	}
}
