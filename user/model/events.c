// SPDX-License-Identifier: BSD-2-Clause
#include "model/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/runtime_event_info.h>
#include "model/build.h"
#include "model/mem.h"
#include "model/walk.h"

void gn_events_free(struct gn_events *e)
{
	free(e->row);
	free(e->exception);
	free(e->allocation);
	gn_table_free(&e->pairs);
	gn_table_free(&e->by_catch);
	gn_table_free(&e->by_place);
	free(e->collectors.mark);
}

/* Finds the index in names; GN_NONE if `func` has index 0 (no function). */
static int find(struct gn_pipeline *p, const struct gn_thread *t, uint32_t func,
		uint32_t *fn)
{
	*fn = GN_NONE;
	if (!GN_FUNC_INDEX(func))
		return 0;
	return gn_names_find(&p->stage.names, p->processes[t->process].program,
			     func, fn);
}

static int add(struct gn_pipeline *p, const struct gn_event_row *row)
{
	struct gn_events *e = &p->events;
	int err = gn_grow(&e->row, &e->cap, (size_t)e->n + 1, sizeof(*e->row));

	if (!err) {
		row->thread->in_events = true;
		e->row[e->n++] = *row;
	}
	return err;
}

static bool kept(const struct gn_pipeline *p, uint32_t event)
{
	return p->opts.families & gn_rt_info(event)->family;
}

static struct gn_events_open *open_of(struct gn_thread *t)
{
	if (!t->events)
		t->events = calloc(1, sizeof(*t->events));
	return t->events;
}

static void lose_end(struct gn_pipeline *p, uint32_t i)
{
	struct gn_event_row *row = &p->events.row[i];

	row->no_end = true;
	row->cpu = 0;
}

/* Begins a stretch. `row->cpu` is the thread's time of the class so far. Of too
 * many open stretches, the end of the oldest will not be known. */
static int begin(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_event_row *row)
{
	struct gn_events_open *o = open_of(t);
	int err = o ? add(p, row) : -ENOMEM;

	if (err)
		return err;
	if (o->n == GN_EVENTS_OPEN) {
		lose_end(p, o->row[0]);
		memmove(o->row, o->row + 1, --o->n * sizeof(*o->row));
	}
	o->row[o->n++] = p->events.n - 1;
	return 0;
}

/* Ends a stretch and returns its row; stretches within it that are still open
 * are over. NULL: its begin is not known. */
static struct gn_event_row *end_of(struct gn_pipeline *p, struct gn_thread *t,
				   uint32_t event, uint64_t time)
{
	struct gn_events_open *o = t->events;
	struct gn_event_row *row;
	uint32_t i;

	for (i = o ? o->n : 0; i > 0; i--) {
		row = &p->events.row[o->row[i - 1]];
		if (row->event != event)
			continue;
		o->n = i - 1;
		row->end = time;
		row->open = false;
		return row;
	}
	return NULL;
}

static int add_exception(struct gn_events *e, const struct gn_thrown *thrown,
			 uint32_t caught_in, uint64_t ns)
{
	uint64_t key = (uint64_t)thrown->class << 32 | thrown->in;
	uint32_t pair = gn_table_get(&e->pairs, key), at;
	int err = 0;

	if (pair == GN_NONE) {
		pair = e->npairs++;
		err = gn_table_put(&e->pairs, key, pair);
	}
	if (err)
		return err;
	key = (uint64_t)pair << 32 | caught_in;
	at = gn_table_get(&e->by_catch, key);
	if (at == GN_NONE) {
		at = e->nexceptions;
		err = gn_grow_to(&e->exception, &e->nexceptions,
				 &e->exceptions_cap, at, sizeof(*e->exception));
		if (!err)
			err = gn_table_put(&e->by_catch, key, at);
		if (err)
			return err;
		e->exception[at].class = thrown->class;
		e->exception[at].thrown_in = thrown->in;
		e->exception[at].caught_in = caught_in;
	}
	e->exception[at].count++;
	e->exception[at].ns += ns;
	return 0;
}

/* The oldest one counts as not caught. If there are so many, most of them will
 * never be caught: those thrown since are on top. */
static int drop_oldest(struct gn_pipeline *p, struct gn_events_open *o)
{
	int err = add_exception(&p->events, &o->thrown[0], GN_NONE, 0);

	o->nthrown--;
	memmove(o->thrown, o->thrown + 1, o->nthrown * sizeof(*o->thrown));
	return err;
}

/* The function that throws, if its frame is on top then: a runtime whose own
 * code throws for it reports THROWN_IN instead. */
static uint32_t thrower(struct gn_pipeline *p, const struct gn_thread *t,
			uint32_t class)
{
	uint32_t func;

	if (class == GN_NONE)
		return GN_NONE;
	func = p->stage.names.fns[class].func;
	return GN_FUNC_RUNTIME(func) == GN_RUNTIME_PHP
		       ? gn_stacks_top(&t->stacks, &p->stage.tree)
		       : GN_NONE;
}

static int throw(struct gn_pipeline * p, struct gn_thread *t, uint64_t time,
		 uint32_t class)
{
	struct gn_events_open *o = open_of(t);
	int err = 0;

	if (!o)
		return -ENOMEM;
	if (o->nthrown == GN_EVENTS_OPEN)
		err = drop_oldest(p, o);
	o->thrown[o->nthrown++] =
		(struct gn_thrown){.time = time,
				   .cost = t->events_cost.all,
				   .class = class,
				   .in = thrower(p, t, class)};
	return err;
}

/*
 * The exception caught is the last one thrown of its class. Those thrown after
 * it did not reach a handler. If there is none, it was thrown before the thread
 * was traced.
 */
static int catch (struct gn_pipeline *p, struct gn_thread *t, uint64_t time,
		  uint32_t class, uint32_t in)
{
	struct gn_events_open *o = t->events;
	uint32_t i = o ? o->nthrown : 0;
	uint64_t ns, cost;
	int err = 0;

	while (i > 0 && o->thrown[i - 1].class != class)
		i--;
	if (!i)
		return 0;
	while (!err && o->nthrown > i)
		err = add_exception(&p->events, &o->thrown[--o->nthrown],
				    GN_NONE, 0);
	if (err)
		return err;
	o->nthrown--;
	ns = time - o->thrown[i - 1].time;
	cost = t->events_cost.all - o->thrown[i - 1].cost;
	return add_exception(&p->events, &o->thrown[i - 1], in,
			     ns > cost ? ns - cost : 0);
}

static int allocate(struct gn_pipeline *p, const struct gn_thread *t,
		    uint32_t class, uint64_t bytes)
{
	struct gn_events *e = &p->events;
	uint32_t fn = gn_stacks_top(&t->stacks, &p->stage.tree), at;
	uint64_t key = (uint64_t) class << 32 | fn;
	int err;

	at = gn_table_get(&e->by_place, key);
	if (at == GN_NONE) {
		at = e->nallocations;
		err = gn_grow_to(&e->allocation, &e->nallocations,
				 &e->allocations_cap, at,
				 sizeof(*e->allocation));
		if (!err)
			err = gn_table_put(&e->by_place, key, at);
		if (err)
			return err;
		e->allocation[at].class = class;
		e->allocation[at].fn = fn;
	}
	e->allocation[at].count++;
	e->allocation[at].bytes += bytes;
	return 0;
}

/* Updates the sums, which do not need the row to be kept. */
static int sum(struct gn_pipeline *p, struct gn_thread *t,
	       const struct gn_event_row *row)
{
	switch (row->event) {
	case GN_RT_THROW:
		return throw(p, t, row->start, row->fn);
	case GN_RT_THROWN_IN:
		if (t->events && t->events->nthrown)
			t->events->thrown[t->events->nthrown - 1].in = row->fn;
		return 0;
	case GN_RT_CATCH:
		return catch (p, t, row->start, row->other, row->fn);
	case GN_RT_ALLOCATE:
		return allocate(p, t, row->fn, row->value[0]);
	default:
		return 0;
	}
}

static int put_end(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_event_row *of)
{
	struct gn_event_row *row = end_of(p, t, of->event - 1u, of->start);
	int i;

	if (!row)
		return 0;
	/* some values, as a name, are known only at the end */
	if (of->fn != GN_NONE)
		row->fn = of->fn;
	for (i = 0; i < GN_RT_VALUES; i++)
		if (of->value[i])
			row->value[i] = of->value[i];
	return 0;
}

static int put(struct gn_pipeline *p, struct gn_thread *t,
	       struct gn_event_row *row)
{
	switch (gn_rt_info(row->event)->phase) {
	case GN_RT_BEGIN:
		row->open = true;
		return begin(p, t, row);
	case GN_RT_END:
		return put_end(p, t, row);
	default:
		return add(p, row);
	}
}

/* The runtime does not report that the unwind of the function that catches is
 * over: then its handler begins. */
static void end_unwind(struct gn_pipeline *p, struct gn_thread *t,
		       const struct gn_event_row *catch)
{
	const struct gn_events_open *o = t->events;
	const struct gn_event_row *last;

	if (!o || !o->n)
		return;
	last = &p->events.row[o->row[o->n - 1]];
	if (last->event == GN_RT_UNWIND && last->fn == catch->fn)
		end_of(p, t, GN_RT_UNWIND, catch->start);
}

int gn_events_take(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_rec_event *r)
{
	const struct gn_rt_info *info = gn_rt_info(r->event);
	struct gn_event_row row = {
		.start = r->h.time,
		.end = r->h.time,
		.value = {r->value[0], r->value[1]},
		.thread = t,
		.event = r->event,
		.other = GN_NONE,
	};
	int err;

	if (!info->text || p->opts.live)
		return 0;
	err = find(p, t, r->func, &row.fn);
	if (!err && info->value[0] == GN_RT_NAME)
		err = find(p, t,
			   GN_FUNC(GN_FUNC_RUNTIME(r->func),
				   GN_FUNC_INDEX((uint32_t)r->value[0])),
			   &row.other);
	if (!err)
		err = sum(p, t, &row);
	if (!err && r->event == GN_RT_CATCH)
		end_unwind(p, t, &row);
	gn_walk_event(p, t, &row);
	if (err || !kept(p, r->event))
		return err;
	return put(p, t, &row);
}

int gn_events_started(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_thread *r)
{
	return gn_events_take(p, t,
			      &(struct gn_rec_event){
				      .h = r->f.h,
				      .func = r->parent,
				      .event = GN_RT_STARTED,
			      });
}

/* Returns the event for a record that has a kind of its own. */
static uint16_t event_of(enum gn_kind kind)
{
	switch (kind) {
	case GN_KIND_JIT_BEGIN:
		return GN_RT_COMPILE;
	case GN_KIND_JIT_END:
		return GN_RT_COMPILED;
	case GN_KIND_GC_BEGIN:
		return GN_RT_COLLECT;
	case GN_KIND_GC_END:
		return GN_RT_COLLECTED;
	case GN_KIND_SUSPEND_BEGIN:
		return GN_RT_SUSPEND;
	case GN_KIND_SUSPEND_END:
		return GN_RT_SUSPENDED;
	default:
		return 0;
	}
}

/* HotSpot only reports whether it collects all generations. "Not all" reads the
 * same as no information, as in older files. */
static void put_generation(uint64_t value[GN_RT_VALUES], uint32_t func,
			   uint64_t key)
{
	if (GN_FUNC_RUNTIME(func) == GN_RUNTIME_HOTSPOT)
		key = key ? 2 : 0;
	value[0] = GN_GC_KEY_GENERATION(key);
	value[1] = GN_GC_KEY_INDUCED(key);
}

static void count_collection(struct gn_pipeline *p, const struct gn_rec_func *r)
{
	struct gn_model_collections *c = &p->events.collections;
	uint64_t value[GN_RT_VALUES];

	put_generation(value, r->func, r->h.key);
	c->all++;
	c->told += value[1] != 0;
	c->asked += value[1] & 1;
}

/* The class of a stretch's CPU time; UNCLASSIFIED: none. */
static enum gn_class class_of(uint16_t event)
{
	return event == GN_RT_COMPILE	? GN_CLASS_JIT
	       : event == GN_RT_COLLECT ? GN_CLASS_GC
					: GN_CLASS_UNCLASSIFIED;
}

/* The time of collector threads is summed up separately (collectors.h). */
static uint64_t cpu_of(const struct gn_thread *t, enum gn_class class)
{
	return class == GN_CLASS_GC && t->role == GN_ROLE_COLLECTOR
		       ? 0
		       : t->account.classes[class];
}

static int collect_begins(struct gn_pipeline *p, struct gn_thread *t,
			  const struct gn_rec_func *r, uint64_t time,
			  uint16_t event)
{
	enum gn_class class = class_of(event);
	struct gn_event_row row = {.start = time,
				   .end = time,
				   .event = event,
				   .thread = t,
				   .other = GN_NONE,
				   .open = true,
				   .gaps = (uint32_t)t->gaps,
				   .execs = p->processes[t->process].execs};
	int err = find(p, t, r->func, &row.fn);

	if (err)
		return err;
	if (event == GN_RT_COLLECT)
		put_generation(row.value, r->func, r->h.key);
	if (event == GN_RT_SUSPEND)
		row.value[0] = r->h.key;
	if (event == GN_RT_COMPILE && row.fn != GN_NONE)
		row.value[1] = ++p->stage.names.fns[row.fn].compiled;
	if (class != GN_CLASS_UNCLASSIFIED)
		row.cpu = cpu_of(t, class);
	if (event != GN_RT_COLLECT)
		return begin(p, t, &row);
	/* another thread can report the end */
	p->processes[t->process].collected = true;
	err = gn_collectors_mark(p, t, time, &row.mark);
	return err ? err : add(p, &row);
}

/* Adds the end as a row of its own; its begin is found when the model is
 * built. */
static int collected(struct gn_pipeline *p, struct gn_thread *t,
		     const struct gn_rec_func *r, uint64_t time)
{
	struct gn_event_row row = {
		.start = time,
		.end = time,
		.event = GN_RT_COLLECTED,
		.thread = t,
		.fn = GN_NONE,
		.other = GN_NONE,
		.cpu = cpu_of(t, GN_CLASS_GC),
		.value = {GN_FUNC_RUNTIME(r->func) == GN_RUNTIME_CLR},
		.gaps = (uint32_t)t->gaps,
		.execs = p->processes[t->process].execs,
	};
	int err = gn_collectors_mark(p, t, time, &row.mark);

	return err ? err : add(p, &row);
}

int gn_events_exec(struct gn_pipeline *p, struct gn_thread *t, uint64_t time)
{
	struct gn_process *proc = &p->processes[t->process];
	struct gn_event_row row = {
		.start = time,
		.end = time,
		.event = GN_RT_COLLECTED,
		.thread = t,
		.fn = GN_NONE,
		.other = GN_NONE,
		.value = {0, 1},
		.execs = proc->execs++,
		.no_end = proc->lost,
	};
	bool collected = proc->collected;

	proc->collected = false;
	proc->runtime = 0;
	return collected ? add(p, &row) : 0;
}

/* For a compilation that threw, the time of its end is not known. */
static void end_compilation(struct gn_event_row *row, uint64_t size)
{
	row->value[0] = size == GN_JIT_GONE ? 0 : size;
	if (size != GN_JIT_GONE)
		return;
	row->end = row->start;
	row->cpu = 0;
	row->no_end = true;
}

void gn_events_thrown(struct gn_pipeline *p, struct gn_thread *t, uint32_t n)
{
	struct gn_event_row *row;

	if (p->opts.live || !kept(p, GN_RT_COMPILE))
		return;
	while (n-- && (row = end_of(p, t, GN_RT_COMPILE, 0)))
		end_compilation(row, GN_JIT_GONE);
}

int gn_events_collect(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_func *r, uint64_t time)
{
	uint16_t event = event_of(r->h.kind);
	struct gn_event_row *row;
	enum gn_class class;

	if (event == GN_RT_COLLECT)
		count_collection(p, r);
	if (!event || p->opts.live || !kept(p, event))
		return 0;
	if (gn_rt_info(event)->phase == GN_RT_BEGIN)
		return collect_begins(p, t, r, time, event);
	if (event == GN_RT_COLLECTED)
		return collected(p, t, r, time);
	row = end_of(p, t, event - 1u, time);
	if (!row)
		return 0;
	class = class_of(row->event);
	if (class != GN_CLASS_UNCLASSIFIED)
		row->cpu = t->account.classes[class] - row->cpu;
	if (event == GN_RT_COMPILED)
		end_compilation(row, r->h.key);
	return 0;
}

void gn_events_lost(struct gn_pipeline *p, struct gn_thread *t)
{
	struct gn_events_open *o = t->events;

	for (; o && o->n; o->n--)
		lose_end(p, o->row[o->n - 1]);
	if (o)
		o->nthrown = 0;
}

static void count_stop(struct gn_model_collections *c, uint64_t ns)
{
	c->stops++;
	c->stopped_ns += ns;
	if (ns > c->longest_stop)
		c->longest_stop = ns;
}

int gn_events_stopped(struct gn_pipeline *p, struct gn_thread *t,
		      uint64_t start, uint64_t end_time, bool collects)
{
	struct gn_event_row row = {
		.start = start,
		.end = end_time,
		.event = GN_RT_STOP,
		.thread = t,
		.fn = GN_NONE,
		.other = GN_NONE,
	};

	if (collects)
		count_stop(&p->events.collections, end_time - start);
	if (p->opts.live || !kept(p, GN_RT_STOP))
		return 0;
	return add(p, &row);
}

int gn_events_close(struct gn_pipeline *p, struct gn_thread *t, uint64_t end)
{
	struct gn_events_open *o = t->events;
	int err = 0;

	while (!err && o && o->nthrown)
		err = add_exception(&p->events, &o->thrown[--o->nthrown],
				    GN_NONE, 0);
	for (; o && o->n; o->n--) {
		struct gn_event_row *row = &p->events.row[o->row[o->n - 1]];

		row->end = end > row->start ? end : row->start;
		if (class_of(row->event) != GN_CLASS_UNCLASSIFIED)
			row->cpu = t->account.classes[class_of(row->event)] -
				   row->cpu;
	}
	free(o);
	t->events = NULL;
	return err;
}
