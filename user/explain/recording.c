/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about the recording itself: what probes cost, what was lost, and
 * whether its numbers can be trusted. */
#include <gnomon/runtime_event_info.h>
#include "explain/rules.h"
#include "output/header.h"

/* Finds the functions with the most calls that have at least a twentieth of all
 * calls, an exclusive time of at most `below` per call (without waits for a
 * CPU), and that -f can leave out. It cannot leave out functions of HotSpot and
 * PHP: either all of them have probes, or none. */
static void most_called(const struct gn_facts *f, struct gn_subject *s,
			uint64_t below)
{
	for (size_t i = 0; i < f->m->nfunctions; i++) {
		const struct gn_model_function *fn = &f->m->functions[i];
		uint64_t calls = fn->v.calls, ready;

		ready = fn->v.class_excl[GN_CLASS_RUNQUEUE];
		if (fn->runtime == GN_RUNTIME_HOTSPOT ||
		    fn->runtime == GN_RUNTIME_PHP)
			continue;
		if (calls && calls >= f->m->session.calls / 20 &&
		    (fn->v.elapsed_excl - ready) / calls <= below)
			gn_subject_add(s, fn, calls);
	}
}

static void put_called(FILE *out, const struct gn_facts *f,
		       const struct gn_subject *s)
{
	for (int i = 0; i < s->nfunctions; i++) {
		fputs(i ? ", " : " ", out);
		gn_put_function(out, f->m, (int32_t)s->function[i]->index);
		fputs(" (", out);
		gn_put_calls(out, s->function[i], gn_model_lossy(f->m));
		fputs(")", out);
	}
}

static void put_left_out(FILE *out, const struct gn_subject *s)
{
	for (int i = 0; i < s->nfunctions; i++) {
		fputs(i ? " -f " : "-f ", out);
		gn_put_glob(out, s->function[i]);
	}
}

/* Whether these are all the functions that were called. */
static bool all_called(const struct gn_facts *f, const struct gn_subject *s)
{
	int called = 0;

	for (size_t i = 0; i < f->m->nfunctions && called <= GN_NAMED; i++)
		called += f->m->functions[i].v.calls > 0;
	return called == s->nfunctions;
}

/* What events cost; *most: the bit of the family with the highest cost. */
static struct gn_model_events_cost of_events(const struct gn_model *m,
					     int *most)
{
	struct gn_model_events_cost sum = {0};

	*most = 0;
	for (int i = 0; i < GN_FAMILY_COUNT; i++) {
		const struct gn_model_events_cost *one = &m->events_cost[i];

		sum.hits += one->hits;
		sum.ns += one->ns;
		if (one->ns > m->events_cost[*most].ns)
			*most = i;
	}
	return sum;
}

/* Functions that are shorter than their probes can be left out; if there are
 * none, samples cost less. */
static void look_shorter(const struct gn_facts *f, struct gn_subject *s,
			 uint64_t mean)
{
	/* two probes a call: times of shorter functions mean little */
	most_called(f, s, 2 * mean);
	if ((!s->nfunctions || all_called(f, s)) && !f->m->nsamples)
		s->what = GN_NEXT_SAMPLES;
}

int gn_look_probes(const struct gn_facts *f, struct gn_subject *s)
{
	int64_t left = f->m->probe_cost_left;
	uint64_t cost = f->m->probe_cost - f->m->own_work +
			(left > 0 ? (uint64_t)left : 0);
	struct gn_model_events_cost events = of_events(f->m, &s->family);
	uint64_t hits = 0;

	for (int c = GN_PROBE_NONE + 1; c < GN_PROBE_CLASS_COUNT; c++)
		hits += f->m->costs[c].hits;
	if (!hits || f->m->raw)
		return 0;
	s->ns = cost - f->m->hook_waited;
	s->share = gn_share(cost, cost + f->cpu);
	if (events.ns > s->ns / 2)
		s->what = GN_NEXT_EVENTS;
	else if (hits > events.hits)
		look_shorter(f, s, (s->ns - events.ns) / (hits - events.hits));
	return 0;
}

/* Says that it was events, not functions. */
static void put_events_cost(FILE *out, const struct gn_model *m, int family)
{
	int most;
	struct gn_model_events_cost events = of_events(m, &most);

	fputs(" Most of it, ", out);
	gn_put_ns(out, events.ns);
	fputs(", was for ", out);
	gn_put_count(out, events.hits, "event", "events");
	fprintf(out,
		" (--events), %s of the family %s, not for functions. Without "
		"them:",
		m->events_cost[family].hits == events.hits ? "all" : "most",
		gn_family_text((uint32_t)family));
}

void gn_say_probes(const struct gn_facts *f, const struct gn_subject *s,
		   FILE *out)
{
	fputs("The probes took ", out);
	gn_put_ns(out, s->ns);
	fputs(" beside the program's ", out);
	gn_put_ns(out, f->cpu);
	fputs(" on CPUs. That is taken out of the times, but it made the "
	      "program slower.",
	      out);
	if (f->m->hook_waited) {
		fputs(" Threads also waited ", out);
		gn_put_ns(out, f->m->hook_waited);
		fputs(" until gnomon had read what hooks wrote; that is taken "
		      "out, too.",
		      out);
	}
	if (s->nfunctions) {
		fputs(" Shorter than their probes:", out);
		put_called(out, f, s);
		fputs(s->what == GN_NEXT_SAMPLES ? "." : "; leave them out:",
		      out);
	}
	if (s->what == GN_NEXT_SAMPLES)
		fputs(" Samples, without functions, cost little:", out);
	if (s->what == GN_NEXT_EVENTS)
		put_events_cost(out, f->m, s->family);
}

/* Without -f, all functions of a runtime would be traced. */
static bool any_managed(const struct gn_model *m)
{
	bool any = m->code.compiled;

	for (size_t i = 0; i < m->nfunctions && !any; i++)
		any = m->functions[i].runtime != GN_RUNTIME_NATIVE;
	return any;
}

/* The events that are recorded without --events; if the family is one of them,
 * the others. */
static void put_other_events(FILE *out, int family)
{
	const char *between = " ";

	fputs("--events", out);
	if (!(GN_FAMILIES_USUAL & 1u << family)) {
		fputs(" usual", out);
		return;
	}
	for (int i = 0; i < GN_FAMILY_COUNT; i++) {
		if (i == family || !(GN_FAMILIES_USUAL & 1u << i))
			continue;
		fprintf(out, "%s%s", between, gn_family_text((uint32_t)i));
		between = ",";
	}
}

void gn_next_probes(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out)
{
	if (s->what == GN_NEXT_EVENTS)
		put_other_events(out, s->family);
	else if (s->what == GN_NEXT_SAMPLES)
		fprintf(out, "%s--snapshot 499",
			any_managed(f->m) ? "--clr light " : "");
	else
		put_left_out(out, s);
}

/* Calls a second that can be why a recording had no end: it filled a disk. */
#define CALLED_OFTEN 10000

/* Whether fewer records could have helped: a recording that was killed lacks
 * none that were written. */
static bool too_many(const struct gn_facts *f)
{
	return gn_model_losses(f->m) ||
	       (double)f->m->session.calls >
		       (double)f->wall / 1e9 * CALLED_OFTEN;
}

int gn_look_lost(const struct gn_facts *f, struct gn_subject *s)
{
	if (!gn_model_lossy(f->m))
		return 0;
	s->share = 1;
	if (!too_many(f))
		return 0;
	most_called(f, s, UINT64_MAX);
	if (s->nfunctions && all_called(f, s))
		s->what = GN_NEXT_SAMPLES;
	return 0;
}

void gn_say_lost(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	if (f->m->truncated)
		fprintf(out, "The trace %s: what followed is lost. ",
			gn_model_truncation(f->m));
	if (gn_model_losses(f->m))
		gn_put_count(out, gn_model_losses(f->m), "record was lost. ",
			     "records were lost. ");
	fputs("No finding is drawn from what is left.", out);
	if (!s->nfunctions)
		return;
	fputs(" Called often:", out);
	put_called(out, f, s);
	fputs(s->what == GN_NEXT_SAMPLES
		      ? ". Samples, without functions, are fewer records:"
		      : "; without them fewer records come:",
	      out);
}

int gn_look_broken(const struct gn_facts *f, struct gn_subject *s)
{
	s->share = gn_model_broken(f->m);
	return 0;
}

void gn_say_broken(const struct gn_facts *f, const struct gn_subject *s,
		   FILE *out)
{
	(void)f;
	(void)s;
	fputs("A self-check failed: the numbers cannot be trusted, and "
	      "nothing is concluded from them. The report's header says "
	      "which.",
	      out);
}

void gn_next_broken(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by thread -v", out);
}
