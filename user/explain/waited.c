/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about the waits of threads. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain/rules.h"
#include "output/busy.h"
#include "output/header.h"
#include "output/text.h"

#define LATE_NS 5000000

static int look_wait(const struct gn_facts *f, struct gn_subject *s,
		     uint64_t whole)
{
	int err = gn_wait_sum(f->m, s->class, &s->wait);

	if (!err)
		s->share = gn_share(s->wait.ns, whole);
	return err;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* `busy`: the part of the waits that the threads' busy time already
 * includes. */
static void set_share(const struct gn_facts *f, struct gn_subject *s,
		      uint64_t busy)
{
	s->ns = s->wait.ns;
	s->whole = f->busy + s->ns - smaller(busy, s->ns);
	s->share = gn_share(s->ns, s->whole);
}

/* For the waits of threads that also work only the sum is known; where they
 * were is known only for all waits in short calls. That place holds if the
 * remaining waits are fewer. */
static struct gn_wait_sum of_busy(const struct gn_wait_sum *all,
				  const struct gn_wait_sum *brief,
				  uint64_t busy)
{
	struct gn_wait_sum sum = {.function = -1,
				  .reason = GN_NO_SYSCALL,
				  .interpreter_ns = all->interpreter_ns};

	if (brief->function_ns >= busy - brief->ns)
		sum = *brief;
	sum.ns = busy;
	sum.attach_ns = brief->attach_ns;
	return sum;
}

int gn_look_wait(const struct gn_facts *f, struct gn_subject *s)
{
	int err = gn_wait_sum(f->m, s->class, &s->wait);
	struct gn_wait_sum brief;
	uint64_t busy;
	bool outside;

	if (!err)
		err = gn_wait_sum_short(f->m, s->class, &brief);
	if (err)
		return err;
	busy = smaller(f->waits[s->class], s->wait.ns);
	outside = brief.ns <= busy && s->wait.function < 0;
	/* a thread that only waits is idle, unless it waits in functions that
	 * are called again and again */
	if (brief.ns > busy)
		s->wait = brief;
	else if (s->wait.ns > busy)
		s->wait = of_busy(&s->wait, &brief, busy);
	set_share(f, s, busy);
	/* if functions are traced, waits outside of them are the runtime's
	 * own */
	if (s->class != GN_CLASS_LOCK && f->m->nfunctions && outside)
		s->share = 0;
	return 0;
}

int gn_look_event(const struct gn_facts *f, struct gn_subject *s)
{
	int err = gn_wait_sum_short(f->m, s->class, &s->wait);

	set_share(f, s, 0);
	/* another finding names most of it */
	if (f->tasks.ns > s->ns / 2)
		s->share = 0;
	/* nothing is held up by what waits for the program's end */
	if (gn_share(s->ns - smaller(f->tasks.others, s->ns), s->whole) <
	    GN_EVENTS_LEAST)
		s->share = 0;
	return err;
}

/* Waits of threads that only waited explain nothing. */
int gn_look_poll(const struct gn_facts *f, struct gn_subject *s)
{
	int err = gn_wait_sum_answers(f->m, &s->wait);

	set_share(f, s, 0);
	if (s->wait.ns > f->waits[GN_CLASS_POLL])
		s->share = 0;
	return err;
}

static void put_where(FILE *out, const struct gn_facts *f, int32_t function,
		      int class, bool brief)
{
	struct gn_caller caller = {.function = -1};

	fputs(" in ", out);
	gn_put_function(out, f->m, function);
	if (function >= 0)
		gn_caller_outside(f->m, function, class, brief, &caller);
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

void gn_put_where(FILE *out, const struct gn_facts *f, int32_t function,
		  int class)
{
	put_where(out, f, function, class, false);
}

/* Whether a wait in this function that is one for a lock is for a
 * SemaphoreSlim: for other locks .NET calls Enter. */
static bool takes_semaphore(const struct gn_facts *f, int32_t function)
{
	static const char *const names[] = {"System.Threading.Monitor.Wait",
					    "System.Threading.Monitor.ObjWait",
					    "System.Threading.SemaphoreSlim."};

	for (size_t i = 0; function >= 0 && i < 3; i++)
		if (!strncmp(f->m->functions[function].name, names[i],
			     strlen(names[i])))
			return true;
	return false;
}

/* Writes who held the lock, or who woke the thread. */
static void put_waker(FILE *out, const struct gn_facts *f,
		      const struct gn_subject *s)
{
	const struct gn_model_wait *by = s->wait.by;
	bool held = s->class == GN_CLASS_LOCK &&
		    !takes_semaphore(f, s->wait.function);

	if (!by || (s->class != GN_CLASS_LOCK && s->class != GN_CLASS_IPC &&
		    s->class != GN_CLASS_EVENT))
		return;
	fputs(held ? " It was held by " : " Woken by ", out);
	if (by->waker_name[0])
		fprintf(out, "%s (%" PRIu32 ")", by->waker_name, by->waker);
	else
		fprintf(out, "thread %" PRIu32 " (not traced)", by->waker);
	if (s->wait.by_threads > 1) {
		fputs(" and ", out);
		gn_put_count(out, s->wait.by_threads - 1, "more thread",
			     "more threads");
	}
	if (by->waker_function >= 0) {
		fputs(held ? " (released" : "", out);
		gn_put_where(out, f, by->waker_function, GN_CLASS_COUNT);
		fputs(held ? ")" : "", out);
	}
	fputs(" for ", out);
	gn_put_pct(out, s->wait.by_ns, s->wait.function_ns);
	fputs(" of that.", out);
}

/* `busy`: only threads whose waits hold the program up. NULL: none. */
static const struct gn_model_thread *most_of(const struct gn_model *m,
					     enum gn_class class, bool busy)
{
	const struct gn_model_thread *most = NULL;

	for (size_t i = 0; i < m->nthreads; i++) {
		const struct gn_model_thread *t = &m->threads[i];

		if (busy && (gn_thread_idle(t) || t->helper))
			continue;
		if (!most || t->classes[class] > most->classes[class])
			most = t;
	}
	return most;
}

const struct gn_model_thread *gn_most_of(const struct gn_model *m,
					 enum gn_class class)
{
	return most_of(m, class, false);
}

static void put_thread(FILE *out, const struct gn_model_thread *t,
		       enum gn_class class)
{
	if (!t)
		return;
	if (t->merged)
		fprintf(out, " Most: %s, ", t->name);
	else
		fprintf(out, " Most: thread %s (%" PRIu32 "), ", t->name,
			t->tid);
	gn_put_ns(out, t->classes[class]);
	fputc('.', out);
}

void gn_put_most_in(FILE *out, const struct gn_facts *f,
		    const struct gn_subject *s)
{
	fputs("; most", out);
	put_where(out, f, s->wait.function, (int)s->class,
		  !s->wait.function_count);
	fputs(": ", out);
	gn_put_ns(out, s->wait.function_ns);
	if (!s->wait.function_count)
		return;
	fputs(", ", out);
	gn_put_count(out, s->wait.function_count, "time", "times");
	fputs(", up to ", out);
	gn_put_ns(out, s->wait.function_longest);
}

/* Says that waits are left out, if they would change the finding. */
static void put_left_out(FILE *out, const struct gn_facts *f,
			 const struct gn_subject *s)
{
	uint64_t attached;

	if (s->wait.attach_ns < s->ns / 20 || !s->wait.attach_ns ||
	    !gn_info_number(f->m, "attached_ns", &attached))
		return;
	fputs(" Without the first ", out);
	gn_put_ns(out, attached);
	fputs(", in which gnomon attached.", out);
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
		[GN_CLASS_EVENT] = "Threads waited for other threads",
		[GN_CLASS_POLL] = "Threads waited by poll for one socket or "
				  "pipe",
		[GN_CLASS_CHILD] = "Threads waited for child processes",
	};
	bool semaphore = s->class == GN_CLASS_LOCK &&
			 takes_semaphore(f, s->wait.function);

	if (s->wait.interpreter_ns > s->wait.ns / 2)
		fputs("Threads waited for their interpreter's lock, because "
		      "one thread at a time can run its code,",
		      out);
	else
		fputs(what[s->class], out);
	if (semaphore)
		fputs(", or semaphores,", out);
	fputs(" for ", out);
	gn_put_ns(out, s->ns);
	fputs(", ", out);
	gn_put_pct(out, s->ns, s->whole);
	fputs(" of their busy time", out);
	if (!s->wait.function_ns) {
		fputc('.', out);
		put_thread(out, most_of(f->m, s->class, true), s->class);
		put_left_out(out, f, s);
		return;
	}
	gn_put_most_in(out, f, s);
	fputc('.', out);
	put_waker(out, f, s);
	if (semaphore)
		fputs(" If the semaphore (SemaphoreSlim) tells of work to "
		      "come, this holds nothing up.",
		      out);
	put_left_out(out, f, s);
}

#define WAITS_USUAL 5

/* How many rows of --by waits show the function: those of idle workers, which
 * it is not compared with, can come before it. */
static size_t rows_to_show(const struct gn_model *m, int32_t function)
{
	uint64_t *ns = calloc(m->nfunctions + 1, sizeof(*ns));
	size_t rows = 1;

	if (!ns)
		return WAITS_USUAL;
	for (size_t i = 0; i < m->nwaits; i++)
		ns[m->waits[i].function + 1] += m->waits[i].ns;
	for (size_t i = 0; i <= m->nfunctions; i++)
		rows += ns[i] > ns[function + 1];
	free(ns);
	return rows > WAITS_USUAL ? rows : WAITS_USUAL;
}

void gn_next_wait(const struct gn_facts *f, const struct gn_subject *s,
		  FILE *out)
{
	fprintf(out, "--by waits --limit %zu",
		rows_to_show(f->m, s->wait.function));
}

/* Whether locks of .NET can be recognised: their functions are traced. */
static bool knows_locks(const struct gn_model *m)
{
	static const char monitor[] = "System.Threading.Monitor.";

	for (size_t i = 0; i < m->nfunctions; i++)
		if (!strncmp(m->functions[i].name, monitor,
			     sizeof(monitor) - 1))
			return true;
	return false;
}

/* Only its functions distinguish a lock of .NET from other events. */
void gn_say_event(const struct gn_facts *f, const struct gn_subject *s,
		  FILE *out)
{
	int32_t fn = s->wait.function;

	gn_say_wait(f, s, out);
	if (fn >= 0 && GN_RUNTIME_IS_DOTNET(f->m->functions[fn].runtime) &&
	    !knows_locks(f->m))
		fputs(" To see whether it is a lock, or the end of a task "
		      "(Wait, "
		      "Result), add -f 'System.Threading.*'.",
		      out);
}

/* It is not known which side asked the other. */
void gn_say_poll(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	gn_say_wait(f, s, out);
	fputs(" If they waited for an answer, who answers is slow; a server "
	      "waits like this for requests.",
	      out);
}

void gn_next_child(const struct gn_facts *f, const struct gn_subject *s,
		   FILE *out)
{
	(void)f;
	(void)s;
	fputs("--by process --limit 10", out);
}

/* A program that wants less than half of a CPU does not lack CPUs. */
static bool wants_cpus(const struct gn_facts *f, uint64_t queued)
{
	return queued + f->cpu >= f->wall / 2;
}

int gn_look_cpus(const struct gn_facts *f, struct gn_subject *s)
{
	uint64_t queued = f->classes[GN_CLASS_RUNQUEUE];
	int err = look_wait(f, s, queued + f->cpu);

	/* if the program waits for something else, this does not matter; if it
	 * waits for gnomon, it may have enough CPUs without it */
	if (queued < f->busy / 20 || s->wait.ns / 2 < f->m->hook_waited ||
	    !wants_cpus(f, queued))
		s->share = 0;
	s->rank = gn_share_of_work(f, queued);
	/* what others take says nothing of the program */
	if (f->crowded) {
		s->severity = GN_SEVERITY_NOTE;
		s->rank = 0;
	}
	return err;
}

struct limit {
	uint64_t milli, periods, throttled;
};

/* Threads of a control group that has used up its time wait for the next
 * period, even if CPUs are free. False: the limit did not hold them up. Without
 * periods that is not known: the group was gone at the end. */
static bool read_limit(const struct gn_model *m, struct limit *l)
{
	l->periods = l->throttled = 0;
	if (!gn_info_number(m, "cpus.milli", &l->milli))
		return false;
	if (!gn_info_number(m, "cpus.periods", &l->periods))
		return true;
	return gn_info_number(m, "cpus.throttled", &l->throttled) &&
	       l->throttled;
}

static void put_limit(FILE *out, const struct limit *l)
{
	fprintf(out,
		" The limit of their control group, %" PRIu64 ".%02" PRIu64
		" CPUs, ",
		l->milli / 1000, l->milli % 1000 / 10);
	if (l->throttled) {
		fprintf(out, "held them up in %" PRIu64 " of ", l->throttled);
		gn_put_count(out, l->periods, "period", "periods");
	} else {
		fputs("may have held them up; the group was gone at the end",
		      out);
	}
	fputs(" (cpu.max; a container's CPU limit).", out);
}

/* Says that other programs had the CPUs, and what that does to times. */
static void put_taken(FILE *out, const struct gn_model *m)
{
	uint64_t allowed = 0;

	gn_info_number(m, "cpus.allowed", &allowed);
	fprintf(out, ", and it may use %" PRIu64 ": other programs had ",
		allowed);
	fputs(allowed > 1 ? "them, unless its threads are bound to some. "
			  : "it. ",
	      out);
	fputs("Elapsed times include this, application times do not.", out);
}

static void put_tenths(FILE *out, uint64_t ns, uint64_t wall)
{
	uint64_t tenths = wall ? (uint64_t)((double)ns * 10 / (double)wall) : 0;

	fprintf(out, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

/* Says how much of its CPUs the program had, where it wanted more than all. */
static void put_had(FILE *out, const struct gn_facts *f)
{
	uint64_t allowed, had = f->cpu + f->m->probe_cost;

	if (!gn_info_number(f->m, "cpus.allowed", &allowed)) {
		fputs("; other programs take CPUs, too.", out);
		return;
	}
	fputs("; they had ", out);
	put_tenths(out, had, f->wall);
	fprintf(out, " of the %" PRIu64 " that it may use", allowed);
	fputs(had < f->wall * allowed / 10 * 8
		      ? ": other programs had the rest, unless its threads are "
			"bound to some."
		      : ".",
	      out);
}

/* Whether others took what the program wanted: it may use about as many
 * CPUs. */
static bool were_enough(const struct gn_facts *f, uint64_t wanted)
{
	uint64_t allowed;
	struct limit limit;

	return f->crowded || (!read_limit(f->m, &limit) &&
			      gn_info_number(f->m, "cpus.allowed", &allowed) &&
			      wanted <= f->wall * allowed / 20 * 21);
}

void gn_say_cpus(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	uint64_t wanted = f->cpu + s->wait.ns;
	struct limit limit;

	fprintf(out, "%s: threads were ready to run, but had no CPU, for ",
		were_enough(f, wanted) ? "The machine was busy"
				       : "CPUs were too few");
	gn_put_ns(out, s->wait.ns);
	fputs(", ", out);
	gn_put_pct(out, s->wait.ns, wanted);
	fputs(" of the time that they wanted one. On average, ", out);
	put_tenths(out, wanted, f->wall);
	fputs(" of this program's threads wanted one", out);
	if (read_limit(f->m, &limit)) {
		fputc('.', out);
		put_limit(out, &limit);
	} else if (f->crowded) {
		put_taken(out, f->m);
	} else {
		put_had(out, f);
	}
	put_thread(out, gn_most_of(f->m, GN_CLASS_RUNQUEUE), GN_CLASS_RUNQUEUE);
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
	    (wants_cpus(f, s->wait.ns) &&
	     gn_share(s->wait.ns, s->wait.ns + f->cpu) >= GN_CPUS_LEAST))
		s->share = 0;
	return err;
}

void gn_say_late(const struct gn_facts *f, const struct gn_subject *s,
		 FILE *out)
{
	struct limit limit;

	fputs("Late to a CPU: ready threads waited up to ", out);
	gn_put_ns(out, s->wait.longest);
	fputs(" for one, ", out);
	gn_put_ns(out, s->wait.ns);
	fputs(" in all, ", out);
	gn_put_count(out, s->wait.count, "time", "times");
	fputc('.', out);
	if (read_limit(f->m, &limit))
		put_limit(out, &limit);
	put_thread(out, gn_most_of(f->m, GN_CLASS_RUNQUEUE), GN_CLASS_RUNQUEUE);
}

void gn_put_of_cpu(FILE *out, const struct gn_facts *f, uint64_t ns)
{
	gn_put_ns(out, ns);
	fputs(", ", out);
	gn_put_pct(out, ns, f->cpu);
	fputs(" of the time on CPUs", out);
}
