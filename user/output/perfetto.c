// SPDX-License-Identifier: BSD-2-Clause
/*
 * Perfetto's trace format. Each thread has a track with its calls, below its
 * process. Below the thread's track are tracks of its time classes, of its
 * activities for the runtime, and of the other stacks that it ran on (fibers,
 * signal stacks). Readers sort packets by time, and keep the order of equal
 * times.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "output/caveats.h"
#include "output/gauge.h"
#include "output/perfetto_packets.h"
#include "output/perfetto_words.h"
#include "output/sheet.h"
#include "output/syscalls.h"
#include "output/classes.h"
#include "output/text.h"
#include "output/timeline.h"

/* Tracks below a thread's own. */
enum kind { CALLS, CLASSES, JIT, GC, SUSPENSIONS, BACKGROUND, KINDS };

static const char *const kind_names[KINDS] = {
	[CLASSES] = "operating system",
	[JIT] = "JIT",
	[GC] = "GC",
	[SUSPENSIONS] = "suspends the others",
	[BACKGROUND] = GN_TIMELINE_BACKGROUND,
};

/* Ids of tracks. Those of threads are small, as every event has one. */
enum {
	TRACK_CAPTURE = 1,
	TRACK_COUNTER, /* and its number */
	TRACK_FIRST_THREAD = 8,
};

#define TRACK_PROCESS (1ull << 40)
#define TRACK_STACK   (1ull << 48)

/* What identifies a thread's tracks. */
struct thread {
	uint64_t stack;	    /* the stack that its own track shows */
	uint32_t described; /* tracks that exist: bits of enum kind */
};

struct perfetto {
	struct gn_packets out;
	struct thread *threads;
	uint32_t nthreads, threads_cap;
	struct gn_words words;
	struct gn_table stacks; /* thread << 32 | stack, if it has a track */
	uint64_t flows;
	struct gn_gauges gauges;
	const char *counter; /* the last counter written */
	uint32_t counters;
};

static int see_function(void *ctx, const struct gn_seen_function *f)
{
	struct perfetto *w = ctx;

	return gn_words_function(&w->words, &w->out, f);
}

static uint64_t thread_track(uint32_t thread, enum kind kind)
{
	return TRACK_FIRST_THREAD * (1 + (uint64_t)thread) + kind;
}

static int put_process(struct perfetto *w, const struct gn_seen_thread *t)
{
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor process =
		PERFETTO__PROCESS_DESCRIPTOR__INIT;
	char *name = gn_escape(t->process_name, true);
	int err;

	if (!name)
		return -ENOMEM;
	process.has_pid = 1;
	process.pid = (int32_t)t->pid;
	process.process_name = name;
	d.process = &process;
	err = gn_packet_track(&w->out, &d, TRACK_PROCESS + t->process, 0);
	free(name);
	return err;
}

static int put_thread(struct perfetto *w, const struct gn_seen_thread *t)
{
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
	char *name = gn_escape(t->name, true);
	int err;

	if (!name)
		return -ENOMEM;
	thread.has_pid = 1;
	thread.pid = (int32_t)t->pid;
	thread.has_tid = 1;
	thread.tid = (int32_t)t->tid;
	thread.thread_name = name;
	d.thread = &thread;
	err = gn_packet_track(&w->out, &d, thread_track(t->thread, CALLS),
			      TRACK_PROCESS + t->process);
	free(name);
	return err;
}

static int see_thread(void *ctx, const struct gn_seen_thread *t)
{
	struct perfetto *w = ctx;
	int err;

	err = gn_grow_to(&w->threads, &w->nthreads, &w->threads_cap, t->thread,
			 sizeof(*w->threads));
	if (err)
		return err;
	w->threads[t->thread].stack = t->stack;
	err = gn_gauges_begin(&w->gauges, t->thread, t->start);
	if (err)
		return err;
	err = put_process(w, t);
	return err ? err : put_thread(w, t);
}

static int see_thread_end(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end)
{
	struct perfetto *w = ctx;

	gn_gauges_thread(&w->gauges, thread, start, end);
	return 0;
}

static int see_interval(void *ctx, const struct gn_seen *at,
			const struct gn_seen_interval *i)
{
	(void)i;
	gn_gauges_interval(&((struct perfetto *)ctx)->gauges, at->thread);
	return 0;
}

/* Finds a track below the thread's own. Makes it when it is first needed. */
static int below(struct perfetto *w, uint32_t thread, enum kind kind,
		 uint64_t *track)
{
	struct thread *t = &w->threads[thread];

	*track = thread_track(thread, kind);
	if (t->described & 1u << kind)
		return 0;
	t->described |= 1u << kind;
	return gn_packet_named_track(
		&w->out, *track, thread_track(thread, CALLS), kind_names[kind]);
}

/* Finds or makes the track for the calls on a stack. */
static int stack_track(struct perfetto *w, const struct gn_seen *at,
		       uint64_t *track)
{
	uint64_t key = (uint64_t)at->thread << 32 | (uint32_t)at->stack;
	char name[48];
	int err;

	*track = thread_track(at->thread, CALLS);
	if (at->stack == w->threads[at->thread].stack)
		return 0;
	*track = TRACK_STACK + key;
	if (gn_table_get(&w->stacks, key) != GN_NONE)
		return 0;
	err = gn_table_put(&w->stacks, key, 0);
	if (err)
		return err;
	snprintf(name, sizeof(name), "stack %llu",
		 (unsigned long long)at->stack);
	return gn_packet_named_track(&w->out, *track,
				     thread_track(at->thread, CALLS), name);
}

static int see_enter(void *ctx, const struct gn_seen *at, uint32_t fn,
		     enum gn_frame_begin how)
{
	static const uint32_t category[] = {
		[GN_BEGIN_CALL] = WORD_CALL,
		[GN_BEGIN_INHERITED] = WORD_INHERITED,
		[GN_BEGIN_AGAIN] = WORD_AGAIN,
		[GN_BEGIN_RESUMED] = WORD_RESUMED,
	};
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
	struct perfetto *w = ctx;
	uint64_t track;
	int err;

	err = stack_track(w, at, &track);
	if (err)
		return err;
	return gn_packet_named(&w->out, at->time, &e,
			       PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
			       track, w->words.functions[fn].name,
			       category[how], w->words.functions[fn].module);
}

static int see_leave(void *ctx, const struct gn_seen *at, enum gn_frame_end how)
{
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation a = PERFETTO__DEBUG_ANNOTATION__INIT;
	Perfetto__DebugAnnotation *annotations = &a;
	const char *text = gn_timeline_end_text(how);
	struct perfetto *w = ctx;
	uint64_t track;
	int err;

	err = stack_track(w, at, &track);
	if (err)
		return err;
	if (text) {
		a.name = (char *)"end";
		a.string_value = (char *)text;
		e.n_debug_annotations = 1;
		e.debug_annotations = &annotations;
	}
	return gn_packet_event(&w->out, at->time, &e,
			       PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END,
			       track);
}

/* Draws an arrow from the waker to the woken thread. */
static int put_wake(struct perfetto *w, const struct gn_seen_slice *s,
		    uint64_t woken)
{
	Perfetto__TrackEvent from = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__TrackEvent to = PERFETTO__TRACK_EVENT__INIT;
	uint64_t flow = ++w->flows, track;
	int err;

	from.n_flow_ids = to.n_terminating_flow_ids = 1;
	from.flow_ids = to.terminating_flow_ids = &flow;
	err = below(w, s->waker_thread, CLASSES, &track);
	if (!err)
		err = gn_packet_named(&w->out, s->end, &from,
				      PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
				      track, WORD_WAKE, WORD_WAKE, 0);
	if (err)
		return err;
	return gn_packet_named(&w->out, s->end, &to,
			       PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, woken,
			       WORD_WOKEN, WORD_WAKE, 0);
}

static int put_slice(struct perfetto *w, const struct gn_seen_slice *s,
		     uint64_t track)
{
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation call = PERFETTO__DEBUG_ANNOTATION__INIT;
	Perfetto__DebugAnnotation waker = PERFETTO__DEBUG_ANNOTATION__INIT;
	Perfetto__DebugAnnotation *list[2];
	const char *syscall =
		s->reason == GN_NO_SYSCALL ? NULL : gn_syscall_text(s->reason);
	int err;

	e.debug_annotations = list;
	if (syscall) {
		call.name = (char *)"system call";
		call.string_value = (char *)syscall;
		list[e.n_debug_annotations++] = &call;
	}
	if (s->waker) {
		waker.name = (char *)"woken by";
		waker.has_uint_value = 1;
		waker.uint_value = s->waker;
		list[e.n_debug_annotations++] = &waker;
	}
	err = gn_packet_named(&w->out, s->start, &e,
			      PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
			      track, WORD_CLASS + s->class, WORD_TIME, 0);
	return err ? err : gn_packet_end(&w->out, s->end, track);
}

static int see_slice(void *ctx, const struct gn_seen_slice *s)
{
	struct perfetto *w = ctx;
	uint64_t track;
	int err;

	err = gn_gauges_slice(&w->gauges, s);
	if (!err)
		err = below(w, s->thread, CLASSES, &track);
	if (!err)
		err = put_slice(w, s, track);
	if (err || s->waker_thread == GN_NONE)
		return err;
	return put_wake(w, s, track);
}

static int see_gap(void *ctx, uint32_t thread, uint64_t start, uint64_t end)
{
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation a = PERFETTO__DEBUG_ANNOTATION__INIT;
	Perfetto__DebugAnnotation *annotations = &a;
	struct perfetto *w = ctx;

	gn_gauges_gap(&w->gauges, thread, start, end);
	a.name = (char *)"until";
	a.has_uint_value = 1;
	a.uint_value = end;
	e.n_debug_annotations = 1;
	e.debug_annotations = &annotations;
	return gn_packet_named(
		&w->out, start, &e, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
		thread_track(thread, CALLS), WORD_LOST, WORD_LOST, 0);
}

static enum kind activity_kind(enum gn_activity_kind what)
{
	switch (what) {
	case GN_DOES_JIT:
		return JIT;
	case GN_DOES_GC:
		return GC;
	default:
		return SUSPENSIONS;
	}
}

static int see_begin(void *ctx, const struct gn_seen *at,
		     enum gn_activity_kind what, uint32_t fn)
{
	static const uint32_t name[] = {
		[GN_DOES_JIT] = WORD_JIT,
		[GN_DOES_GC] = WORD_GC,
		[GN_DOES_SUSPEND] = WORD_SUSPENSION,
	};
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
	struct perfetto *w = ctx;
	uint64_t track;
	int err;

	err = below(w, at->thread, activity_kind(what), &track);
	if (err)
		return err;
	return gn_packet_named(
		&w->out, at->time, &e,
		PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, track,
		fn == GN_NONE ? name[what] : w->words.functions[fn].name,
		WORD_RUNTIME,
		fn == GN_NONE ? 0 : w->words.functions[fn].module);
}

static int see_end(void *ctx, const struct gn_seen *at,
		   enum gn_activity_kind what)
{
	return gn_packet_end(&((struct perfetto *)ctx)->out, at->time,
			     thread_track(at->thread, activity_kind(what)));
}

static int see_background(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end)
{
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
	struct perfetto *w = ctx;
	uint64_t track;
	int err = below(w, thread, BACKGROUND, &track);

	if (!err)
		err = gn_packet_named(
			&w->out, start, &e,
			PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, track,
			WORD_BACKGROUND, WORD_RUNTIME, 0);
	return err ? err : gn_packet_end(&w->out, end, track);
}

/* Writes an instant event. A stretch has two: its begin and its end. */
static int see_event(void *ctx, const struct gn_seen *at,
		     const struct gn_seen_event *event)
{
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation detail = PERFETTO__DEBUG_ANNOTATION__INIT;
	Perfetto__DebugAnnotation *list = &detail;
	char *text = gn_event_detail((uint16_t)event->event, event->value);
	uint32_t module = 0, name = WORD_EVENT + event->event;
	struct perfetto *w = ctx;
	int err;

	if (!text)
		return -ENOMEM;
	if (event->fn != GN_NONE) {
		name = w->words.functions[event->fn].name;
		module = w->words.functions[event->fn].module;
	}
	if (*text) {
		detail.name = (char *)"detail";
		detail.string_value = text;
		e.debug_annotations = &list;
		e.n_debug_annotations = 1;
	}
	err = gn_packet_named(&w->out, at->time, &e,
			      PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
			      thread_track(at->thread, CALLS), name,
			      WORD_EVENT + event->event, module);
	free(text);
	return err;
}

int gn_perfetto_begin(struct gn_observer *o, FILE *f,
		      const struct gn_timeline_opts *opts)
{
	struct perfetto *w = calloc(1, sizeof(*w));

	(void)opts;
	*o = GN_TIMELINE_OBSERVER(w);
	o->background = see_background;
	o->interval = see_interval;
	if (!w)
		return -ENOMEM;
	w->out.f = f;
	return gn_words_begin(&w->words, &w->out);
}

void gn_perfetto_free(struct gn_observer *o)
{
	struct perfetto *w = o->ctx;

	if (!w)
		return;
	free(w->out.buf);
	free(w->threads);
	gn_gauges_free(&w->gauges);
	gn_words_free(&w->words);
	gn_table_free(&w->stacks);
	free(w);
}

static int put_counter_track(struct perfetto *w, uint64_t track,
			     const char *name)
{
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__CounterDescriptor counter =
		PERFETTO__COUNTER_DESCRIPTOR__INIT;

	counter.unit_name = (char *)"threads";
	d.name = (char *)name;
	d.counter = &counter;
	return gn_packet_track(&w->out, &d, track, 0);
}

static int put_value(void *ctx, const char *name, uint64_t time, double value)
{
	struct perfetto *w = ctx;
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
	uint64_t track = TRACK_COUNTER;
	int err;

	if (w->counter != name)
		w->counters++;
	track += w->counters;
	err = w->counter == name ? 0 : put_counter_track(w, track, name);
	w->counter = name;
	if (err)
		return err;
	e.has_double_counter_value = 1;
	e.double_counter_value = value;
	return gn_packet_event(&w->out, time, &e,
			       PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER,
			       track);
}

static Perfetto__DebugAnnotation text_annotation(const char *name,
						 const char *text)
{
	Perfetto__DebugAnnotation a = PERFETTO__DEBUG_ANNOTATION__INIT;

	a.name = (char *)name;
	a.string_value = (char *)text;
	return a;
}

/* Writes an instant event at the start that describes the capture. */
static int put_capture(struct perfetto *w, const struct gn_model *m)
{
	const char *version = gn_model_info(m, "version");
	const char *command = gn_model_info(m, "command");
	char *plain = gn_escape(command ? command : "", true);
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation lost = PERFETTO__DEBUG_ANNOTATION__INIT;
	Perfetto__DebugAnnotation note =
		text_annotation("note", GN_TIMELINE_NOTE);
	Perfetto__DebugAnnotation by =
		text_annotation("gnomon", version ? version : "");
	Perfetto__DebugAnnotation what = text_annotation("command", plain);
	Perfetto__DebugAnnotation caveat[GN_CAVEATS_MAX];
	Perfetto__DebugAnnotation *list[4 + GN_CAVEATS_MAX] = {&note, &by,
							       &what, &lost};
	struct gn_caveats caveats;
	int err = plain ? 0 : -ENOMEM;

	lost.name = (char *)"records lost";
	lost.has_uint_value = 1;
	lost.uint_value = gn_model_losses(m);
	e.name = (char *)"capture";
	e.n_debug_annotations = 4;
	e.debug_annotations = list;
	gn_caveats_make(m, &caveats);
	for (size_t i = 0; i < caveats.n; i++) {
		caveat[i] = text_annotation("caveat", caveats.line[i]);
		list[e.n_debug_annotations++] = &caveat[i];
	}
	if (!err)
		err = gn_packet_named_track(&w->out, TRACK_CAPTURE, 0,
					    "gnomon");
	if (!err)
		err = gn_packet_event(&w->out, m->start, &e,
				      PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
				      TRACK_CAPTURE);
	free(plain);
	return err;
}

int gn_perfetto_finish(struct gn_observer *o, const struct gn_model *m,
		       const char *findings)
{
	struct perfetto *w = o->ctx;
	int err;

	(void)findings;
	err = put_capture(w, m);
	return err ? err : gn_gauges_each(&w->gauges, put_value, w);
}
