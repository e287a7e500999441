// SPDX-License-Identifier: BSD-2-Clause
/* Findings about exceptions, for handmade models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "explained.h"

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
		ONE_BUSY_THREAD,
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
		ONE_BUSY_THREAD,
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
		ONE_BUSY_THREAD,
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
		ONE_BUSY_THREAD,
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exceptions_that_take_long),
		cmocka_unit_test(exceptions_that_are_not_watched),
		cmocka_unit_test(exceptions_by_the_runtimes_function),
		cmocka_unit_test(exceptions_of_async_methods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
