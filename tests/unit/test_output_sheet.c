// SPDX-License-Identifier: BSD-2-Clause
/* Tables of what runtimes reported about themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

#include "output/sheet.h"
#include "output/text.h"
#include "output_model.h"

#define MS 1000000ull
#define US 1000ull

static const char *const names[GN_BY_COUNT] = {
	[GN_BY_GC] = "gc",
	[GN_BY_JIT] = "jit",
	[GN_BY_EXCEPTIONS] = "exceptions",
	[GN_BY_LOADS] = "loads",
	[GN_BY_ALLOCATIONS] = "allocations",
	[GN_BY_EVENTS] = "events",
	[GN_BY_SAMPLES] = "samples",
	[GN_BY_SYSCALLS] = "syscalls",
	[GN_BY_THREAD_SYSCALLS] = "thread_syscalls",
};

static void goldens(void **state)
{
	static const char *const formats[][2] = {
		{"table", "txt"}, {"csv", "csv"}, {"markdown", "md"}};
	struct sample s;
	char name[64];

	(void)state;
	sample_make(&s);
	sample_events(&s);
	for (int by = GN_BY_GC; by < GN_BY_COUNT; by++)
		for (size_t i = 0; i < 3; i++) {
			struct gn_output_opts o = {.by = (enum gn_by)by,
						   .bare = true,
						   .utf8 = true,
						   .limit = 15};
			char *text = sample_print(formats[i][0], &s.m, &o);

			snprintf(name, sizeof(name), "sheet-%s.%s", names[by],
				 formats[i][1]);
			sample_golden(name, text);
			free(text);
		}
}

/* Lines with few cells: the longest texts are shortened, but not more than
 * necessary. */
static void narrow(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_EXCEPTIONS,
				   .bare = true,
				   .utf8 = true,
				   .width = 90};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	text = sample_print("table", &s.m, &o);
	sample_golden("sheet-narrow.txt", text);
	free(text);
}

/* The names of modules are readable in 80 cells: columns without a value in any
 * row take no room. "time" is the time of the load. */
static void loads_of_modules(void **state)
{
	static const struct gn_model_event events[] = {
		{.event = GN_RT_MODULE_LOAD,
		 .start = 2 * MS,
		 .end = 3 * MS,
		 .of = {"/usr/lib/dotnet/shared/Microsoft.NETCore.App/10.0.12/"
			"System.Private.CoreLib.dll",
			"", NULL},
		 .pid = 100,
		 .tid = 100,
		 .thread = "dotnet"},
		{.event = GN_RT_ASSEMBLY_LOAD,
		 .start = 4 * MS,
		 .end = 6 * MS,
		 .of = {"System.Private.CoreLib", "", NULL},
		 .pid = 100,
		 .tid = 100,
		 .thread = "dotnet"},
	};
	struct gn_output_opts o = {.by = GN_BY_LOADS,
				   .bare = true,
				   .utf8 = true,
				   .sort = "time",
				   .width = 80};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	s.m.start = 0;
	s.m.events = (void *)events;
	s.m.nevents = 2;
	text = sample_print("table", &s.m, &o);
	sample_golden("sheet-loads-80.txt", text);
	free(text);
}

static json_t *rows_of(const struct gn_model *m, enum gn_by by, json_t **root)
{
	struct gn_output_opts o = {.by = by};
	char *text = sample_print("json", m, &o);

	*root = json_loads(text, 0, NULL);
	free(text);
	assert_non_null(*root);
	return json_object_get(*root, names[by]);
}

static json_int_t number(json_t *row, const char *key)
{
	assert_true(json_is_integer(json_object_get(row, key)));
	return json_integer_value(json_object_get(row, key));
}

/* What belongs to which collection; unknown values are left out. */
static void collections(void **state)
{
	json_t *root, *rows, *row;
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	rows = rows_of(&s.m, GN_BY_GC, &root);
	assert_int_equal(json_array_size(rows), 3);
	row = json_array_get(rows, 0);
	assert_int_equal(number(row, "generation"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "reason")),
			    "induced");
	assert_int_equal(number(row, "pause_ns"), 4 * MS);
	assert_int_equal(number(row, "stopping_ns"), 1 * MS);
	assert_int_equal(number(row, "last_tid"), 102);
	assert_int_equal(number(row, "cpu_ns"), 1900 * US);
	row = json_array_get(rows, 1);
	assert_int_equal(number(row, "generation"), 2);
	assert_int_equal(number(row, "pause_ns"), 3 * MS);
	assert_int_equal(number(row, "suspensions"), 2);
	assert_null(json_object_get(row, "last_tid"));
	assert_null(json_object_get(row, "stopping_ns"));
	json_decref(root);
}

/* A collection whose begin the runtime does not report: what is known of its
 * generation is shown to people, and a note explains it. */
static void a_young_collection(void **state)
{
	static const char *const formats[] = {"table", "markdown"};
	struct gn_output_opts o = {.by = GN_BY_GC, .width = 200};
	struct gn_model_event e[2];
	json_t *root, *row;
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	e[0] = (struct gn_model_event){.event = GN_RT_COLLECT,
				       .start = s.m.start + 1 * MS,
				       .end = s.m.start + 9 * MS,
				       .value = {3, 2},
				       .thread = "gc"};
	e[1] = e[0];
	e[1].value[0] = 0;
	s.m.events = e;
	s.m.nevents = 2;
	for (int young = 0; young < 2; young++) {
		e[1].young = young;
		for (size_t i = 0; i < 2; i++) {
			char *text = sample_print(formats[i], &s.m, &o);

			assert_int_equal(!!strstr(text, "0 or 1"), young);
			assert_int_equal(!!strstr(text, "opened the backgr"),
					 young && i == 0);
			free(text);
		}
		row = json_array_get(rows_of(&s.m, GN_BY_GC, &root), 1);
		assert_null(json_object_get(row, "generation"));
		json_decref(root);
	}
}

/* A suspension that belongs to no collection, during a concurrent one. */
static void other_suspensions(void **state)
{
	json_t *root, *rows, *row;
	struct gn_model_event e[3];
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	for (int i = 0; i < 3; i++)
		e[i] = s.m.events[4];
	e[0].event = GN_RT_COLLECT;
	e[1].value[0] = 0;
	e[1].start = e[0].start + 1 * MS;
	e[1].end = e[1].start + 1 * MS;
	e[2].value[0] = 7;
	e[2].start = e[2].end;
	e[2].end = e[2].start + 5 * MS;
	s.m.events = e;
	s.m.nevents = 3;
	rows = rows_of(&s.m, GN_BY_GC, &root);
	row = json_array_get(rows, 0);
	assert_int_equal(number(row, "pause_ns"), 5 * MS);
	assert_int_equal(number(row, "suspensions"), 1);
	json_decref(root);
}

/* The reason for an empty table: nobody asked for them, or the process was
 * older. */
static void no_allocations(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_ALLOCATIONS, .bare = true};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "--events allocations"));
	free(text);
	s.info[s.m.ninfo++] = (struct gn_model_info){"events.at_start",
						     "handles,allocations"};
	text = sample_print("table", &s.m, &o);
	assert_null(strstr(text, "--events allocations"));
	assert_non_null(strstr(text, "start it under gnomon"));
	free(text);
}

/* By default a program without loads has no rows. */
static void no_loads(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_LOADS, .bare = true};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "no runtime reported a load"));
	free(text);
	s.info[s.m.ninfo++] =
		(struct gn_model_info){"events.left", "life,loads,gc"};
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "--events loads"));
	free(text);
	o.by = GN_BY_EXCEPTIONS;
	text = sample_print("table", &s.m, &o);
	assert_null(strstr(text, "--events"));
	free(text);
}

static void every_array_is_there(void **state)
{
	json_t *root, *rows;
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	for (int by = GN_BY_GC; by < GN_BY_COUNT; by++) {
		for (int other = GN_BY_GC; other < GN_BY_COUNT; other++) {
			rows = rows_of(&s.m, (enum gn_by)by, &root);
			assert_true(json_array_size(rows) > 0);
			assert_int_equal(json_object_get(root, names[other]) !=
						 NULL,
					 other == by);
			json_decref(root);
		}
	}
	sample_make(&s);
	for (int by = GN_BY_GC; by < GN_BY_COUNT; by++) {
		rows = rows_of(&s.m, (enum gn_by)by, &root);
		assert_true(json_is_array(rows));
		assert_int_equal(json_array_size(rows), 0);
		json_decref(root);
	}
}

/* What the user did not request is not reported as if it never happened. */
static void unwatched(void **state)
{
	static const char told[] = "no runtime reported an exception",
			  ask[] = "; ask for them with --events exceptions";
	struct gn_output_opts o = {.by = GN_BY_EXCEPTIONS, .bare = true};
	struct sample s;
	char *text;

	(void)state;
	for (unsigned int left = 0; left < 2; left++) {
		sample_make(&s);
		s.m.code.selected[GN_SELECTED_EXCEPTIONS_LEFT] = left;
		text = sample_print("table", &s.m, &o);
		assert_non_null(strstr(text, told));
		assert_int_equal(strstr(text, ask) != NULL, left);
		free(text);
	}
}

/* A JVM has no such events, so the table does not advise to request them. */
static void not_of_a_jvm(void **state)
{
	static const enum gn_by sheets[] = {GN_BY_EXCEPTIONS, GN_BY_LOADS};
	struct gn_output_opts o = {.bare = true};
	struct sample s;
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(sheets) / sizeof(sheets[0]); i++) {
		o.by = sheets[i];
		sample_make(&s);
		for (size_t k = 0; k < s.m.nfunctions; k++)
			s.m.functions[k].runtime = GN_RUNTIME_HOTSPOT;
		text = sample_print("table", &s.m, &o);
		assert_non_null(strstr(text, "a JVM reports no "));
		free(text);
		s.m.functions[0].runtime = GN_RUNTIME_CLR;
		text = sample_print("table", &s.m, &o);
		assert_null(strstr(text, "a JVM"));
		free(text);
	}
}

/* Of runtimes that have no such events, the tables advise to request none. */
static void only_of_clr(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_ALLOCATIONS, .bare = true};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < s.m.nfunctions; i++)
		s.m.functions[i].runtime = GN_RUNTIME_CPYTHON;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "# only .NET reports allocations\n"));
	free(text);
	s.m.functions[1].runtime = GN_RUNTIME_CLR;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "--events allocations"));
	free(text);
}

/* No line is wider than the terminal, as far as columns can be left out; a note
 * names them. */
static void leaves_out(void **state)
{
	static const char left_out[] = "# no room for: on a CPU, off CPUs";
	struct gn_output_opts o = {
		.by = GN_BY_SYSCALLS, .bare = true, .width = 80};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, left_out));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 80);
	free(text);
	o.verbose = true;
	text = sample_print("table", &s.m, &o);
	assert_null(strstr(text, "no room"));
	free(text);
	o.verbose = false;
	for (int by = GN_BY_GC; by < GN_BY_COUNT; by++) {
		o.by = (enum gn_by)by;
		text = sample_print("table", &s.m, &o);
		for (char *line = strtok(text, "\n"); line;
		     line = strtok(NULL, "\n"))
			assert_true(*line == '#' || gn_text_width(line) <= 80);
		free(text);
	}
}

/* The time for sheets of many collections and compilations is not quadratic. */
static void many_events(void **state)
{
	enum { MANY = 150000 };
	struct gn_model_event *all = calloc(3 * MANY, sizeof(*all)), *e = all;
	struct gn_output_opts o = {.by = GN_BY_GC, .limit = 2};
	const clock_t start = clock();
	struct sample s;
	char *text;

	(void)state;
	assert_non_null(all);
	sample_make(&s);
	sample_events(&s);
	for (uint32_t i = 0; i < 2 * MANY; i++, e++) {
		*e = s.m.events[0];
		e->event = i % 2 ? GN_RT_COLLECT : GN_RT_SUSPEND;
		e->pid = 1 + i / 2 % 2;
		e->start = 1000ull * i;
		e->end = e->start + (i % 2 ? 500 : 1700);
		e->no_end = false;
	}
	for (uint32_t i = 0; i < MANY; i++, e++) {
		*e = all[0];
		e->event = GN_RT_COMPILE;
		e->pid = 3 + i % 2;
		e->start = 1000ull * (2 * MANY + i);
		e->end = e->start + 10;
	}
	s.m.events = all;
	s.m.nevents = 3 * MANY;
	text = sample_print("csv", &s.m, &o);
	assert_non_null(strstr(text, ",1700,"));
	free(text);
	o.by = GN_BY_JIT;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "100.0 % of it in the first second"));
	free(text);
	free(all);
	assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
}

/* Compilations only have names if the user requests them. */
static void compilations_without_names(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_JIT};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "; 1 has no name here: --events jit"));
	free(text);
}

/* A call that never returned has neither a shortest nor a longest time. */
static void an_open_call_has_no_times(void **state)
{
	struct gn_output_opts o = {.limit = 100};
	struct sample s;
	char *text, *line;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	text = sample_print("ndjson", &s.m, &o);
	line = strstr(text, "\"syscall_name\":\"exit_group\"");
	assert_non_null(line);
	*strchrnul(line, '\n') = '\0';
	assert_non_null(strstr(line, "\"open\":1"));
	assert_null(strstr(line, "\"shortest_ns\""));
	assert_null(strstr(line, "\"longest_ns\""));
	free(text);
}

/* Each word of the list sorts; unknown values come last, so a limit keeps the
 * others. */
static void sorts(void **state)
{
	static const struct {
		enum gn_by by;
		const char *sort, *first, *last;
	} cases[] = {
		{GN_BY_SYSCALLS, "calls", "write", "exit_group"},
		{GN_BY_SYSCALLS, "shortest", "futex", "exit_group"},
		{GN_BY_SYSCALLS, "name", "exit_group", "write"},
		{GN_BY_SYSCALLS, "longest_ns", "futex", "exit_group"},
		{GN_BY_THREAD_SYSCALLS, "on a CPU", "write", "exit_group"},
	};
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gn_output_opts o = {.sort = cases[i].sort, .limit = 100};
		json_t *root, *rows, *row;
		char *text;

		o.by = cases[i].by;
		text = sample_print("json", &s.m, &o);
		root = json_loads(text, 0, NULL);
		free(text);
		rows = json_object_get(root, names[o.by]);
		row = json_array_get(rows, 0);
		assert_string_equal(
			json_string_value(json_object_get(row, "name")),
			cases[i].first);
		row = json_array_get(rows, json_array_size(rows) - 1);
		assert_string_equal(
			json_string_value(json_object_get(row, "name")),
			cases[i].last);
		json_decref(root);
	}
}

/* Times since the start are sorted upwards, others downwards; unknown values
 * come last. */
static void sorts_times(void **state)
{
	static const char *const words[] = {"at", "elapsed"};
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	for (size_t i = 0; i < 2; i++) {
		struct gn_output_opts o = {.by = GN_BY_LOADS, .sort = words[i]};
		char key[16], *text = sample_print("json", &s.m, &o);
		json_t *root = json_loads(text, 0, NULL), *rows;
		json_int_t before, now;

		free(text);
		rows = json_object_get(root, "loads");
		snprintf(key, sizeof(key), "%s_ns", words[i]);
		assert_true(json_array_size(rows) > 2);
		before = number(json_array_get(rows, 0), key);
		for (size_t k = 1; k < json_array_size(rows); k++) {
			now = json_integer_value(
				json_object_get(json_array_get(rows, k), key));
			assert_true(i ? now <= before : now >= before);
			before = now;
		}
		json_decref(root);
	}
}

/* A single one gets the singular. */
static void one_more(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_SYSCALLS, .bare = true};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	o.limit = s.m.nsyscalls - 1;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "# 1 more row; --limit 0 shows it\n"));
	free(text);
	text = sample_print("markdown", &s.m, &o);
	assert_non_null(strstr(text, "\n1 more is not shown.\n"));
	free(text);
	o.by = GN_BY_FUNCTION;
	o.limit = s.m.nfunctions - 1;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "# 1 more row; --limit 0 shows it\n"));
	free(text);
	o.limit--;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "# 2 more rows; --limit 0 shows them\n"));
	free(text);
}

/* The requested columns, in that order, each under any of its names; no narrow
 * line leaves one out, and JSON has all of them. */
static void chosen(void **state)
{
	struct gn_output_opts o = {.by = GN_BY_SYSCALLS,
				   .bare = true,
				   .utf8 = true,
				   .limit = 1,
				   .columns = "name,elapsed%,cpu_ns,calls",
				   .width = 24};
	size_t column[GN_SHEET_COLUMNS];
	json_t *root, *rows;
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	sample_events(&s);
	text = sample_print("csv", &s.m, &o);
	assert_string_equal(text, "name,elapsed_pct,cpu_ns,calls\r\n"
				  "futex,80.443743,40000,12\r\n");
	free(text);
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "elapsed%   on a CPU  calls\n"));
	assert_null(strstr(text, "no room"));
	free(text);
	text = sample_print("markdown", &s.m, &o);
	assert_non_null(strstr(text, "| futex | 80.44 | 40.000 us | 12 |\n"));
	free(text);
	text = sample_print("json", &s.m, &o);
	root = json_loads(text, 0, NULL);
	free(text);
	rows = json_object_get(root, "syscalls");
	assert_int_equal(number(json_array_get(rows, 0), "errors"), 3);
	json_decref(root);
	assert_int_equal(gn_sheet_columns(GN_BY_GC, "pid,cpu", column), 2);
	assert_true(gn_sheet_columns(GN_BY_GC, "pid,,cpu", column) < 0);
	assert_true(gn_sheet_columns(GN_BY_GC, "", column) < 0);
	assert_true(gn_sheet_columns(GN_BY_GC, "calls", column) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goldens),
		cmocka_unit_test(narrow),
		cmocka_unit_test(loads_of_modules),
		cmocka_unit_test(collections),
		cmocka_unit_test(other_suspensions),
		cmocka_unit_test(a_young_collection),
		cmocka_unit_test(no_allocations),
		cmocka_unit_test(only_of_clr),
		cmocka_unit_test(no_loads),
		cmocka_unit_test(every_array_is_there),
		cmocka_unit_test(unwatched),
		cmocka_unit_test(not_of_a_jvm),
		cmocka_unit_test(leaves_out),
		cmocka_unit_test(many_events),
		cmocka_unit_test(compilations_without_names),
		cmocka_unit_test(an_open_call_has_no_times),
		cmocka_unit_test(sorts),
		cmocka_unit_test(sorts_times),
		cmocka_unit_test(one_more),
		cmocka_unit_test(chosen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
