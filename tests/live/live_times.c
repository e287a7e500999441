/* SPDX-License-Identifier: BSD-2-Clause */
/* Times compared with the clocks of the fixtures. */
#include "live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

/* The longest chain of pending return probes that the kernel keeps. */
#define PENDING_RETURNS 64
/* for measurements that other programs disturb */
#define ATTEMPTS 3

static void trace_and_compare(struct live *t, const char *options,
			      const char *command, unsigned int flags,
			      struct live_truths *truths, json_t **report)
{
	live_trace(t, options, command, truths, report);
	live_compare(t, truths, *report, flags);
}

/* The node of that name (NULL: any) directly below another, or NULL. */
static const json_t *child_named(const json_t *report, const json_t *parent,
				 const char *name)
{
	const json_t *nodes = json_object_get(report, "nodes");
	json_int_t id = json_integer_value(json_object_get(parent, "id"));

	/* the nodes below a node come after it */
	for (size_t i = (size_t)id + 1; i < json_array_size(nodes); i++) {
		const json_t *node = json_array_get(nodes, i);
		const char *text =
			json_string_value(json_object_get(node, "name"));

		if (json_integer_value(json_object_get(node, "parent")) == id &&
		    (!name || (text && !strcmp(text, name))))
			return node;
	}
	return NULL;
}

static const json_t *process_of(struct live *t, const json_t *report)
{
	const json_t *nodes = json_object_get(report, "nodes");
	const json_t *process =
		child_named(report, json_array_get(nodes, 0), NULL);

	CHECK(t, process, "the call tree has no process");
	return process;
}

/* Each level of a recursion is one node of the call tree. Checks its time
 * against the fixture's clock readings. */
static void check_levels(struct live *t, const json_t *report, const char *out,
			 unsigned int depth)
{
	const json_t *node = process_of(t, report);
	uint64_t inner, outer, got, index;
	const char *at = out;
	unsigned int level;

	for (level = 0; level < depth; level++) {
		at = strstr(at, "\nlevel ");
		CHECK(t,
		      at &&
			      sscanf(++at,
				     "level %" SCNu64 " %" SCNu64 " %" SCNu64,
				     &index, &inner, &outer) == 3 &&
			      index == level,
		      "the fixture tells nothing of level %u", level);
		node = child_named(report, node, "down");
		CHECK(t, node, "the call tree ends above level %u", level);
		CHECK(t, live_number(t, node, "calls") == 1,
		      "level %u has %" N " calls", level,
		      live_number(t, node, "calls"));
		got = live_number(t, node, "elapsed_inclusive_ns");
		CHECK(t,
		      got + LIVE_CLOCK_NS >= inner &&
			      got <= outer + LIVE_CLOCK_NS,
		      "level %u: %" N " ns, measured %" N " to %" N, level, got,
		      inner, outer);
	}
	CHECK(t, !child_named(report, node, "down"),
	      "the call tree is too deep");
}

static void levels(struct live *t, const char *options, const char *command,
		   unsigned int depth)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_end end;
	json_t *report;

	CHECK(t, truths, "no memory");
	live_gnomon(t, "run", options, command, &end, &report);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	live_clean(t, report);
	live_truths(t, end.out, truths);
	live_compare(t, truths, report, 0);
	CHECK(t, live_function(t, report, NULL, "down", "unwound", NULL) == 0,
	      "calls were unwound");
	check_levels(t, report, end.out, depth);
}

void test_recursion_levels(struct live *t)
{
	levels(t, "-f down --leave ret", "recursion 900 --levels", 900);
}

void test_recursion_endbr(struct live *t)
{
	levels(t, "-f down --leave ret", "recursion_endbr 264 --levels", 264);
	levels(t, "-f down --leave return", "recursion_endbr 60 --levels", 60);
}

/* Frames deeper than the kernel's limit count as unwound. The outermost one
 * still has its time, and the report names a remedy. */
void test_recursion_return(struct live *t)
{
	static const unsigned int depth = 264;
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_end end;
	uint64_t unwound;
	json_t *report;

	CHECK(t, truths, "no memory");
	trace_and_compare(t, "-f down --leave return", "recursion 264",
			  LIVE_UNWOUND, truths, &report);
	unwound = live_function(t, report, NULL, "down", "unwound", NULL);
	CHECK(t, unwound == depth - PENDING_RETURNS,
	      "%" N " of %u calls were unwound, not all but %d", unwound, depth,
	      PENDING_RETURNS);

	live_gnomon(t, "run", "-f down --leave return", "recursion 264", &end,
		    NULL);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.out, "--leave ret") || strstr(end.err, "--leave ret"),
	      "the report does not name --leave ret");
}

#define ATTEMPTS 3

/*
 * Application time is the CPU time of the thread within 2 %. It can be more,
 * because the time that a hypervisor takes is on no CPU clock, but in no other
 * class either. So one good run is enough. `least`: it is never less.
 */
static void cpu_time(struct live *t, const char *options, const char *command,
		     bool least)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	uint64_t cpu = 0, app = 0;
	json_t *report;
	int i;

	CHECK(t, truths, "no memory");
	for (i = 0; i < ATTEMPTS; i++) {
		trace_and_compare(t, options, command, 0, truths, &report);
		cpu = live_truth(truths, "cpu", "spin");
		app = live_function(t, report, NULL, "spin",
				    "application_inclusive_ns", NULL);
		CHECK(t, app > 0 && (!least || app + cpu / 50 >= cpu),
		      "spin: %" N " ns application time, %" N " ns CPU time",
		      app, cpu);
		if (app <= cpu + cpu / 50)
			return;
		live_again(t, i, ATTEMPTS,
			   live_text(t,
				     "spin: %" N " ns application time, %" N
				     " ns CPU time",
				     app, cpu));
	}
}

void test_spin(struct live *t)
{
	cpu_time(t, "-f spin", "spin 50 2", true);
}

/* The coarse rule drops whole intervals, so it reports the same or less. */
void test_spin_interval(struct live *t)
{
	cpu_time(t, "-f spin -f burn --classify interval", "spin 50", false);
}

static void check_nap(struct live *t, const struct live_truths *truths,
		      const json_t *report, const char *name)
{
	uint64_t slept = live_truth(truths, "slept", name);
	uint64_t os = live_os_time(t, report, name);
	uint64_t inner = live_truth(truths, "inner", name);
	uint64_t cpu = live_truth(truths, "cpu", name);

	/* the timer starts before the thread is switched out: a little before,
	 * or more if the machine stalls */
	CHECK(t, os + cpu + slept / 100 >= slept,
	      "%s: %" N " ns OS time, %" N " on a CPU, asked to sleep %" N,
	      name, os, cpu, slept);
	CHECK(t, os <= live_truth(truths, "elapsed", name) + LIVE_CLOCK_NS,
	      "%s: %" N " ns OS time, %" N " measured in all", name, os, inner);
}

void test_sleep(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	json_t *report;

	CHECK(t, truths, "no memory");
	trace_and_compare(t, "-f nap_*", "sleep 20 5", 0, truths, &report);
	check_nap(t, truths, report, "nap_nanosleep");
	check_nap(t, truths, report, "nap_until");
}

void test_threads(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	json_t *report;
	size_t n;

	CHECK(t, truths, "no memory");
	trace_and_compare(t, "-f work -f worker_main", "threads 8 1000", 0,
			  truths, &report);
	n = json_array_size(json_object_get(report, "threads"));
	CHECK(t, n == 9, "%zu threads reported, 9 were", n);
}

/* A thread that names itself has its name, and at least the time of its own
 * life. */
void test_threads_names(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	const json_t *thread;
	uint64_t alive, elapsed;
	json_t *report;
	size_t i, named = 0;

	CHECK(t, truths, "no memory");
	trace_and_compare(t, "-f work", "threads 6 3000", LIVE_SOME, truths,
			  &report);
	json_array_foreach(json_object_get(report, "threads"), i, thread)
	{
		const char *name =
			json_string_value(json_object_get(thread, "name"));

		alive = name ? live_truth(truths, "alive", name) : 0;
		if (!alive)
			continue;
		named++;
		elapsed = live_number(t, thread, "elapsed_ns");
		CHECK(t, elapsed + LIVE_CLOCK_NS >= alive,
		      "thread %s: %" N " ns elapsed, it measured %" N, name,
		      elapsed, alive);
	}
	CHECK(t, named == 3, "%zu threads have their names, 3 named themselves",
	      named);
}

/* Tail calls do not nest: no node is below another one of its name. */
void test_tailcall_depth(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	const json_t *node;
	json_t *report;

	CHECK(t, truths, "no memory");
	trace_and_compare(t, "-f caller -f even -f odd -f chain_*",
			  "tailcall 400 3", LIVE_SOME, truths, &report);
	node = child_named(report, process_of(t, report), "caller");
	CHECK(t, node, "the call tree lacks the caller");
	CHECK(t,
	      child_named(report, node, "even") &&
		      child_named(report, node, "odd"),
	      "even and odd are not both called by the caller");
	CHECK(t, !child_named(report, child_named(report, node, "even"), "odd"),
	      "odd is within even");
	CHECK(t,
	      child_named(report, node, "chain_a") &&
		      child_named(report, node, "chain_c"),
	      "the chain is not flat");
}

/* What the report says about this kind of probe. */
static const json_t *probes_of(struct live *t, const json_t *report,
			       const char *name)
{
	const json_t *classes = json_object_get(
		json_object_get(report, "probe_cost"), "classes");
	const json_t *class;
	size_t i;

	json_array_foreach(
		classes, i,
		class) if (!strcmp(json_string_value(json_object_get(class,
								     "name")),
				   name)) return class;
	CHECK(t, false, "the report has no probes that are %s", name);
	return NULL;
}

/* How many processes had their first probe that needs a page. */
static void check_firsts(struct live *t, const json_t *report, uint64_t firsts)
{
	const json_t *first = probes_of(t, report, "first in a process");

	CHECK(t, live_number(t, first, "hits") == firsts,
	      "%" N " first probes reported, there were %" N,
	      live_number(t, first, "hits"), firsts);
}

static void newborn(struct live *t, const char *mode, const char *options,
		    uint64_t firsts)
{
	struct live_truths truths = {.n = 0};
	struct live_end end;
	json_t *report;

	live_reported(t, options, live_text(t, "newborn %s", mode), &end,
		      &report);
	live_truths(t, end.out, &truths);
	live_compare(t, &truths, report, 0);
	check_firsts(t, report, firsts);
	json_decref(report);
}

static json_t *report_of(struct live *t, const char *trace, const char *option)
{
	char *path = live_path(t, "report");
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "report", "--format", "json", "-o", path,
		 "-i", trace, option, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon report ended with %d: %s", end.code,
	      end.err);
	return live_load(t, path);
}

static uint64_t work_of(struct live *t, const json_t *report, const char *value)
{
	return live_function(t, report, NULL, "work", value, NULL);
}

/*
 * NULL, or how far the children's time is from what they measured. They
 * measured inside: with the cost of probes left in, the same capture has more.
 * How dear a page is depends on what else the machine does just then. So what
 * remains of that cost is held against all of it, not against what a page took
 * when gnomon started.
 */
static const char *newborn_off(struct live *t)
{
	char *trace = live_path(t, "newborn.trace");
	const uint64_t n = 200;
	struct live_truths truths = {.n = 0};
	uint64_t cpu, got, error, with_cost, apart;
	struct live_end end;
	json_t *report, *raw;

	live_gnomon(t, "record",
		    live_text(t, "-f work --leave return -o %s", trace),
		    "newborn fork 200", &end, NULL);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	live_truths(t, end.out, &truths);
	report = report_of(t, trace, NULL);
	raw = report_of(t, trace, "--raw");
	live_compare(t, &truths, report, 0);
	check_firsts(t, report, n);
	CHECK(t,
	      live_number(t, probes_of(t, report, "first in a process"),
			  "samples"),
	      "pages were not measured");
	cpu = live_truth(&truths, "cpu", "work");
	got = work_of(t, report, "application_exclusive_ns");
	error = work_of(t, report, "error_exclusive_ns");
	with_cost = work_of(t, raw, "application_exclusive_ns");
	json_decref(report);
	json_decref(raw);
	CHECK(t, with_cost > cpu,
	      "work: with all costs it has %" N " ns, measured inside %" N,
	      with_cost, cpu);
	apart = got > cpu ? got - cpu : cpu - got;
	if (apart <= error + n * LIVE_CLOCK_NS && apart < (with_cost - cpu) / 2)
		return NULL;
	return live_text(t,
			 "work: %" N " ns reported, %" N " measured inside; "
			 "error %" N ", with all costs %" N,
			 got, cpu, error, with_cost);
}

/* The kernel makes the page in each child; that time is not the program's. */
void test_newborn(struct live *t)
{
	const char *off;
	int i = 0;

	while ((off = newborn_off(t)))
		live_again(t, i++, ATTEMPTS, off);
}

/* A single-stepped ret needs the page, too. */
void test_newborn_ret(struct live *t)
{
	newborn(t, "fork 20", "-f work --leave ret", 20);
}

/* The children share their parent's memory, so they have its page. */
void test_newborn_vfork(struct live *t)
{
	newborn(t, "vfork 20", "-f work --leave return", 1);
}

/* The kernel gives a child the page if a return probe is pending. */
void test_newborn_within(struct live *t)
{
	newborn(t, "within 20", "-f work -f outer --leave return", 1);
}
