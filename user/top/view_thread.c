// SPDX-License-Identifier: BSD-2-Clause
#include "top/view_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "top/view_columns.h"

static void thread_free(struct gn_top_open *o)
{
	if (!o)
		return;
	gn_pool_free(&o->names);
	free(o->shares);
	free(o->stack);
	free(o);
}

static const char *keep(struct gn_top_open *o, const char *text)
{
	return *text ? gn_pool_add(&o->names, text, strlen(text)) : "";
}

/* The function's name, "" for none; NULL when there is no memory. */
static const char *keep_function(struct gn_top_open *o,
				 const struct gn_model *m, int32_t index)
{
	const struct gn_model_function *f = gn_now_find(m, index);

	return keep(o, f ? gn_function_shown(f) : "");
}

static int copy_shares(struct gn_top_open *o, const struct gn_model *m,
		       const struct gn_model_live *live)
{
	size_t n =
		live->nshares < GN_TOP_SHARES ? live->nshares : GN_TOP_SHARES;

	o->left_out = live->nshares - n;
	o->shares = calloc(n ? n : 1, sizeof(*o->shares));
	if (!o->shares)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct gn_top_share *s = &o->shares[o->nshares++];
		const struct gn_model_function *f =
			gn_now_find(m, live->shares[i].function);

		s->s = live->shares[i];
		s->muted = f && f->muted;
		s->name = keep(o, f ? gn_function_shown(f) : "");
		s->module = keep(o, f ? f->module : "");
		if (!s->name || !s->module)
			return -ENOMEM;
	}
	return 0;
}

static int copy_stack(struct gn_top_open *o, const struct gn_model *m,
		      const struct gn_model_live *live)
{
	o->depth = live->depth;
	o->stack = calloc(live->nstack ? live->nstack : 1, sizeof(*o->stack));
	if (!o->stack)
		return -ENOMEM;
	for (uint32_t i = live->nstack; i > 0; i--) {
		const char *name = keep_function(o, m, live->stack[i - 1]);

		if (!name)
			return -ENOMEM;
		o->stack[o->nstack++] = name;
	}
	return 0;
}

static int copy_events(struct gn_top_open *o, const struct gn_model *m,
		       const struct gn_model_live *live)
{
	for (uint32_t i = 0; i < live->nactivities && i < GN_LIVE_ACTIVITIES;
	     i++) {
		const struct gn_model_activity *a = &live->activity[i];
		const char *name = keep_function(o, m, a->function);

		if (!name)
			return -ENOMEM;
		o->event[o->nevents++] =
			(struct gn_top_event){a->class, name, a->start, a->end};
	}
	return 0;
}

static int copy(struct gn_top_open *o, const struct gn_top_period *p,
		const struct gn_model_thread *t)
{
	int err;

	o->pid = t->pid;
	o->tid = t->tid;
	o->t = *t;
	o->t.name = NULL;
	o->t.live = NULL;
	o->runtime = gn_now_runtime(p->m, t);
	if (!o->runtime)
		o->runtime = "-";
	o->reason = GN_NO_SYSCALL;
	o->functions = p->functions;
	o->length = p->length;
	o->end = p->m->end;
	o->session = p->session;
	o->name = keep(o, t->name);
	if (!o->name)
		return -ENOMEM;
	if (!t->live)
		return 0;
	o->run = t->live->state;
	o->doing = t->live->doing;
	o->reason = t->live->reason;
	err = copy_shares(o, p->m, t->live);
	if (!err)
		err = copy_stack(o, p->m, t->live);
	return err ? err : copy_events(o, p->m, t->live);
}

static struct gn_top_open *thread_copy(const struct gn_top_period *p,
				       const struct gn_model_thread *t)
{
	struct gn_top_open *o = calloc(1, sizeof(*o));

	if (o && copy(o, p, t)) {
		thread_free(o);
		o = NULL;
	}
	return o;
}

int gn_top_thread_open(struct gn_top_view *v, const struct gn_top_period *p,
		       const struct gn_model_thread *t)
{
	struct gn_top_open *o = thread_copy(p, t);

	if (!o)
		return -ENOMEM;
	thread_free(v->open);
	v->open = o;
	v->part = GN_TOP_PART_FUNCTIONS;
	memset(v->part_scroll, 0, sizeof(v->part_scroll));
	v->focus = GN_TOP_ON_THREAD;
	return 0;
}

int gn_top_thread_update(struct gn_top_view *v, const struct gn_top_period *p)
{
	struct gn_top_open *o = v->open;

	if (!o)
		return 0;
	for (size_t i = 0; i < p->m->nthreads; i++) {
		const struct gn_model_thread *t = &p->m->threads[i];

		if (t->tid != o->tid || t->pid != o->pid)
			continue;
		o = thread_copy(p, t);
		if (!o)
			return -ENOMEM;
		thread_free(v->open);
		v->open = o;
		return 0;
	}
	o->gone = true;
	return 0;
}

void gn_top_thread_close(struct gn_top_view *v)
{
	thread_free(v->open);
	v->open = NULL;
}

size_t gn_top_part_rows(const struct gn_top_open *o, enum gn_top_part part)
{
	switch (part) {
	case GN_TOP_PART_FUNCTIONS:
		return o->nshares + (o->left_out > 0);
	case GN_TOP_PART_STACK:
		return o->nstack + (o->depth > o->nstack);
	default:
		return o->nevents;
	}
}
