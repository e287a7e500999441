// SPDX-License-Identifier: BSD-2-Clause
/* Findings for handmade models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "explain/explain.h"

#define SECOND 1000000000ull

/* Ended threads may share a row. */
static void all_threads_count(void **state)
{
	struct gn_model_thread threads[] = {
		{.tid = 1,
		 .name = "main",
		 .elapsed = SECOND,
		 .classes = {[GN_CLASS_EVENT] = SECOND}},
		{.name = "[7 ended idle threads]",
		 .merged = 7,
		 .elapsed = SECOND,
		 .classes = {[GN_CLASS_EVENT] = SECOND}},
	};
	struct gn_model m = {
		.end = SECOND,
		.session = {.elapsed_incl = 2 * SECOND,
			    .class_incl = {[GN_CLASS_EVENT] = 2 * SECOND}},
		.threads = threads,
		.nthreads = 2,
	};
	struct gn_findings f;

	(void)state;
	assert_int_equal(gn_explain(&m, 0, &f), 0);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.finding[0].rule, "idle");
	assert_non_null(strstr(f.finding[0].text, "its 8 threads were"));
	gn_findings_clear(&f);
}

/* What the compiler copied into callers is not counted. The command sorts by
 * what the sentence says: compilation in a function is not its own code. */
static void calls_can_be_missing(void **state)
{
	struct gn_model_function function[] = {
		{.index = 0,
		 .name = "Copied",
		 .module = "",
		 .v = {.calls = 3,
		       .inlined = true,
		       .class_excl = {[GN_CLASS_APP] = SECOND / 2}}},
		{.index = 1,
		 .name = "Whole",
		 .module = "",
		 .v = {.calls = 2,
		       .class_excl = {[GN_CLASS_APP] = SECOND / 4,
				      [GN_CLASS_JIT] = SECOND}}},
	};
	struct gn_model_thread thread = {
		.tid = 1,
		.name = "main",
		.elapsed = SECOND,
		.classes = {[GN_CLASS_APP] = SECOND},
	};
	struct gn_model m = {
		.end = SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND}},
		.threads = &thread,
		.nthreads = 1,
		.functions = function,
		.nfunctions = 2,
	};
	const struct gn_insight *own = NULL;
	struct gn_findings f;

	(void)state;
	assert_int_equal(gn_explain(&m, 0, &f), 0);
	for (size_t i = 0; i < f.n; i++)
		if (!strcmp(f.finding[i].rule, "own-code"))
			own = &f.finding[i];
	assert_non_null(own);
	assert_non_null(strstr(own->text, "app time, at least 3 calls); "));
	assert_non_null(strstr(own->text, "%, 2 calls)."));
	assert_non_null(strstr(own->next, "--sort app "));
	gn_findings_clear(&f);
}

/* The table has waits of idle workers, too, which can come first: its command
 * shows as many rows as are needed to see the function. */
static void waits_are_shown(void **state)
{
	struct gn_model_function functions[8];
	struct gn_model_wait waits[8];
	struct gn_model_thread thread = {
		.tid = 1,
		.name = "main",
		.elapsed = SECOND,
		.classes = {[GN_CLASS_APP] = SECOND / 2,
			    [GN_CLASS_LOCK] = SECOND / 2},
	};
	struct gn_model m = {
		.end = SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND / 2,
					   [GN_CLASS_LOCK] = SECOND / 2}},
		.threads = &thread,
		.nthreads = 1,
		.functions = functions,
		.nfunctions = 8,
		.waits = waits,
		.nwaits = 8,
	};
	const char *next = NULL;
	struct gn_findings f;

	(void)state;
	for (int32_t i = 0; i < 8; i++) {
		functions[i] = (struct gn_model_function){
			.index = (uint32_t)i,
			.name = "f",
			.module = "",
			.v = {.calls = 10, .elapsed_incl = SECOND / 2}};
		waits[i] = (struct gn_model_wait){.function = i,
						  .waker_function = -1,
						  .class = GN_CLASS_EVENT,
						  .idle = true,
						  .ns = SECOND,
						  .count = 1};
	}
	waits[7].class = GN_CLASS_LOCK;
	waits[7].idle = false;
	waits[7].ns = SECOND / 2;
	assert_int_equal(gn_explain(&m, 0, &f), 0);
	for (size_t i = 0; i < f.n; i++)
		if (!strcmp(f.finding[i].rule, "lock"))
			next = f.finding[i].next;
	assert_non_null(next);
	assert_string_equal(next, "--by waits --limit 8");
	gn_findings_clear(&f);
}

/* Others take the CPUs: the busy time is waiting for one. What the program does
 * on a CPU, it does for its garbage. */
static void collections_on_a_busy_machine(void **state)
{
	struct gn_model_thread thread = {
		.tid = 1,
		.name = "main",
		.elapsed = SECOND,
		.classes = {[GN_CLASS_APP] = SECOND / 100 * 3,
			    [GN_CLASS_GC] = SECOND / 100,
			    [GN_CLASS_RUNQUEUE] = SECOND / 100 * 96},
	};
	struct gn_model m = {
		.end = SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND / 100 * 3,
					   [GN_CLASS_GC] = SECOND / 100,
					   [GN_CLASS_RUNQUEUE] =
						   SECOND / 100 * 96}},
		.threads = &thread,
		.nthreads = 1,
		.collections = {.all = 3},
	};
	struct gn_findings f;
	bool found[2] = {false, false};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		assert_int_equal(gn_explain(&m, 0, &f), 0);
		for (size_t i = 0; i < f.n; i++)
			found[k] |= !strcmp(f.finding[i].rule, "gc");
		gn_findings_clear(&f);
		/* a sixth, and it is no matter */
		thread.classes[GN_CLASS_APP] = SECOND / 100 * 5;
		m.session.class_incl[GN_CLASS_APP] = SECOND / 100 * 5;
	}
	assert_true(found[0]);
	assert_false(found[1]);
}

/* The text has the command once, and the other finding refers to it. JSON has
 * it with each finding. */
static void a_command_is_suggested_once(void **state)
{
	struct gn_insight one[] = {
		{.rule = "a", .text = (char *)"One:", .next = (char *)"-f A"},
		{.rule = "b", .text = (char *)"Two.", .next = (char *)""},
		{.rule = "c", .text = (char *)"Three.", .next = (char *)""},
		{.rule = "d", .text = (char *)"Four:", .next = (char *)"-f A"},
	};
	struct gn_model_info info = {"options", "run"};
	struct gn_model m = {.info = &info, .ninfo = 1};
	struct gn_findings f = {.finding = one, .n = 4};
	struct gn_explain_opts o = {.utf8 = true};
	char text[1024] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	(void)state;
	assert_non_null(out);
	for (size_t i = 0; i < 4; i++)
		one[i].what = GN_NEXT_AGAIN;
	assert_int_equal(gn_findings_print(&m, &f, &o, out), 0);
	fclose(out);
	assert_string_equal(text, "1. One:\n"
				  "     sudo gnomon run -f A\n"
				  "2. Two.\n"
				  "3. Three.\n"
				  "4. Four:\n"
				  "     The same command as of 1.\n");
	out = fmemopen(text, sizeof(text), "w");
	assert_non_null(out);
	assert_int_equal(gn_findings_json(&m, &f, NULL, out), 0);
	fclose(out);
	assert_non_null(strstr(text, "\"Four:\",\"next\":\"sudo gnomon run "
				     "-f A\""));
}

/* The finding for a killed recording blames frequent calls only if there were
 * many. */
static void killed(void **state)
{
	struct gn_model_function fn = {.name = "f", .module = "app"};
	struct gn_model m = {.end = 3 * SECOND,
			     .truncated = true,
			     .functions = &fn,
			     .nfunctions = 1};
	struct gn_findings f;

	(void)state;
	for (int often = 0; often < 2; often++) {
		fn.v.calls = m.session.calls = often ? 300000 : 612;
		assert_int_equal(gn_explain(&m, 0, &f), 0);
		assert_int_equal(f.n, 1);
		assert_string_equal(f.finding[0].rule, "lost");
		assert_int_equal(strstr(f.finding[0].text, "Called often") !=
					 NULL,
				 often);
		gn_findings_clear(&f);
	}
}

/* A thread that works for a second. */
static struct gn_model_thread busy = {.tid = 1,
				      .name = "main",
				      .elapsed = SECOND,
				      .classes = {[GN_CLASS_APP] = SECOND}};

/* What the rule found; fails if it does not hold. */
static struct gn_insight finding(const struct gn_model *m, const char *rule,
				 struct gn_findings *f)
{
	assert_int_equal(gn_explain(m, 0, f), 0);
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->finding[i].rule, rule))
			return f->finding[i];
	fail_msg("no finding of %s", rule);
	return (struct gn_insight){0};
}

/* The family that costs most is left out. It is the functions' cost only if
 * that is the larger part. */
static void probes_of_events_are_not_those_of_functions(void **state)
{
	enum { EXCEPTIONS = 7, HANDLERS = 8 };
	struct gn_model_function fn = {.name = "f", .module = "app"};
	struct gn_model_info info = {"options",
				     "run --events handlers --by exceptions"};
	struct gn_model m = {
		.end = SECOND,
		.session = {.calls = 1000,
			    .elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND}},
		.threads = &busy,
		.nthreads = 1,
		.probe_cost = SECOND,
		.costs = {[GN_PROBE_MANAGED] = {.samples = 1, .hits = 902000}},
		.events_cost = {[EXCEPTIONS] = {300000, 300000000},
				[HANDLERS] = {600000, 600000000}},
		.functions = &fn,
		.nfunctions = 1,
		.info = &info,
		.ninfo = 1,
	};
	struct gn_explain_opts o = {.input = "trace", .width = 200};
	struct gn_findings f;
	struct gn_insight found;
	char text[1024] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	(void)state;
	assert_non_null(out);
	fn.v.calls = 1000;
	found = finding(&m, "probes", &f);
	assert_non_null(strstr(found.text,
			       "Most of it, 900.000 ms, was for 900,000 events "
			       "(--events), most of the family handlers, not "
			       "for functions. Without them:"));
	assert_null(strstr(found.text, "Shorter"));
	assert_string_equal(found.next, "--events usual");
	assert_int_equal(gn_findings_print(&m, &f, &o, out), 0);
	fclose(out);
	assert_non_null(
		strstr(text, "\n     sudo gnomon run --events usual\n"));
	gn_findings_clear(&f);

	m.events_cost[HANDLERS] = (struct gn_model_events_cost){0};
	m.events_cost[EXCEPTIONS].ns = 600000000;
	found = finding(&m, "probes", &f);
	assert_non_null(strstr(found.text, "all of the family exceptions"));
	assert_string_equal(found.next,
			    "--events life,loads,threads,suspension,gc");
	gn_findings_clear(&f);

	/* 700 ms for 602,000 probes of functions */
	m.events_cost[EXCEPTIONS].ns = 300000000;
	m.session.calls = fn.v.calls = 301000;
	found = finding(&m, "probes", &f);
	assert_null(strstr(found.text, "events"));
	assert_non_null(strstr(found.text, "Shorter than their probes: f ("));
	gn_findings_clear(&f);
}

static bool holds(const struct gn_model *m, const char *rule)
{
	struct gn_findings f;
	bool found = false;

	assert_int_equal(gn_explain(m, 0, &f), 0);
	for (size_t i = 0; i < f.n; i++)
		found |= !strcmp(f.finding[i].rule, rule);
	gn_findings_clear(&f);
	return found;
}

/* The row that took longest is named, not the one with the most exceptions. */
static void exceptions_that_take_long(void **state)
{
	struct gn_model_exception rows[] = {
		{.class = {"N.Frequent", "n.dll", NULL},
		 .thrown_in = {"N.A.Throw()", "n.dll", NULL},
		 .caught_in = {"N.A.Catch()", "n.dll", NULL},
		 .caught = true,
		 .count = 400,
		 .ns = SECOND / 100},
		{.class = {"N.Slow", "n.dll", NULL},
		 .thrown_in = {"N.B.Throw()", "n.dll", NULL},
		 .caught_in = {"", "", NULL},
		 .caught = true,
		 .count = 100,
		 .ns = SECOND / 10},
	};
	struct gn_model m = {
		.end = SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND}},
		.threads = &busy,
		.nthreads = 1,
		.exceptions = rows,
		.nexceptions = 2,
	};
	struct gn_findings f;
	struct gn_insight found;

	(void)state;
	found = finding(&m, "exceptions", &f);
	assert_non_null(
		strstr(found.text,
		       "Exceptions took 110.000 ms from throw to "
		       "catch, while the program was on CPUs for 1.000 s: 500 "
		       "were thrown, 500 a second. Most: N.Slow, thrown "
		       "in N.B.Throw(), caught in code that was not "
		       "traced: 100 times, 1.000 ms each."));
	assert_string_equal(found.next, "--by exceptions");
	assert_int_equal(found.severity, GN_SEVERITY_WARNING);
	gn_findings_clear(&f);
	/* too short, then too few */
	rows[1].ns = SECOND / 100;
	assert_false(holds(&m, "exceptions"));
	rows[0].count = rows[1].count = 4;
	rows[1].ns = SECOND / 10;
	assert_false(holds(&m, "exceptions"));
	/* nothing was watched, which is not known to hide any */
	m.nexceptions = 0;
	assert_false(holds(&m, "exceptions"));
}

/* 60,000 calls of 2 us are 12 % of the time on CPUs. */
static void exceptions_that_are_not_watched(void **state)
{
	struct gn_model_function functions[] = {
		{.name = "N.A.Returns()",
		 .module = "n.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 100000}},
		{.index = 1,
		 .name = "N.A.Fails()",
		 .module = "n.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 80000, .unwound = 60000}},
	};
	struct gn_model m = {
		.end = 2 * SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND}},
		.threads = &busy,
		.nthreads = 1,
		.functions = functions,
		.nfunctions = 2,
	};
	struct gn_findings f;
	struct gn_insight found;

	(void)state;
	/* all exceptions are there, and there were none: longjmp or the like */
	assert_false(holds(&m, "unwound"));
	m.code.selected[GN_SELECTED_EXCEPTIONS_LEFT] = 1;
	found = finding(&m, "unwound", &f);
	assert_non_null(strstr(found.text,
			       "Many exceptions: they ended 60,000 calls, "
			       "30,000 a second; most of N.A.Fails(), 60,000 "
			       "of 80,000 calls. If the program has no filters "
			       "(catch .. when), watch them"));
	assert_string_equal(found.next, "--events usual,exceptions");
	gn_findings_clear(&f);
	/* each exception ended two calls of these */
	m.edges = (struct gn_model_edge[]){
		{.caller = 1, .callee = 1, .v = {.unwound = 40000}}};
	m.nedges = 1;
	assert_false(holds(&m, "unwound"));
	m.nedges = 0;
	functions[1].v.unwound = 20000;
	assert_false(holds(&m, "unwound"));
	functions[1].v.unwound = 60000;
	functions[1].runtime = GN_RUNTIME_NATIVE;
	assert_false(holds(&m, "unwound"));
}

/* Calls that exceptions end can be copies in their callers, which are not seen;
 * the runtime's own function is called for each exception. */
static void exceptions_by_the_runtimes_function(void **state)
{
	struct gn_model_function functions[] = {
		{.name = "N.A.Catches()",
		 .module = "n.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 100000}},
		{.index = 1,
		 .name = "System.Runtime.EH.DispatchEx(A&,B&)",
		 .module = "/x/System.Private.CoreLib.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 50000, .elapsed_incl = SECOND / 8}},
	};
	struct gn_model_node nodes[] = {
		{.parent = -1, .function = 0, .v = {.calls = 100000}},
		{.parent = 0, .function = 1, .v = {.calls = 50000}},
	};
	struct gn_model m = {
		.end = 2 * SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND}},
		.threads = &busy,
		.nthreads = 1,
		.functions = functions,
		.nfunctions = 2,
		.nodes = nodes,
		.nnodes = 2,
	};
	struct gn_findings f;
	struct gn_insight found;

	(void)state;
	m.code.selected[GN_SELECTED_EXCEPTIONS_LEFT] = 1;
	found = finding(&m, "unwound", &f);
	assert_non_null(strstr(found.text,
			       "Many exceptions: 50,000 were thrown or thrown "
			       "again, 25,000 a second; 100.0 % of them in "
			       "N.A.Catches() or in what it calls. If the "
			       "program has no filters"));
	gn_findings_clear(&f);
	/* few, and they took little */
	functions[1].v.calls = 10;
	functions[1].v.elapsed_incl = SECOND / 100;
	assert_false(holds(&m, "unwound"));
}

/* What a program computes matters, too, where it mostly waits for a CPU. */
static void own_code_on_a_busy_machine(void **state)
{
	struct gn_model_thread late = {
		.tid = 1,
		.name = "main",
		.elapsed = 100 * SECOND,
		.classes = {[GN_CLASS_APP] = SECOND,
			    [GN_CLASS_RUNQUEUE] = 99 * SECOND}};
	struct gn_model_function function = {
		.name = "work", .module = "app", .v = {.calls = 1}};
	struct gn_model m = {
		.end = 100 * SECOND,
		.session = {.elapsed_incl = 100 * SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND,
					   [GN_CLASS_RUNQUEUE] = 99 * SECOND}},
		.threads = &late,
		.nthreads = 1,
		.functions = &function,
		.nfunctions = 1,
	};

	(void)state;
	function.v.class_excl[GN_CLASS_APP] = SECOND;
	assert_true(holds(&m, "own-code"));
	/* it sleeps */
	late.classes[GN_CLASS_RUNQUEUE] = 0;
	late.classes[GN_CLASS_SLEEP] = 99 * SECOND;
	m.session.class_incl[GN_CLASS_RUNQUEUE] = 0;
	m.session.class_incl[GN_CLASS_SLEEP] = 99 * SECOND;
	assert_false(holds(&m, "own-code"));
}

/* An async method catches what it throws. Its own time has the throw in it. */
static void exceptions_of_async_methods(void **state)
{
	struct gn_model_function functions[] = {
		{.name = "N.A+<Fails>d__1.MoveNext()",
		 .short_name = "A.Fails",
		 .module = "n.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 8000,
		       .class_excl = {[GN_CLASS_APP] = SECOND / 5}}},
	};
	struct gn_model_async async = {
		.starts = 4000, .completions = 4000, .faulted = 3000};
	struct gn_model m = {
		.end = 2 * SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND}},
		.threads = &busy,
		.nthreads = 1,
		.functions = functions,
		.nfunctions = 1,
		.asyncs = &async,
		.nasyncs = 1,
	};
	struct gn_findings f;
	struct gn_insight found;

	(void)state;
	m.code.selected[GN_SELECTED_EXCEPTIONS_LEFT] = 1;
	found = finding(&m, "unwound", &f);
	assert_non_null(strstr(
		found.text, "they ended 3,000 calls, 1,500 a second; most of "
			    "A.Fails, 3,000 of 4,000 calls."));
	gn_findings_clear(&f);
	/* long calls, a few of which fail */
	async.faulted = 100;
	assert_false(holds(&m, "unwound"));
	/* an exception takes less than this: they do other things, too */
	async.completions = async.faulted = 500;
	functions[0].v.class_excl[GN_CLASS_APP] = SECOND;
	assert_false(holds(&m, "unwound"));
}

/* A loop of SQL commands, also in an async method that goes on after each. */
static void commands_in_a_loop(void **state)
{
	struct gn_model_function functions[] = {
		{.name = "N.A+<List>d__1.MoveNext()",
		 .short_name = "A.List",
		 .module = "n.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 60, .elapsed_incl = SECOND / 2}},
		{.index = 1,
		 .name = "Some.SqlCommand.ExecuteReaderAsync(A)",
		 .module = "some.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 60}},
		{.index = 2,
		 .name = "Some.SqlCommand.ExecuteDbDataReader(A)",
		 .module = "some.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 60}},
		{.index = 3,
		 .name = "System.Runtime.CompilerServices."
			 "AsyncTaskMethodBuilder<T>+AsyncStateMachineBox<T>"
			 ".MoveNext(A)",
		 .module = "/x/System.Private.CoreLib.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 55}},
		/* begins EF Core's command, which executes that of ADO.NET */
		{.index = 4,
		 .name = "System.Runtime.CompilerServices."
			 "AsyncMethodBuilderCore"
			 ".Start<R.RelationalCommand+<ExecuteReaderAsync>d__1>",
		 .module = "/x/System.Private.CoreLib.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 60}},
	};
	struct gn_model_node nodes[] = {
		{.parent = -1, .function = 3, .v = {.calls = 55}},
		{.parent = 0, .function = 0, .v = {.calls = 60}},
		{.parent = 1,
		 .function = 4,
		 .v = {.calls = 60, .elapsed_incl = SECOND / 4}},
		{.parent = 2, .function = 1, .v = {.calls = 60}},
		{.parent = 3, .function = 2, .v = {.calls = 60}},
	};
	struct gn_model_edge edges[] = {
		{.caller = -1, .callee = 0, .v = {.calls = 5}},
		{.caller = 3, .callee = 0, .v = {.calls = 55}}};
	struct gn_model m = {
		.end = 2 * SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND}},
		.threads = &busy,
		.nthreads = 1,
		.functions = functions,
		.nfunctions = 5,
		.nodes = nodes,
		.nnodes = 5,
		.edges = edges,
		.nedges = 2,
	};
	struct gn_findings f;
	struct gn_insight found;

	(void)state;
	found = finding(&m, "queries", &f);
	assert_non_null(strstr(found.text,
			       "A.List executes 12 of them in a call on "
			       "average: 60 in 5 calls, which took "
			       "250.000 ms."));
	gn_findings_clear(&f);
	/* a loop that runs as long as the program */
	functions[0].v.elapsed_incl = 100 * SECOND;
	assert_false(holds(&m, "queries"));
	functions[0].v.elapsed_incl = SECOND / 2;
	/* its caller has the loop */
	edges[0].v.calls = 50;
	assert_false(holds(&m, "queries"));
	edges[0].v.calls = 5;
	/* it costs little */
	nodes[2].v.elapsed_incl = SECOND / 50;
	assert_false(holds(&m, "queries"));
}

/* A program that waits: what it awaits may be why, and is not seen. */
static void async_methods_without_rows(void **state)
{
	static struct gn_model_thread waits = {
		.tid = 1,
		.name = "main",
		.elapsed = SECOND,
		.classes = {[GN_CLASS_APP] = SECOND / 4,
			    [GN_CLASS_EVENT] = 3 * SECOND / 4}};
	struct gn_model_function functions[] = {
		{.name = "System.IO.A+<ReadAsync>d__1.MoveNext()",
		 .module = "/x/System.Private.CoreLib.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 100}},
		{.index = 1,
		 .name = "Shop.A+<GetAsync>d__1.MoveNext()",
		 .short_name = "A.GetAsync",
		 .module = "/x/Shop.Web.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 10}},
		{.index = 2,
		 .name = "System.Runtime.CompilerServices."
			 "AsyncMethodBuilderCore.Start<T>(T&)",
		 .module = "/x/System.Private.CoreLib.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 100}},
		/* an iterator */
		{.index = 3,
		 .name = "Shop.A+<Lines>d__2.MoveNext()",
		 .module = "/x/Shop.Web.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 1000}},
		{.index = 4,
		 .name = "Shop.App+<Sell>d__1.MoveNext()",
		 .short_name = "App.Sell",
		 .module = "/x/Shop.Web.dll",
		 .runtime = GN_RUNTIME_CLR,
		 .v = {.calls = 9}},
	};
	struct gn_model_edge edges[] = {{.caller = 2, .callee = 0},
					{.caller = 2, .callee = 1},
					{.caller = 1, .callee = 3},
					{.caller = 2, .callee = 4}};
	struct gn_model_async async = {.function = 1};
	struct gn_model_info info = {"hooks.elt", "all functions are traced"};
	struct gn_model m = {
		.end = SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND / 4,
					   [GN_CLASS_EVENT] = 3 * SECOND / 4}},
		.threads = &waits,
		.nthreads = 1,
		.functions = functions,
		.nfunctions = 5,
		.edges = edges,
		.nedges = 4,
		.info = &info,
		.ninfo = 1,
	};
	struct gn_findings f;
	struct gn_insight found;

	(void)state;
	found = finding(&m, "async-unseen", &f);
	assert_non_null(strstr(found.text, "most often A.GetAsync."));
	assert_string_equal(found.next, "-f 'Shop.Web:*'");
	assert_int_equal(found.what, GN_NEXT_AGAIN);
	gn_findings_clear(&f);
	/* the program's own come before those of its libraries */
	functions[3].name = "Shop.App.<Main>$(string[])";
	functions[3].module = "/x/Shop.App.dll";
	found = finding(&m, "async-unseen", &f);
	assert_string_equal(found.next, "-f 'Shop.Web:*'");
	gn_findings_clear(&f);
	functions[4].module = "/x/Shop.App.dll";
	found = finding(&m, "async-unseen", &f);
	assert_non_null(strstr(found.text, "own most often App.Sell."));
	assert_string_equal(found.next, "-f 'Shop.App:*'");
	gn_findings_clear(&f);
	/* what it compiles is not its work */
	m.session.class_incl[GN_CLASS_JIT] = SECOND;
	busy.classes[GN_CLASS_APP] = SECOND / 4;
	busy.classes[GN_CLASS_JIT] = SECOND;
	m.threads = &busy;
	assert_true(holds(&m, "async-unseen"));
	m.session.class_incl[GN_CLASS_JIT] = 0;
	m.threads = &waits;
	busy.classes[GN_CLASS_APP] = SECOND;
	busy.classes[GN_CLASS_JIT] = 0;
	m.asyncs = &async;
	m.nasyncs = 1;
	assert_false(holds(&m, "async-unseen"));
	m.nasyncs = 0;
	/* only the framework's */
	m.nedges = 1;
	assert_false(holds(&m, "async-unseen"));
	m.nedges = 4;
	/* it computes */
	m.threads = &busy;
	m.session.class_incl[GN_CLASS_APP] = SECOND;
	assert_false(holds(&m, "async-unseen"));
}

/* gnomon came to a JVM that ran, and -f names none of its methods. */
static void methods_that_nobody_names(void **state)
{
	struct gn_model_thread thread = {
		.tid = 1,
		.name = "java",
		.runtime = GN_RUNTIME_HOTSPOT,
		.elapsed = SECOND,
		.classes = {[GN_CLASS_APP] = SECOND},
	};
	struct gn_model_info info[] = {
		{"options", "run -p 1"},
		{"command", "[]"},
		{"functions.asked", "all"},
	};
	struct gn_model m = {
		.end = SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND}},
		.threads = &thread,
		.nthreads = 1,
		.info = info,
		.ninfo = 3,
		.code = {.compiled = 1},
	};
	struct gn_findings f;
	bool found = false;

	(void)state;
	assert_int_equal(gn_explain(&m, 0, &f), 0);
	for (size_t i = 0; i < f.n; i++)
		found |= strstr(f.finding[i].text,
				"-f must name the methods") != NULL;
	assert_true(found);
	gn_findings_clear(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_threads_count),
		cmocka_unit_test(calls_can_be_missing),
		cmocka_unit_test(waits_are_shown),
		cmocka_unit_test(collections_on_a_busy_machine),
		cmocka_unit_test(a_command_is_suggested_once),
		cmocka_unit_test(killed),
		cmocka_unit_test(probes_of_events_are_not_those_of_functions),
		cmocka_unit_test(exceptions_that_take_long),
		cmocka_unit_test(exceptions_by_the_runtimes_function),
		cmocka_unit_test(own_code_on_a_busy_machine),
		cmocka_unit_test(exceptions_of_async_methods),
		cmocka_unit_test(commands_in_a_loop),
		cmocka_unit_test(async_methods_without_rows),
		cmocka_unit_test(exceptions_that_are_not_watched),
		cmocka_unit_test(methods_that_nobody_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
