/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about the own work of threads and functions, and samples of it. */
#include <inttypes.h>

#include <gnomon/path.h>
#include "explain/rules.h"
#include "output/classes.h"
#include "output/header.h"
#include "output/text.h"

int gn_look_path(const struct gn_facts *f, struct gn_subject *s)
{
	uint64_t cpu;

	/* a single thread explains nothing */
	if (!f->worker || gn_model_threads(f->m) < 2)
		return 0;
	cpu = gn_class_cpu_ns(f->worker->classes);
	if (f->others_cpu > cpu / 4)
		return 0;
	s->share = gn_share(f->worker_busy, f->wall);
	/* it explains slowness as far as it computes */
	s->rank =
		gn_share(cpu + f->worker->classes[GN_CLASS_RUNQUEUE], f->wall);
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
	fputs(" of its time. Beside it ", out);
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
	if (gn_starved_share(f) >= GN_STARVED_LEAST ||
	    f->halted > f->m->session.elapsed_incl / 2)
		return 0;
	if (gn_children_of(f->m, &s->ns))
		s->what = GN_NEXT_AGAIN;
	s->share = 1 - gn_share(f->cpu, f->wall);
	s->class = GN_CLASS_EVENT;
	for (int c = 0; c < GN_CLASS_COUNT; c++)
		if (!gn_class_on_cpu((enum gn_class)c) &&
		    f->classes[c] > f->classes[s->class])
			s->class = (enum gn_class)c;
	return gn_wait_sum(f->m, s->class, &s->wait);
}

/* Children that a server had already may do its work. */
static void put_children(const struct gn_model *m, FILE *out)
{
	uint64_t n;
	const char *of = gn_children_of(m, &n);

	fputs(". Its work may be done by ", out);
	gn_put_count(out, n, "child", "children");
	fprintf(out,
		" that process %s had already: not traced; this adds %s:", of,
		gn_word(n, "it", "them"));
}

/* Waits for a network socket in vain, as for the answer of a name server: a
 * server that waits for requests has no deadline, or polls other files. */
static uint64_t unanswered(const struct gn_model *m, uint64_t *count)
{
	uint64_t ns = 0;

	*count = 0;
	for (size_t i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];

		if (w->class != GN_CLASS_POLL || w->idle ||
		    w->polled != GN_POLLED_SOCKET ||
		    w->end != GN_END_BY_TIMEOUT)
			continue;
		ns += w->ns;
		*count += w->count;
	}
	return ns;
}

/* Says what else can be the cause. */
static void put_cause(const struct gn_facts *f, FILE *out)
{
	uint64_t count, ns = unanswered(f->m, &count);

	if (ns <= f->wall / 2) {
		fputs(". If it is a server, capture it while it has work.",
		      out);
		return;
	}
	fputs(". It polled a network socket ", out);
	gn_put_count(out, count, "time", "times");
	fputs(", ", out);
	gn_put_ns(out, ns);
	fputs(" in all, until the call timed out: if it had asked for "
	      "something there (a name server, another host), there was no "
	      "answer.",
	      out);
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
	if (s->what == GN_NEXT_AGAIN)
		put_children(f->m, out);
	else
		put_cause(f, out);
}

void gn_next_idle(const struct gn_facts *f, const struct gn_subject *s,
		  FILE *out)
{
	uint64_t n;

	if (s->what == GN_NEXT_AGAIN)
		fprintf(out, "-p $(pgrep -d, -P %s)", gn_children_of(f->m, &n));
	else
		fputs("--by waits", out);
}

/* Whether the time is certain: nothing is missing, and the cost of probes does
 * not blur it. */
static bool certain(const struct gn_model_function *fn)
{
	return !fn->v.gap && !fn->muted &&
	       fn->v.error_excl <= gn_own_time(fn) / 2;
}

int gn_look_own(const struct gn_facts *f, struct gn_subject *s)
{
	const struct gn_model *m = f->m;
	uint64_t held = f->ready;

	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct gn_model_function *fn = &m->functions[i];

		if (certain(fn) && gn_own_time(fn))
			gn_subject_add(s, fn, gn_own_time(fn));
	}
	/* If the program mostly waits, its code does not matter. It does if the
	 * program waits for a CPU. */
	if (!s->nfunctions || f->classes[GN_CLASS_APP] < (f->busy - held) / 20)
		return 0;
	s->share =
		gn_share(gn_own_time(s->function[0]), f->classes[GN_CLASS_APP]);
	s->rank = gn_share_of_work(f, gn_own_time(s->function[0]));
	return 0;
}

void gn_say_own(const struct gn_facts *f, const struct gn_subject *s, FILE *out)
{
	uint64_t all = f->classes[GN_CLASS_APP];

	fputs("Most own time: ", out);
	for (int i = 0; i < s->nfunctions; i++) {
		const struct gn_model_function *fn = s->function[i];

		if (i && gn_own_time(fn) < all / 20)
			break;
		fputs(i ? "; " : "", out);
		gn_put_function(out, f->m, (int32_t)fn->index);
		fputs(" ", out);
		gn_put_ns(out, gn_own_time(fn));
		fputs(" (", out);
		gn_put_pct(out, gn_own_time(fn), all);
		fputs(i ? ", " : " of app time, ", out);
		gn_put_calls(out, fn, false);
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

int gn_look_sampled(const struct gn_facts *f, struct gn_subject *s)
{
	s->share = gn_share_of_samples(f->m);
	s->rank = s->share * gn_share_of_work(f, f->cpu);
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

/* Whether it is code of no file. */
static bool is_made(const struct gn_model_named *of)
{
	return !strcmp(of->name, "[unknown]") && !of->module[0];
}

/* Says what such code is, and how it gets a name. */
static void put_made(const struct gn_model *m, FILE *out)
{
	if (!gn_came_to_jvm(m))
		fputs(" [unknown] is code of no file, as a just-in-time "
		      "compiler makes it.",
		      out);
	else
		fputs(" [unknown] is what the JVM interprets, or compiled "
		      "before gnomon came. Methods have names if it compiles "
		      "them later, as those that -f names (-f "
		      "'com.example.*'), or if gnomon starts it.",
		      out);
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
	if (is_made(&m->samples[0].of))
		put_made(m, out);
}

void gn_next_sampled(const struct gn_facts *f, const struct gn_subject *s,
		     FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by samples --limit 20", out);
}
