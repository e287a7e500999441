// SPDX-License-Identifier: BSD-2-Clause
/* Findings about async methods and what they execute, for handmade models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "explained.h"

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
		ONE_BUSY_THREAD,
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_in_a_loop),
		cmocka_unit_test(async_methods_without_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
