// SPDX-License-Identifier: BSD-2-Clause
/*
 * JSON trace events, for chrome://tracing and many other readers. On a thread's
 * row, its calls are pairs of events, and its time classes are complete events
 * within them. What does not nest there (other stacks, activities) has its own
 * rows, whose numbers are not tids.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "output/caveats.h"
#include "output/classes.h"
#include "output/emit.h"
#include "output/gauge.h"
#include "output/sheet.h"
#include "output/syscalls.h"
#include "output/timeline.h"

struct thread {
	uint32_t pid, tid;
	uint64_t stack;
};

struct function {
	char *name, *module;
};

/* Above the kernel's largest tid. */
#define FIRST_ROW (1u << 22)

struct chrome {
	struct gn_emit e;
	struct gn_table rows; /* thread << 32 | stack or activity -> row */
	uint32_t nrows;
	struct thread *threads;
	uint32_t nthreads, threads_cap;
	struct function *functions;
	uint32_t nfunctions, functions_cap;
	struct gn_gauges gauges;
};

/* Writes microseconds, with all digits of the nanoseconds. */
static void put_time(struct gn_emit *e, const char *key, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu.%03u",
		 (unsigned long long)(ns / 1000), (unsigned int)(ns % 1000));
	gn_emit_number(e, key, text);
}

static void begin_row(struct chrome *w, const char *ph, uint32_t pid,
		      uint32_t tid, uint64_t time)
{
	gn_emit_line(&w->e);
	gn_emit_open(&w->e, NULL, '{');
	gn_emit_text(&w->e, "ph", ph);
	gn_emit_u64(&w->e, "pid", pid);
	gn_emit_u64(&w->e, "tid", tid);
	put_time(&w->e, "ts", time);
}

/* 0 or -errno of the stream. */
static int end_row(struct chrome *w)
{
	gn_emit_close(&w->e, '}');
	return ferror_unlocked(w->e.f) ? gn_stream_status(w->e.f) : 0;
}

static void put_name(struct chrome *w, const char *category, const char *name)
{
	gn_emit_text(&w->e, "cat", category);
	gn_emit_text(&w->e, "name", name);
}

static int see_function(void *ctx, const struct gn_seen_function *f)
{
	struct chrome *w = ctx;
	struct function *to;
	int err;

	err = gn_grow_to(&w->functions, &w->nfunctions, &w->functions_cap,
			 f->fn, sizeof(*w->functions));
	if (err)
		return err;
	to = &w->functions[f->fn];
	free(to->name);
	free(to->module);
	to->name = strdup(f->shown);
	to->module = strdup(f->module);
	return to->name && to->module ? 0 : -ENOMEM;
}

static int put_metadata(struct chrome *w, const struct gn_seen_thread *t,
			const char *what, const char *name)
{
	begin_row(w, "M", t->pid, t->tid, t->start);
	gn_emit_text(&w->e, "name", what);
	gn_emit_open(&w->e, "args", '{');
	gn_emit_text(&w->e, "name", name);
	gn_emit_close(&w->e, '}');
	return end_row(w);
}

static int see_thread(void *ctx, const struct gn_seen_thread *t)
{
	struct chrome *w = ctx;
	int err;

	err = gn_grow_to(&w->threads, &w->nthreads, &w->threads_cap, t->thread,
			 sizeof(*w->threads));
	if (err)
		return err;
	w->threads[t->thread] = (struct thread){
		.pid = t->pid, .tid = t->tid, .stack = t->stack};
	err = gn_gauges_begin(&w->gauges, t->thread, t->start);
	if (err)
		return err;
	err = put_metadata(w, t, "process_name", t->process_name);
	return err ? err : put_metadata(w, t, "thread_name", t->name);
}

static int see_thread_end(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end)
{
	struct chrome *w = ctx;

	gn_gauges_thread(&w->gauges, thread, start, end);
	return 0;
}

static int see_interval(void *ctx, const struct gn_seen *at,
			const struct gn_seen_interval *i)
{
	(void)i;
	gn_gauges_interval(&((struct chrome *)ctx)->gauges, at->thread);
	return 0;
}

/* Finds the row for what does not nest in the thread's own row. A new row is
 * named at once. 0 or -errno. */
static int find_row(struct chrome *w, uint32_t thread, uint64_t id,
		    const char *what, uint32_t *row)
{
	const struct thread *t = &w->threads[thread];
	uint64_t key = (uint64_t)thread << 32 | (uint32_t)id;
	char name[64];
	int err;

	*row = gn_table_get(&w->rows, key);
	if (*row != GN_NONE)
		return 0;
	*row = FIRST_ROW + w->nrows++;
	err = gn_table_put(&w->rows, key, *row);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%s of %u", what, t->tid);
	return put_metadata(
		w, &(struct gn_seen_thread){.pid = t->pid, .tid = *row},
		"thread_name", name);
}

/* Finds the row for the calls on a stack. The stack that the thread began on
 * uses the thread's own row. The numbers of stacks follow those of activities
 * and of background collections. */
static int stack_row(struct chrome *w, const struct gn_seen *at, uint32_t *row)
{
	const struct thread *t = &w->threads[at->thread];
	char name[32];

	*row = t->tid;
	if (at->stack == t->stack)
		return 0;
	snprintf(name, sizeof(name), "stack %llu",
		 (unsigned long long)at->stack);
	return find_row(w, at->thread, at->stack + GN_DOES_COUNT + 1, name,
			row);
}

static int see_enter(void *ctx, const struct gn_seen *at, uint32_t fn,
		     enum gn_frame_begin how)
{
	struct chrome *w = ctx;
	const struct function *f = &w->functions[fn];
	uint32_t row;
	int err = stack_row(w, at, &row);

	if (err)
		return err;
	begin_row(w, "B", w->threads[at->thread].pid, row, at->time);
	put_name(w, gn_timeline_begin_text(how), f->name);
	if (f->module[0]) {
		gn_emit_open(&w->e, "args", '{');
		gn_emit_text(&w->e, "module", f->module);
		gn_emit_close(&w->e, '}');
	}
	return end_row(w);
}

static int see_leave(void *ctx, const struct gn_seen *at, enum gn_frame_end how)
{
	struct chrome *w = ctx;
	const char *text = gn_timeline_end_text(how);
	uint32_t row;
	int err = stack_row(w, at, &row);

	if (err)
		return err;
	begin_row(w, "E", w->threads[at->thread].pid, row, at->time);
	if (text) {
		gn_emit_open(&w->e, "args", '{');
		gn_emit_text(&w->e, "end", text);
		gn_emit_close(&w->e, '}');
	}
	return end_row(w);
}

static int see_slice(void *ctx, const struct gn_seen_slice *s)
{
	struct chrome *w = ctx;
	const struct thread *t = &w->threads[s->thread];
	const char *syscall =
		s->reason == GN_NO_SYSCALL ? NULL : gn_syscall_text(s->reason);
	int err;

	err = gn_gauges_slice(&w->gauges, s);
	if (err)
		return err;
	begin_row(w, "X", t->pid, t->tid, s->start);
	put_time(&w->e, "dur", s->end - s->start);
	put_name(w, "time", gn_class_text((int)s->class));
	gn_emit_open(&w->e, "args", '{');
	if (syscall)
		gn_emit_text(&w->e, "syscall", syscall);
	if (s->waker)
		gn_emit_u64(&w->e, "waker", s->waker);
	if (s->waker_name)
		gn_emit_text(&w->e, "waker_name", s->waker_name);
	if (s->waker_fn != GN_NONE)
		gn_emit_text(&w->e, "waker_function",
			     w->functions[s->waker_fn].name);
	gn_emit_close(&w->e, '}');
	return end_row(w);
}

static int see_gap(void *ctx, uint32_t thread, uint64_t start, uint64_t end)
{
	struct chrome *w = ctx;
	const struct thread *t = &w->threads[thread];

	gn_gauges_gap(&w->gauges, thread, start, end);
	begin_row(w, "i", t->pid, t->tid, start);
	put_name(w, "lost", "records lost");
	gn_emit_text(&w->e, "s", "t");
	gn_emit_open(&w->e, "args", '{');
	put_time(&w->e, "until", end);
	gn_emit_close(&w->e, '}');
	return end_row(w);
}

/* `name` is NULL at the activity's end. */
static int put_activity(struct chrome *w, const struct gn_seen *at,
			enum gn_activity_kind what, const char *name)
{
	const char *text = gn_timeline_activity_text(what);
	uint32_t row;
	int err = find_row(w, at->thread, what, text, &row);

	if (err)
		return err;
	begin_row(w, name ? "B" : "E", w->threads[at->thread].pid, row,
		  at->time);
	if (name)
		put_name(w, text, name);
	return end_row(w);
}

static int see_begin(void *ctx, const struct gn_seen *at,
		     enum gn_activity_kind what, uint32_t fn)
{
	struct chrome *w = ctx;

	return put_activity(w, at, what,
			    fn == GN_NONE ? gn_timeline_activity_text(what)
					  : w->functions[fn].name);
}

static int see_end(void *ctx, const struct gn_seen *at,
		   enum gn_activity_kind what)
{
	return put_activity(ctx, at, what, NULL);
}

static int see_background(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end)
{
	struct chrome *w = ctx;
	uint32_t row;
	int err = find_row(w, thread, GN_DOES_COUNT, GN_TIMELINE_BACKGROUND,
			   &row);

	if (err)
		return err;
	begin_row(w, "X", w->threads[thread].pid, row, start);
	put_time(&w->e, "dur", end - start);
	put_name(w, gn_timeline_activity_text(GN_DOES_GC),
		 GN_TIMELINE_BACKGROUND);
	return end_row(w);
}

/* Writes an instant event. A stretch has two: its begin and its end. */
static int see_event(void *ctx, const struct gn_seen *at,
		     const struct gn_seen_event *e)
{
	struct chrome *w = ctx;
	char *detail = gn_event_detail((uint16_t)e->event, e->value);
	char name[GN_EVENT_NAME];

	if (!detail)
		return -ENOMEM;
	begin_row(w, "i", w->threads[at->thread].pid,
		  w->threads[at->thread].tid, at->time);
	put_name(w, "runtime", gn_timeline_event_text(name, e->event));
	gn_emit_text(&w->e, "s", "t");
	gn_emit_open(&w->e, "args", '{');
	if (e->fn != GN_NONE) {
		gn_emit_text(&w->e, "of", w->functions[e->fn].name);
		gn_emit_text(&w->e, "module", w->functions[e->fn].module);
	}
	if (e->other != GN_NONE)
		gn_emit_text(&w->e, "other", w->functions[e->other].name);
	if (*detail)
		gn_emit_text(&w->e, "detail", detail);
	free(detail);
	gn_emit_close(&w->e, '}');
	return end_row(w);
}

int gn_chrome_begin(struct gn_observer *o, FILE *f,
		    const struct gn_timeline_opts *opts)
{
	struct chrome *w = calloc(1, sizeof(*w));

	(void)opts;
	*o = GN_TIMELINE_OBSERVER(w);
	o->background = see_background;
	o->interval = see_interval;
	if (!w)
		return -ENOMEM;
	w->e.f = f;
	gn_emit_open(&w->e, NULL, '{');
	gn_emit_text(&w->e, "displayTimeUnit", "ns");
	gn_emit_open(&w->e, "traceEvents", '[');
	return 0;
}

void gn_chrome_free(struct gn_observer *o)
{
	struct chrome *w = o->ctx;

	if (!w)
		return;
	for (uint32_t i = 0; i < w->nfunctions; i++) {
		free(w->functions[i].name);
		free(w->functions[i].module);
	}
	gn_table_free(&w->rows);
	free(w->functions);
	free(w->threads);
	gn_gauges_free(&w->gauges);
	free(w);
}

static int put_value(void *ctx, const char *name, uint64_t time, double value)
{
	struct chrome *w = ctx;

	begin_row(w, "C", 0, 0, time);
	gn_emit_text(&w->e, "name", name);
	gn_emit_open(&w->e, "args", '{');
	gn_emit_pct(&w->e, "threads", value);
	gn_emit_close(&w->e, '}');
	return end_row(w);
}

int gn_chrome_finish(struct gn_observer *o, const struct gn_model *m,
		     const char *findings)
{
	struct chrome *w = o->ctx;
	const char *version = gn_model_info(m, "version");
	const char *command = gn_model_info(m, "command");
	int err = gn_gauges_each(&w->gauges, put_value, w);

	(void)findings;
	if (err)
		return err;
	gn_emit_close(&w->e, ']');
	gn_emit_open(&w->e, "otherData", '{');
	gn_emit_text(&w->e, "note", GN_TIMELINE_NOTE);
	gn_emit_text(&w->e, "gnomon", version ? version : "");
	gn_emit_text(&w->e, "command", command ? command : "");
	gn_emit_u64(&w->e, "records_lost", gn_model_losses(m));
	gn_caveats_emit(m, &w->e);
	err = end_row(w);
	gn_emit_close(&w->e, '}');
	fputc('\n', w->e.f);
	return err ? err : gn_stream_status(w->e.f);
}
