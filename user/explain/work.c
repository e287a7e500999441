/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about the own work of threads and functions. */
#include <inttypes.h>
#include <string.h>

#include <gnomon/path.h>
#include <gnomon/runtime_event_info.h>
#include "explain/rules.h"
#include "output/classes.h"
#include "output/header.h"

int gn_look_path(const struct gn_facts *f, struct gn_subject *s)
{
	uint64_t cpu;

	if (!f->worker)
		return 0;
	cpu = gn_class_cpu_ns(f->worker->classes);
	if (f->others_cpu > cpu / 4)
		return 0;
	s->share = gn_share(f->worker_busy, f->wall);
	/* it explains slowness as far as it computes; a single thread explains
	 * nothing */
	s->rank =
		gn_model_threads(f->m) < 2
			? 0
			: gn_share(cpu + f->worker->classes[GN_CLASS_RUNQUEUE],
				   f->wall);
	return 0;
}

void gn_say_path(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	const struct gn_model_thread *t = f->worker;

	(void)s;
	fprintf(out,
		"One thread is the critical path: %s (%" PRIu32 ") was "
		"busy for ",
		t->name, t->tid);
	gn_put_ns(out, f->worker_busy);
	fputs(" of ", out);
	gn_put_ns(out, f->wall);
	fputs(": ", out);
	gn_put_classes(out, t->classes, t->elapsed);
	fputs(" of its time.", out);
	if (gn_model_threads(f->m) < 2)
		return;
	fputs(" Beside it ", out);
	gn_put_count(out, gn_model_threads(f->m) - 1, "thread was",
		     "threads were");
	fputs(" on CPUs for ", out);
	gn_put_ns(out, f->others_cpu);
	fputs(gn_model_threads(f->m) == 2 ? "." : " in all.", out);
}

void gn_next_path(const struct gn_facts *f, const struct gn_subject *s,
		  FILE *out)
{
	(void)s;
	fputs(f->m->nfunctions ? "--by tree --min-pct 5" : "--by thread", out);
}

int gn_look_idle(const struct gn_facts *f, struct gn_subject *s)
{
	uint64_t waited = f->classes[GN_CLASS_LOCK] +
			  f->classes[GN_CLASS_DISK] +
			  f->classes[GN_CLASS_RUNQUEUE];

	if (!f->wall || waited + f->cpu > f->m->session.elapsed_incl / 50)
		return 0;
	/* it has work, and nothing that does it */
	if (gn_starved_share(f) >= GN_STARVED_LEAST)
		return 0;
	s->share = 1 - gn_share(f->cpu, f->wall);
	s->class = GN_CLASS_EVENT;
	for (int c = 0; c < GN_CLASS_COUNT; c++)
		if (!gn_class_on_cpu((enum gn_class)c) &&
		    f->classes[c] > f->classes[s->class])
			s->class = (enum gn_class)c;
	return gn_wait_sum(f->m, s->class, &s->wait);
}

void gn_say_idle(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	uint64_t waits[GN_CLASS_COUNT];

	for (int c = 0; c < GN_CLASS_COUNT; c++)
		waits[c] =
			gn_class_on_cpu((enum gn_class)c) ? 0 : f->classes[c];
	fputs("The program was idle: its ", out);
	gn_put_count(out, gn_model_threads(f->m), "thread was", "threads were");
	fputs(" on a CPU for ", out);
	gn_put_ns(out, f->cpu);
	fputs(" of ", out);
	gn_put_ns(out, f->wall);
	fputs(". It waited: ", out);
	gn_put_classes(out, waits, f->m->session.elapsed_incl);
	if (s->wait.function >= 0 && s->wait.function_ns > s->wait.ns / 2)
		gn_put_most_in(out, f, s);
	fputs(". If it is a server, capture it while it has work.", out);
}

void gn_next_idle(const struct gn_facts *f, const struct gn_subject *s,
		  FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by waits", out);
}

/* Time of its own code in user mode, without compilation and collection. */
static uint64_t own_time(const struct gn_model_function *fn)
{
	return fn->v.class_excl[GN_CLASS_APP];
}

/* Whether the time is certain: nothing is missing, and the cost of probes does
 * not blur it. */
static bool certain(const struct gn_model_function *fn)
{
	return !fn->v.gap && !fn->muted && fn->v.error_excl <= own_time(fn) / 2;
}

/* Keeps the functions with the most weight in descending order; of equal ones,
 * the first. */
static void add_function(struct gn_subject *s,
			 const struct gn_model_function *fn, uint64_t weight)
{
	int at = s->nfunctions;

	while (at > 0 && weight > s->weight[at - 1])
		at--;
	if (at == GN_NAMED)
		return;
	if (s->nfunctions < GN_NAMED)
		s->nfunctions++;
	for (int k = s->nfunctions - 1; k > at; k--) {
		s->function[k] = s->function[k - 1];
		s->weight[k] = s->weight[k - 1];
	}
	s->function[at] = fn;
	s->weight[at] = weight;
}

/* Computation matters only as far as the program computes and does not wait. */
static double of_all(const struct gn_facts *f, uint64_t ns)
{
	return gn_share(ns, f->busy + f->answers);
}

/* Lost calls are missing, those before probes were in place, and those in
 * callers' copies. */
static void put_calls(FILE *out, const struct gn_model_function *fn, bool lossy)
{
	if (lossy || gn_calls_missing(&fn->v))
		fputs("at least ", out);
	gn_put_count(out, fn->v.calls, "call", "calls");
}

int gn_look_own(const struct gn_facts *f, struct gn_subject *s)
{
	const struct gn_model *m = f->m;

	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct gn_model_function *fn = &m->functions[i];

		if (certain(fn) && own_time(fn))
			add_function(s, fn, own_time(fn));
	}
	/* if the program mostly waits, its code does not matter */
	if (!s->nfunctions || f->classes[GN_CLASS_APP] < f->busy / 20)
		return 0;
	s->share = gn_share(own_time(s->function[0]), f->classes[GN_CLASS_APP]);
	s->rank = of_all(f, own_time(s->function[0]));
	return 0;
}

void gn_say_own(const struct gn_facts *f, const struct gn_subject *s, FILE *out)
{
	uint64_t all = f->classes[GN_CLASS_APP];

	fputs("Most own time: ", out);
	for (int i = 0; i < s->nfunctions; i++) {
		const struct gn_model_function *fn = s->function[i];

		if (i && own_time(fn) < all / 20)
			break;
		fputs(i ? "; " : "", out);
		gn_put_function(out, f->m, (int32_t)fn->index);
		fputs(" ", out);
		gn_put_ns(out, own_time(fn));
		fputs(" (", out);
		gn_put_pct(out, own_time(fn), all);
		fputs(i ? ", " : " of app time, ", out);
		put_calls(out, fn, false);
		fputc(')', out);
	}
	fputc('.', out);
}

void gn_next_own(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	(void)f;
	(void)s;
	/* ae would include compilation and collection */
	fputs("--by callers --sort app --columns calls,ei,ai,app --limit 3",
	      out);
}

/* With fewer samples a function's share is random. */
#define SAMPLES_LEAST 20

int gn_look_sampled(const struct gn_facts *f, struct gn_subject *s)
{
	if (f->m->nsamples && f->m->sampled >= SAMPLES_LEAST)
		s->share = gn_share(f->m->samples[0].self, f->m->sampled);
	s->rank = s->share * of_all(f, f->cpu);
	return 0;
}

/* Code without a name is shown by its file, if that is known. */
static void put_sampled(FILE *out, const struct gn_model_named *of)
{
	gn_put_named(out, of);
	if (of->name[0] == '[' && of->module[0]) {
		fputs(" in ", out);
		gn_put_named(out, &(struct gn_model_named){
					  .name = gn_base_name(of->module)});
	}
}

void gn_say_sampled(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out)
{
	const struct gn_model *m = f->m;

	(void)s;
	fputs("Most samples of code on CPUs: ", out);
	for (size_t i = 0; i < m->nsamples && i < GN_NAMED; i++) {
		const struct gn_model_sample *x = &m->samples[i];

		if (i && x->self < m->sampled / 20)
			break;
		fputs(i ? ", " : "", out);
		put_sampled(out, &x->of);
		fputs(" ", out);
		gn_put_pct(out, x->self, m->sampled);
	}
	fputs(" of ", out);
	gn_put_count(out, m->sampled, "sample", "samples");
	fputc('.', out);
}

void gn_next_sampled(const struct gn_facts *f, const struct gn_subject *s,
		     FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by samples --limit 20", out);
}

/* Whether each line of a text begins with '!'. */
static bool only_excludes(const char *lines)
{
	while (*lines == '!')
		lines += strcspn(lines, "\n") + (strchr(lines, '\n') != NULL);
	return !*lines;
}

/* Whether -f names no function, or only what it leaves out. */
static bool names_none(const struct gn_model *m)
{
	const char *asked = gn_model_info(m, "functions.asked");

	return asked && (!strcmp(asked, "all") || only_excludes(asked));
}

/* The same where a runtime compiles functions. */
static bool asked_all(const struct gn_model *m)
{
	return m->code.compiled && names_none(m);
}

/* Whether the functions are those of an interpreter: no file has them, so they
 * cannot be listed, and samples show the interpreter instead. */
static bool interpreted(const struct gn_model *m)
{
	for (size_t i = 0; i < m->nfunctions; i++)
		switch (m->functions[i].runtime) {
		case GN_RUNTIME_CPYTHON:
		case GN_RUNTIME_PHP:
		case GN_RUNTIME_RUBY:
			return true;
		default:
			break;
		}
	return false;
}

/* Whether the functions of runtimes were left out, by --clr light or because
 * nothing asks for those of a process that was already running. */
static bool light(const struct gn_model *m)
{
	const char *level = gn_model_info(m, "clr");

	return m->code.compiled && level && !strcmp(level, "light");
}

/* Whether code made in memory before gnomon attached can have inlined copies of
 * the methods that -f names. */
static bool can_be_copied(const struct gn_model *m)
{
	const char *hooks = gn_model_info(m, "hooks");

	return m->code.selected[GN_SELECTED_METHODS] && !m->nfunctions &&
	       !(hooks && !strcmp(hooks, "il at start"));
}

/* Whether only methods of a runtime could have been traced, and it had no
 * hooks. */
static bool unhooked(const struct gn_model *m)
{
	return !m->nfunctions && gn_model_info(m, "clr.unhooked");
}

/* Whether no function has probes because those that -f names were refused.
 * Otherwise, if none was seen, none was called. */
static bool refused(const struct gn_model *m, uint64_t *attached)
{
	uint64_t by_ret = 0, by_return = 0, all = 0, kernel = 0;

	gn_info_number(m, "functions.ret", &by_ret);
	gn_info_number(m, "functions.return", &by_return);
	gn_info_number(m, "functions.refused", &all);
	gn_info_number(m, "functions.refused.kernel", &kernel);
	*attached = by_ret + by_return;
	return all && *attached <= kernel;
}

static void say_none(const struct gn_model *m, FILE *out)
{
	const char *first = gn_model_info(m, "functions.refused.first");
	uint64_t attached;

	if (refused(m, &attached)) {
		fputs("No function was traced, as what -f names was refused",
		      out);
		if (first)
			fprintf(out, " (%s)", first);
	} else if (attached || m->code.selected[GN_SELECTED_METHODS]) {
		fputs("No call of what -f names was seen", out);
	} else {
		fputs("No function was traced", out);
	}
}

/* Whether what is in no traced function can be in methods that nothing asked
 * for, which samples show. */
static bool samples_tell(const struct gn_model *m)
{
	return m->code.compiled && !interpreted(m) && !unhooked(m) &&
	       (light(m) || !asked_all(m));
}

int gn_look_untraced(const struct gn_facts *f, struct gn_subject *s)
{
	uint64_t traced = 0, all = f->classes[GN_CLASS_APP];

	for (size_t i = 0; i < f->m->nfunctions; i++)
		traced += own_time(&f->m->functions[i]);
	/* a program that does nothing has nothing to trace */
	if (traced < all && f->cpu > f->wall / 20) {
		s->ns = all - traced;
		s->share = gn_share(s->ns, all);
		s->rank = of_all(f, s->ns);
	}
	/* methods are not in files, so they cannot be listed */
	if (samples_tell(f->m))
		s->what = f->m->nsamples ? GN_NEXT_REPORT : GN_NEXT_AGAIN;
	else if (asked_all(f->m) || interpreted(f->m) || unhooked(f->m))
		s->what = GN_NEXT_REPORT;
	return 0;
}

/* Writes what to name with -f. If probes came late, other names may not
 * help. */
static void put_to_name(const struct gn_model *m, FILE *out)
{
	uint64_t attached = 0;
	bool none = !m->nfunctions && refused(m, &attached);
	bool named = none || attached;

	fputs(") is in none. ", out);
	if (named && !none && m->counters[GN_COUNTER_UNPROBED])
		fprintf(out,
			"Calls before probes were in place are not seen (see "
			"UNPROBED). %sName %sothers with -f; this lists them:",
			!m->by_path && gn_model_attached(m)
				? "A server's new children have them at once "
				  "if -p names all its processes (-p A,B,C). "
				: "",
			m->by_path ? "the file by its path, or " : "");
	else
		fprintf(out, "Name %s with -f; this lists them:",
			named ? "others" : "some");
}

static void put_interpreted(const struct gn_model *m, FILE *out)
{
	bool all = names_none(m);

	fprintf(out,
		") is in none: in the interpreter's own code%s%s; --by thread "
		"tells.%s",
		all ? "" : ", in functions that -f does not name",
		m->nprocesses > 1 ? ", or in other programs" : "",
		all ? "" : " Without -f all functions are traced.");
}

void gn_say_untraced(const struct gn_facts *f, const struct gn_subject *s,
		     FILE *out)
{
	if (!f->m->nfunctions)
		say_none(f->m, out);
	else
		fputs("Much happens outside of the traced functions", out);
	fputs(": ", out);
	gn_put_ns(out, s->ns);
	fputs(" of app time (", out);
	gn_put_pct(out, s->ns, f->classes[GN_CLASS_APP]);
	if (unhooked(f->m))
		fputs(") is in none: a runtime had no hooks (see runtime); "
		      "--by thread tells.",
		      out);
	else if (interpreted(f->m))
		put_interpreted(f->m, out);
	else if (light(f->m))
		fputs(") is in none: methods were not traced (see clr). "
		      "Samples tell:",
		      out);
	else if (samples_tell(f->m))
		fprintf(out,
			") is in none: in methods that -f does not name, %sor "
			"in the runtime's own code. Samples tell:",
			can_be_copied(f->m)
				? "in copies of named ones in compiled "
				  "expressions, which call the handlers of MVC "
				  "(see hooks), "
				: "");
	else if (s->what == GN_NEXT_REPORT)
		fputs(") is in none: in the runtime's own code, in methods "
		      "that can have no hooks, or, where gnomon came to a "
		      "process that ran, in what it did there; --by thread "
		      "tells.",
		      out);
	else
		put_to_name(f->m, out);
}

void gn_next_untraced(const struct gn_facts *f, const struct gn_subject *s,
		      FILE *out)
{
	if (s->what == GN_NEXT_AGAIN)
		fputs("--snapshot 499", out);
	else if (samples_tell(f->m))
		fputs("--by samples --limit 20", out);
	else if (s->what != GN_NEXT_REPORT)
		fputs("list -f '*'", out);
}

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
			add_function(s, fn, calls);
	}
}

static void put_called(FILE *out, const struct gn_facts *f,
		       const struct gn_subject *s)
{
	for (int i = 0; i < s->nfunctions; i++) {
		fputs(i ? ", " : " ", out);
		gn_put_function(out, f->m, (int32_t)s->function[i]->index);
		fputs(" (", out);
		put_calls(out, s->function[i], gn_model_lossy(f->m));
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
	fputs(" on CPUs. It is taken out of the times, but the program was "
	      "slower.",
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
