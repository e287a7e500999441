// SPDX-License-Identifier: BSD-2-Clause
/* Fills the parts of a period's model that only the live view needs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/threads.h"

static struct gn_activity *activity(struct gn_live *l, uint32_t number)
{
	return &l->activity[number % GN_LIVE_ACTIVITIES];
}

/* Whether the thread's activity of that number is under way. */
static bool under_way(const struct gn_account *a, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < a->nnest; i++)
		if (a->nest[i].activity == number)
			return true;
	return false;
}

void gn_live_end(struct gn_thread *t, uint64_t time)
{
	struct gn_live *l = &t->live;
	uint32_t i;

	for (i = 0; l->under_way && i < gn_live_activities(l); i++) {
		struct gn_activity *a = activity(l, l->activities - i);

		if (a->end || under_way(&t->account, l->activities - i))
			continue;
		a->end = time > a->start ? time : a->start;
		l->under_way--;
	}
}

static int begin(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r)
{
	struct gn_account *a = &t->account;
	struct gn_live *l = &t->live;
	struct gn_activity *to = activity(l, l->activities + 1);
	uint32_t fn = GN_NONE;
	int err = 0;

	if (r->h.kind == GN_KIND_JIT_BEGIN && GN_FUNC_INDEX(r->func))
		err = gn_names_find(&p->stage.names,
				    p->processes[t->process].program, r->func,
				    &fn);
	if (err && err != -ENOSPC)
		return err;
	if (l->activities >= GN_LIVE_ACTIVITIES && !to->end)
		l->under_way--;
	*to = (struct gn_activity){.class = a->nest[a->nnest - 1].class,
				   .fn = fn,
				   .start = a->since};
	a->nest[a->nnest - 1].activity = ++l->activities;
	l->under_way++;
	return 0;
}

int gn_live_nest(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r)
{
	gn_live_end(t, t->account.since);
	/* activities that nest too deeply are ignored */
	if ((r->h.kind == GN_KIND_JIT_BEGIN || r->h.kind == GN_KIND_GC_BEGIN) &&
	    !t->account.nest_over)
		return begin(p, t, r);
	return 0;
}

/* Maps the functions of names to those of the model. */
struct functions {
	const uint32_t *of; /* index in names -> index by name */
	const int32_t *place;
};

static int32_t function_at(const struct functions *f, uint32_t fn)
{
	return fn == GN_NONE ? -1 : f->place[f->of[fn]];
}

static void fill_running(const struct gn_thread *t, struct gn_model_live *out)
{
	const struct gn_account *a = &t->account;
	const struct gn_now *now = &t->live.now;

	out->state = GN_THREAD_RUNNING;
	out->doing = GN_CLASS_APP;
	if (a->nnest) {
		out->doing = a->nest[a->nnest - 1].class;
	} else if (now->known) {
		out->doing = now->class;
		if (now->class != GN_CLASS_APP)
			out->reason = now->reason;
	}
}

static bool is_suspended(const struct gn_pipeline *p, const struct gn_thread *t)
{
	const struct gn_now *now = &t->live.now;
	struct gn_rec_slice s = {.h = {.time = now->time},
				 .start = now->since,
				 .class = now->class,
				 .reason = now->reason,
				 .detail = now->detail};

	return gn_slice_suspended(p, t, &s);
}

static void fill_state(const struct gn_pipeline *p, const struct gn_thread *t,
		       struct gn_model_live *out)
{
	const struct gn_now *now = &t->live.now;

	out->doing = GN_CLASS_UNCLASSIFIED;
	out->reason = GN_NO_SYSCALL;
	if (t->closed) {
		out->state = GN_THREAD_ENDED;
	} else if (now->known ? now->state == GN_CPU_ON : t->records) {
		/* A thread with records runs, if no NOW says otherwise. A
		 * thread that changed its state whenever it was looked at has
		 * no NOW. */
		fill_running(t, out);
	} else if (now->known && now->state == GN_CPU_WAITING) {
		out->state = GN_THREAD_WAITING;
		out->doing = gn_slice_class(p, t, now->class, now->reason);
		out->reason = now->reason;
		if (is_suspended(p, t))
			out->doing = GN_CLASS_SUSPEND;
	} else if (now->known) {
		out->state = GN_THREAD_RUNNABLE;
		out->doing = GN_CLASS_RUNQUEUE;
	}
}

static void fill_activities(const struct gn_thread *t,
			    const struct functions *f,
			    struct gn_model_live *out)
{
	const struct gn_live *l = &t->live;
	uint32_t i;

	for (i = 0; i < gn_live_activities(l); i++) {
		const struct gn_activity *a = gn_live_at(l, i);

		out->activity[i] = (struct gn_model_activity){
			.class = a->class,
			.function = function_at(f, a->fn),
			.start = a->start,
			.end = !a->end && t->closed ? t->end : a->end,
		};
	}
	out->nactivities = i;
}

static uint32_t depth(const struct gn_thread *t)
{
	return t->closed ? 0 : gn_stacks_current(&t->stacks)->n;
}

static uint32_t shown(const struct gn_thread *t)
{
	return depth(t) < GN_LIVE_STACK ? depth(t) : GN_LIVE_STACK;
}

static int make_stacks(const struct gn_pipeline *p, const struct functions *f,
		       struct gn_model_own *own)
{
	const struct gn_node *nodes = p->stage.tree.nodes;
	size_t n = 0, i;
	uint32_t k;

	for (i = 0; i < p->nthreads; i++)
		n += shown(p->threads[i]);
	own->stacks = calloc(n + 1, sizeof(*own->stacks));
	if (!own->stacks)
		return -ENOMEM;
	for (i = n = 0; i < p->nthreads; i++) {
		const struct gn_thread *t = p->threads[i];
		const struct gn_stack *on = gn_stacks_current(&t->stacks);
		struct gn_model_live *out = &own->live[i];

		out->depth = depth(t);
		out->nstack = shown(t);
		out->stack = &own->stacks[n];
		for (k = out->depth - out->nstack; k < out->depth; k++)
			own->stacks[n++] =
				function_at(f, nodes[on->frames[k].node].fn);
	}
	return 0;
}

/* A share's place in the model. */
struct sharer {
	uint32_t thread;
	int32_t function;
	uint32_t row; /* in shares */
};

static int by_function(const void *a, const void *b)
{
	const struct sharer *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int by_elapsed(const void *a, const void *b)
{
	const struct gn_model_share *x = a, *y = b;

	if (x->elapsed != y->elapsed)
		return x->elapsed > y->elapsed ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static void add_share(const struct gn_shares *s, const struct gn_share *row,
		      struct gn_model_share *to)
{
	uint64_t ns[GN_CLASS_COUNT];
	int c;

	gn_shares_classes(s, row, ns);
	to->calls += row->calls;
	to->elapsed += row->elapsed;
	to->app += row->app;
	for (c = 0; c < GN_CLASS_COUNT; c++)
		to->classes[c] += ns[c];
}

/* Merges the shares of functions with the same name. */
static void fill_shares(const struct gn_shares *s, const struct sharer *list,
			struct gn_model_own *own)
{
	struct gn_model_share *to = own->shares;
	uint32_t i;

	for (i = 0; i < s->n; i++) {
		struct gn_model_live *out = &own->live[list[i].thread];

		if (!i || by_function(&list[i - 1], &list[i])) {
			if (!out->nshares++)
				out->shares = to;
			to++->function = list[i].function;
		}
		add_share(s, &s->rows[list[i].row], to - 1);
	}
}

/* Sorts each thread's shares. */
static void order_shares(uint32_t nthreads, struct gn_model_own *own)
{
	struct gn_model_share *at = own->shares;
	uint32_t i;

	for (i = 0; i < nthreads; i++) {
		qsort(at, own->live[i].nshares, sizeof(*at), by_elapsed);
		at += own->live[i].nshares;
	}
}

static int make_shares(const struct gn_pipeline *p, const struct functions *f,
		       struct gn_model_own *own)
{
	const struct gn_shares *s = &p->shares;
	struct sharer *list = calloc((size_t)s->n + 1, sizeof(*list));
	uint32_t i;

	own->shares = calloc((size_t)s->n + 1, sizeof(*own->shares));
	if (!list || !own->shares) {
		free(list);
		return -ENOMEM;
	}
	for (i = 0; i < s->n; i++)
		list[i] = (struct sharer){
			.thread = s->rows[i].thread,
			.function = function_at(f, s->rows[i].fn),
			.row = i,
		};
	qsort(list, s->n, sizeof(*list), by_function);
	fill_shares(s, list, own);
	order_shares(p->nthreads, own);
	free(list);
	return 0;
}

int gn_live_build(struct gn_pipeline *p, struct gn_model *m,
		  const uint32_t *function_of, const int32_t *place)
{
	struct functions f = {.of = function_of, .place = place};
	struct gn_model_own *own = m->own;
	uint32_t i;
	int err;

	for (i = 0; i < p->nthreads; i++) {
		fill_state(p, p->threads[i], &own->live[i]);
		fill_activities(p->threads[i], &f, &own->live[i]);
	}
	err = make_stacks(p, &f, own);
	return err ? err : make_shares(p, &f, own);
}
