// SPDX-License-Identifier: BSD-2-Clause
/*
 * Collections, each with its suspensions. A suspension belongs to the
 * collection that begins in it. If none begins in it but it was made for a
 * collection, it belongs to the concurrent collection of its process that is
 * under way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/runtime_event.h>
#include "output/sheet.h"

struct collection {
	const struct gn_model_event *e;
	uint64_t pause, stopping;
	bool stops;    /* `stopping` is known */
	bool no_pause; /* `pause` is not known */
	uint64_t suspensions;
	const struct gn_model_event *last; /* last of its threads to stop */
	struct collection *before;	   /* under way when this one began */
};

/* Collections by time. Suspensions are looked up in the order of time. */
struct collections {
	struct collection *all;
	size_t n, next;		 /* the first that has not begun */
	struct collection *open; /* the latest under way */
};

/* The latest collection of the process that is under way at `time`. NULL:
 * none. */
static struct collection *under_way(struct collections *c, uint64_t time,
				    uint32_t pid)
{
	struct collection **at;

	for (; c->next < c->n && c->all[c->next].e->start < time; c->next++) {
		c->all[c->next].before = c->open;
		c->open = &c->all[c->next];
	}
	for (at = &c->open; *at;) {
		if ((*at)->e->end < time)
			*at = (*at)->before;
		else if ((*at)->e->pid == pid)
			break;
		else
			at = &(*at)->before;
	}
	return *at;
}

static struct collection *collection_of(struct collections *c,
					const struct gn_model_event *suspension)
{
	struct collection *open =
		under_way(c, suspension->start, suspension->pid);

	for (size_t i = c->next;
	     i < c->n && c->all[i].e->start <= suspension->end; i++)
		if (c->all[i].e->pid == suspension->pid)
			return &c->all[i];
	/* suspensions for replaced code or a debugger belong to none */
	return GN_SUSPEND_KEY_COLLECTS(suspension->value[0]) ? open : NULL;
}

/* Adds when all threads of a suspension had stopped, and which one stopped
 * last. Events are in the order of time. */
static void take_stops(const struct gn_model *m, size_t first,
		       struct collection *to)
{
	const struct gn_model_event *s = &m->events[first], *last = NULL;
	uint64_t stopped = 0;

	for (size_t i = first + 1; i < m->nevents; i++) {
		const struct gn_model_event *e = &m->events[i];

		if (e->start > s->end)
			break;
		if (e->pid != s->pid)
			continue;
		if (e->event == GN_RT_STOPPED && !stopped)
			stopped = e->start;
		/* nobody waits for threads that stop later */
		if (e->event == GN_RT_STOP && e->tid != s->tid && !stopped)
			last = e;
	}
	if (!stopped)
		return;
	to->stops = true;
	to->stopping += stopped - s->start;
	if (last && (!to->last || last->start > to->last->start))
		to->last = last;
}

#define YOUNG "0 or 1"

/* Explains the rows of collections that the runtime reports in part. */
static int note_young(const struct gn_model *m, struct gn_sheet *s)
{
	for (size_t i = 0; i < m->nevents; i++)
		if (m->events[i].young) {
			s->note = strdup(
				"generation " YOUNG
				": such a collection opened the background "
				"collection of generation 2 that begins at the "
				"same time; .NET reports only its end, and its "
				"pause is part of the pause of the background "
				"collection");
			return s->note ? 0 : -ENOMEM;
		}
	return 0;
}

static int put(const struct gn_model *m, const struct collection *x,
	       struct gn_sheet *s)
{
	const struct gn_model_event *e = x->e;
	struct gn_cell *c = gn_sheet_row(s);

	if (!c)
		return -ENOMEM;
	gn_cell_number(c++, e->start > m->start ? e->start - m->start : 0);
	if (e->value[0])
		gn_cell_number(c, e->value[0] - 1);
	else if (e->young)
		c->shown = YOUNG;
	c++;
	if (e->value[1])
		gn_cell_text(c, e->value[1] & 1 ? "induced" : "other");
	c++;
	if (x->suspensions) {
		if (!x->no_pause && !e->no_end)
			gn_cell_number(c, x->pause);
		if (x->stops)
			gn_cell_number(c + 1, x->stopping);
		gn_cell_number(c + 2, x->suspensions);
	}
	c += 3;
	if (x->last) {
		gn_cell_number(c, x->last->tid);
		gn_cell_text(c + 1, x->last->thread);
	}
	c += 2;
	if (!e->no_end)
		gn_cell_number(c, e->end - e->start);
	c++;
	if (!e->no_cpu)
		gn_cell_number(c, e->cpu);
	c++;
	gn_cell_number(c++, e->pid);
	gn_cell_number(c++, e->tid);
	gn_cell_text(c, e->thread);
	return 0;
}

static int fill(const struct gn_model *m, struct collection *all,
		struct gn_sheet *s)
{
	struct collections c = {.all = all};
	int err = 0;

	for (size_t i = 0; i < m->nevents; i++)
		if (m->events[i].event == GN_RT_COLLECT)
			all[c.n++].e = &m->events[i];
	for (size_t i = 0; i < m->nevents; i++) {
		struct collection *to;

		if (m->events[i].event != GN_RT_SUSPEND)
			continue;
		to = collection_of(&c, &m->events[i]);
		if (!to)
			continue;
		to->pause += m->events[i].end - m->events[i].start;
		to->suspensions++;
		to->no_pause |= m->events[i].no_end;
		take_stops(m, i, to);
	}
	for (size_t i = 0; i < c.n && !err; i++)
		err = put(m, &all[i], s);
	return err;
}

static int fill_gc(const struct gn_model *m, struct gn_sheet *s)
{
	struct collection *all = calloc(m->nevents + 1, sizeof(*all));
	int err;

	s->nothing = GN_SHEET_NOTHING(m, "no runtime reported a collection");
	if (!all)
		return -ENOMEM;
	err = fill(m, all, s);
	if (!err)
		err = note_young(m, s);
	free(all);
	return err;
}

static const struct gn_sheet_column gc_columns[] = {
	{"at", "at", GN_CELL_TIME},
	{"generation", "generation", GN_CELL_ID},
	{"reason", "reason", GN_CELL_TEXT},
	{"pause", "pause", GN_CELL_TIME},
	{"stopping", "stopping", GN_CELL_TIME},
	{"suspensions", "suspensions", GN_CELL_COUNT},
	{"last_tid", "last to stop", GN_CELL_ID},
	{"last_thread", "its name", GN_CELL_TEXT},
	{"elapsed", "duration", GN_CELL_TIME},
	{"cpu", "on a CPU", GN_CELL_TIME},
	{"pid", "pid", GN_CELL_ID},
	{"tid", "tid", GN_CELL_ID},
	{"thread", "thread", GN_CELL_TEXT},
};

const struct gn_sheet_kind gn_sheet_gc = {
	.json = "gc",
	.column = gc_columns,
	.ncolumns = sizeof(gc_columns) / sizeof(gc_columns[0]),
	.spare = "suspensions,tid,pid,cpu,last_tid,last_thread,elapsed",
	.fill = fill_gc,
};
