/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about a runtime's work for the program, and the waits of async
 * methods. */
#include <inttypes.h>
#include <string.h>

#include <gnomon/path.h>

#include "explain/rules.h"

/* The function with the most exclusive time in the class; -1: none. */
static int32_t most_in(const struct gn_model *m, enum gn_class class,
		       uint64_t *ns)
{
	int32_t most = -1;

	*ns = 0;
	for (size_t i = 0; i < m->nfunctions; i++) {
		if (m->functions[i].v.class_excl[class] <= *ns)
			continue;
		*ns = m->functions[i].v.class_excl[class];
		most = (int32_t)i;
	}
	return most;
}

/* The part of compilation for methods whose precompiled code tracing turns
 * off. */
static uint64_t traced_jit(const struct gn_facts *f)
{
	const struct gn_model_code *c = &f->m->code;
	uint64_t refused = c->refused < c->compiled ? c->refused : c->compiled;

	/* where all of it is off, how much of it there is is not known */
	if (gn_model_info(f->m, "precompiled") && !gn_model_of_jvm(f->m))
		refused = c->compiled;
	return (uint64_t)((double)f->classes[GN_CLASS_JIT] *
			  gn_share(refused, c->compiled));
}

/* A server with little work compiles for a large part of the time on CPUs, but
 * has CPUs enough for it. */
static double share_of_jit(const struct gn_facts *f, uint64_t ns)
{
	return ns >= f->wall / 10 ? gn_share_of_cpu(f, ns) : 0;
}

int gn_look_jit(const struct gn_facts *f, struct gn_subject *s)
{
	uint64_t own = f->classes[GN_CLASS_JIT] - traced_jit(f);

	s->ns = f->classes[GN_CLASS_JIT];
	s->share = share_of_jit(f, own);
	s->rank = gn_share_of_work(f, own);
	return 0;
}

int gn_look_traced_jit(const struct gn_facts *f, struct gn_subject *s)
{
	s->ns = traced_jit(f);
	s->share = share_of_jit(f, s->ns);
	s->rank = gn_share_of_work(f, s->ns);
	return 0;
}

void gn_say_traced_jit(const struct gn_facts *f, const struct gn_subject *s,
		       FILE *out)
{
	const char *hooks = gn_model_info(f->m, "hooks");
	bool all = gn_model_info(f->m, "precompiled");

	fprintf(out,
		"This way of tracing makes the program compile more: that took "
		"%s",
		all ? "" : "about ");
	gn_put_of_cpu(out, f, s->ns);
	if (all) {
		fputs(", because transitions turn off all code that was "
		      "compiled ahead. With samples it is kept:",
		      out);
		return;
	}
	fputs(", and ", out);
	gn_put_count(out, f->m->code.refused, "method", "methods");
	fputs(" of ", out);
	gn_put_count(out, f->m->code.compiled, "has", "have");
	fputs(" code compiled ahead", out);
	if (!f->m->code.selected[GN_SELECTED_CODE_OFF])
		fprintf(out, ", which is kept where -f names %s",
			hooks && !strcmp(hooks, "il at start") ? "fewer"
							       : "functions");
	fputs(". With samples all of it is kept:", out);
}

void gn_next_traced_jit(const struct gn_facts *f, const struct gn_subject *s,
			FILE *out)
{
	(void)f;
	(void)s;
	fputs("--clr light --snapshot 499", out);
}

void gn_say_jit(const struct gn_facts *f, const struct gn_subject *s, FILE *out)
{
	const struct gn_model_thread *t = gn_most_of(f->m, GN_CLASS_JIT);
	bool php = gn_model_of_php(f->m);

	fputs("Compiling took ", out);
	gn_put_of_cpu(out, f, s->ns);
	if (f->m->code.compiled) {
		fputs(": ", out);
		gn_put_count(out, f->m->code.compiled, php ? "file" : "method",
			     php ? "files" : "methods");
	}
	if (f->m->code.refused) {
		fputs(", of which ", out);
		gn_put_count(out, f->m->code.refused, "has", "have");
		fputs(" code compiled ahead that tracing turns off", out);
	}
	fputs(". It is ", out);
	gn_put_pct(out, t->classes[GN_CLASS_JIT], t->elapsed);
	if (t->merged)
		fprintf(out, " of %s", t->name);
	else
		fprintf(out, " of thread %s (%" PRIu32 ")", t->name, t->tid);
	fputs(php ? ". PHP's opcache keeps what was compiled, on the command "
		    "line if opcache.enable_cli is on (--by jit shows the "
		    "files)."
		  : ". A longer run has less of it, and so has code that was "
		    "compiled ahead, except for methods that are made at run "
		    "time (--by jit).",
	      out);
}

void gn_next_jit(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	(void)f;
	(void)s;
	fputs("--sort jit --columns default,jit+,jit --limit 10", out);
}

/* The part of the time on CPUs that says enough by itself: where others take
 * the CPUs, nearly all of the busy time is waiting for one. */
#define GC_OF_CPU 0.2

int gn_look_gc(const struct gn_facts *f, struct gn_subject *s)
{
	const struct gn_model_collections *c = &f->m->collections;
	uint64_t stood;

	/* threads are suspended for other reasons, too */
	s->wait = (struct gn_wait_sum){.ns = c->stopped_ns,
				       .count = c->stops,
				       .longest = c->longest_stop,
				       .function = -1};
	s->ns = f->classes[GN_CLASS_GC];
	if (!s->ns)
		return 0;
	stood = s->wait.ns + f->collected;
	s->share = gn_share(s->ns + stood, f->busy + stood);
	s->rank = s->share;
	if (gn_share(s->ns, f->cpu) >= GC_OF_CPU && s->share < GC_OF_CPU)
		s->share = gn_share(s->ns, f->cpu);
	return 0;
}

/* Writes the class that used most memory, if allocations were recorded. */
static void put_allocated(const struct gn_model *m, FILE *out)
{
	const struct gn_model_allocation *a = m->allocations;
	uint64_t all = 0;

	for (size_t i = 0; i < m->nallocations; i++)
		all += a[i].bytes;
	if (!all)
		return;
	fputs(" Most memory, ", out);
	gn_put_count(out, a->bytes, "byte", "bytes");
	fputs(" (", out);
	gn_put_pct(out, a->bytes, all);
	fputs("), went into ", out);
	gn_put_count(out, a->count, "object", "objects");
	fputs(" of ", out);
	gn_put_named(out, &a->class);
	fputs(", allocated in ", out);
	if (a->function.name[0])
		gn_put_named(out, &a->function);
	else
		gn_put_function(out, m, -1);
	fputc('.', out);
}

void gn_say_gc(const struct gn_facts *f, const struct gn_subject *s, FILE *out)
{
	const struct gn_model_collections *c = &f->m->collections;
	uint64_t ns;
	int32_t by = most_in(f->m, GN_CLASS_GC, &ns);

	fputs("Collecting garbage took ", out);
	gn_put_of_cpu(out, f, s->ns);
	if (s->wait.ns) {
		fputs("; other threads stood still for it for ", out);
		gn_put_ns(out, s->wait.ns);
		fputs(", ", out);
		gn_put_count(out, s->wait.count, "time", "times");
		fputs(", up to ", out);
		gn_put_ns(out, s->wait.longest);
	}
	if (f->collected) {
		fputs("; those that needed it waited ", out);
		gn_put_ns(out, f->collected);
		fputs(" for its end", out);
	}
	fputc('.', out);
	if (by >= 0) {
		fputs(c->told == c->all && !c->asked
			      ? " Most began while memory was allocated"
			      : " Most began",
		      out);
		gn_put_where(out, f, by, GN_CLASS_GC);
		fputs(": ", out);
		gn_put_ns(out, ns);
		fputc('.', out);
	}
	if (c->asked) {
		fprintf(out, " The program asked for %" PRIu64 " of ",
			c->asked);
		gn_put_count(out, c->all, "collection", "collections");
		fputs(" itself.", out);
	}
	put_allocated(f->m, out);
}

void gn_next_gc(const struct gn_facts *f, const struct gn_subject *s, FILE *out)
{
	(void)s;
	fputs(f->m->nallocations
		      ? "--by allocations"
		      : "--sort gc --columns default,gc+,gc --limit 10",
	      out);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

bool gn_is_framework(const struct gn_model_function *fn)
{
	const char *module = gn_base_name(fn->module);

	return begins(module, "System.") || begins(module, "Microsoft.");
}

/* Whether the call runs an async method: what begins or continues one calls the
 * code of its state machine. Iterators have such code, too, but other
 * callers. */
static bool runs_async(const struct gn_model *m, const struct gn_model_edge *e)
{
	const char *caller = e->caller < 0 ? "" : m->functions[e->caller].name;
	const struct gn_model_function *callee = &m->functions[e->callee];

	return GN_RUNTIME_IS_DOTNET(callee->runtime) &&
	       strstr(callee->name, ".MoveNext(") &&
	       (begins(caller, "System.Runtime.CompilerServices.Async") ||
		begins(caller, "System.Runtime.CompilerServices.PoolingAsync"));
}

/* The module of the program itself: it has Main. "": not known. */
static const char *own_module(const struct gn_model *m)
{
	for (size_t i = 0; i < m->nfunctions; i++)
		if (m->functions[i].runtime == GN_RUNTIME_CLR &&
		    gn_is_main(m->functions[i].name) &&
		    !gn_is_framework(&m->functions[i]))
			return m->functions[i].module;
	return "";
}

/* The async method that ran most often and is not the framework's, one of the
 * program itself before those of its libraries. NULL: none ran. */
static const struct gn_model_function *own_async(const struct gn_model *m)
{
	const struct gn_model_function *most = NULL;
	const char *module = own_module(m);
	bool own = false;

	for (size_t i = 0; i < m->nedges; i++) {
		const struct gn_model_function *fn =
			&m->functions[m->edges[i].callee];
		bool is_own = !strcmp(fn->module, module);

		if (!runs_async(m, &m->edges[i]) || gn_is_framework(fn) ||
		    (own && !is_own))
			continue;
		if (!most || is_own != own || fn->v.calls > most->v.calls)
			most = fn;
		own = is_own;
	}
	return most;
}

/* The waits of async methods are not seen where the runtime makes the hooks. It
 * matters for a program that waits more than it computes. */
int gn_look_async_unseen(const struct gn_facts *f, struct gn_subject *s)
{
	const char *elt = gn_model_info(f->m, "hooks.elt");
	/* a program that starts compiles much, but that is not its work */
	uint64_t worked = f->cpu - f->classes[GN_CLASS_JIT];

	/* it explains nothing */
	s->rank = 0;
	if (f->m->nasyncs || !elt || strcmp(elt, "all functions are traced") ||
	    worked > f->wall / 2)
		return 0;
	s->function[0] = own_async(f->m);
	if (s->function[0])
		s->share = 1 - gn_share(worked, f->wall);
	return 0;
}

void gn_say_async_unseen(const struct gn_facts *f, const struct gn_subject *s,
			 FILE *out)
{
	bool own = !strcmp(s->function[0]->module, own_module(f->m));

	fprintf(out, "Async methods ran, %smost often ",
		own ? "of the program's own " : "");
	gn_put_function(out, f->m, (int32_t)s->function[0]->index);
	fputs(". How long they waited is only known of methods that -f names "
	      "(--by async); this names all of that assembly:",
	      out);
}

/* All functions of the method's assembly. */
void gn_next_async_unseen(const struct gn_facts *f, const struct gn_subject *s,
			  FILE *out)
{
	const char *module = gn_base_name(s->function[0]->module);
	const char *dot = strrchr(module, '.');

	(void)f;
	fprintf(out, "-f '%.*s:*'",
		dot ? (int)(dot - module) : (int)strlen(module), module);
}

/* The most nested awaits to follow: a hostile file can have any number. */
#define INNER_MOST 1000

/* The await of a method in a state; NULL: not recorded. */
static const struct gn_model_await *await_of(const struct gn_model *m,
					     int32_t function, int32_t state,
					     const struct gn_model_async **of)
{
	for (size_t i = 0; i < m->nasyncs; i++) {
		const struct gn_model_async *a = &m->asyncs[i];

		if (a->function != function || a->gap)
			continue;
		*of = a;
		for (size_t k = 0; k < a->nawaits; k++)
			if (a->awaits[k].state == state)
				return &a->awaits[k];
	}
	return NULL;
}

/* A method that waits for another one is not the slow one. So goes from the
 * longest await to the innermost one that has at least half of its time. */
static void look_inside(const struct gn_model *m, struct gn_subject *s)
{
	for (int n = 0; n < INNER_MOST && s->await->inner >= 0; n++) {
		const struct gn_model_async *a;
		const struct gn_model_await *w =
			await_of(m, s->await->inner, s->await->inner_state, &a);

		if (!w || w->state < 0 || w->ns < s->await->ns / 2)
			return;
		s->async = a;
		s->await = w;
	}
}

/* The longest of all awaits, or of those of methods that completed. Ignores
 * awaits of half of the capture and more: they wait for the program itself, as
 * in Main. */
static void find_await(const struct gn_facts *f, bool completed,
		       struct gn_subject *s)
{
	uint64_t longest = f->wall / 2;

	for (size_t i = 0; i < f->m->nasyncs; i++) {
		const struct gn_model_async *a = &f->m->asyncs[i];

		if (a->gap || (completed && !a->completions && !a->older))
			continue;
		for (size_t k = 0; k < a->nawaits; k++) {
			const struct gn_model_await *w = &a->awaits[k];

			if (w->state < 0 || !w->count ||
			    w->ns / w->count > longest)
				continue;
			if (s->await && w->ns <= s->await->ns)
				continue;
			s->async = a;
			s->await = w;
		}
	}
}

/* A service that waits for work in a loop never completes, so methods that
 * complete come first. */
int gn_look_async(const struct gn_facts *f, struct gn_subject *s)
{
	find_await(f, true, s);
	if (!s->await)
		find_await(f, false, s);
	if (s->await) {
		s->share = gn_share(s->await->ns, f->wall);
		look_inside(f->m, s);
	}
	if (s->share > 1)
		s->share = 1;
	return 0;
}

void gn_say_async(const struct gn_facts *f, const struct gn_subject *s,
		  FILE *out)
{
	const struct gn_model_await *w = s->await;

	fputs("Async methods waited, most in ", out);
	gn_put_function(out, f->m, s->async->function);
	if (w->line)
		fprintf(out, " at its await in line %" PRIu32, w->line);
	else
		fprintf(out, " at its await number %" PRId32, w->state + 1);
	fputs(": ", out);
	gn_put_ns(out, w->ns);
	fputs(", ", out);
	gn_put_count(out, w->count, "time", "times");
	fputs(", ", out);
	gn_put_ns(out, w->ns / w->count);
	fputs(" each. Either what it awaits is slow, or something keeps it "
	      "from going on.",
	      out);
}

void gn_next_async(const struct gn_facts *f, const struct gn_subject *s,
		   FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by async", out);
}
