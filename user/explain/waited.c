/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about what threads waited for, and what the system and the runtime did
 * for them. */
#include <inttypes.h>

#include "explain/rules.h"
#include "output/syscalls.h"
#include "output/text.h"

#define LATE_NS	    5000000
#define SMALL_NS    5000
#define SMALL_COUNT 100

static int look_wait(const struct gn_facts *f, struct gn_subject *s,
		     uint64_t whole)
{
	int err = gn_wait_sum(f->m, s->class, &s->wait);

	if (!err)
		s->share = gn_share(s->wait.ns, whole);
	return err;
}

int gn_look_wait(const struct gn_facts *f, struct gn_subject *s)
{
	int err = look_wait(f, s, f->busy);

	/* a thread that only does this waits for nobody */
	s->ns = f->waits[s->class] < s->wait.ns ? f->waits[s->class]
						: s->wait.ns;
	s->share = gn_share(s->ns, f->busy);
	/* if functions are traced, waits outside of them are the runtime's
	 * own */
	if (s->class != GN_CLASS_LOCK && f->m->nfunctions &&
	    s->wait.function < 0)
		s->share = 0;
	return err;
}

/* Writes " in F, called by G", if most of it was; G only if F is the runtime's.
 * Of calls it is not known which of them is meant: then G is who makes nearly
 * all. */
static void put_where(FILE *out, const struct gn_facts *f, int32_t function,
		      int class)
{
	struct gn_caller caller = {.function = -1};

	fputs(" in ", out);
	gn_put_function(out, f->m, function);
	if (function >= 0)
		gn_caller_outside(f->m, function, class, &caller);
	if (caller.function < 0)
		return;
	if (class == GN_CLASS_COUNT && !gn_caller_sure(&caller))
		return;
	fputs(", ", out);
	if (!gn_caller_sure(&caller)) {
		gn_put_pct(out, caller.through, caller.all);
		fputs(" of it ", out);
	}
	fputs("called by ", out);
	gn_put_function(out, f->m, caller.function);
}

/* Writes who held a lock, or did what the thread waited for. */
static void put_waker(FILE *out, const struct gn_facts *f,
		      const struct gn_subject *s)
{
	const struct gn_model_wait *by = s->wait.by;

	if (!by || (s->class != GN_CLASS_LOCK && s->class != GN_CLASS_IPC))
		return;
	fputs(s->class == GN_CLASS_LOCK ? " It was held by " : " Woken by ",
	      out);
	if (by->waker_name[0])
		fprintf(out, "%s (%" PRIu32 ")", by->waker_name, by->waker);
	else
		fprintf(out, "thread %" PRIu32 " (not traced)", by->waker);
	if (s->wait.by_threads > 1) {
		fputs(" and ", out);
		gn_put_count(out, s->wait.by_threads - 1, "more thread",
			     "more threads");
	}
	if (by->waker_function >= 0)
		put_where(out, f, by->waker_function, GN_CLASS_COUNT);
	fputs(" for ", out);
	gn_put_pct(out, s->wait.by_ns, s->wait.function_ns);
	fputs(" of that.", out);
}

void gn_say_wait(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	static const char *const what[GN_CLASS_COUNT] = {
		[GN_CLASS_LOCK] = "Threads waited for locks that others held",
		[GN_CLASS_DISK] = "Threads waited for disks and files",
		[GN_CLASS_NET] = "Threads waited for sockets",
		[GN_CLASS_IPC] = "Threads waited for pipes and local sockets",
		[GN_CLASS_SLEEP] = "Threads slept",
	};

	fprintf(out, "%s for ", what[s->class]);
	gn_put_ns(out, s->ns);
	fputs(", ", out);
	gn_put_pct(out, s->ns, f->busy);
	fputs(" of their busy time; most", out);
	put_where(out, f, s->wait.function, (int)s->class);
	fputs(": ", out);
	gn_put_ns(out, s->wait.function_ns);
	fputs(", ", out);
	gn_put_count(out, s->wait.function_count, "time", "times");
	fputs(", up to ", out);
	gn_put_ns(out, s->wait.function_longest);
	fputc('.', out);
	put_waker(out, f, s);
}

void gn_next_wait(const struct gn_facts *f, const struct gn_subject *s,
		  FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by waits --limit 5", out);
}

int gn_look_cpus(const struct gn_facts *f, struct gn_subject *s)
{
	uint64_t queued = f->classes[GN_CLASS_RUNQUEUE];
	int err = look_wait(f, s, queued + f->cpu);

	/* if the program waits for something else, this does not matter; if
	 * it waits for gnomon, CPUs need not lack without it */
	if (queued < f->busy / 20 || s->wait.ns / 2 < f->m->hook_waited)
		s->share = 0;
	return err;
}

/* The thread with the most time in the class. */
static const struct gn_model_thread *most_of(const struct gn_model *m,
					     enum gn_class class)
{
	const struct gn_model_thread *most = NULL;

	for (size_t i = 0; i < m->nthreads; i++)
		if (!most ||
		    m->threads[i].classes[class] > most->classes[class])
			most = &m->threads[i];
	return most;
}

static void put_thread(FILE *out, const struct gn_facts *f, enum gn_class class)
{
	const struct gn_model_thread *t = most_of(f->m, class);

	if (t->merged)
		fprintf(out, " Most: %s, ", t->name);
	else
		fprintf(out, " Most: thread %s (%" PRIu32 "), ", t->name,
			t->tid);
	gn_put_ns(out, t->classes[class]);
	fputc('.', out);
}

void gn_say_cpus(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	uint64_t wanted = f->cpu + s->wait.ns;
	uint64_t tenths =
		f->wall ? (uint64_t)((double)wanted * 10 / (double)f->wall) : 0;

	fputs("CPUs were too few: threads were ready, but had none, for ", out);
	gn_put_ns(out, s->wait.ns);
	fputs(", ", out);
	gn_put_pct(out, s->wait.ns, wanted);
	fprintf(out,
		" of the time that they wanted one. %" PRIu64 ".%" PRIu64
		" of this program's threads wanted one at a time; other "
		"programs take CPUs, too.",
		tenths / 10, tenths % 10);
	put_thread(out, f, GN_CLASS_RUNQUEUE);
}

void gn_next_cpus(const struct gn_facts *f, const struct gn_subject *s,
		  FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by thread --sort runqueue --limit 10", out);
}

int gn_look_late(const struct gn_facts *f, struct gn_subject *s)
{
	int err = look_wait(f, s, f->wall);

	if (s->wait.longest < LATE_NS ||
	    gn_share(s->wait.ns, s->wait.ns + f->cpu) >= GN_CPUS_LEAST)
		s->share = 0;
	return err;
}

void gn_say_late(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	fputs("Late to a CPU: ready threads waited up to ", out);
	gn_put_ns(out, s->wait.longest);
	fputs(" for one, ", out);
	gn_put_ns(out, s->wait.ns);
	fputs(" in all, ", out);
	gn_put_count(out, s->wait.count, "time", "times");
	fputc('.', out);
	put_thread(out, f, GN_CLASS_RUNQUEUE);
}

void gn_next_late(const struct gn_facts *f, const struct gn_subject *s,
		  FILE *out)
{
	gn_next_cpus(f, s, out);
}

int gn_look_faults(const struct gn_facts *f, struct gn_subject *s)
{
	return look_wait(f, s, f->cpu);
}

/* "0.5 s, 30.0 % of the time on CPUs" */
static void put_of_cpu(FILE *out, const struct gn_facts *f, uint64_t ns)
{
	gn_put_ns(out, ns);
	fputs(", ", out);
	gn_put_pct(out, ns, f->cpu);
	fputs(" of the time on CPUs", out);
}

void gn_say_faults(const struct gn_facts *f, const struct gn_subject *s,
		   FILE *out)
{
	fputs("Page faults took ", out);
	put_of_cpu(out, f, s->wait.ns);
	fputs(": ", out);
	gn_put_count(out, s->wait.count, "fault", "faults");
	fputs(" of ", out);
	gn_put_ns(out, s->wait.count ? s->wait.ns / s->wait.count : 0);
	fputs(". Most", out);
	put_where(out, f, s->wait.function, GN_CLASS_FAULT);
	fputs(": ", out);
	gn_put_count(out, s->wait.function_count, "fault", "faults");
	fputs(". It touches memory for the first time.", out);
}

void gn_next_faults(const struct gn_facts *f, const struct gn_subject *s,
		    FILE *out)
{
	(void)f;
	(void)s;
	fputs("--sort fault --columns default,fault --limit 10", out);
}

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

int gn_look_jit(const struct gn_facts *f, struct gn_subject *s)
{
	s->ns = f->classes[GN_CLASS_JIT];
	s->share = gn_share(s->ns, f->cpu);
	return 0;
}

void gn_say_jit(const struct gn_facts *f, const struct gn_subject *s, FILE *out)
{
	const struct gn_model_thread *t = most_of(f->m, GN_CLASS_JIT);

	fputs("Compiling took ", out);
	put_of_cpu(out, f, s->ns);
	if (f->m->code.compiled) {
		fputs(": ", out);
		gn_put_count(out, f->m->code.compiled, "method", "methods");
	}
	if (f->m->code.refused) {
		fputs(", of which ", out);
		gn_put_count(out, f->m->code.refused, "has", "have");
		fputs(" code compiled ahead that tracing turns off", out);
	}
	fputs(". It is ", out);
	gn_put_pct(out, t->classes[GN_CLASS_JIT], t->elapsed);
	fprintf(out, " of thread %s (%" PRIu32 ")", t->name, t->tid);
	fputs(". A longer run has less of it, as has code compiled ahead.",
	      out);
}

void gn_next_jit(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	(void)f;
	(void)s;
	fputs("--sort jit --columns default,jit+,jit --limit 10", out);
}

int gn_look_gc(const struct gn_facts *f, struct gn_subject *s)
{
	int err = gn_wait_sum(f->m, GN_CLASS_SUSPEND, &s->wait);

	s->ns = f->classes[GN_CLASS_GC];
	/* threads are suspended for other reasons, too */
	if (s->ns)
		s->share = gn_share(s->ns + s->wait.ns, f->busy + s->wait.ns);
	return err;
}

/* Writes what was allocated most, if allocations were recorded. */
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
	put_of_cpu(out, f, s->ns);
	if (s->wait.ns) {
		fputs("; threads stood still for it for ", out);
		gn_put_ns(out, s->wait.ns);
		fputs(", ", out);
		gn_put_count(out, s->wait.count, "time", "times");
		fputs(", up to ", out);
		gn_put_ns(out, s->wait.longest);
	}
	fputc('.', out);
	if (by >= 0) {
		fputs(c->told == c->all && !c->asked
			      ? " Most began while memory was allocated"
			      : " Most began",
		      out);
		put_where(out, f, by, GN_CLASS_GC);
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

int gn_look_syscalls(const struct gn_facts *f, struct gn_subject *s)
{
	const struct gn_wait_sum *w = &s->wait;
	int err = gn_wait_sum(f->m, s->class, &s->wait);

	if (w->reason_count >= SMALL_COUNT &&
	    w->reason_ns / w->reason_count <= SMALL_NS)
		s->share = gn_share(w->reason_ns, f->cpu);
	return err;
}

void gn_say_syscalls(const struct gn_facts *f, const struct gn_subject *s,
		     FILE *out)
{
	const struct gn_wait_sum *w = &s->wait;
	const char *name = gn_syscall_text(w->reason);

	fputs("System calls in small pieces: ", out);
	gn_put_count(out, w->reason_count, "time", "times");
	if (name)
		fprintf(out, " %s", name);
	else
		fprintf(out, " system call %u", w->reason);
	fputs(", ", out);
	gn_put_ns(out, w->reason_ns / w->reason_count);
	fputs(" each, took ", out);
	put_of_cpu(out, f, w->reason_ns);
	fputs("; most calls' time is", out);
	put_where(out, f, w->function, GN_CLASS_SYSCALL);
	fputs(". Fewer and larger ones cost less.", out);
}

void gn_next_syscalls(const struct gn_facts *f, const struct gn_subject *s,
		      FILE *out)
{
	gn_next_wait(f, s, out);
}
