/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule about a thread pool whose workers all wait while work is queued, so
 * long that the runtime adds some, or briefly but again and again. */
#include <errno.h>
#include <stdlib.h>

#include "explain/rules.h"

#define SECOND 1000000000.0
/* Fewer moments are a burst, or a program that starts. */
#define MOMENTS_LEAST 3

/* The share of the time in which no worker was free, from which on it matters.
 */
#define TAKEN_LEAST 0.5

/* A pool that starves gets a worker once or twice a second. */
static double share_of_moments(const struct gn_facts *f)
{
	uint64_t moments = f->m->starvation.moments;
	double per_second = (double)moments * SECOND / (double)f->wall;

	if (moments < MOMENTS_LEAST || !f->wall)
		return 0;
	return per_second < 1 ? per_second : 1;
}

static bool by_moments(const struct gn_facts *f)
{
	return share_of_moments(f) >= GN_STARVED_LEAST;
}

double gn_starved_share(const struct gn_facts *f)
{
	double taken = gn_share(f->m->starvation.taken_ns, f->wall);

	if (by_moments(f) || taken < TAKEN_LEAST)
		return share_of_moments(f);
	return taken < 1 ? taken : 1;
}

/* Adds up the workers' waits by class, and by function: those in moments, or
 * the short ones. Returns the function that has most of them; -1: none is in a
 * function. */
static int32_t add_up(const struct gn_facts *f, uint64_t *by, uint64_t *classes)
{
	const struct gn_model *m = f->m;
	bool moments = by_moments(f);
	int32_t most = -1;

	for (size_t i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		uint64_t weight = moments ? w->starved : w->taken_ns;

		classes[w->class] += weight;
		if (w->function < 0)
			continue;
		by[w->function] += weight;
		if (by[w->function] > (most < 0 ? 0 : by[most]))
			most = w->function;
	}
	return most;
}

int gn_look_starved(const struct gn_facts *f, struct gn_subject *s)
{
	const struct gn_model *m = f->m;
	uint64_t *by = calloc(m->nfunctions + 1, sizeof(*by));
	uint64_t classes[GN_CLASS_COUNT] = {0};
	int class = GN_CLASS_EVENT;

	if (!by)
		return -ENOMEM;
	s->wait.function = add_up(f, by, classes);
	gn_top_classes(classes, &class, 1);
	s->class = (enum gn_class) class;
	s->share = gn_starved_share(f);
	/* which of the program's functions wait is not known */
	if (s->wait.function < 0)
		s->what = GN_NEXT_WHOLE;
	free(by);
	return 0;
}

static const char *waits_for(enum gn_class class)
{
	switch (class) {
	case GN_CLASS_LOCK:
		return "for locks";
	case GN_CLASS_SLEEP:
		return "in sleep, or for what did not come in time";
	case GN_CLASS_EVENT:
		return "for other threads or for tasks";
	case GN_CLASS_DISK:
		return "for disks and files";
	case GN_CLASS_CHILD:
		return "for child processes";
	default:
		return "for sockets, pipes and other things";
	}
}

static void say_taken(const struct gn_facts *f, const struct gn_subject *s,
		      FILE *out)
{
	const struct gn_model_starvation *v = &f->m->starvation;

	fputs("The thread pool was taken: for ", out);
	gn_put_ns(out, v->taken_ns);
	fputs(" of ", out);
	gn_put_ns(out, f->wall);
	fputs(" none of its ", out);
	gn_put_count(out, v->taken_workers, "worker", "workers");
	fprintf(out,
		" or fewer ran out of work, and they mostly waited, most %s. "
		"Work that comes meanwhile waits in the pool's queue.",
		waits_for(s->class));
}

static void say_moments(const struct gn_facts *f, const struct gn_subject *s,
			FILE *out)
{
	const struct gn_model_starvation *v = &f->m->starvation;

	fputs("The thread pool starved: ", out);
	gn_put_count(out, v->moments, "time", "times");
	fputs(" in ", out);
	gn_put_ns(out, f->wall);
	fputs(" work was queued, no worker came back for it, and .NET added "
	      "one, while nearly all of ",
	      out);
	gn_put_count(out, v->workers, "worker", "workers");
	fprintf(out, " or fewer waited, most %s.", waits_for(s->class));
}

void gn_say_starved(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out)
{
	if (by_moments(f))
		say_moments(f, s, out);
	else
		say_taken(f, s, out);
	if (s->wait.function >= 0) {
		fputs(" Of the waits in traced functions, most were", out);
		gn_put_where(out, f, s->wait.function, (int)s->class);
		fputc('.', out);
	}
	fputs(" Blocking calls (Wait, Result, Sleep) hold a worker; an await "
	      "does not.",
	      out);
	if (s->wait.function < 0)
		fputs(" To see which functions wait, name the program's own "
		      "assembly with -f, as 'App:*'; this lists them:",
		      out);
}

void gn_next_starved(const struct gn_facts *f, const struct gn_subject *s,
		     FILE *out)
{
	if (s->what == GN_NEXT_REPORT)
		gn_next_wait(f, s, out);
	else
		fputs("list", out);
}
