/* SPDX-License-Identifier: BSD-2-Clause */
/* Batch mode: rows for scripts that split at blanks. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "top/batch.h"
#include "top/words.h"
#include "top_sample.h"

#define COLUMNS 28

static char *print(const struct gn_top_period *p,
		   const struct gn_top_batch_opts *o)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(gn_top_batch(p, o, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void golden(void **state)
{
	struct gn_top_batch_opts o = {0};
	struct top_sample s;
	char *text;

	(void)state;
	top_sample_make(&s);
	text = print(&s.p, &o);
	top_golden("batch", text);
	free(text);
	top_sample_worst(&s);
	o = (struct gn_top_batch_opts){
		.sort = "name", .limit = 4, .utf8 = true};
	text = print(&s.p, &o);
	top_golden("batch-worst", text);
	free(text);
	top_sample_empty(&s);
	text = print(&s.p, &o);
	top_golden("batch-empty", text);
	free(text);
}

/* Splits a line like awk; the words stay in it. */
static size_t split(char *line, char *word[COLUMNS + 1])
{
	size_t n = 0;
	char *at, *save;

	for (at = strtok_r(line, " \t", &save); at;
	     at = strtok_r(NULL, " \t", &save)) {
		assert_true(n <= COLUMNS);
		word[n++] = at;
	}
	return n;
}

/* The rows of a text: word[row][column]; the titles are the first row. */
static size_t parse(char *text, char *word[][COLUMNS + 1], size_t room)
{
	size_t n = 0;
	char *line, *save;

	/* the end of the line is the only control character */
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7f));
	assert_true(strlen(text) > 2);
	assert_string_equal(text + strlen(text) - 2, "\n\n");
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "# ", 2))
			continue;
		assert_true(n < room);
		assert_int_equal(split(line, word[n]), COLUMNS);
		n++;
	}
	return n;
}

static void columns_keep_their_place(void **state)
{
	static char *word[TOP_THREADS + 1][COLUMNS + 1];
	struct gn_top_batch_opts o = {0};
	struct top_sample s;
	char *text;

	(void)state;
	top_sample_make(&s);
	text = print(&s.p, &o);
	assert_int_equal(parse(text, word, TOP_THREADS + 1), TOP_THREADS + 1);
	assert_string_equal(word[0][7], "CPU");
	assert_string_equal(word[0][8], "APP");
	assert_string_equal(word[0][24], "UNCLASSIFIED");
	assert_string_equal(word[0][27], "MOST");
	/* the spinning thread comes first */
	assert_string_equal(word[1][1], "101");
	assert_string_equal(word[1][3], "clr");
	assert_string_equal(word[1][4], "running");
	assert_string_equal(word[1][5], "jit");
	assert_string_equal(word[1][6], "0.900000");
	assert_string_equal(word[1][7], "99.8");
	assert_string_equal(word[1][8], "98.9");
	assert_string_equal(word[1][25], "123456.0");
	assert_string_equal(
		word[1][26],
		"App.Program.Leaf(System.Int32,\\x20System.String)");
	for (size_t i = 1; i <= TOP_THREADS; i++) {
		double sum = 0;

		for (int c = 8; c < 23; c++)
			sum += strtod(word[i][c], NULL);
		if (strtod(word[i][6], NULL) > 0)
			assert_true(sum > 99.5 && sum < 100.5);
		else
			assert_true(sum == 0);
	}
	free(text);
}

static void all_zero(void **state)
{
	static char *word[TOP_THREADS + 1][COLUMNS + 1];
	struct gn_top_batch_opts o = {0};
	struct top_sample s;
	char *text;

	(void)state;
	top_sample_make(&s);
	for (int i = 0; i < TOP_THREADS; i++) {
		memset(s.threads[i].classes, 0, sizeof(s.threads[i].classes));
		s.threads[i].elapsed = s.threads[i].v.calls = 0;
		s.threads[i].live = NULL; /* its activity is unknown */
	}
	text = print(&s.p, &o);
	assert_int_equal(parse(text, word, TOP_THREADS + 1), TOP_THREADS + 1);
	for (int i = 1; i <= TOP_THREADS; i++) {
		assert_string_equal(word[i][3], "-");
		assert_string_equal(word[i][4], "unknown");
		assert_string_equal(word[i][5], "-");
		assert_string_equal(word[i][8], "0.0");
		assert_string_equal(word[i][27], "-");
	}
	/* only their names distinguish them */
	assert_string_equal(word[1][2], "-");
	assert_string_equal(word[2][2], "\\x2d");
	assert_string_equal(word[3][2], "app");
	free(text);
}

static void sorted_by_each(void **state)
{
	static const struct {
		const char *column;
		int first; /* the TID */
	} wanted[] = {
		{NULL, 101},	   {"cpu", 101},     {"pid", 103},
		{"tid", 100},	   {"sleep", 102},   {"disk", 200},
		{"runqueue", 201}, {"lock", 100},    {"unclassified", 100},
		{"calls", 101},	   {"seconds", 102}, {"runtime", 103},
		{"now", 103},	   {"state", 103},
	};
	static char *word[TOP_THREADS + 1][COLUMNS + 1];
	struct top_sample s;

	(void)state;
	top_sample_make(&s);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct gn_top_batch_opts o = {.sort = wanted[i].column};
		char *text = print(&s.p, &o);

		parse(text, word, TOP_THREADS + 1);
		if (atoi(word[1][1]) != wanted[i].first)
			fail_msg("by %s: %s first", wanted[i].column,
				 word[1][1]);
		free(text);
	}
	for (size_t i = 0; gn_top_batch_column(i); i++) {
		struct gn_top_batch_opts o = {.sort = gn_top_batch_column(i)};

		free(print(&s.p, &o));
	}
}

/* In any order of the model. */
static void order_by_values_only(void **state)
{
	struct gn_top_batch_opts o = {.sort = "child"};
	struct gn_model_thread swap;
	struct top_sample s;
	char *one, *two;

	(void)state;
	top_sample_make(&s);
	s.threads[0].name = s.threads[1].name = "same";
	s.threads[1].tid = s.threads[0].tid;
	s.threads[1].pid = s.threads[0].pid;
	s.threads[1].start += 5;
	one = print(&s.p, &o);
	for (int i = 0; i < TOP_THREADS / 2; i++) {
		swap = s.threads[i];
		s.threads[i] = s.threads[TOP_THREADS - 1 - i];
		s.threads[TOP_THREADS - 1 - i] = swap;
	}
	two = print(&s.p, &o);
	assert_string_equal(one, two);
	free(one);
	free(two);
}

static void no_such_column(void **state)
{
	static const char *const bad[] = {"", "nonsense", "CPU", "child "};
	struct top_sample s;

	(void)state;
	top_sample_make(&s);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct gn_top_batch_opts o = {.sort = bad[i]};

		assert_int_equal(gn_top_batch(&s.p, &o, stderr), -EINVAL);
	}
}

static void is_word(const char *text, bool utf8, const char *wanted)
{
	char *got = gn_top_word(text, utf8);

	assert_non_null(got);
	assert_string_equal(got, wanted);
	free(got);
}

static void words(void **state)
{
	(void)state;
	is_word("", true, "-");
	is_word("-", true, "\\x2d");
	is_word("--", true, "--");
	is_word("a b\tc", true, "a\\x20b\\x09c");
	is_word("\\x20", true, "\\x5cx20");
	is_word("\xc3\xa9", true, "\xc3\xa9");
	is_word("\xc3\xa9", false, "\\u{e9}");
	is_word("\xc2\xa0\xe3\x80\x80", true, "\\u{a0}\\u{3000}");
	is_word("\xff\xf0\x9f\x98", true, "\\xff\\xf0\\x9f\\x98");
	is_word("\xe2\x80\xae", true, "\\u{202e}");
}

static void many_threads(void **state)
{
	enum { MANY = 1000 };
	static char *word[MANY + 1][COLUMNS + 1];
	struct gn_model_thread *threads = calloc(MANY, sizeof(*threads));
	struct gn_top_batch_opts o = {0};
	struct top_sample s;
	char *text;

	(void)state;
	assert_non_null(threads);
	top_sample_make(&s);
	for (uint32_t i = 0; i < MANY; i++) {
		threads[i] = s.threads[i % TOP_THREADS];
		threads[i].tid = 1000000 + i;
	}
	s.m.threads = threads;
	s.m.nthreads = MANY;
	text = print(&s.p, &o);
	assert_int_equal(parse(text, word, MANY + 1), MANY + 1);
	for (size_t i = 2; i <= MANY; i++) {
		double above = strtod(word[i - 1][7], NULL);
		double here = strtod(word[i][7], NULL);

		assert_true(above >= here);
		if (above == here && !strcmp(word[i - 1][2], word[i][2]))
			assert_true(atoi(word[i - 1][1]) < atoi(word[i][1]));
	}
	free(text);
	free(threads);
}

static void write_fails(void **state)
{
	struct gn_top_batch_opts o = {0};
	struct top_sample s;
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(f);
	top_sample_make(&s);
	assert_int_equal(gn_top_batch(&s.p, &o, f), -ENOSPC);
	/* and it stays so */
	assert_true(gn_top_batch(&s.p, &o, f) < 0);
	fclose(f);
	f = fopen("/dev/full", "w");
	assert_non_null(f);
	setvbuf(f, NULL, _IONBF, 0);
	assert_int_equal(gn_top_batch(&s.p, &o, f), -ENOSPC);
	fclose(f);
}

static void locale_does_not_matter(void **state)
{
	struct gn_top_batch_opts o = {0};
	struct top_sample s;
	char *plain, *comma;

	(void)state;
	top_sample_make(&s);
	plain = print(&s.p, &o);
	if (!top_locale_comma(GN_BUILD_DIR "/tests/locale-batch")) {
		free(plain);
		skip();
	}
	comma = print(&s.p, &o);
	top_locale_plain();
	assert_string_equal(plain, comma);
	free(plain);
	free(comma);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),
		cmocka_unit_test(columns_keep_their_place),
		cmocka_unit_test(all_zero),
		cmocka_unit_test(sorted_by_each),
		cmocka_unit_test(order_by_values_only),
		cmocka_unit_test(no_such_column),
		cmocka_unit_test(words),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(write_fails),
		cmocka_unit_test(locale_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
