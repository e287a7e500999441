/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings for .NET programs that have one fault each. */
#include "clr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of the rule's finding in a capture of the topic with these options,
 * or NULL. The topic collects after each MiB, and its thread pool begins with
 * two workers. *truths: what it prints; or NULL. */
static const char *found_of(struct live *t, const char *topic,
			    const char *options, const char *rule,
			    struct live_truths *truths)
{
	static char *const env[] = {"DOTNET_gcServer=0",
				    "DOTNET_gcConcurrent=0",
				    "DOTNET_GCGen0MaxBudget=20000",
				    "DOTNET_PROCESSOR_COUNT=2", NULL};
	const struct live_start how = {.env = env};
	struct live_args record = {.n = 0}, explain = {.n = 0};
	char *trace = live_path(t, "trace");
	struct live_end end;
	const json_t *f;
	json_t *said;
	size_t i;

	live_add(t, &record, t->gnomon, "record", "-f", "Demo.*", "-o", trace,
		 NULL);
	live_split(t, &record, options);
	live_add(t, &record, "--", NULL);
	clr_demo(t, &record, topic);
	live_run(t, &record, &how, &end);
	CHECK(t, end.code == 0, "gnomon record ended with %d: %s", end.code,
	      end.err);
	if (truths)
		live_truths(t, end.out, truths);
	live_add(t, &explain, t->gnomon, "explain", "-v", "--format", "json",
		 "-i", trace, NULL);
	live_run(t, &explain, NULL, &end);
	CHECK(t, end.code == 0, "gnomon explain ended with %d: %s", end.code,
	      end.err);
	said = json_loads(end.out, 0, NULL);
	CHECK(t, said, "the findings are no JSON: %s", end.out);
	json_array_foreach(json_object_get(said, "findings"), i, f)
	{
		if (!strcmp(json_string_value(json_object_get(f, "rule")),
			    rule))
			return json_string_value(json_object_get(f, "text"));
	}
	return NULL;
}

static const char *found(struct live *t, const char *topic, const char *options,
			 const char *rule)
{
	return found_of(t, topic, options, rule, NULL);
}

/* The finding names who allocates; a program that does not has no such
 * finding. */
void test_clr_explain_collect(struct live *t)
{
	const char *text;

	clr_need(t);
	text = found(t, "allocates", "", "gc");
	CHECK(t, text, "nothing is found of collections");
	CHECK(t,
	      strstr(text, "Most began while memory was allocated in "
			   "Allocates.Makes(int)"),
	      "another one allocates: %s", text);
	/* 6 rounds of 200,000 arrays of 4 references, 56 bytes each */
	text = found(t, "allocates 6", "--clr full", "gc");
	CHECK(t, text, "nothing is found of collections at level full");
	CHECK(t, strstr(text, "Most memory, 67,200,000 bytes ("),
	      "other memory: %s", text);
	CHECK(t,
	      strstr(text, "went into 1,200,000 objects of object[], allocated "
			   "in Allocates.Makes(int)."),
	      "other objects: %s", text);
	text = found(t, "recursion", "", "gc");
	CHECK(t, !text, "a program that does not allocate: %s", text);
}

/* Starting is most of what a program without work does: that is in no method
 * that -f names, but not all of it is the runtime's own code. */
void test_clr_explain_untraced(struct live *t)
{
	const char *text;

	clr_need(t);
	text = found(t, "generics", "", "untraced");
	CHECK(t, text, "nothing is found of what is not traced");
	CHECK(t, strstr(text, "in methods that -f does not name, or in the "),
	      "another reason: %s", text);
	CHECK(t, strstr(text, " Samples tell:"), "no samples: %s", text);
}

/* How often the pool starved, and all of the `waits` (the last is NULL) of its
 * workers. The program's own times tell how often a worker came late. */
static void starves(struct live *t, const char *topic, const char *options,
		    const char *const *waits)
{
	static struct live_truths truths;
	const char *text =
		found_of(t, topic, options, "pool-starvation", &truths);
	uint64_t late = live_truth(&truths, "value", "late"), told;

	CHECK(t, late > 5, "%s: workers came late only %" PRIu64 " times",
	      topic, late);
	CHECK(t, text, "%s: nothing is found of a pool that starves", topic);
	CHECK(t, sscanf(text, "The thread pool starved: %" SCNu64, &told) == 1,
	      "%s: no count: %s", topic, text);
	/* A moment at which a worker has just been woken, or is about to wait,
	 * is left out, which a busy machine has more of: how many is not shown
	 * here. */
	CHECK(t, told <= late + 3 && late <= 2 * told,
	      "%s: starved %" PRIu64 " times, workers came late %" PRIu64
	      " times",
	      topic, told, late);
	for (; *waits; waits++)
		CHECK(t, strstr(text, *waits), "%s: other waits: %s", topic,
		      text);
}

/* A pool whose workers all wait while work is queued. */
void test_clr_explain_starves(struct live *t)
{
	static const char *const tasks[] = {
		"waited, most for other threads or ",
		"most were in Pool.WaitsForTask(object)", NULL};
	static const char *const light[] = {"name the program's own", NULL};
	static const char *const sleeps[] = {"waited, most in sleep", NULL};

	clr_need(t);
	starves(t, "pool tasks", "", tasks);
	starves(t, "pool tasks", "--clr light", light);
	starves(t, "pool sleeps", "", sleeps);
}

/* A pool whose workers sleep briefly: the runtime sees them come back, but work
 * was queued nearly all the time. */
void test_clr_explain_taken(struct live *t)
{
	static struct live_truths truths;
	const char *text;
	double queued, told;

	clr_need(t);
	text = found_of(t, "pool naps", "", "pool-starvation", &truths);
	queued = (double)live_truth(&truths, "value", "queued") / 1e9;
	CHECK(t, text, "nothing is found of a pool that is taken");
	CHECK(t,
	      sscanf(text, "The thread pool was taken: for %lf s of", &told) ==
		      1,
	      "no time: %s", text);
	/* in spans of 10 ms; some worker began to wait for work at the end */
	CHECK(t, told <= queued + 0.1 && told >= queued * 0.7,
	      "taken for %.3f s, work was queued for %.3f s", told, queued);
	CHECK(t, strstr(text, "waited, most in sleep"), "other waits: %s",
	      text);
	CHECK(t, strstr(text, "most were in Pool.Nap(object)"),
	      "another function: %s", text);
}

/* Workers that are idle, or compute, or whose work awaits. */
void test_clr_explain_no_starvation(struct live *t)
{
	static const char *const topics[] = {"pool idles", "pool awaits",
					     "pool computes"};
	static struct live_truths truths;
	const char *text;

	clr_need(t);
	for (size_t i = 0; i < sizeof(topics) / sizeof(*topics); i++) {
		text = found_of(t, topics[i], "", "pool-starvation", &truths);
		CHECK(t, live_truth(&truths, "value", "begun") == 16,
		      "%s: not all work was done", topics[i]);
		CHECK(t, !text, "%s: %s", topics[i], text);
	}
}

/* SQL commands in a loop, and a client for each request. The same work without
 * the fault has no such finding. */
void test_clr_explain_remote(struct live *t)
{
	const char *text;

	clr_need(t);
	text = found(t, "remote commands", "", "queries");
	CHECK(t, text, "nothing is found of commands in a loop");
	CHECK(t,
	      strstr(text, "Remote.Loads(int, DbCommand) executes 12 of them "
			   "in a call on average: 240 in 20 calls, "),
	      "other commands: %s", text);
	text = found(t, "remote command", "", "queries");
	CHECK(t, !text, "a command in each call: %s", text);
	text = found(t, "remote clients", "-f System.Net.*", "connections");
	CHECK(t, text, "nothing is found of connections");
	CHECK(t,
	      strstr(text, "40 requests opened 40 connections, and 40 clients "
			   "were made in Remote.GetsAlone(Uri)."),
	      "other connections: %s", text);
	text = found(t, "remote client", "-f System.Net.*", "connections");
	CHECK(t, !text, "one connection: %s", text);
}

/* An async method catches what it throws, for the one that awaits it. */
void test_clr_explain_fails(struct live *t)
{
	static struct live_truths truths;
	const char *text;

	clr_need(t);
	text = found_of(t, "remote fails", "", "unwound", &truths);
	CHECK(t, live_truth(&truths, "value", "failed") == 20000,
	      "the program does not fail as it should");
	CHECK(t, text, "nothing is found of a method that fails");
	CHECK(t,
	      strstr(text, "they ended 20,000 calls, ") &&
		      strstr(text, "; most of Remote.Handles, 20,000 of "
				   "20,000 calls"),
	      "other calls: %s", text);
	text = found(t, "remote succeeds", "", "unwound");
	CHECK(t, !text, "it never fails: %s", text);
}
