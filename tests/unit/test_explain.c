// SPDX-License-Identifier: BSD-2-Clause
/* Findings for handmade models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/syscalls.h>
#include "explained.h"

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

/* A program that something stopped is not busy meanwhile, and not idle. */
static void a_stopped_program_is_told(void **state)
{
	struct gn_model_wait wait = {.function = -1,
				     .waker_function = -1,
				     .class = GN_CLASS_OTHER,
				     .halt = GN_HALT_SIGNAL,
				     .ns = SECOND / 2 + 1,
				     .count = 1};
	struct gn_model_thread threads[] = {
		{.tid = 1,
		 .name = "main",
		 .elapsed = SECOND,
		 .classes = {[GN_CLASS_OTHER] = SECOND / 2 + 1,
			     [GN_CLASS_EVENT] = SECOND / 3,
			     [GN_CLASS_APP] = SECOND / 10}},
		{.tid = 2, .name = "other"},
	};
	struct gn_model m = {
		.end = SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_OTHER] = SECOND / 2 + 1}},
		.threads = threads,
		.nthreads = 2,
		.waits = &wait,
		.nwaits = 1,
	};
	struct gn_findings f;

	(void)state;
	assert_non_null(strstr(finding(&m, "halted", &f).text, "by a signal"));
	gn_findings_clear(&f);
	assert_false(holds(&m, "critical-path"));
	wait.halt = GN_HALT_NONE;
	assert_true(holds(&m, "critical-path"));
	assert_false(holds(&m, "halted"));
	threads[0].classes[GN_CLASS_APP] = SECOND / 100;
	assert_true(holds(&m, "idle"));
	wait.halt = GN_HALT_FREEZER;
	assert_false(holds(&m, "idle"));
	assert_true(holds(&m, "halted"));
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
		ONE_BUSY(&thread),
		.functions = function,
		.nfunctions = 2,
	};
	struct gn_insight own;
	struct gn_findings f;

	(void)state;
	own = finding(&m, "own-code", &f);
	assert_non_null(strstr(own.text, "app time, at least 3 calls); "));
	assert_non_null(strstr(own.text, "%, 2 calls)."));
	assert_non_null(strstr(own.next, "--sort app "));
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
	assert_string_equal(finding(&m, "lock", &f).next,
			    "--by waits --limit 8");
	gn_findings_clear(&f);
}

/* A worker of a server that waits for connections for most of its time is not
 * held up by sockets, and not busy meanwhile. */
static void connections_hold_nothing_up(void **state)
{
	struct gn_model_thread thread = {
		.tid = 1,
		.name = "php-fpm8.2",
		.elapsed = SECOND,
		.classes = {[GN_CLASS_APP] = SECOND / 10,
			    [GN_CLASS_NET] = SECOND / 10 * 9},
		.accepted = SECOND / 10 * 9,
	};
	struct gn_model_wait wait = {
		.function = -1,
		.waker_function = -1,
		.class = GN_CLASS_NET,
		.reason = GN_NR_accept,
		.idle = true,
		.ns = SECOND / 10 * 9,
		.longest = SECOND / 100,
		.count = 100,
	};
	struct gn_model m = {
		.end = SECOND,
		.session = {.elapsed_incl = SECOND,
			    .class_incl = {[GN_CLASS_APP] = SECOND / 10,
					   [GN_CLASS_NET] = SECOND / 10 * 9}},
		.threads = &thread,
		.nthreads = 1,
		.waits = &wait,
		.nwaits = 1,
	};

	(void)state;
	assert_false(holds(&m, "net"));
	/* it waits for answers */
	wait.reason = GN_NR_recvfrom;
	wait.idle = false;
	thread.accepted = 0;
	assert_true(holds(&m, "net"));
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

	(void)state;
	assert_true(holds(&m, "gc"));
	/* a sixth, and it is no matter */
	thread.classes[GN_CLASS_APP] = SECOND / 100 * 5;
	m.session.class_incl[GN_CLASS_APP] = SECOND / 100 * 5;
	assert_false(holds(&m, "gc"));
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

/* Whether findings of a program that only works say this and suggest that
 * command, if this is known of it. */
static bool suggests(enum gn_runtime_id runtime, struct gn_model_info *info,
		     size_t ninfo, const char *text, const char *next)
{
	struct gn_model_thread thread = busy;
	struct gn_model m = {
		.end = SECOND,
		ONE_BUSY(&thread),
		.info = info,
		.ninfo = ninfo,
		.code = {.compiled = runtime == GN_RUNTIME_HOTSPOT},
	};
	struct gn_findings f;
	bool found = false;

	thread.runtime = runtime;
	assert_int_equal(gn_explain(&m, 0, &f), 0);
	for (size_t i = 0; i < f.n; i++)
		found |= strstr(f.finding[i].text, text) &&
			 (!next || !strcmp(f.finding[i].next, next));
	gn_findings_clear(&f);
	return found;
}

/* gnomon came to a JVM that ran, and -f names none of its methods. */
static void methods_that_nobody_names(void **state)
{
	struct gn_model_info info[] = {
		{"options", "run -p 1"},
		{"command", "[]"},
		{"functions.asked", "all"},
	};

	(void)state;
	assert_true(suggests(GN_RUNTIME_HOTSPOT, info, 3,
			     "-f must name the methods", NULL));
}

/* Whether the finding of samples of this code says that. */
static bool sampled_says(enum gn_runtime_id runtime, const char *command,
			 const struct gn_model_named *of, const char *text)
{
	struct gn_model_info info = {"command", command};
	struct gn_model_thread thread = busy;
	struct gn_model_sample sample = {.of = *of, .self = 100};
	struct gn_model m = {
		.end = SECOND,
		ONE_BUSY(&thread),
		.info = &info,
		.ninfo = 1,
		.samples = &sample,
		.nsamples = 1,
		.sampled = 100,
	};
	struct gn_findings f;
	bool says;

	thread.runtime = runtime;
	says = strstr(finding(&m, "sampled", &f).text, text);
	gn_findings_clear(&f);
	return says;
}

/* It is said what code without a file is, and how a JVM's gets its names. */
static void samples_without_names(void **state)
{
	const struct gn_model_named none = {.name = "[unknown]", .module = ""};
	const struct gn_model_named file = {.name = "[unknown]",
					    .module = "/lib/libx.so"};
	const struct gn_model_named named = {.name = "work", .module = ""};
	const char *jvm = "or compiled before gnomon came";
	const char *made = "is code of no file";

	(void)state;
	assert_true(sampled_says(GN_RUNTIME_HOTSPOT, "[]", &none, jvm));
	assert_false(sampled_says(GN_RUNTIME_HOTSPOT, "[]", &none, made));
	assert_false(sampled_says(GN_RUNTIME_HOTSPOT, "[]", &file, jvm));
	assert_false(sampled_says(GN_RUNTIME_HOTSPOT, "[]", &named, jvm));
	assert_false(
		sampled_says(GN_RUNTIME_HOTSPOT, "[\"java\"]", &none, jvm));
	assert_true(sampled_says(GN_RUNTIME_NATIVE, "[]", &none, made));
	assert_false(sampled_says(GN_RUNTIME_NATIVE, "[]", &file, made));
}

/* Its file has no names to choose from. */
static void a_stripped_program(void **state)
{
	struct gn_model_info info[] = {
		{"options", "run"},
		{"command", "[\"app\"]"},
		{"program.stripped", "1"},
	};
	const char *all = "list -f '*:*'";

	(void)state;
	assert_true(suggests(GN_RUNTIME_NATIVE, info, 3, "program is stripped",
			     all));
	info[2].value = "go";
	assert_true(suggests(GN_RUNTIME_NATIVE, info, 3,
			     "a build without -ldflags=-s", ""));
	info[2] = (struct gn_model_info){"program.language", "Perl"};
	assert_true(suggests(GN_RUNTIME_NATIVE, info, 3, "functions of Perl",
			     "list -f '*'"));
	assert_false(suggests(GN_RUNTIME_NATIVE, info, 2, "program is stripped",
			      NULL));
	assert_false(suggests(GN_RUNTIME_NATIVE, info, 2, "", all));
}

/* gnomon came to an interpreter that ran: no name of its file is of the
 * program, but samples are. */
static void an_interpreter_that_ran(void **state)
{
	struct gn_model_info info[] = {
		{"options", "record -p 1"},
		{"command", "[]"},
		{"program.stripped", "1"},
		{"program.sampled", "PHP"},
	};

	(void)state;
	assert_true(suggests(GN_RUNTIME_ZEND, info, 4,
			     "calls in PHP are seen only if gnomon starts the "
			     "program",
			     "--snapshot 499"));
	assert_false(suggests(GN_RUNTIME_ZEND, info, 4, "stripped", NULL));
}

/* Of a process that had a number when gnomon came, and is gone. */
static void the_file_of_a_process(void **state)
{
	struct gn_insight one = {.rule = "a",
				 .text = (char *)"One:",
				 .next = (char *)"list -f '*'",
				 .what = GN_NEXT_WHOLE};
	struct gn_model_info info[] = {
		{"options", "run -p 7"},
		{"command", "[]"},
		{"program.7", "/opt/the app"},
	};
	struct gn_model_process process = {.pid = 7, .name = "app"};
	struct gn_model m = {.info = info,
			     .ninfo = 3,
			     .processes = &process,
			     .nprocesses = 1};
	struct gn_findings f = {.finding = &one, .n = 1};
	struct gn_explain_opts o = {.utf8 = true};
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	(void)state;
	assert_non_null(out);
	assert_int_equal(gn_findings_print(&m, &f, &o, out), 0);
	fclose(out);
	assert_string_equal(text,
			    "1. One:\n"
			    "     sudo gnomon list -f '*' -- '/opt/the app'\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_threads_count),
		cmocka_unit_test(a_stopped_program_is_told),
		cmocka_unit_test(calls_can_be_missing),
		cmocka_unit_test(waits_are_shown),
		cmocka_unit_test(connections_hold_nothing_up),
		cmocka_unit_test(collections_on_a_busy_machine),
		cmocka_unit_test(a_command_is_suggested_once),
		cmocka_unit_test(killed),
		cmocka_unit_test(probes_of_events_are_not_those_of_functions),
		cmocka_unit_test(own_code_on_a_busy_machine),
		cmocka_unit_test(methods_that_nobody_names),
		cmocka_unit_test(samples_without_names),
		cmocka_unit_test(a_stripped_program),
		cmocka_unit_test(an_interpreter_that_ran),
		cmocka_unit_test(the_file_of_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
