// SPDX-License-Identifier: BSD-2-Clause
/* Builds the model's rows of runtime events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/runtime_event_info.h>
#include "model/build_parts.h"
#include "model/events.h"
#include "model/take.h"

typedef bool (*short_fn)(const struct gn_fn *fn, const char *name, char *text,
			 size_t size);

static int name_as(struct gn_names *names, uint32_t fn, short_fn shorten,
		   struct gn_model_named *out)
{
	char text[GN_CLR_NAME_MAX];

	*out = (struct gn_model_named){"", "", NULL};
	if (fn == GN_NONE)
		return 0;
	out->name = gn_names_text(names, fn);
	out->module = gn_names_module_text(names, fn);
	if (!out->name || !out->module)
		return -ENOMEM;
	if (!shorten(&names->fns[fn], out->name, text, sizeof(text)))
		return 0;
	out->shown = gn_pool_add(&names->pool, text, strlen(text));
	return out->shown ? 0 : -ENOMEM;
}

int gn_build_name(struct gn_names *names, uint32_t fn,
		  struct gn_model_named *out)
{
	return name_as(names, fn, gn_names_short, out);
}

static int class_name(struct gn_names *names, uint32_t fn,
		      struct gn_model_named *out)
{
	return name_as(names, fn, gn_names_short_class, out);
}

static int by_time(const void *left, const void *right)
{
	const struct gn_model_event *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Open collections while ends are matched with begins. */
struct matching {
	const struct gn_collectors *collectors;
	struct gn_model_event **open; /* begun, not ended */
	size_t n;
	struct gn_model_event **full; /* the last full collection that ended,
					 one for each program */
	size_t nfull;
};

static bool same_program(const struct gn_model_event *a,
			 const struct gn_model_event *b)
{
	return a->pid == b->pid && a->execs == b->execs;
}

static void lose_end(struct gn_model_event *e)
{
	e->end = e->start;
	e->cpu = 0;
	e->no_end = e->no_cpu = true;
}

static void end_at(const struct matching *x, struct gn_model_event *e,
		   const struct gn_model_event *end)
{
	bool same = e->tid == end->tid;
	uint64_t cpu;

	/* the begin's own end may be lost, and so may this end's begin */
	if (same && e->gaps != end->gaps) {
		lose_end(e);
		return;
	}
	e->end = end->start;
	e->open = false;
	e->no_cpu =
		(!same && !(e->collector && end->collector)) ||
		!gn_collectors_between(x->collectors, e->mark, end->mark, &cpu);
	if (e->no_cpu)
		e->cpu = 0;
	else
		e->cpu = same ? cpu + end->cpu - e->cpu : cpu;
}

static struct gn_model_event **full_of(struct matching *x,
				       const struct gn_model_event *e)
{
	for (size_t i = 0; i < x->nfull; i++)
		if (same_program(x->full[i], e))
			return &x->full[i];
	return NULL;
}

static void keep_full(struct matching *x, struct gn_model_event *e)
{
	struct gn_model_event **of = full_of(x, e);

	if (!of)
		of = &x->full[x->nfull++];
	*of = e;
}

/* Ends a collection. Mostly the thread that began one ends it. In the CLR the
 * last one begun in a process ends first: one that stops all threads can begin
 * within a concurrent one, but none can begin within that. */
static bool end_collection(struct matching *x, const struct gn_model_event *end)
{
	enum { FULL = GN_GC_KEY_GENERATION(GN_GC_KEY(2, false)) };

	for (size_t i = x->n; i > 0; i--) {
		struct gn_model_event *e = x->open[i - 1];

		if (!same_program(e, end) ||
		    (!end->value[0] && e->tid != end->tid))
			continue;
		end_at(x, e, end);
		if (end->value[0] && e->value[0] == FULL)
			keep_full(x, e);
		memmove(x->open + i - 1, x->open + i,
			(x->n - i) * sizeof(*x->open));
		--x->n;
		return true;
	}
	return false;
}

/*
 * The CLR can begin a concurrent collection with a collection of a younger
 * generation, in the same suspension. It reports only the end of the latter,
 * which looks like the end of the concurrent one until another thread reports
 * that, too. Then `inner` is the young one. It has the reason of the concurrent
 * one. Whether its generation is 0 or 1 is not known, and it gets the begin of
 * the concurrent one, which is slightly too early.
 */
static bool split_concurrent(struct matching *x,
			     const struct gn_model_event *end,
			     struct gn_model_event *inner)
{
	struct gn_model_event **of = full_of(x, end), *outer;

	if (!end->value[0] || !of || (*of)->tid == end->tid)
		return false;
	outer = *of;
	*inner = *outer;
	inner->order = end->order; /* sort it after the outer one */
	inner->young = true;
	inner->value[0] = 0;
	end_at(x, outer, end);
	*of = x->full[--x->nfull];
	return true;
}

/* A collection that is still open ends with its program, unless records of the
 * program were lost. */
static void leave_open(struct gn_model_event *e, uint64_t end, bool lost)
{
	e->no_cpu = true;
	e->cpu = 0;
	e->end = end > e->start ? end : e->start;
	if (lost)
		lose_end(e);
}

/* The process executes another program. */
static void end_program(struct matching *x, const struct gn_model_event *exec)
{
	size_t kept = 0;

	for (size_t i = 0; i < x->n; i++) {
		if (same_program(x->open[i], exec))
			leave_open(x->open[i], exec->start, exec->no_end);
		else
			x->open[kept++] = x->open[i];
	}
	x->n = kept;
}

/* The collection ends with its process, or with the session. */
static void leave_to_process(const struct gn_pipeline *p,
			     struct gn_model_event *e)
{
	uint64_t end = 0;
	bool lost = false;

	for (uint32_t i = 0; i < p->nthreads; i++) {
		const struct gn_thread *t = p->threads[i];

		if (p->processes[t->process].pid != e->pid)
			continue;
		if (t->end > end)
			end = t->end;
		lost |= t->gaps > 0;
	}
	leave_open(e, end, lost);
}

/* A young collection has the cause of the one that it opened. */
static void count_young(struct gn_model_collections *c,
			const struct gn_model_event *young)
{
	c->all++;
	c->told += young->value[1] != 0;
	c->asked += young->value[1] & 1;
}

/* Matches and removes the rows of ends. A row that a split adds takes the place
 * of an end's row. */
static bool take_ends(struct gn_model *m, struct matching *x)
{
	size_t kept = 0;
	bool split = false;

	for (size_t i = 0; i < m->nevents; i++) {
		struct gn_model_event e = m->events[i];

		if (e.event == GN_RT_COLLECTED && e.value[1]) {
			end_program(x, &e);
			continue;
		}
		if (e.event == GN_RT_COLLECTED) {
			if (!end_collection(x, &e) &&
			    split_concurrent(x, &e, &m->events[kept])) {
				count_young(&m->collections, &m->events[kept]);
				split = true;
				kept++;
			}
			continue;
		}
		m->events[kept] = e;
		if (e.event == GN_RT_COLLECT)
			x->open[x->n++] = &m->events[kept];
		kept++;
	}
	m->nevents = kept;
	return split;
}

static int match_collections(struct gn_pipeline *p, struct gn_model *m)
{
	struct matching x = {.collectors = &p->events.collectors};
	size_t begun = 0;
	bool split;

	for (size_t i = 0; i < m->nevents; i++)
		begun += m->events[i].event == GN_RT_COLLECT;
	x.open = calloc(2 * begun + 1, sizeof(*x.open));
	if (!x.open)
		return -ENOMEM;
	x.full = x.open + begun;
	split = take_ends(m, &x);
	for (size_t i = 0; i < x.n; i++)
		leave_to_process(p, x.open[i]);
	free(x.open);
	if (split)
		qsort(m->events, m->nevents, sizeof(*m->events), by_time);
	return 0;
}

/* What a handler throws can replace the exception on its way. Then nothing
 * reports that the stretches of that one are over. */
static bool has_no_end(const struct gn_event_row *row)
{
	return row->no_end || (row->open && gn_rt_info(row->event)->family ==
						    GN_FAMILY_HANDLERS);
}

static int make_rows(struct gn_pipeline *p, struct gn_model *m)
{
	const struct gn_events *e = &p->events;
	int err = 0;

	m->events = calloc((size_t)e->n + 1, sizeof(*m->events));
	if (!m->events)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->n && !err; i++) {
		const struct gn_event_row *row = &e->row[i];
		const struct gn_thread *t = row->thread;
		bool no_end = has_no_end(row);

		m->events[i] = (struct gn_model_event){
			.event = row->event,
			.start = row->start,
			.end = no_end ? row->start : row->end,
			.cpu = no_end ? 0 : row->cpu,
			.mark = row->mark,
			.collector = t->role == GN_ROLE_COLLECTOR,
			.value = {row->value[0], row->value[1]},
			.pid = p->processes[t->process].pid,
			.tid = t->tid,
			.thread = t->name,
			.open = row->open,
			.no_end = no_end,
			.no_cpu = no_end,
			.gaps = row->gaps,
			.execs = row->execs,
			.order = i,
		};
		err = gn_build_name(&p->stage.names, row->fn, &m->events[i].of);
		if (!err)
			err = gn_build_name(&p->stage.names, row->other,
					    &m->events[i].other);
	}
	m->nevents = err ? 0 : e->n;
	qsort(m->events, m->nevents, sizeof(*m->events), by_time);
	return err ? err : match_collections(p, m);
}

static int compare_named(const struct gn_model_named *a,
			 const struct gn_model_named *b)
{
	int cmp = strcmp(a->name, b->name);

	return cmp ? cmp : strcmp(a->module, b->module);
}

static int by_names(const void *left, const void *right)
{
	const struct gn_model_exception *a = left, *b = right;
	int cmp = compare_named(&a->class, &b->class);

	if (!cmp)
		cmp = compare_named(&a->thrown_in, &b->thrown_in);
	return cmp ? cmp : compare_named(&a->caught_in, &b->caught_in);
}

static int by_count(const void *left, const void *right)
{
	const struct gn_model_exception *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return by_names(left, right);
}

static int make_exceptions(struct gn_pipeline *p, struct gn_model *m)
{
	const struct gn_events *e = &p->events;
	struct gn_model_exception *all;
	size_t kept = 0;

	all = calloc((size_t)e->nexceptions + 1, sizeof(*all));
	m->exceptions = all;
	if (!all)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->nexceptions; i++) {
		const struct gn_exception_row *row = &e->exception[i];

		all[i].count = row->count;
		all[i].ns = row->ns;
		all[i].caught = row->caught_in != GN_NONE;
		if (class_name(&p->stage.names, row->class, &all[i].class) ||
		    gn_build_name(&p->stage.names, row->thrown_in,
				  &all[i].thrown_in) ||
		    gn_build_name(&p->stage.names, row->caught_in,
				  &all[i].caught_in))
			return -ENOMEM;
	}
	/* merge rows that several processes have */
	qsort(all, e->nexceptions, sizeof(*all), by_names);
	for (uint32_t i = 0; i < e->nexceptions; i++) {
		if (kept && !by_names(&all[kept - 1], &all[i])) {
			all[kept - 1].count += all[i].count;
			all[kept - 1].ns += all[i].ns;
		} else {
			all[kept++] = all[i];
		}
	}
	qsort(all, kept, sizeof(*all), by_count);
	m->nexceptions = kept;
	return 0;
}

static int by_place(const void *left, const void *right)
{
	const struct gn_model_allocation *a = left, *b = right;
	int cmp = compare_named(&a->class, &b->class);

	return cmp ? cmp : compare_named(&a->function, &b->function);
}

static int by_bytes(const void *left, const void *right)
{
	const struct gn_model_allocation *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return by_place(left, right);
}

static int make_allocations(struct gn_pipeline *p, struct gn_model *m)
{
	const struct gn_events *e = &p->events;
	struct gn_model_allocation *all;
	size_t kept = 0;

	all = calloc((size_t)e->nallocations + 1, sizeof(*all));
	m->allocations = all;
	if (!all)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->nallocations; i++) {
		all[i].count = e->allocation[i].count;
		all[i].bytes = e->allocation[i].bytes;
		if (class_name(&p->stage.names, e->allocation[i].class,
			       &all[i].class) ||
		    gn_build_name(&p->stage.names, e->allocation[i].fn,
				  &all[i].function))
			return -ENOMEM;
	}
	qsort(all, e->nallocations, sizeof(*all), by_place);
	for (uint32_t i = 0; i < e->nallocations; i++) {
		if (kept && !by_place(&all[kept - 1], &all[i])) {
			all[kept - 1].count += all[i].count;
			all[kept - 1].bytes += all[i].bytes;
		} else {
			all[kept++] = all[i];
		}
	}
	qsort(all, kept, sizeof(*all), by_bytes);
	m->nallocations = kept;
	return 0;
}

int gn_events_build(struct gn_pipeline *p, struct gn_model *m)
{
	int err;

	if (p->opts.live)
		return 0;
	m->collections = p->events.collections;
	err = make_rows(p, m);
	if (!err)
		err = make_exceptions(p, m);
	return err ? err : make_allocations(p, m);
}
