/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of a table, and how it fits a terminal. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "output/columns.h"
#include "output_model.h"
#include "output/text.h"

/* The first line; several blanks become one. */
static char *titles(const char *text)
{
	char *line = malloc(strlen(text) + 1), *to = line;

	assert_non_null(line);
	while (*text == ' ')
		text++;
	for (; *text && *text != '\n'; text++) {
		if (*text != ' ' || text[1] != ' ')
			*to++ = *text;
	}
	*to = '\0';
	return line;
}

static void operating_system(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_os(&s);
	sample_table("waits.txt", &s,
		     (struct gn_output_opts){.by = GN_BY_WAITS, .utf8 = true});
	sample_table("waits-limit.txt", &s,
		     (struct gn_output_opts){
			     .by = GN_BY_WAITS, .limit = 1, .bare = true});
	sample_table("kernel.txt", &s,
		     (struct gn_output_opts){.by = GN_BY_THREAD,
					     .verbose = true,
					     .utf8 = true});
	s.m.raw = true;
	s.m.probe_cost = s.m.probe_cost_left = 0;
	sample_table("raw.txt", &s, (struct gn_output_opts){.limit = 1});
	sample_differ(&s);
	sample_table("kernel-differs.txt", &s,
		     (struct gn_output_opts){.by = GN_BY_THREAD, .utf8 = true});
}

static void columns(void **state)
{
	static const struct {
		const char *list, *wanted;
		enum gn_by by;
	} cases[] = {
		{"calls,lock,lock+", "calls lock lock+ function module",
		 GN_BY_FUNCTION},
		/* zeros only if the user names the column */
		{"classes,disk", "app disk lock function module",
		 GN_BY_FUNCTION},
		{"disk,classes", "disk app lock function module",
		 GN_BY_FUNCTION},
		{"classes+,gc", "app+ lock+ gc function module",
		 GN_BY_FUNCTION},
		{"lock,lock+,lock", "pid tid lock thread", GN_BY_THREAD},
		{"lock+", "pid threads lock process", GN_BY_PROCESS},
		{"calls,elapsed-exclusive", "Elapsed", GN_BY_MODULE},
		{"ae%,calls", "ae% calls function module", GN_BY_TREE},
		{"avg", "avg function module", GN_BY_CALLERS},
	};
	struct sample s;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gn_output_opts o = {
			.by = cases[i].by,
			.columns = cases[i].list,
			.bare = true,
			.utf8 = true,
		};
		char *text = sample_print("table", &s.m, &o);
		char *line = titles(text);

		if (strncmp(line, cases[i].wanted, strlen(cases[i].wanted)))
			fail_msg("%s: '%s'", cases[i].list, line);
		free(line);
		free(text);
	}
	sample_table("all.txt", &s,
		     (struct gn_output_opts){.columns = "all", .bare = true});
	sample_table("default-lock.txt", &s,
		     (struct gn_output_opts){.columns = "default,lock,lock+",
					     .bare = true});
}

static void bad_columns(void **state)
{
	static const char *const lists[] = {
		"",	  ",",	   "calls,", ",calls",		"loc",
		"lock++", "all,x", "ei %",   "default,default+"};
	static const char *const formats[] = {"table", "csv"};
	struct sample s;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_int_equal(gn_columns_check(lists[i]), -EINVAL);
		for (size_t k = 0; k < 2; k++) {
			struct gn_output_opts o = {.columns = lists[i]};
			char *text = NULL;
			size_t size;
			FILE *f = open_memstream(&text, &size);

			assert_non_null(f);
			assert_int_equal(
				gn_output_find(formats[k])->write(&s.m, &o, f),
				-EINVAL);
			fclose(f);
			assert_string_equal(text, "");
			free(text);
		}
	}
	assert_int_equal(gn_columns_check("default,all,classes,classes+,ei%"),
			 0);
}

/* Every class has time, and the default still fits. */
static void default_fits_120(void **state)
{
	struct gn_output_opts o = {.bare = true, .utf8 = true};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	s.functions[1].name = "Parser::parse_header";
	s.functions[2].name = "Program.Leaf(Int32)";
	s.functions[3].name = "inflate_fast";
	for (int c = 0; c < GN_CLASS_COUNT; c++) {
		if (c != GN_CLASS_APP)
			s.m.session.class_incl[c] = 100 * (uint64_t)(20 - c);
		s.threads[0].classes[c] = 123456789;
		s.processes[0].v.class_incl[c] = 123456789;
	}
	for (int by = 0; by < GN_BY_GC; by++) {
		o.by = (enum gn_by)by;
		text = sample_print("table", &s.m, &o);
		for (char *p = text, *line; (line = strsep(&p, "\n"));)
			if (*line != '#' && gn_text_width(line) > 120)
				fail_msg("'%s'", line);
		free(text);
	}
	/* Application already shows app; the smallest class was dropped, and a
	 * note says so */
	o.by = GN_BY_THREAD;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "  jit"));
	assert_non_null(strstr(text, "# no room for: poll, event"));
	assert_non_null(strstr(text, "--columns all shows them"));
	free(text);
	o.columns = "all";
	text = sample_print("table", &s.m, &o);
	assert_null(strstr(text, "no room"));
	assert_non_null(strstr(text, "unclassified"));
	free(text);
	o.columns = NULL;
	o.verbose = true;
	text = sample_print("table", &s.m, &o);
	assert_null(strstr(text, "no room"));
	free(text);
}

/* The longest line outside the header, in cells. */
static size_t longest(const char *text)
{
	size_t most = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);

		assert_non_null(line);
		if (line[0] != '#' && gn_text_width(line) > most)
			most = gn_text_width(line);
		free(line);
		text += n + (text[n] == '\n');
	}
	return most;
}

static void terminals_shorten(void **state)
{
	struct gn_output_opts o = {.utf8 = true};
	struct sample s;
	size_t natural;
	char *text;

	(void)state;
	sample_make(&s);
	s.functions[0].name = "a_long_name_that_has_its_tail_after_very_many_"
			      "letters_indeed_THE_END";
	text = sample_print("table", &s.m, &o);
	natural = longest(text);
	assert_non_null(strstr(text, s.functions[0].name));
	free(text);
	for (int width = 80; width < 240; width++) {
		o.width = width;
		text = sample_print("table", &s.m, &o);
		assert_true(longest(text) <= (size_t)width || width < 81);
		/* nothing that fits is shortened */
		if (natural <= (size_t)width)
			assert_non_null(strstr(text, s.functions[0].name));
		assert_non_null(strstr(text, "END"));
		free(text);
	}
	for (int width = 32; width < 80; width++) {
		o.width = width;
		text = sample_print("table", &s.m, &o);
		assert_true(longest(text) <= (size_t)width);
		free(text);
	}
	o.width = 100;
	sample_table("narrow-100.txt", &s, o);
	o.width = 130;
	sample_table("narrow-130.txt", &s, o);
}

/* A name that is wider than the line stays in its indented line. */
static void no_note_is_empty(void **state)
{
#define WIDE "Some.Space.Of.Names.And.A.Class.Of.It.With.A.Method(int)"
	struct gn_model_unseen unhooked[] = {{.name = WIDE, .module = ""},
					     {.name = "Short()", .module = ""}};
	struct gn_model_unseen inlined[] = {
		{.name = WIDE, .module = "", .sites = 1234}};
	struct gn_output_opts o = {.utf8 = true, .width = 60};
	struct sample s;
	char *text;

	(void)state;
	sample_make(&s);
	s.m.code.unhooked = unhooked;
	s.m.code.nunhooked = 2;
	s.m.code.inlined = inlined;
	s.m.code.ninlined = 1;
	s.m.code.sites = 1234;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "have no hooks: their\n"
				     "#             calls are not seen\n"
				     "#               " WIDE "\n"
				     "#               Short()\n"));
	assert_non_null(strstr(text, "#                  1,234\n"
				     "#             " WIDE "\n"));
	for (char *at = text; (at = strstr(at, "\n# ")); at++)
		if (at[2 + strspn(at + 2, " ")] == '\n')
			fail_msg("a note is empty:\n%s", text);
	free(text);
#undef WIDE
}

/* The program's own functions come before those of .NET, and possibly inlined
 * ones have a mark. */
static void inlined_marks(void **state)
{
	struct gn_model_unseen inlined[] = {
		{"A.a()", "/usr/dotnet/shared/Microsoft.NETCore.App/8/A.dll",
		 9},
		{"System.b()", "/app/System.Text.Json.dll", 8},
		{"Mine.c()", "/app/mine.dll", 7},
		{"Mine.d()", "/app/mine.dll", 6}};
	struct gn_output_opts o = {.utf8 = true, .width = 100};
	struct sample s;
	char *text, *at;

	(void)state;
	sample_make(&s);
	text = sample_print("table", &s.m, &o);
	assert_null(strstr(text, "copied"));
	free(text);
	s.m.code.inlined = inlined;
	s.m.code.ninlined = 4;
	s.m.code.sites = 30;
	s.functions[1].v.inlined = true;
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, " 7  Mine.c()\n#                      6  "
				     "Mine.d()\n#                      9  "
				     "A.a()\n"));
	assert_null(strstr(text, "System.b()"));
	assert_non_null(strstr(text, "\n# < the compiler may have copied it"));
	assert_non_null(strstr(text, "  < ns::work<"));
	free(text);
	text = sample_print("csv", &s.m, &o);
	assert_non_null(strstr(text, ",0,0,1\r\n"));
	free(text);
	text = sample_print("markdown", &s.m, &o);
	assert_non_null(strstr(text, " (incomplete) |"));
	assert_non_null(strstr(text, "\n(incomplete): the compiler may have "
				     "copied it into callers: calls can"));
	free(text);
	text = sample_print("openmetrics", &s.m, &o);
	at = strstr(text, "\ngnomon_function_incomplete{function=\"ns::work<");
	assert_non_null(at);
	at = strstr(at + 1, "} ");
	assert_int_equal(at[2], '1');
	free(text);
	text = sample_print("callgrind", &s.m, &o);
	assert_non_null(strstr(text, "\ndesc: Note: calls at 30 sites may be "
				     "inlined: "));
	free(text);
}

static bool tells_refused(struct sample *s)
{
	struct gn_output_opts o = {.utf8 = true, .width = 100};
	char *text = sample_print("table", &s->m, &o);
	bool told = strstr(text, "inlining    refused");

	free(text);
	return told;
}

/* A shell gets what refuses inlining in .NET, but can start a JVM instead. */
static void inlining_refused(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	s.info[s.m.ninfo++] = (struct gn_model_info){"inlining", "refused"};
	assert_false(tells_refused(&s));
	s.m.code.compiled = 5;
	assert_true(tells_refused(&s));
	for (size_t i = 0; i < s.m.nfunctions; i++)
		if (s.functions[i].runtime != GN_RUNTIME_NATIVE)
			s.functions[i].runtime = GN_RUNTIME_JAVA;
	assert_false(tells_refused(&s));
}

/* The time of calls that moved between threads is unknown: all their times,
 * also those of one call, have a mark. */
static void moved_marks(void **state)
{
	static const int times[] = {GN_COLUMN_EI, GN_COLUMN_EE,	 GN_COLUMN_AI,
				    GN_COLUMN_AE, GN_COLUMN_MIN, GN_COLUMN_AVG,
				    GN_COLUMN_MAX};
	struct gn_output_opts o = {.utf8 = true, .width = 100};
	struct sample s;
	struct gn_row r;
	char *text;

	(void)state;
	sample_make(&s);
	s.functions[1].v.error_incl = s.functions[1].v.error_excl = 0;
	s.functions[1].v.unwound = 0;
	r = (struct gn_row){.v = &s.functions[1].v,
			    .module = s.functions[1].module};
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		s.functions[1].v.moved = false;
		assert_false(gn_column_uncertain(&r, times[i]));
		s.functions[1].v.moved = true;
		assert_true(gn_column_uncertain(&r, times[i]));
	}
	assert_false(gn_column_uncertain(&r, GN_COLUMN_CALLS));
	text = sample_print("table", &s.m, &o);
	assert_non_null(strstr(text, "\n# ~ its calls moved to other"));
	free(text);
}

static void bad_sort(void **state)
{
	static const char *const formats[] = {"table", "csv", "json"};
	struct gn_output_opts o = {.sort = "nonsense"};
	struct sample s;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < 3; i++) {
		for (int by = 0; by < GN_BY_GC; by++) {
			FILE *f = fopen("/dev/null", "w");

			assert_non_null(f);
			o.by = (enum gn_by)by;
			assert_int_equal(
				gn_output_find(formats[i])->write(&s.m, &o, f),
				-EINVAL);
			fclose(f);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operating_system),
		cmocka_unit_test(columns),
		cmocka_unit_test(bad_columns),
		cmocka_unit_test(default_fits_120),
		cmocka_unit_test(terminals_shorten),
		cmocka_unit_test(no_note_is_empty),
		cmocka_unit_test(inlined_marks),
		cmocka_unit_test(inlining_refused),
		cmocka_unit_test(moved_marks),
		cmocka_unit_test(bad_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
