/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of managed methods that the user did not name. */
#include "clr.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define N    PRIu64
#define RATE 997.0

static const char *text(const json_t *row, const char *key)
{
	const char *value = json_string_value(json_object_get(row, key));

	return value ? value : "";
}

/* The samples of the rows whose name contains `part` and whose module contains
 * `module`. */
static uint64_t samples_of(struct live *t, const json_t *report,
			   const char *part, const char *module,
			   const char *field)
{
	const json_t *rows = json_object_get(report, "samples"), *row;
	uint64_t sum = 0;
	size_t i;

	CHECK(t, json_is_array(rows), "the report has no samples");
	json_array_foreach(rows, i,
			   row) if (strstr(text(row, "name"), part) &&
				    strstr(text(row, "module"), module)) sum +=
		live_number(t, row, field);
	return sum;
}

/* How long the first thread was ready but could not run. */
static uint64_t kept_off(struct live *t, const json_t *report)
{
	const json_t *threads = json_object_get(report, "threads"), *thread;
	size_t i;

	json_array_foreach(threads, i, thread)
	{
		if (live_number(t, thread, "tid") !=
		    live_number(t, thread, "pid"))
			continue;
		return live_number(t, thread, "classes.runqueue") +
		       live_number(t, thread, "kernel.stolen_ns");
	}
	return 0;
}

/* The thread had a CPU for all of its time except when it was kept off. A
 * hundredth of that time is in the loop itself. The bound is five standard
 * deviations of random draws. */
static void check_time(struct live *t, const json_t *report, uint64_t ns,
		       const char *name, const char *module)
{
	uint64_t off = kept_off(t, report);
	double most = RATE * (double)ns / 1e9;
	double least = ns > off ? RATE * .97 * (double)(ns - off) / 1e9 : 0;
	uint64_t n = samples_of(t, report, name, module, "total");

	CHECK(t,
	      n && (double)n <= most + 5 * sqrt(most) + 1 &&
		      (double)n >= least - 5 * sqrt(least) - 1,
	      "%s: %" N " samples, for %.0f to %.0f", name, n, least, most);
}

#define CORE	   "System.Private.CoreLib.dll"
#define HASH	   "System.Marvin.ComputeHash32("
#define LIST	   "System.Collections.Generic.List<T>."
#define FIND	   LIST "FindIndex(int,int,System.Predicate<T>)"
#define FIND_FIRST LIST "FindLastIndex(int,int,System.Predicate<T>)"

/* Precompiled code of the runtime, and its instances of generic methods. It
 * calls methods of the program, whose samples have it as their caller. */
static void check_precompiled(struct live *t, const json_t *report,
			      const struct live_truths *truths)
{
	uint64_t nameless = samples_of(t, report, "[unknown]", CORE, "self");

	check_time(t, report, live_truth(truths, "elapsed", "precompiled"),
		   HASH, CORE);
	check_time(t, report, live_truth(truths, "elapsed", "generic"), FIND,
		   CORE);
	check_time(t, report, live_truth(truths, "elapsed", "first"),
		   FIND_FIRST, CORE);
	CHECK(t, nameless < 10, "%" N " samples of " CORE " have no name",
	      nameless);
}

static void sample(struct live *t, const char *options, const char *topic,
		   struct live_truths *truths, json_t **report)
{
	char *path = live_path(t, "samples.json");
	struct live_args a = {.n = 0};
	struct live_end end;

	clr_need(t);
	live_add(t, &a, t->gnomon, "run", "--snapshot", "997", "--by",
		 "samples", "--format", "json", "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	clr_demo(t, &a, topic);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	live_truths(t, end.out, truths);
	*report = live_load(t, path);
	live_clean(t, *report);
}

/* Methods in all versions of their code, a lambda, and a method that the
 * program generates; precompiled code of the runtime, and its native code. */
void test_clr_samples(struct live *t)
{
	struct live_truths truths;
	json_t *report;
	uint64_t nameless, called;

	sample(t, "-f Demo.Nothing.*", "sampled", &truths, &report);
	check_time(t, report, live_truth(&truths, "elapsed", "method"),
		   "Demo.Sampled.Method(", "/demo.dll");
	check_time(t, report, live_truth(&truths, "elapsed", "lambda"),
		   "Sampled+<>c", "/demo.dll");
	check_time(t, report, live_truth(&truths, "elapsed", "made"),
		   "DynamicClass.made", "");
	called = samples_of(t, report, "Demo.Sampled.Method(", "", "total") +
		 samples_of(t, report, "Sampled+<>c", "", "total") +
		 samples_of(t, report, "DynamicClass.made", "", "total");
	/* an optimised method without calls has no frame, and hides its
	 * caller */
	CHECK(t,
	      samples_of(t, report, "Demo.Sampled.Spin(", "", "total") * 2 >=
		      called,
	      "Spin calls all three, and is on %" N " of %" N " stacks",
	      samples_of(t, report, "Demo.Sampled.Spin(", "", "total"), called);
	CHECK(t, samples_of(t, report, "Demo.Sampled.Spin(", "", "self") < 10,
	      "Spin has the time of what it calls");
	check_precompiled(t, report, &truths);
	nameless = samples_of(t, report, "[unknown]", "doublemapper", "self");
	CHECK(t, nameless < 30, "%" N " samples of compiled code have no name",
	      nameless);
}

static void sample_served(struct live *t, const struct live_talk *served,
			  json_t **report)
{
	char *path = live_path(t, "samples.json"), *said;
	struct live_args a = {.n = 0};
	struct live_truths truths;
	struct live_talk gnomon;

	unlink(path);
	live_add(t, &a, t->gnomon, "run", "--snapshot", "997", "--by",
		 "samples", "--format", "json", "-o", path, "-p",
		 live_text(t, "%d", (int)served->pid), NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	said = clr_serve(t, served, "run");
	CHECK(t, kill(gnomon.pid, SIGINT) == 0, "no gnomon");
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon failed");
	live_truths(t, said, &truths);
	*report = live_load(t, path);
	live_clean(t, *report);
	check_time(t, *report, live_truth(&truths, "elapsed", "method"),
		   "Demo.Sampled.Method(", "/demo.dll");
	check_time(t, *report, live_truth(&truths, "elapsed", "lambda"),
		   "Sampled+<>c", "/demo.dll");
	check_precompiled(t, *report, &truths);
}

/* The name of the row that begins with `begin`. */
static const char *name_of(struct live *t, const json_t *report,
			   const char *begin)
{
	const json_t *row;
	size_t i;

	json_array_foreach(
		json_object_get(report, "samples"), i,
		row) if (!strncmp(text(row, "name"), begin,
				  strlen(begin))) return text(row, "name");
	CHECK(t, false, "no row of samples is %s", begin);
	return "";
}

/* Code from before the attach has its name in each session. Precompiled code
 * has the name that the runtime reports if gnomon starts it. */
void test_clr_samples_attached(struct live *t)
{
	struct live_args a = {.n = 0};
	json_t *attached, *started;
	struct live_truths truths;
	struct live_talk served;

	clr_need(t);
	clr_demo(t, &a, "sampled-served");
	live_talk(t, &a, &served);
	free(live_await(t, served.out, "ready"));
	sample_served(t, &served, &attached);
	sample_served(t, &served, &attached);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
	sample(t, "-f Demo.Nothing.*", "sampled", &truths, &started);
	CHECK(t, !strcmp(name_of(t, attached, HASH), name_of(t, started, HASH)),
	      "the method %s is %s where gnomon starts the program",
	      name_of(t, attached, HASH), name_of(t, started, HASH));
}

/* The time on a CPU of all nodes of that name. */
static uint64_t on_cpu(struct live *t, const json_t *nodes, const char *name)
{
	const json_t *node;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach(nodes, i,
			   node) if (!strcmp(text(node, "name"), name)) sum +=
		live_number(t, node, "application_exclusive_ns");
	return sum;
}

/* A node directly below a node of that name. */
static const json_t *below(const json_t *nodes, const char *parent,
			   const char *name)
{
	const json_t *node;
	size_t i;

	json_array_foreach(nodes, i, node)
	{
		const json_t *up = json_array_get(
			nodes, (size_t)json_integer_value(
				       json_object_get(node, "parent")));

		if (!strcmp(text(node, "name"), name) &&
		    !strcmp(text(up, "name"), parent))
			return node;
	}
	return NULL;
}

/* Collections that a known function requests are below it in the tree. The
 * functions' own times are the same as without. */
void test_clr_tree(struct live *t)
{
	static const char where[] = "Demo.Events.Collections()";
	char *path = live_path(t, "tree.json");
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *report, *nodes;
	const json_t *node, *gc;
	uint64_t own, all;

	clr_need(t);
	live_add(t, &a, t->gnomon, "run", "--by", "tree", "--format", "json",
		 "-o", path, "-f", "Demo.Events.*", "--", NULL);
	clr_demo(t, &a, "events");
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	live_clean(t, report);
	nodes = json_object_get(report, "nodes");
	gc = below(nodes, where, "[gc]");
	CHECK(t, gc, "no collection is below %s", where);
	CHECK(t, !live_number(t, gc, "calls"), "a collection is a call");
	node = json_array_get(nodes, live_number(t, gc, "parent"));
	CHECK(t,
	      live_number(t, node, "elapsed_exclusive_ns") +
			      live_number(t, gc, "elapsed_inclusive_ns") <=
		      live_number(t, node, "elapsed_inclusive_ns"),
	      "%s is shorter than its collections", where);
	own = live_function(t, report, NULL, where, "elapsed_exclusive_ns",
			    NULL);
	CHECK(t,
	      own >= live_number(t, node, "elapsed_exclusive_ns") +
			      live_number(t, gc, "elapsed_inclusive_ns"),
	      "the function's own time lacks its collections'");
	all = live_number(t, report, "session.classes.gc");
	CHECK(t, all && on_cpu(t, nodes, "[gc]") == all,
	      "collections had %" N " ns of CPUs, the class gc has %" N,
	      on_cpu(t, nodes, "[gc]"), all);
	all = live_number(t, report, "session.classes.jit");
	CHECK(t, all && on_cpu(t, nodes, "[jit]") == all,
	      "compilations had %" N " ns of CPUs, the class jit has %" N,
	      on_cpu(t, nodes, "[jit]"), all);
	CHECK(t, below(nodes, "Demo.Events.Exceptions()", "[jit]"),
	      "no compilation is below what it was for");
}
