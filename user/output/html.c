/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report as one page. What happens over time is collected as the records
 * arrive (html_times.h); the page is written when the model is complete.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "output/html.h"
#include "output/html_times.h"
#include "output/timeline.h"

static int set_text(char **to, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

static int see_function(void *ctx, const struct gn_seen_function *f)
{
	struct gn_html_times *w = ctx;
	struct gn_html_function *to;
	int err;

	err = gn_grow_to(&w->functions, &w->nfunctions, &w->functions_cap,
			 f->fn, sizeof(*w->functions));
	if (err)
		return err;
	to = &w->functions[f->fn];
	err = set_text(&to->name, f->name);
	if (!err)
		err = set_text(&to->shown, f->shown);
	return err ? err : set_text(&to->module, f->module);
}

static int see_thread(void *ctx, const struct gn_seen_thread *seen)
{
	struct gn_html_times *w = ctx;
	struct gn_html_thread *t;
	int err;

	err = gn_grow_to(&w->threads, &w->nthreads, &w->threads_cap,
			 seen->thread, sizeof(*w->threads));
	if (err)
		return err;
	t = &w->threads[seen->thread];
	if (!t->seen) {
		t->seen = true;
		t->pid = seen->pid;
		t->tid = seen->tid;
		t->stack = seen->stack;
		t->start = seen->start;
		t->accounted = seen->start;
		t->doing = GN_CLASS_APP;
		t->lanes.slices = t->lanes.does = GN_NONE;
	}
	err = set_text(&t->name, seen->name);
	return err ? err : set_text(&t->process, seen->process_name);
}

/* Accounts the thread's time up to `time` to the class of what it is doing. */
static int account(struct gn_html_times *w, uint32_t thread, uint64_t time)
{
	struct gn_html_thread *t = &w->threads[thread];
	int err;

	if (time <= t->accounted)
		return 0;
	err = gn_html_spans_add(&w->spans, thread, t->doing, t->accounted,
				time);
	t->accounted = time;
	return err;
}

/* Accounts the time to `class`. Time that was already accounted otherwise is
 * moved. Slices of a gap can arrive after the gap, so their time is moved from
 * `unclassified` first. */
static int account_other(struct gn_html_times *w, uint32_t thread,
			 enum gn_class class, uint64_t start, uint64_t end)
{
	struct gn_html_thread *t = &w->threads[thread];
	enum gn_class from[2] = {t->doing, GN_CLASS_UNCLASSIFIED};
	bool gap = class == GN_CLASS_UNCLASSIFIED;
	uint64_t late;
	int err = account(w, thread, start);

	late = end < t->accounted ? end : t->accounted;
	if (gap)
		from[1] = t->doing; /* slices in the gap keep their classes */
	else if (start < t->gap) {
		from[0] = GN_CLASS_UNCLASSIFIED;
		from[1] = t->doing;
	}
	if (!err)
		err = gn_html_spans_move(&w->spans, thread, from, class, !gap,
					 start, late);
	if (!err)
		err = gn_html_spans_add(&w->spans, thread, class,
					start > late ? start : late, end);
	if (t->accounted < end)
		t->accounted = end;
	if (gap && t->gap < end)
		t->gap = end;
	return err;
}

static int see_thread_end(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end)
{
	struct gn_html_times *w = ctx;

	w->threads[thread].start = start;
	w->threads[thread].end = end;
	w->threads[thread].ended = true;
	return account(w, thread, end);
}

static int new_lane(struct gn_html_times *w, uint32_t thread,
		    enum gn_html_lane_kind kind, uint64_t stack, uint32_t *lane)
{
	int err = gn_grow(&w->lanes, &w->lanes_cap, (size_t)w->nlanes + 1,
			  sizeof(*w->lanes));

	if (err)
		return err;
	*lane = w->nlanes++;
	w->lanes[*lane] = (struct gn_html_lane){
		.thread = thread, .kind = kind, .stack = stack};
	return 0;
}

/* Finds or makes the lane of a stack. NULL: no memory. */
static struct gn_html_lane *calls_of(struct gn_html_times *w,
				     const struct gn_seen *at)
{
	uint64_t key = (uint64_t)at->thread << 32 | (uint32_t)at->stack;
	uint32_t lane = gn_table_get(&w->stacks, key);

	if (lane != GN_NONE)
		return &w->lanes[lane];
	if (new_lane(w, at->thread, GN_HTML_CALLS, at->stack, &lane) ||
	    gn_table_put(&w->stacks, key, lane))
		return NULL;
	return &w->lanes[lane];
}

static int begin_one(struct gn_html_lane *lane, uint64_t start, uint32_t fn,
		     uint32_t what)
{
	int err = gn_grow(&lane->open, &lane->open_cap, (size_t)lane->nopen + 1,
			  sizeof(*lane->open));

	if (!err)
		lane->open[lane->nopen++] =
			(struct gn_html_open){start, fn, what};
	return err;
}

static int keep_one(struct gn_html_times *w, const struct gn_html_lane *lane,
		    const struct gn_html_open *one, uint64_t end)
{
	struct gn_html_kept kept = {
		.start = one->start,
		.length = end > one->start ? end - one->start : 0,
		.lane = (uint32_t)(lane - w->lanes),
		.fn = one->fn,
		.what = one->what,
	};

	return gn_html_keep(&w->keep, &kept);
}

static int see_enter(void *ctx, const struct gn_seen *at, uint32_t fn,
		     enum gn_frame_begin how)
{
	struct gn_html_times *w = ctx;
	struct gn_html_lane *lane = calls_of(w, at);
	int err = account(w, at->thread, at->time);

	w->calls += how == GN_BEGIN_CALL;
	if (err || !lane)
		return -ENOMEM;
	return begin_one(lane, at->time, fn, lane->nopen);
}

static int see_leave(void *ctx, const struct gn_seen *at, enum gn_frame_end how)
{
	struct gn_html_times *w = ctx;
	struct gn_html_lane *lane = calls_of(w, at);
	int err = account(w, at->thread, at->time);

	(void)how;
	if (err || !lane)
		return -ENOMEM;
	if (!lane->nopen)
		return 0;
	return keep_one(w, lane, &lane->open[--lane->nopen], at->time);
}

static int see_slice(void *ctx, const struct gn_seen_slice *s)
{
	struct gn_html_times *w = ctx;
	struct gn_html_thread *t = &w->threads[s->thread];
	struct gn_html_kept kept = {
		.start = s->start,
		.length = s->end - s->start,
		.fn = s->waker_fn,
		.what = (uint32_t)s->class << 16 | s->reason,
		.waker = s->waker,
	};
	int err = account_other(w, s->thread, s->class, s->start, s->end);

	if (!err && t->lanes.slices == GN_NONE)
		err = new_lane(w, s->thread, GN_HTML_SLICES, 0,
			       &t->lanes.slices);
	kept.lane = t->lanes.slices;
	return err ? err : gn_html_keep(&w->keep, &kept);
}

static int see_gap(void *ctx, uint32_t thread, uint64_t start, uint64_t end)
{
	struct gn_seen_slice gap = {.thread = thread,
				    .class = GN_CLASS_UNCLASSIFIED,
				    .reason = GN_NO_SYSCALL,
				    .start = start,
				    .end = end,
				    .waker_fn = GN_NONE};

	return see_slice(ctx, &gap);
}

/* The innermost open JIT or GC activity determines what the thread is doing. */
static void set_doing(struct gn_html_thread *t, const struct gn_html_lane *lane)
{
	t->doing = GN_CLASS_APP;
	for (uint32_t i = 0; i < lane->nopen; i++)
		if (lane->open[i].what == GN_DOES_JIT)
			t->doing = GN_CLASS_JIT;
		else if (lane->open[i].what == GN_DOES_GC)
			t->doing = GN_CLASS_GC;
}

static int see_begin(void *ctx, const struct gn_seen *at,
		     enum gn_activity_kind what, uint32_t fn)
{
	struct gn_html_times *w = ctx;
	struct gn_html_thread *t = &w->threads[at->thread];
	int err = account(w, at->thread, at->time);

	if (!err && t->lanes.does == GN_NONE)
		err = new_lane(w, at->thread, GN_HTML_DOES, 0, &t->lanes.does);
	if (!err)
		err = begin_one(&w->lanes[t->lanes.does], at->time, fn, what);
	if (!err)
		set_doing(t, &w->lanes[t->lanes.does]);
	return err;
}

static int see_end(void *ctx, const struct gn_seen *at,
		   enum gn_activity_kind what)
{
	struct gn_html_times *w = ctx;
	struct gn_html_thread *t = &w->threads[at->thread];
	struct gn_html_lane *lane = &w->lanes[t->lanes.does];
	int err = account(w, at->thread, at->time);
	uint32_t i = lane->nopen;

	while (i && lane->open[i - 1].what != what)
		i--;
	if (err || !i)
		return err;
	err = keep_one(w, lane, &lane->open[--i], at->time);
	lane->nopen--;
	memmove(&lane->open[i], &lane->open[i + 1],
		(lane->nopen - i) * sizeof(*lane->open));
	set_doing(t, lane);
	return err;
}

/* Events have no duration, so they have no lane. */
static int see_event(void *ctx, const struct gn_seen *at,
		     const struct gn_seen_event *e)
{
	(void)ctx;
	(void)at;
	(void)e;
	return 0;
}

int gn_html_begin(struct gn_observer *o, FILE *f,
		  const struct gn_timeline_opts *opts)
{
	struct gn_html_times *w = calloc(1, sizeof(*w));

	(void)opts;
	*o = GN_TIMELINE_OBSERVER(w);
	if (!w)
		return -ENOMEM;
	w->f = f;
	return 0;
}

int gn_html_finish(struct gn_observer *o, const struct gn_model *m,
		   const char *findings)
{
	struct gn_html_times *w = o->ctx;
	int err = gn_html_begin_page(w->f);

	if (!err)
		err = gn_html_model(m, findings, w->f);
	if (!err)
		err = gn_html_paths(m, w->f);
	if (!err)
		err = gn_html_times_put(w, m);
	return err ? err : gn_html_end_page(w->f);
}

void gn_html_free(struct gn_observer *o)
{
	struct gn_html_times *w = o->ctx;

	if (!w)
		return;
	for (uint32_t i = 0; i < w->nfunctions; i++) {
		free(w->functions[i].name);
		free(w->functions[i].shown);
		free(w->functions[i].module);
	}
	for (uint32_t i = 0; i < w->nthreads; i++) {
		free(w->threads[i].name);
		free(w->threads[i].process);
	}
	for (uint32_t i = 0; i < w->nlanes; i++)
		free(w->lanes[i].open);
	gn_html_spans_free(&w->spans);
	gn_table_free(&w->stacks);
	free(w->keep.kept);
	free(w->lanes);
	free(w->functions);
	free(w->threads);
	free(w);
}
