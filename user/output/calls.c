// SPDX-License-Identifier: BSD-2-Clause
/*
 * Follows the calls of all threads and shows the requested ones. A call is
 * shown when its first inner call is shown, or when it ends. With --min, an
 * inner call is shown when it has ended. Memory grows with threads, functions
 * and open calls.
 */
#include "output/calls.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/spec.h>
#include "model/mem.h"
#include "output/short_name.h"

struct frame {
	uint32_t fn;
	uint32_t level; /* 1: a call that --only selects, 2: called by that, and
			 * so on; 0: outside of any */
	uint64_t id;
	uint64_t start;
	enum gn_frame_begin begin;
	bool opened; /* the writer's open() was called */
	uint8_t nvalues;
	struct gn_call_value *values; /* GN_VALUES_MAX, or NULL */
	struct gn_calls_sums at;      /* sums of its stack when it began */
};

/* A stack on which calls are open. */
struct stack {
	uint32_t thread;
	uint64_t id;
	struct gn_calls_sums sums; /* of all intervals of this stack */
	struct frame *frames;
	uint32_t n, cap;
	/* frames set aside, which begin again at once; the outermost is last */
	struct frame *again;
	uint32_t nagain, again_cap;
	uint32_t opened; /* this many frames are opened or not shown */
};

struct calls {
	struct gn_calls_out out; /* the writer's context */
	const struct gn_calls_writer *w;
	struct gn_calls_thread *threads;
	uint32_t nthreads, threads_cap;
	struct gn_calls_function *functions;
	uint32_t nfunctions, functions_cap;
	struct stack *stacks;
	uint32_t nstacks, stacks_cap;
	uint32_t last; /* the last stack found: the search begins here */
	uint64_t ids;
	uint64_t calls, shown; /* without inherited frames */
};

static bool matches(const char *const *globs, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(globs[i], text, 0))
			return true;
	return !n;
}

/* A glob may omit the parameters. */
static bool is_chosen(const struct gn_timeline_opts *o, const char *name)
{
	char *bare = strndup(name, gn_name_parameters(name));
	bool is = matches(o->only, o->nonly, name) ||
		  (bare && matches(o->only, o->nonly, bare));

	free(bare);
	return is;
}

static int see_function(void *ctx, const struct gn_seen_function *f)
{
	struct calls *c = ctx;
	const struct gn_timeline_opts *o = c->out.opts;
	struct gn_calls_function *to;
	int err;

	err = gn_grow_to(&c->functions, &c->nfunctions, &c->functions_cap,
			 f->fn, sizeof(*c->functions));
	if (err)
		return err;
	c->out.functions = c->functions;
	to = &c->functions[f->fn];
	free(to->name);
	free(to->shown);
	free(to->module);
	free(to->file);
	to->name = strdup(f->name);
	to->shown = strdup(f->shown);
	to->module = strdup(f->module);
	to->file = f->file ? strdup(f->file) : NULL;
	to->line = f->line;
	if (!to->name || !to->shown || !to->module || (f->file && !to->file))
		return -ENOMEM;
	to->runtime = f->runtime;
	to->matches = is_chosen(o, f->name) || is_chosen(o, f->shown);
	return c->w->name ? c->w->name(&c->out, to) : 0;
}

static int see_thread(void *ctx, const struct gn_seen_thread *t)
{
	struct calls *c = ctx;
	const struct gn_timeline_opts *o = c->out.opts;
	struct gn_calls_thread *to;
	char tid[16];
	int err;

	err = gn_grow_to(&c->threads, &c->nthreads, &c->threads_cap, t->thread,
			 sizeof(*c->threads));
	if (err)
		return err;
	to = &c->threads[t->thread];
	free(to->name);
	free(to->process_name);
	*to = (struct gn_calls_thread){
		.pid = t->pid,
		.tid = t->tid,
		.name = strdup(t->name),
		.process_name = strdup(t->process_name),
		.start = t->session ? t->session : t->start,
	};
	snprintf(tid, sizeof(tid), "%u", t->tid);
	to->shown = matches(o->threads, o->nthreads, tid) ||
		    matches(o->threads, o->nthreads, t->name);
	return to->name && to->process_name ? 0 : -ENOMEM;
}

static struct stack *find_stack(struct calls *c, const struct gn_seen *at)
{
	for (uint32_t i = 0; i < c->nstacks; i++, c->last++) {
		struct stack *s = &c->stacks[c->last % c->nstacks];

		if (s->thread == at->thread && s->id == at->stack)
			return s;
	}
	return NULL;
}

static struct stack *new_stack(struct calls *c, const struct gn_seen *at)
{
	if (gn_grow(&c->stacks, &c->stacks_cap, (size_t)c->nstacks + 1,
		    sizeof(*c->stacks)))
		return NULL;
	c->last = c->nstacks++;
	c->stacks[c->last] =
		(struct stack){.thread = at->thread, .id = at->stack};
	return &c->stacks[c->last];
}

/* Forgets a stack. When no call is open on it, its sums are no longer
 * needed. */
static void drop_stack(struct calls *c, struct stack *s)
{
	while (s->n)
		free(s->frames[--s->n].values);
	while (s->nagain)
		free(s->again[--s->nagain].values);
	free(s->frames);
	free(s->again);
	*s = c->stacks[--c->nstacks];
	c->last = 0;
}

static bool shown(const struct calls *c, const struct stack *s,
		  const struct frame *f)
{
	const struct gn_timeline_opts *o = c->out.opts;

	return f->level && (!o->depth || f->level <= o->depth) &&
	       c->threads[s->thread].shown;
}

static struct gn_call call_of(struct calls *c, const struct stack *s,
			      uint32_t i)
{
	const struct frame *f = &s->frames[i];
	struct gn_call call = {
		.thread = &c->threads[s->thread],
		.function = &c->functions[f->fn],
		.id = f->id,
		.parent = f->level > 1 ? f[-1].id : 0,
		.level = f->level,
		.begin = f->begin,
		.start = f->start,
		.values = f->values,
		.nvalues = f->nvalues,
	};

	call.own.elapsed = s->sums.elapsed - f->at.elapsed;
	call.own.app = s->sums.app - f->at.app;
	for (int k = 0; k < GN_CLASS_COUNT; k++)
		call.own.classes[k] = s->sums.classes[k] - f->at.classes[k];
	return call;
}

/* Opens the outermost frames, up to frame `end`. Stops at a frame that is too
 * short for --min so far: the frames inside it cannot be longer. */
static int open_frames(struct calls *c, struct stack *s, uint32_t end)
{
	uint64_t min = c->out.opts->min_ns;

	for (; s->opened < end; s->opened++) {
		struct frame *f = &s->frames[s->opened];
		struct gn_call call;
		int err;

		if (f->opened || !shown(c, s, f))
			continue;
		if (s->sums.elapsed - f->at.elapsed < min)
			return 0;
		call = call_of(c, s, s->opened);
		err = c->w->open ? c->w->open(&c->out, &call) : 0;
		if (err)
			return err;
		f->opened = true;
	}
	return 0;
}

static void set_level(struct calls *c, struct stack *s, struct frame *f)
{
	uint32_t below = s->n ? s->frames[s->n - 1].level : 0;

	f->level = below || c->functions[f->fn].matches ? below + 1 : 0;
}

static int push(struct calls *c, struct stack *s, const struct frame *f)
{
	int err = gn_grow(&s->frames, &s->cap, (size_t)s->n + 1, sizeof(*f));

	if (err)
		return err;
	s->frames[s->n] = *f;
	set_level(c, s, &s->frames[s->n]);
	s->n++;
	if (c->out.opts->min_ns || !shown(c, s, &s->frames[s->n - 1]))
		return 0;
	return open_frames(c, s, s->n - 1);
}

static int see_enter(void *ctx, const struct gn_seen *at, uint32_t fn,
		     enum gn_frame_begin how)
{
	struct calls *c = ctx;
	struct stack *s = find_stack(c, at);
	struct frame f = {.fn = fn, .start = at->time, .begin = how};

	if (!s)
		s = new_stack(c, at);
	if (!s)
		return -ENOMEM;
	if (how == GN_BEGIN_AGAIN && s->nagain)
		return push(c, s, &s->again[--s->nagain]);
	f.id = ++c->ids;
	c->calls += how == GN_BEGIN_CALL;
	f.at = s->sums;
	return push(c, s, &f);
}

/* Sets the top frame aside until the frame below it has ended. */
static int set_aside(struct stack *s)
{
	int err = gn_grow(&s->again, &s->again_cap, (size_t)s->nagain + 1,
			  sizeof(*s->again));

	if (!err)
		s->again[s->nagain++] = s->frames[--s->n];
	return err;
}

static int end_top(struct calls *c, struct stack *s, uint64_t time,
		   enum gn_frame_end how)
{
	const struct frame *f = &s->frames[s->n - 1];
	struct gn_call call = call_of(c, s, s->n - 1);
	int err = 0;

	call.end = time;
	call.how = how;
	if (shown(c, s, f) && call.own.elapsed >= c->out.opts->min_ns) {
		err = open_frames(c, s, s->n - 1);
		if (!err)
			err = c->w->close(&c->out, &call, f->opened);
		c->shown += f->begin == GN_BEGIN_CALL;
	}
	free(f->values);
	s->n--;
	return err;
}

static int see_leave(void *ctx, const struct gn_seen *at, enum gn_frame_end how)
{
	struct calls *c = ctx;
	struct stack *s = find_stack(c, at);
	int err;

	if (!s || !s->n)
		return 0;
	err = how == GN_END_AGAIN ? set_aside(s) : end_top(c, s, at->time, how);
	if (s->opened > s->n)
		s->opened = s->n;
	if (!s->n && !s->nagain)
		drop_stack(c, s);
	return err;
}

static int see_interval(void *ctx, const struct gn_seen *at,
			const struct gn_seen_interval *i)
{
	struct calls *c = ctx;
	struct stack *s = find_stack(c, at);
	uint32_t mask = i->mask;

	if (!s)
		return 0;
	s->sums.elapsed += i->elapsed;
	s->sums.app += i->app;
	for (; mask; mask &= mask - 1) {
		int class = __builtin_ctz(mask);

		s->sums.classes[class] += i->classes[class];
	}
	return 0;
}

static int see_value(void *ctx, const struct gn_seen *at,
		     const struct gn_seen_value *v)
{
	struct calls *c = ctx;
	struct stack *s = find_stack(c, at);
	struct gn_call_value *to;
	struct frame *f = NULL;

	for (uint32_t i = s ? s->n : 0; i > 0 && !f; i--)
		if (s->frames[i - 1].fn == v->fn)
			f = &s->frames[i - 1];
	if (!f || f->nvalues == GN_VALUES_MAX)
		return 0;
	if (!f->values)
		f->values = calloc(GN_VALUES_MAX, sizeof(*f->values));
	if (!f->values)
		return -ENOMEM;
	to = &f->values[f->nvalues++];
	to->number = v->number;
	to->which = v->which;
	to->type = (uint8_t)v->type;
	to->flags = v->flags;
	to->class_fn = v->class_fn;
	to->len = v->len;
	memcpy(to->text, v->text, v->len);
	return 0;
}

static int see_gap(void *ctx, uint32_t thread, uint64_t start, uint64_t end)
{
	struct calls *c = ctx;
	struct gn_calls_thread *t = &c->threads[thread];

	return t->shown ? c->w->lost(&c->out, t, start, end) : 0;
}

static int begin(struct gn_observer *o, FILE *f,
		 const struct gn_timeline_opts *opts,
		 const struct gn_calls_writer *w)
{
	struct calls *c = calloc(1, sizeof(*c));

	*o = (struct gn_observer){
		.ctx = c,
		.function = see_function,
		.thread = see_thread,
		.enter = see_enter,
		.leave = see_leave,
		.interval = see_interval,
		.value = see_value,
		.gap = see_gap,
	};
	if (!c)
		return -ENOMEM;
	c->out.f = f;
	c->out.opts = opts;
	c->w = w;
	return w->begin ? w->begin(&c->out) : 0;
}

static int begin_table(struct gn_observer *o, FILE *f,
		       const struct gn_timeline_opts *opts)
{
	return begin(o, f, opts, &gn_calls_table);
}

static int begin_ndjson(struct gn_observer *o, FILE *f,
			const struct gn_timeline_opts *opts)
{
	return begin(o, f, opts, &gn_calls_ndjson);
}

static int finish(struct gn_observer *o, const struct gn_model *m,
		  const char *findings)
{
	struct calls *c = o->ctx;

	(void)findings;
	return c->w->finish ? c->w->finish(&c->out, m, c->shown, c->calls) : 0;
}

static void release(struct gn_observer *o)
{
	struct calls *c = o->ctx;

	if (!c)
		return;
	while (c->nstacks)
		drop_stack(c, &c->stacks[c->nstacks - 1]);
	for (uint32_t i = 0; i < c->nfunctions; i++) {
		free(c->functions[i].name);
		free(c->functions[i].shown);
		free(c->functions[i].module);
		free(c->functions[i].file);
		free(c->functions[i].text);
	}
	for (uint32_t i = 0; i < c->nthreads; i++) {
		free(c->threads[i].name);
		free(c->threads[i].process_name);
	}
	free(c->stacks);
	free(c->functions);
	free(c->threads);
	free(c);
}

const struct gn_timeline *gn_calls_timeline(const char *format)
{
	static const struct gn_timeline timelines[] = {
		{.name = "table",
		 .begin = begin_table,
		 .finish = finish,
		 .free = release},
		{.name = "ndjson",
		 .begin = begin_ndjson,
		 .finish = finish,
		 .free = release},
	};

	for (size_t i = 0; i < sizeof(timelines) / sizeof(timelines[0]); i++)
		if (!strcmp(timelines[i].name, format))
			return &timelines[i];
	return NULL;
}
