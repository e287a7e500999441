/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about exceptions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/selected.h>
#include "explain/rules.h"

/* A few slow ones are no storm. */
#define COUNT_LEAST 10
/* What .NET needs at least for an exception that its own method catches; most
 * need several times that. */
#define EXCEPTION_NS 4000
/* No more is a throw's part of the own time of the call that it ended. */
#define EXCEPTION_MOST_NS 100000
/* The smallest part of the time on CPUs, without compilation, that exceptions
 * must have at that. */
#define EXCEPTIONS_LEAST 0.1

static uint64_t count_of(const struct gn_model *m)
{
	uint64_t count = 0;

	for (size_t i = 0; i < m->nexceptions; i++)
		count += m->exceptions[i].count;
	return count;
}

static const struct gn_model_exception *longest(const struct gn_model *m)
{
	const struct gn_model_exception *most = NULL;

	for (size_t i = 0; i < m->nexceptions; i++)
		if (!most || m->exceptions[i].ns > most->ns)
			most = &m->exceptions[i];
	return most;
}

int gn_look_exceptions(const struct gn_facts *f, struct gn_subject *s)
{
	for (size_t i = 0; i < f->m->nexceptions; i++)
		s->ns += f->m->exceptions[i].ns;
	if (count_of(f->m) >= COUNT_LEAST)
		s->share = gn_share_of_cpu(f, s->ns);
	/* their threads can have waited for a CPU meanwhile */
	if (s->share > 1)
		s->share = 1;
	s->rank = gn_share_of_work(f, s->ns);
	return 0;
}

static void put_in(FILE *out, const struct gn_model *m,
		   const struct gn_model_named *function)
{
	if (function->name[0])
		gn_put_named(out, function);
	else
		gn_put_function(out, m, -1);
}

static void put_rate(FILE *out, const struct gn_facts *f, uint64_t count)
{
	uint64_t rate =
		f->wall ? (uint64_t)((double)count * 1e9 / (double)f->wall) : 0;

	gn_put_count(out, rate, "a second", "a second");
}

void gn_say_exceptions(const struct gn_facts *f, const struct gn_subject *s,
		       FILE *out)
{
	const struct gn_model_exception *x = longest(f->m);
	uint64_t count = count_of(f->m);

	fputs("Exceptions took ", out);
	gn_put_ns(out, s->ns);
	fputs(" from throw to catch, while the program was on CPUs for ", out);
	gn_put_ns(out, f->cpu);
	fputs(": ", out);
	gn_put_count(out, count, "was", "were");
	fputs(" thrown, ", out);
	put_rate(out, f, count);
	fputs(". Most: ", out);
	gn_put_named(out, &x->class);
	fputs(", thrown in ", out);
	put_in(out, f->m, &x->thrown_in);
	fputs(", caught in ", out);
	put_in(out, f->m, &x->caught_in);
	fputs(": ", out);
	gn_put_count(out, x->count, "time", "times");
	fputs(", ", out);
	gn_put_ns(out, x->count ? x->ns / x->count : 0);
	fputs(" each. What fails often costs less with a result than with an "
	      "exception.",
	      out);
}

void gn_next_exceptions(const struct gn_facts *f, const struct gn_subject *s,
			FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by exceptions", out);
}

/* Compilation comes once, exceptions again and again. */
static double share_of_run(const struct gn_facts *f, uint64_t ns)
{
	uint64_t jit = f->classes[GN_CLASS_JIT];

	return gn_share_of_cpu(f, ns) *
	       gn_share(f->cpu, f->cpu > jit ? f->cpu - jit : 0);
}

/* The runtime's function (.NET 9 and later) that each exception passes, also
 * one that is thrown again. If it is traced, its calls are the exceptions. */
static const struct gn_model_function *dispatcher(const struct gn_model *m)
{
	static const char name[] = "System.Runtime.EH.DispatchEx(";

	for (size_t i = 0; i < m->nfunctions; i++)
		if (m->functions[i].runtime == GN_RUNTIME_CLR &&
		    !strncmp(m->functions[i].name, name, sizeof(name) - 1))
			return &m->functions[i];
	return NULL;
}

/* Judges by the time that they took at least, or were seen to take. */
static void look_dispatched(const struct gn_facts *f, struct gn_subject *s,
			    const struct gn_model_function *fn)
{
	uint64_t ns = fn->v.calls * EXCEPTION_NS;

	if (fn->v.app_incl > ns)
		ns = fn->v.app_incl;
	s->function[0] = fn;
	s->ns = fn->v.calls;
	s->rank = share_of_run(f, ns);
	if (s->rank >= EXCEPTIONS_LEAST)
		s->share = s->rank > 1 ? 1 : s->rank;
}

/* The time that exceptions took at least which ended calls of the function. The
 * function's own time has the throw in it. */
static uint64_t cost_of(const struct gn_model_function *fn, uint64_t exceptions,
			uint64_t calls)
{
	uint64_t each = calls ? gn_own_time(fn) / calls : 0;

	if (each < EXCEPTION_NS)
		each = EXCEPTION_NS;
	return exceptions *
	       (each < EXCEPTION_MOST_NS ? each : EXCEPTION_MOST_NS);
}

/* Adds calls that exceptions ended, and keeps the method with the most. async:
 * it catches the exception itself, for what awaits it. */
static void add_ended(struct gn_subject *s, const struct gn_model_function *fn,
		      const struct gn_model_async *async)
{
	uint64_t ended = async ? async->faulted : fn->v.unwound;

	s->ns += ended;
	s->whole += async ? async->completions : fn->v.calls;
	if (s->nfunctions && ended <= s->weight[0])
		return;
	s->nfunctions = 1;
	s->function[0] = fn;
	s->weight[0] = ended;
	s->async = async;
}

/* Of each function, the number of exceptions that may have ended calls of a
 * callee before. */
static void add_passed(const struct gn_model *m, uint64_t *passed)
{
	for (size_t i = 0; i < m->nedges; i++) {
		const struct gn_model_edge *e = &m->edges[i];

		if (e->caller >= 0)
			passed[e->caller] += e->v.unwound;
	}
}

/* Judges by the calls that exceptions ended. Returns 0 or -ENOMEM. */
static int look_ended(const struct gn_facts *f, struct gn_subject *s)
{
	const struct gn_model *m = f->m;
	uint64_t *passed = calloc(m->nfunctions + 1, sizeof(*passed)), ns = 0;

	if (!passed)
		return -ENOMEM;
	add_passed(m, passed);
	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct gn_model_function *fn = &m->functions[i];

		if (!GN_RUNTIME_IS_DOTNET(fn->runtime))
			continue;
		add_ended(s, fn, NULL);
		if (fn->v.unwound > passed[i])
			ns += cost_of(fn, fn->v.unwound - passed[i],
				      fn->v.calls);
	}
	for (size_t i = 0; i < m->nasyncs; i++) {
		const struct gn_model_async *a = &m->asyncs[i];
		const struct gn_model_function *fn = &m->functions[a->function];

		add_ended(s, fn, a);
		ns += cost_of(fn, a->faulted, a->completions);
	}
	free(passed);
	s->rank = share_of_run(f, ns);
	if (s->rank >= EXCEPTIONS_LEAST)
		s->share = gn_share(s->ns, s->whole);
	if (s->rank > 1)
		s->rank = 1;
	return 0;
}

/* Exceptions that nothing watches. The subject's times are numbers of calls. */
int gn_look_unwound(const struct gn_facts *f, struct gn_subject *s)
{
	const struct gn_model *m = f->m;
	const struct gn_model_function *fn = dispatcher(m);

	if (!m->code.selected[GN_SELECTED_EXCEPTIONS_LEFT])
		return 0;
	if (!fn || !fn->v.calls)
		return look_ended(f, s);
	look_dispatched(f, s, fn);
	return 0;
}

/* Where they were thrown: in the program's own function, or below it. */
static void say_dispatched(const struct gn_facts *f, const struct gn_subject *s,
			   FILE *out)
{
	int32_t function = (int32_t)s->function[0]->index;
	struct gn_caller caller;

	gn_put_count(out, s->ns, "was", "were");
	fputs(" thrown or thrown again, ", out);
	put_rate(out, f, s->ns);
	gn_caller_outside(f->m, function, GN_CLASS_COUNT, false, &caller);
	if (caller.function < 0)
		return;
	fputs("; ", out);
	gn_put_pct(out, caller.through, caller.all);
	fputs(" of them in ", out);
	gn_put_function(out, f->m, caller.function);
	fputs(" or in what it calls", out);
}

static void say_unwound(const struct gn_facts *f, const struct gn_subject *s,
			FILE *out)
{
	const struct gn_model_function *fn = s->function[0];

	fputs("they ended ", out);
	gn_put_count(out, s->ns, "call", "calls");
	fputs(", ", out);
	put_rate(out, f, s->ns);
	fputs("; most of ", out);
	gn_put_function(out, f->m, (int32_t)fn->index);
	fputs(", ", out);
	gn_put_count(out, s->weight[0], "of", "of");
	fputs(" ", out);
	gn_put_count(out, s->async ? s->async->completions : fn->v.calls,
		     "call", "calls");
}

void gn_say_unwound(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out)
{
	fputs("Many exceptions: ", out);
	if (s->whole) /* calls that returned or not */
		say_unwound(f, s, out);
	else
		say_dispatched(f, s, out);
	fputs(". If the program has no filters (catch .. when), watch them for "
	      "their class, place and cost:",
	      out);
}

void gn_next_unwound(const struct gn_facts *f, const struct gn_subject *s,
		     FILE *out)
{
	(void)f;
	(void)s;
	fputs("--events usual,exceptions", out);
}
