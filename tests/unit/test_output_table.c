/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables against golden text, and what only a terminal gets. */
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

static void golden(const char *name, struct sample *s, struct gn_output_opts o)
{
	char *text = sample_print("table", &s->m, &o);

	sample_golden(name, text);
	free(text);
}

static void every_by(void **state)
{
	static const char *const names[] = {
		[GN_BY_FUNCTION] = "function.txt",
		[GN_BY_MODULE] = "module.txt",
		[GN_BY_THREAD] = "thread.txt",
		[GN_BY_PROCESS] = "process.txt",
		[GN_BY_TREE] = "tree.txt",
		[GN_BY_CALLERS] = "callers.txt",
	};
	struct sample s;

	(void)state;
	sample_make(&s);
	for (int by = 0; by < GN_BY_COUNT; by++)
		golden(names[by], &s,
		       (struct gn_output_opts){.by = (enum gn_by)by,
					       .utf8 = true});
}

static void losses_are_shown(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_lose(&s);
	golden("lost.txt", &s, (struct gn_output_opts){.utf8 = true});
	golden("lost-bare.txt", &s,
	       (struct gn_output_opts){.utf8 = true, .bare = true});
	golden("lost-thread.txt", &s,
	       (struct gn_output_opts){.by = GN_BY_THREAD, .utf8 = true});
	/* a loss that no thread's sequence shows */
	s.m.counters[GN_COUNTER_NO_STORAGE] = 1;
	s.m.truncated = true;
	s.m.checks.account_error_ns = 17;
	golden("broken.txt", &s, (struct gn_output_opts){.utf8 = true});
}

static void verbose_and_limit(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	golden("verbose.txt", &s,
	       (struct gn_output_opts){
		       .verbose = true, .ns = true, .utf8 = true});
	golden("limit.txt", &s,
	       (struct gn_output_opts){.sort = "ae", .limit = 2, .utf8 = true});
	golden("tree-min.txt", &s,
	       (struct gn_output_opts){
		       .by = GN_BY_TREE, .min_pct = 1, .utf8 = true});
	s.m.classify = GN_CLASSIFY_INTERVAL;
	golden("interval.txt", &s, (struct gn_output_opts){.limit = 1});
}

static void without_functions(void **state)
{
	struct sample s;

	(void)state;
	sample_make(&s);
	sample_bare(&s);
	golden("no-functions.txt", &s, (struct gn_output_opts){.utf8 = true});
	s.info[4] = (struct gn_model_info){"hint",
					   "add functions with -f 'parse_*'"};
	golden("no-functions-hint.txt", &s,
	       (struct gn_output_opts){.utf8 = true});
}

static void empty_model(void **state)
{
	struct gn_model m = {0};

	(void)state;
	for (int by = 0; by < GN_BY_COUNT; by++) {
		struct gn_output_opts o = {.by = (enum gn_by)by};

		free(sample_print("table", &m, &o));
		free(sample_print("csv", &m, &o));
		free(sample_print("json", &m, &o));
	}
}

/* The longest line, in cells, of those that are no header. */
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
		/* nothing is shortened that has room */
		if (natural <= (size_t)width)
			assert_non_null(strstr(text, s.functions[0].name));
		assert_non_null(strstr(text, "END"));
		free(text);
	}
	o.width = 100;
	golden("narrow-100.txt", &s, o);
	o.width = 130;
	golden("narrow-130.txt", &s, o);
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

/* No byte that a terminal obeys, whatever the format. */
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
	s.functions[2].module = HOSTILE;
	s.modules[0].name = HOSTILE;
	s.processes[0].name = HOSTILE;
	s.nodes[1].name = HOSTILE;
	for (size_t i = 0; i < 3; i++) {
		for (int by = 0; by < GN_BY_COUNT; by++) {
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

static void bad_sort(void **state)
{
	static const char *const formats[] = {"table", "csv", "json"};
	struct gn_output_opts o = {.sort = "nonsense"};
	struct sample s;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < 3; i++) {
		for (int by = 0; by < GN_BY_COUNT; by++) {
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
		cmocka_unit_test(every_by),
		cmocka_unit_test(losses_are_shown),
		cmocka_unit_test(verbose_and_limit),
		cmocka_unit_test(without_functions),
		cmocka_unit_test(empty_model),
		cmocka_unit_test(terminals_shorten),
		cmocka_unit_test(colour_only_when_asked),
		cmocka_unit_test(nothing_hostile),
		cmocka_unit_test(full_device),
		cmocka_unit_test(bad_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
