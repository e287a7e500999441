// SPDX-License-Identifier: BSD-2-Clause
#include "model/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/runtime_event_info.h>
#include <gnomon/utf8.h>

/* Calls the observer, unless it lacks this function or has failed. */
#define TELL(w, what, ...)                                                  \
	do {                                                                \
		struct gn_walk *walk = (w);                                 \
		if (!walk->err && walk->to->what)                           \
			walk->err =                                         \
				walk->to->what(walk->to->ctx, __VA_ARGS__); \
	} while (0)

static void tell_thread(struct gn_pipeline *p, struct gn_thread *t)
{
	const struct gn_process *proc;
	struct gn_seen_thread seen = {
		.thread = t->number,
		.start = t->start,
		.session = p->start,
		.stack = t->stacks.main,
		.name = t->name,
	};

	if (t->told)
		return;
	t->told = true;
	if (!t->known) {
		t->known = true;
		t->told_process = t->process;
		t->told_tid = t->tid;
	}
	proc = &p->processes[t->told_process];
	seen.process = t->told_process;
	seen.pid = proc->pid;
	seen.tid = t->told_tid;
	seen.process_name = proc->name;
	TELL(&p->stage.walk, thread, &seen);
}

typedef bool (*short_fn)(const struct gn_fn *fn, const char *name, char *text,
			 size_t size);

static void tell_named(struct gn_stage *s, uint32_t fn, short_fn shorten)
{
	struct gn_fn *f = &s->names.fns[fn];
	enum gn_told told = f->name ? GN_TOLD_NAME : GN_TOLD_ID;
	struct gn_seen_function seen;
	char text[GN_CLR_NAME_MAX];

	if (f->told == told)
		return;
	f->told = told;
	seen.fn = fn;
	seen.runtime = GN_FUNC_RUNTIME(f->func);
	seen.name = gn_names_text(&s->names, fn);
	seen.shown = seen.name;
	seen.module = gn_names_module_text(&s->names, fn);
	seen.file = f->file;
	seen.line = f->line;
	if (!seen.name || !seen.module)
		s->walk.err = s->walk.err ? s->walk.err : -ENOMEM;
	else if (shorten(f, seen.name, text, sizeof(text)))
		seen.shown = text;
	TELL(&s->walk, function, &seen);
}

static void tell_function(struct gn_stage *s, uint32_t fn)
{
	tell_named(s, fn, gn_names_short);
}

void gn_walk_show_at(struct gn_pipeline *p, struct gn_thread *t, uint64_t time)
{
	struct gn_walk *w = &p->stage.walk;

	if (t->seen < time)
		t->seen = time;
	w->at = (struct gn_seen){.time = t->seen, .thread = t->number};
	tell_thread(p, t);
}

void gn_walk_show_enter(struct gn_stage *s, const struct gn_stack *k,
			uint32_t fn, enum gn_frame_begin how)
{
	tell_function(s, fn);
	s->walk.at.stack = k->id;
	TELL(&s->walk, enter, &s->walk.at, fn, how);
}

void gn_walk_show_leave(struct gn_stage *s, const struct gn_stack *k,
			enum gn_frame_end how)
{
	s->walk.at.stack = k->id;
	TELL(&s->walk, leave, &s->walk.at, how);
}

void gn_walk_end_above(struct gn_stage *s, const struct gn_stack *k,
		       uint32_t at)
{
	uint32_t i;

	for (i = at; s->walk.to && i < k->n; i++)
		gn_walk_leave(s, k, GN_END_AGAIN);
}

void gn_walk_begin_again(struct gn_stage *s, const struct gn_stack *k,
			 uint32_t at)
{
	uint32_t i;

	for (i = at; s->walk.to && i < k->n; i++)
		gn_walk_enter(s, k, s->tree.nodes[k->frames[i].node].fn,
			      GN_BEGIN_AGAIN);
}

void gn_walk_slice(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_wait *part, uint64_t start, uint64_t end)
{
	struct gn_seen_slice seen = {
		.thread = t->number,
		.class = part->class,
		.reason = part->reason,
		.start = start,
		.end = end,
		.waker = part->waker,
		.waker_thread = GN_NONE,
		.waker_fn = part->waker_fn,
		.waker_name = part->waker_name,
	};
	const struct gn_thread *waker;

	/* the account has no time before the thread's start, either */
	if (!p->stage.walk.to || t->account.no_start)
		return;
	tell_thread(p, t);
	waker = part->waker ? gn_thread_find(p, part->waker) : NULL;
	if (waker && waker->told && !waker->closed)
		seen.waker_thread = waker->number;
	if (part->waker_fn != GN_NONE)
		tell_function(&p->stage, part->waker_fn);
	TELL(&p->stage.walk, slice, &seen);
}

void gn_walk_gap(struct gn_pipeline *p, struct gn_thread *t, uint64_t start,
		 uint64_t end)
{
	if (!p->stage.walk.to || start >= end)
		return;
	tell_thread(p, t);
	TELL(&p->stage.walk, gap, t->number, start, end);
}

void gn_walk_show_interval(struct gn_pipeline *p, struct gn_thread *t,
			   const struct gn_interval *iv)
{
	struct gn_seen_interval seen = {
		.elapsed = iv->elapsed,
		.app = iv->app,
		.classes = iv->ns,
		.mask = iv->mask,
	};
	struct gn_seen at = {.time = t->account.since,
			     .thread = t->number,
			     .stack = gn_stacks_owner_id(&t->stacks)};

	tell_thread(p, t);
	TELL(&p->stage.walk, interval, &at, &seen);
}

/* Returns the character at a unit of UTF-16, which may be a pair. */
static uint32_t character(const uint16_t *unit, size_t n, size_t *i)
{
	uint32_t c = unit[(*i)++];

	if ((c & 0xf800) != 0xd800)
		return c;
	if (c & 0x400 || *i == n || (unit[*i] & 0xfc00) != 0xdc00)
		return 0xfffd; /* half of a pair is not a character */
	return 0x10000 + ((c & 0x3ff) << 10) + (unit[(*i)++] & 0x3ff);
}

/* Converts a .NET text to UTF-8, like all others. */
static void convert(struct gn_seen_value *v, char text[GN_SEEN_TEXT])
{
	uint16_t unit[GN_VALUE_TEXT / 2];
	size_t n = v->len / 2, len = 0;

	memcpy(unit, v->text, n * 2);
	/* the other half of the last pair was cut off */
	if (v->flags & GN_F_CUT && n && (unit[n - 1] & 0xfc00) == 0xd800)
		n--;
	for (size_t i = 0; i < n;)
		len += gn_utf8_encode(character(unit, n, &i), text + len);
	v->type = GN_VALUE_STR;
	v->text = text;
	v->len = len;
}

/* Returns the class that the record names. */
static uint32_t class_of(struct gn_pipeline *p, struct gn_thread *t,
			 const struct gn_rec_value *r)
{
	uint32_t program = p->processes[t->process].program;
	uint32_t func, fn;

	if (r->type != GN_VALUE_CLASS || r->len != sizeof(func))
		return GN_NONE;
	memcpy(&func, r->text, sizeof(func));
	if (gn_names_find(&p->stage.names, program, func, &fn)) {
		p->stage.walk.err = p->stage.walk.err ?: -ENOMEM;
		return GN_NONE;
	}
	tell_named(&p->stage, fn, gn_names_short_class);
	return fn;
}

static void show_value(struct gn_pipeline *p, struct gn_thread *t,
		       const struct gn_rec_value *r)
{
	const struct gn_stack *k = t->stacks.active;
	uint32_t i = gn_stack_find_func(k, r->func);
	struct gn_seen_value seen = {
		.which = r->which,
		.type = (enum gn_value_type)r->type,
		.flags = r->h.flags,
		.number = r->number,
		.text = r->text,
		.len = r->len,
	};
	char text[GN_SEEN_TEXT];

	if (i == GN_NONE || (r->which && i + 1 != k->n))
		return;
	if (r->type == GN_VALUE_NETSTR)
		convert(&seen, text);
	gn_walk_at(p, t, r->h.time);
	seen.class_fn = class_of(p, t, r);
	p->stage.walk.at.stack = k->id;
	seen.fn = p->stage.tree.nodes[k->frames[i].node].fn;
	TELL(&p->stage.walk, value, &p->stage.walk.at, &seen);
}

void gn_walk_value(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_rec_value *r)
{
	struct gn_walk *w = &p->stage.walk;

	if (!w->to || !r->type || r->type >= GN_VALUE_TYPE_COUNT)
		return;
	if (!(r->h.flags & GN_F_OF_HIT)) {
		show_value(p, t, r);
		return;
	}
	if (!t->held)
		t->held = calloc(1, sizeof(*t->held));
	if (!t->held)
		w->err = w->err ? w->err : -ENOMEM;
	else if (t->held->n < GN_VALUES_MAX)
		t->held->value[t->held->n++] = *r;
}

void gn_walk_show_held(struct gn_pipeline *p, struct gn_thread *t,
		       uint32_t func)
{
	for (uint32_t i = 0; i < t->held->n; i++)
		if (t->held->value[i].func == func)
			show_value(p, t, &t->held->value[i]);
}

static enum gn_activity_kind nested(const struct gn_account *a, uint32_t i)
{
	return a->nest[i].class == GN_CLASS_JIT ? GN_DOES_JIT : GN_DOES_GC;
}

static void tell_nest(struct gn_pipeline *p, struct gn_thread *t, uint32_t func)
{
	struct gn_account *a = &t->account;
	uint32_t program = p->processes[t->process].program;
	struct gn_walk *w = &p->stage.walk;
	uint32_t fn = GN_NONE;

	/* `nest` still has the ended activities: nothing has replaced them
	 * yet */
	while (t->nest_told > a->nnest) {
		t->nest_told--;
		TELL(w, end, &w->at, nested(a, t->nest_told));
	}
	if (t->nest_told == a->nnest)
		return;
	if (GN_FUNC_INDEX(func)) {
		if (gn_names_find(&p->stage.names, program, func, &fn))
			w->err = w->err ?: -ENOMEM;
		else
			tell_function(&p->stage, fn);
	}
	for (; !w->err && t->nest_told < a->nnest; t->nest_told++)
		TELL(w, begin, &w->at, nested(a, t->nest_told), fn);
}

void gn_walk_show_activities(struct gn_pipeline *p, struct gn_thread *t,
			     uint32_t func)
{
	struct gn_walk *w = &p->stage.walk;
	bool suspends;

	w->at.stack = t->stacks.main;
	tell_nest(p, t, func);
	suspends = gn_windows_opened(&p->processes[t->process].windows, t);
	if (suspends == t->suspends_told)
		return;
	t->suspends_told = suspends;
	if (suspends)
		TELL(w, begin, &w->at, GN_DOES_SUSPEND, GN_NONE);
	else
		TELL(w, end, &w->at, GN_DOES_SUSPEND);
	if (!suspends && p->processes[t->process].collecting)
		gn_collecting_resume(p->processes[t->process].collecting);
}

void gn_walk_show_collection(struct gn_pipeline *p, struct gn_thread *t,
			     const struct gn_rec_func *r, uint64_t time)
{
	enum { FULL = GN_GC_KEY_GENERATION(GN_GC_KEY(2, false)) };
	struct gn_collecting **c = &p->processes[t->process].collecting;
	struct gn_walk *w = &p->stage.walk;
	struct gn_collecting_one one;

	/* in other runtimes collections never run in the background */
	if (GN_FUNC_RUNTIME(r->func) != GN_RUNTIME_CLR)
		return;
	if (!*c)
		*c = calloc(1, sizeof(**c));
	if (!*c)
		w->err = w->err ? w->err : -ENOMEM;
	else if (r->h.kind == GN_KIND_GC_BEGIN)
		gn_collecting_begin(*c, time, t->number,
				    GN_GC_KEY_GENERATION(r->h.key) == FULL);
	else if (gn_collecting_end(*c, t->number, &one))
		TELL(w, background, one.thread, one.start, time);
}

void gn_walk_finish(struct gn_pipeline *p)
{
	struct gn_walk *w = &p->stage.walk;

	for (uint32_t i = 0; w->to && i < p->nprocesses; i++) {
		const struct gn_process *proc = &p->processes[i];
		const struct gn_collecting *c = proc->collecting;
		uint64_t end = proc->ended_at ? proc->ended_at
			       : p->end	      ? p->end
					      : p->last;

		/* if records were lost, so may be their ends */
		for (uint32_t k = 0; c && !proc->lost && k < c->n; k++)
			if (c->open[k].resumed && c->open[k].start < end)
				TELL(w, background, c->open[k].thread,
				     c->open[k].start, end);
	}
}

void gn_walk_event(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_event_row *row)
{
	struct gn_walk *w = &p->stage.walk;
	struct gn_seen_event seen = {
		.event = row->event,
		.fn = row->fn,
		.other = row->other,
		.value = {row->value[0], row->value[1]},
	};

	if (!w->to || !(p->opts.observed & gn_rt_info(row->event)->family))
		return;
	w->at.stack = t->stacks.main;
	if (row->fn != GN_NONE)
		tell_function(&p->stage, row->fn);
	if (row->other != GN_NONE)
		tell_function(&p->stage, row->other);
	TELL(w, event, &w->at, &seen);
}

void gn_walk_end(struct gn_pipeline *p, struct gn_thread *t)
{
	if (!p->stage.walk.to)
		return;
	t->account.nnest = 0;
	gn_walk_activities(p, t, 0);
	TELL(&p->stage.walk, thread_end, t->number, t->start, t->end);
}
