/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables compared with golden text, and checks of their content. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "output_model.h"
#include "output/text.h"

static void every_by(void **state)
{
	static const char *const names[] = {
		[GN_BY_FUNCTION] = "function.txt",
		[GN_BY_MODULE] = "module.txt",
		[GN_BY_THREAD] = "thread.txt",
		[GN_BY_PROCESS] = "process.txt",
		[GN_BY_TREE] = "tree.txt",
		[GN_BY_CALLERS] = "callers.txt",
		[GN_BY_WAITS] = "no-waits.txt",
		[GN_BY_ASYNC] = "async.txt",
	};
	struct sample s;

	(void)state;
	sample_make(&s);
	for (int by = 0; by < GN_BY_GC; by++)
		sample_table(names[by], &s,
			     (struct gn_output_opts){.by = (enum gn_by)by,
						     .utf8 = true});
}

/* For people, in a file with 100 cells: a thread that only waits, long names, a
 * process that is named after its DLL. */
static void people(void **state)
{
	static const char *const names[] = {
		[GN_BY_FUNCTION] = "people-function.txt",
		[GN_BY_MODULE] = "people-module.txt",
		[GN_BY_THREAD] = "people-thread.txt",
		[GN_BY_PROCESS] = "people-process.txt",
		[GN_BY_TREE] = "people-tree.txt",
		[GN_BY_CALLERS] = "people-callers.txt",
		[GN_BY_WAITS] = "people-waits.txt",
		[GN_BY_ASYNC] = "people-async.txt",
	};
	struct gn_output_opts o = {
		.utf8 = true, .width = 100, .of = GN_OF_BUSY};
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_os(&s);
	s.info[1].value = "[\"/usr/bin/dotnet\",\"exec\",\"/opt/a/App.dll\","
			  "\"it's\",\"a very long argument that is one of "
			  "many more words than a line has\"]";
	s.functions[2].name = "App.Program+Inner.Leaf<System.Collections."
			      "Generic.List<int>>(System.Int32,System.String)";
	s.functions[2].module = "/opt/a/Company.Product.Component.Core.dll";
	/* it only waited */
	memset(s.threads[1].classes, 0, sizeof(s.threads[1].classes));
	s.threads[1].classes[GN_CLASS_EVENT] = s.threads[1].elapsed;
	for (int by = 0; by < GN_BY_GC; by++) {
		char *text;

		o.by = (enum gn_by)by;
		text = sample_print("table", &s.m, &o);
		for (char *p = text, *line; (line = strsep(&p, "\n"));)
			if (gn_text_width(line) > 100)
				fail_msg("'%s'", line);
		free(text);
		sample_table(names[by], &s, o);
	}
	o.by = GN_BY_THREAD;
	o.of = GN_OF_WALL;
	sample_table("people-wall.txt", &s, o);
}

/* The extension alone would not tell assemblies apart. */
static void module_is_no_extension(void **state)
{
	struct gn_output_opts o = {
		.utf8 = true, .width = 90, .bare = true, .by = GN_BY_FUNCTION};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	s.functions[2].name = "AssemblyMetadata.GetOrCreateDataOfModules()";
	s.functions[2].module = "/opt/a/Microsoft.CodeAnalysis.dll";
	text = sample_print("table", &s.m, &o);
	if (!strstr(text, " CodeAnalysis\n"))
		fail_msg("%s", text);
	free(text);
}

/* In a terminal with 80 cells, columns make room for the names: methods of the
 * same name are distinguished by their types. */
static void async_of_types(void **state)
{
	struct gn_output_opts o = {
		.utf8 = true, .width = 80, .bare = true, .by = GN_BY_ASYNC};
	struct gn_model_async async[2];
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_os(&s);
	async[0] = s.m.asyncs[0];
	async[1] = s.m.asyncs[0];
	async[1].function = 1;
	s.m.asyncs = async;
	s.m.nasyncs = 2;
	s.functions[1].name = "Shop.Orders.OrderController.HandleAsync(int)";
	s.functions[2].name =
		"Shop.Orders.CustomerProcessingController.HandleAsync(int)";
	s.functions[1].module = s.functions[2].module =
		"/opt/a/Shop.Orders.Api.dll";
	sample_table("async-80.txt", &s, o);
}

/* The reason why there are none comes from the capture. */
static void no_async_methods(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_ASYNC, .bare = true};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	s.info[s.m.ninfo++] =
		(struct gn_model_info){"hooks.elt", "--events handlers"};
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "--events handlers"));
	assert_null(strstr(text, "select some"));
	free(text);
	s.m.code.selected[GN_SELECTED_ASYNC_LEFT] = 2;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "because their states are not seen: 2\n"));
	assert_null(strstr(text, "--events handlers"));
	free(text);
}

static void no_async_methods_with_all_functions(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_ASYNC, .bare = true};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	s.info[s.m.ninfo++] =
		(struct gn_model_info){"hooks.elt", "all functions are traced"};
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "Here all functions are traced, by\n"));
	free(text);
	for (size_t i = 0; i < s.m.nfunctions; i++)
		s.m.functions[i].runtime = GN_RUNTIME_CPYTHON;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "only those of .NET are seen\n"));
	assert_null(strstr(text, "Here all functions are traced"));
	free(text);
}

/* A user who has selected some is not advised to do so. */
static void no_async_method_ran(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_ASYNC, .bare = true};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	s.m.code.selected[GN_SELECTED_METHODS] = 2;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "no state machine of a method"));
	assert_non_null(strstr(text, "runtime-async=on"));
	assert_null(strstr(text, "select some"));
	free(text);
}

/* The time that runtimes took before everything was traced is part of the
 * times: if it is not small, a note says so. */
static void the_begin_of_an_attach_is_told(void **state)
{
	static const struct {
		const char *ns, *line;
	} cases[] = {{"300000", NULL},
		     {"3000000", "# attached    after the first 3.000 ms"}};
	struct sample s;
	char *text;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		sample_make(&s);
		s.m.start = 0;
		s.m.end = 10000000;
		s.info[s.m.ninfo++] =
			(struct gn_model_info){"attached_ns", cases[i].ns};
		text = sample_print("table", &s.m, &(struct gn_output_opts){0});
		if (cases[i].line)
			assert_non_null(strstr(text, cases[i].line));
		else
			assert_null(strstr(text, "# attached"));
		free(text);
	}
}

static void losses_are_shown(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_lose(&s);
	sample_table("lost.txt", &s, (struct gn_output_opts){.utf8 = true});
	sample_table("lost-bare.txt", &s,
		     (struct gn_output_opts){.utf8 = true, .bare = true});
	sample_table("lost-thread.txt", &s,
		     (struct gn_output_opts){.by = GN_BY_THREAD, .utf8 = true});
	/* a loss that no sequence number shows */
	s.m.counters[GN_COUNTER_NO_STORAGE] = 1;
	s.m.truncated = true;
	s.m.checks.account_error_ns = 17;
	sample_table("broken.txt", &s, (struct gn_output_opts){.utf8 = true});
}

/* Calls that were already running are no doubt; one more leave than those
 * is. */
static void earlier_calls_are_no_doubt(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	s.m.checks.unmatched_leaves = s.m.checks.earlier_leaves = 2;
	sample_table("earlier.txt", &s, (struct gn_output_opts){.utf8 = true});
	s.m.checks.unmatched_leaves++;
	sample_table("earlier-doubt.txt", &s,
		     (struct gn_output_opts){.utf8 = true});
}

static void too_few_calls_are_shown(void **state)
{
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	sample_unprobed(&s);
	sample_table("unprobed.txt", &s, (struct gn_output_opts){.utf8 = true});
	/* a user who attached can name all processes */
	s.m.by_path = NULL;
	text = sample_print("table", &s.m, &(struct gn_output_opts){.utf8 = 1});
	assert_null(strstr(text, "pgrep"));
	free(text);
	s.info[1].value = "[]";
	text = sample_print("table", &s.m, &(struct gn_output_opts){.utf8 = 1});
	assert_non_null(strstr(text, "-p PID,$(pgrep -d, -P PID)"));
	free(text);
	/* who maps the file is no child: naming children does not help */
	s.info[s.m.ninfo++] =
		(struct gn_model_info){"unprobed.other", "77 o x"};
	text = sample_print("table", &s.m, &(struct gn_output_opts){.utf8 = 1});
	assert_null(strstr(text, "pgrep"));
	assert_non_null(strstr(text, "as o x (77) does: end it first"));
	free(text);
	sample_make(&s);
	sample_unprobed(&s);
	/* the losses are more important */
	s.functions[1].v.gap = true;
	sample_table("unprobed-lost.txt", &s,
		     (struct gn_output_opts){.utf8 = true, .bare = true});
}

static void verbose_and_limit(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_table("verbose.txt", &s,
		     (struct gn_output_opts){
			     .verbose = true, .ns = true, .utf8 = true});
	sample_table("limit.txt", &s,
		     (struct gn_output_opts){
			     .sort = "ae", .limit = 2, .utf8 = true});
	sample_table("tree-min.txt", &s,
		     (struct gn_output_opts){
			     .by = GN_BY_TREE, .min_pct = 1, .utf8 = true});
	s.m.classify = GN_CLASSIFY_INTERVAL;
	sample_table("interval.txt", &s, (struct gn_output_opts){.limit = 1});
}

/* With a single item, no line uses the plural. */
static void one_of_each(void **state)
{
	static const char *const keys[] = {
		"fast.processes", "fast.records", "fast.waits",
		"fast.unordered", "fast.dropped", "fast.hostile",
		"fast.ringless",  "fast.refused", "fast.late",
	};
	struct sample s;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		s.info[s.m.ninfo++] = (struct gn_model_info){keys[i], "1"};
	s.m.code.compiled = s.m.code.refused = s.m.code.copies_ran = 1;
	s.m.code.sites = 1;
	for (unsigned int i = 0; i < GN_SELECTED_COUNT; i++)
		s.m.code.selected[i] = 1;
	sample_table("ones.txt", &s, (struct gn_output_opts){.limit = 1});
}

/* If a module's precompiled code is off, no note says that it is on. */
static void code_that_is_off_is_told(void **state)
{
	static const char kept[] = "for this; other code is unchanged. ";
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	s.m.code.selected[GN_SELECTED_METHODS] = 2;
	text = sample_print("table", &s.m, &(struct gn_output_opts){0});
	assert_non_null(strstr(text, kept));
	assert_null(strstr(text, "turned off completely"));
	free(text);
	s.m.code.selected[GN_SELECTED_CODE_OFF] = 3;
	text = sample_print("table", &s.m, &(struct gn_output_opts){0});
	assert_null(strstr(text, kept));
	assert_non_null(strstr(text, "precompiled code of 3 modules was turned "
				     "off completely"));
	free(text);
}

/* A function with many reasons: the smallest are summed, except with -v. */
static void many_reasons(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_WAITS, .bare = true, .ns = true};
	struct gn_model_wait waits[9];
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	for (int i = 0; i < 9; i++)
		waits[i] = (struct gn_model_wait){
			.function = 3,
			.class = GN_CLASS_NET,
			.reason = (uint16_t)(1000 + i),
			.ns = (uint64_t)(10 - i),
			.count = 1,
			.longest = (uint64_t)(10 - i),
			.waker_name = "",
			.waker_function = -1,
		};
	s.m.waits = waits;
	s.m.nwaits = 9;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "(4 more; -v shows them)"));
	/* 5 + 4 + 3 + 2; all: 54 */
	assert_non_null(strstr(text, "14 ns   0.0      4     5 ns"));
	assert_non_null(strstr(text, "54 ns   0.0      9    10 ns"));
	assert_null(strstr(text, "1005"));
	free(text);
	o.verbose = true;
	text = sample_print("table", &s.m, &o);
	assert_null(strstr(text, "more"));
	assert_non_null(strstr(text, "system call 1008"));
	free(text);
}

/* A wait that is in no thread's account, and that no table can show, is
 * refused. */
static void bad_wait(void **state)
{
	static const int32_t functions[] = {-2, 4, INT32_MIN, INT32_MAX};
	static const char *const formats[] = {"table", "csv", "json"};
	struct gn_output_opts o = {.by = GN_BY_WAITS};
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_os(&s);
	for (size_t i = 0; i < 12; i++) {
		FILE *f = fopen("/dev/null", "w");

		assert_non_null(f);
		s.waits[3].function = functions[i / 3];
		assert_int_equal(
			gn_output_find(formats[i % 3])->write(&s.m, &o, f),
			-EBADMSG);
		fclose(f);
	}
}

/* More threads than are listed separately. */
static void many_threads_differ(void **state)
{
	struct gn_output_opts o = {
		.by = GN_BY_THREAD, .limit = 1, .verbose = true};
	struct gn_model_thread threads[20];
	struct sample s;
	size_t told = 0;
	char *text;

	(void)state;
	sample_make(&s);
	sample_os(&s);
	sample_differ(&s);
	for (int i = 0; i < 20; i++) {
		threads[i] = s.threads[0];
		threads[i].tid = 1000 + (uint32_t)i;
	}
	s.m.threads = threads;
	s.m.nthreads = 20;
	s.m.checks.sched_errors = 20;
	text = sample_print("table", &s.m, &o);
	for (const char *p = text; (p = strstr(p, "the kernel counted")); p++)
		told++;
	assert_int_equal(told, 8);
	assert_non_null(strstr(text, "and 12 more\n"));
	free(text);
}

static void without_functions(void **state)
{
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	sample_bare(&s);
	sample_table("not-called.txt", &s,
		     (struct gn_output_opts){.utf8 = true});
	s.m.ninfo = 4; /* none was requested */
	s.m.code.selected[GN_SELECTED_METHODS] = 2;
	text = sample_print("table", &s.m,
			    &(struct gn_output_opts){.limit = 1});
	assert_non_null(strstr(text, "2 functions were traced, but none was "
				     "seen to be called"));
	assert_null(strstr(text, "Name functions with -f"));
	free(text);
	s.m.code.selected[GN_SELECTED_METHODS] = 0;
	/* -f named some, but none was there */
	text = sample_print("table", &s.m, &(struct gn_output_opts){.utf8 = 1});
	assert_non_null(strstr(text, "No function was traced"));
	assert_null(strstr(text, "Name functions with -f"));
	free(text);
	s.m.ninfo = 5;
	s.info[4] = (struct gn_model_info){"hint", ""};
	sample_table("no-functions.txt", &s,
		     (struct gn_output_opts){.utf8 = true});
	s.info[4] = (struct gn_model_info){"hint",
					   "add functions with -f 'parse_*'"};
	sample_table("no-functions-hint.txt", &s,
		     (struct gn_output_opts){.utf8 = true});
	/* killed before the trace had the requested functions */
	s.m.ninfo = 0;
	s.m.truncated = true;
	text = sample_print("table", &s.m, &(struct gn_output_opts){.utf8 = 1});
	assert_non_null(strstr(text, "The trace ends before it tells which"));
	assert_null(strstr(text, "No function was traced"));
	free(text);
}

/* Without -f, all functions of a managed program are traced: -f would leave
 * some out. */
static void no_hint_with_functions(void **state)
{
	struct gn_output_opts o = {.utf8 = true};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	s.info[s.m.ninfo++] = (struct gn_model_info){
		"hint", "add functions with -f 'parse_*'"};
	text = sample_print("table", &s.m, &o);
	assert_null(strstr(text, "# hint"));
	free(text);
}

static void empty_model(void **state)
{
	struct gn_model m = {0};

	(void)state;
	for (int by = 0; by < GN_BY_GC; by++) {
		struct gn_output_opts o = {.by = (enum gn_by)by};

		free(sample_print("table", &m, &o));
		free(sample_print("csv", &m, &o));
		free(sample_print("json", &m, &o));
	}
}

static void colour_only_when_asked(void **state)
{
	struct gn_output_opts o = {.color = true};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	sample_lose(&s);
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "\033[1m"));
	free(text);
	o.color = false;
	text = sample_print("table", &s.m, &o);
	assert_null(strchr(text, '\033'));
	free(text);
}

/* No byte that controls a terminal, in any format. */
static void nothing_hostile(void **state)
{
	static const char *const formats[] = {"table", "csv", "json"};
	struct sample s;

	(void)state;
	sample_make(&s);
	s.info[1].value = "[\""
			  "\\u001b[2J"
			  "\"]";
	s.info[2].value = "ma\033chine\n# lost nothing";
	sample_os(&s);
	sample_differ(&s);
	s.functions[2].module = HOSTILE;
	s.functions[2].name = HOSTILE;
	s.threads[0].name = HOSTILE;
	s.waits[2].waker_name = HOSTILE;
	s.modules[0].name = HOSTILE;
	s.processes[0].name = HOSTILE;
	s.nodes[1].name = HOSTILE;
	for (size_t i = 0; i < 3; i++) {
		for (int by = 0; by < GN_BY_GC; by++) {
			struct gn_output_opts o = {.by = (enum gn_by)by,
						   .utf8 = true};
			char *text = sample_print(formats[i], &s.m, &o);

			for (const char *p = text; *p; p++)
				assert_true((unsigned char)*p >= 0x20 ||
					    *p == '\n' ||
					    (*p == '\r' && p[1] == '\n'));
			assert_null(strstr(text, "\xe2\x80\xae"));
			assert_null(strchr(text, '\xff'));
			assert_null(strstr(text, "\n# lost nothing"));
			free(text);
		}
	}
}

static void full_device(void **state)
{
	static const char *const formats[] = {"table", "csv", "json"};
	struct sample s;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < 3; i++) {
		const struct gn_output *output = gn_output_find(formats[i]);
		struct gn_output_opts o = {.by = GN_BY_FUNCTION};
		FILE *f = fopen("/dev/full", "w");

		assert_non_null(f);
		setvbuf(f, NULL, _IONBF, 0);
		assert_int_equal(output->write(&s.m, &o, f), -ENOSPC);
		fclose(f);
	}
}

/* If no call finished, the shortest time is not 0 ns. */
static void no_call_finished(void **state)
{
	struct gn_output_opts o = {.bare = true, .columns = "min,avg,max"};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < s.m.nfunctions; i++)
		s.functions[i].v.finished = s.functions[i].v.min =
			s.functions[i].v.max = 0;
	for (int by = GN_BY_FUNCTION; by <= GN_BY_THREAD; by += GN_BY_THREAD) {
		o.by = (enum gn_by)by;
		text = sample_print("table", &s.m, &o);
		assert_null(strstr(text, "0 ns"));
		free(text);
	}
}

/* A module has the same name beside long and short function names. */
static void one_module_one_name(void **state)
{
	struct gn_output_opts o = {
		.utf8 = true, .width = 70, .bare = true, .columns = "calls"};
	const char *first = NULL;
	size_t len = 0, rows = 0;
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < s.m.nfunctions; i++) {
		s.functions[i].module = "/usr/lib/libwith-a-long-name.so.6";
		s.functions[i].name = "brief";
		s.functions[i].short_name = NULL;
	}
	s.functions[1].name = "a_name_that_needs_all_of_the_room_that_a_line_of"
			      "_a_table_has_and_more_than_that";
	text = sample_print("table", &s.m, &o);
	for (const char *at = text; (at = strstr(at, "  lib")); rows++) {
		at += strlen("  ");
		if (!first) {
			first = at;
			len = strcspn(first, "\n");
		}
		assert_int_equal(strcspn(at, "\n"), len);
		assert_memory_equal(at, first, len);
	}
	assert_int_equal(rows, s.m.nfunctions);
	assert_int_equal(strncmp(first + len - 5, ".so.6", 5), 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_by),
		cmocka_unit_test(people),
		cmocka_unit_test(no_call_finished),
		cmocka_unit_test(module_is_no_extension),
		cmocka_unit_test(async_of_types),
		cmocka_unit_test(no_async_methods),
		cmocka_unit_test(no_async_methods_with_all_functions),
		cmocka_unit_test(no_async_method_ran),
		cmocka_unit_test(the_begin_of_an_attach_is_told),
		cmocka_unit_test(losses_are_shown),
		cmocka_unit_test(earlier_calls_are_no_doubt),
		cmocka_unit_test(too_few_calls_are_shown),
		cmocka_unit_test(verbose_and_limit),
		cmocka_unit_test(one_of_each),
		cmocka_unit_test(code_that_is_off_is_told),
		cmocka_unit_test(many_reasons),
		cmocka_unit_test(bad_wait),
		cmocka_unit_test(many_threads_differ),
		cmocka_unit_test(without_functions),
		cmocka_unit_test(no_hint_with_functions),
		cmocka_unit_test(empty_model),
		cmocka_unit_test(colour_only_when_asked),
		cmocka_unit_test(nothing_hostile),
		cmocka_unit_test(full_device),
		cmocka_unit_test(one_module_one_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
