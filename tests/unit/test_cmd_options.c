/* SPDX-License-Identifier: BSD-2-Clause */
/* The option parser: valid words, invalid words, the help. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cmd/cmd.h"
#include "cmd/options.h"

struct test_args {
	struct gn_args common;
	uint64_t buffer;
};

static const struct gn_option options[] = {
	GN_OPT_PIDS,
	GN_OPT_OUTPUT("the file"),
	GN_OPT_INPUT,
	GN_OPT_DURATION,
	GN_OPT_QUIET("say less"),
	GN_OPT_VERBOSE("say more"),
	GN_OPT_FUNCTION,
	GN_OPT_LEAVE,
	GN_OPT_NO_FOLLOW,
	GN_OPT_CLASSIFY,
	GN_OPT_SORT,
	GN_OPT_BY,
	GN_OPT_EVENTS,
	GN_OPT_FORMAT,
	GN_OPT_LIMIT,
	GN_OPT_MIN_PCT,
	GN_OPT_NS,
	GN_OPT_ALLOW_LOSS,
	{0, "buffer", GN_OPTION_SIZE, offsetof(struct test_args, buffer),
	 "SIZE", "of its own", NULL},
};

static const struct gn_verb_usage verb = {
	.name = "verb",
	.synopsis = "[options] -- CMD",
	.summary = "A verb of the tests.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_COMMAND,
};

#define MAX_WORDS 40

/* Parses words that end with NULL, after the verb's name. */
static int parse(struct test_args *args, char *err, const char *const *words)
{
	static char name[] = "verb";
	static char *argv[MAX_WORDS + 2]; /* the arguments point into it */
	int argc = 1;

	memset(argv, 0, sizeof(argv));
	argv[0] = name;
	memset(args, 0, sizeof(*args));
	gn_args_init(&args->common);
	while (words[argc - 1]) {
		assert_true(argc <= MAX_WORDS);
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	err[0] = '\0';
	return gn_options_parse(&verb, argc, argv, &args->common, err, 512);
}

#define PARSE(args, err, ...) \
	parse(args, err, (const char *const[]){__VA_ARGS__, NULL})

static void defaults(void **state)
{
	const char *const none[] = {NULL};
	struct test_args a;
	char err[512];

	(void)state;
	assert_int_equal(parse(&a, err, none), GN_PARSED_OK);
	assert_null(a.common.command);
	assert_null(a.common.input);
	assert_true(a.common.follow);
	assert_null(a.common.sort);
	assert_int_equal(a.common.by, GN_BY_FUNCTION);
	assert_int_equal(a.common.leave, GN_LEAVE_CHOICE_AUTO);
	assert_true(a.common.limit == GN_LIMIT_DEFAULT);
	gn_args_clear(&a.common);
}

static void everything(void **state)
{
	struct test_args a;
	char err[512];

	(void)state;
	assert_int_equal(PARSE(&a, err, "-p", "12,34", "-p34", "-o", "out",
			       "--input=in", "-d", "500ms", "-qv", "-f", "a*",
			       "-f", "!b", "--leave", "ret", "--no-follow",
			       "--sort=lock", "--by", "tree", "--format=json",
			       "--buffer", "4M", "--", "cmd", "-q"),
			 GN_PARSED_OK);
	assert_int_equal(a.common.pids.n, 2);
	assert_int_equal(a.common.pids.pid[0], 12);
	assert_int_equal(a.common.pids.pid[1], 34);
	assert_string_equal(a.common.output, "out");
	assert_string_equal(a.common.input, "in");
	assert_int_equal(a.common.duration, 500000000);
	assert_true(a.common.quiet && a.common.verbose);
	assert_int_equal(a.common.functions.n, 2);
	assert_string_equal(a.common.functions.item[1], "!b");
	assert_int_equal(a.common.leave, GN_LEAVE_CHOICE_RET);
	assert_false(a.common.follow);
	assert_string_equal(a.common.sort, "lock");
	assert_int_equal(a.common.by, GN_BY_TREE);
	assert_string_equal(gn_output_at((size_t)a.common.format)->name,
			    "json");
	assert_int_equal(a.buffer, 4 << 20);
	assert_int_equal(a.common.ncommand, 2);
	assert_string_equal(a.common.command[0], "cmd");
	assert_string_equal(a.common.command[1], "-q");
	assert_null(a.common.command[2]);
	gn_args_clear(&a.common);
}

static void command_without_dashes(void **state)
{
	struct test_args a;
	char err[512];

	(void)state;
	assert_int_equal(PARSE(&a, err, "-q", "ls", "-l", "--by", "x"),
			 GN_PARSED_OK);
	assert_int_equal(a.common.ncommand, 4);
	assert_string_equal(a.common.command[1], "-l");
	gn_args_clear(&a.common);
}

static void asks_for_help(void **state)
{
	struct test_args a;
	char err[512];

	(void)state;
	assert_int_equal(PARSE(&a, err, "-q", "--help", "--nonsense"),
			 GN_PARSED_HELP);
	gn_args_clear(&a.common);
	assert_int_equal(PARSE(&a, err, "-h"), GN_PARSED_HELP);
	gn_args_clear(&a.common);
	/* the command's option, not ours */
	assert_int_equal(PARSE(&a, err, "cmd", "--help"), GN_PARSED_OK);
	gn_args_clear(&a.common);
}

static void refuses(const char *said, const char *const *words)
{
	struct test_args a;
	char err[512];

	assert_int_equal(parse(&a, err, words), -EINVAL);
	if (!strstr(err, said))
		fail_msg("'%s' is not in: %s", said, err);
	/* one line with a remedy */
	assert_null(strchr(err, '\n'));
	assert_non_null(strchr(err, ';'));
	gn_args_clear(&a.common);
}

#define REFUSES(said, ...) \
	refuses(said, (const char *const[]){__VA_ARGS__, NULL})

static void bad_words(void **state)
{
	(void)state;
	REFUSES("'--nonsense'", "--nonsense");
	REFUSES("--quiet takes no argument", "--quiet=1");
	REFUSES("--help takes no argument", "--help=me");
	/* both --leave and --limit begin so */
	REFUSES("'--l=3'", "--l=3");
	REFUSES("'-x'", "-x");
	REFUSES("'-x'", "-qx");
	REFUSES("--output needs", "-o");
	REFUSES("--by needs", "--by");
	REFUSES("--by cannot be 'size'; give one of function, module, thread, "
		"process, tree, callers",
		"--by", "size");
	REFUSES("--sort cannot be ''", "--sort", "");
	REFUSES("--leave cannot be 'AUTO'", "--leave=AUTO");
	REFUSES("--output cannot be ''", "-o", "");
	REFUSES("--function cannot be ''", "-f", "");
	REFUSES("--pid cannot be '0' (out of range)", "-p", "0");
	REFUSES("--pid cannot be '1,'", "-p", "1,");
	REFUSES("--duration cannot be '0s'", "-d", "0s");
	REFUSES("--duration cannot be '-1'", "-d", "-1");
	REFUSES("--limit cannot be '1e3'", "--limit", "1e3");
	REFUSES("--min-pct cannot be '101'", "--min-pct", "101");
	REFUSES("--buffer cannot be '99999999999G' (out of range)", "--buffer",
		"99999999999G");
	REFUSES("no command follows", "-q", "--");
	REFUSES("the command is empty", "");
}

static void nothing_may_follow(void **state)
{
	struct gn_verb_usage none = verb;
	char name[] = "verb", word[] = "file";
	char *argv[] = {name, word, NULL};
	struct gn_args args;
	char err[512];

	(void)state;
	none.rest = GN_REST_NONE;
	gn_args_init(&args);
	assert_int_equal(
		gn_options_parse(&none, 2, argv, &args, err, sizeof(err)),
		-EINVAL);
	assert_non_null(strstr(err, "'file' is not expected"));
	gn_args_clear(&args);
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t ns;
	} cases[] = {
		{"10s", 0, 10000000000},
		{"500ms", 0, 500000000},
		{"2m", 0, 120000000000},
		{"1h", 0, 3600000000000},
		{"3", 0, 3000000000},
		{"1.5s", 0, 1500000000},
		{"0.25ms", 0, 250000},
		{"0.5h", 0, 1800000000000},
		{"7us", 0, 7000},
		{"9ns", 0, 9},
		{"0.000000001s", 0, 1},
		{"18446744073s", 0, 18446744073000000000ULL},
		{"18446744074s", -ERANGE, 0},
		{"99999999999999999999s", -ERANGE, 0},
		{"18446744073709551615ns", 0, UINT64_MAX},
		{"18446744073.999999999s", -ERANGE, 0},
		{"0.0000000001s", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"1.", -EINVAL, 0},
		{".5s", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{" 1s", -EINVAL, 0},
		{"+1s", -EINVAL, 0},
		{"1S", -EINVAL, 0},
		{"1min", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns = 0;
		int err = gn_parse_duration(cases[i].text, &ns);

		if (err != cases[i].err || ns != cases[i].ns)
			fail_msg("'%s': %d, %llu", cases[i].text, err,
				 (unsigned long long)ns);
	}
}

static void sizes(void **state)
{
	uint64_t bytes;

	(void)state;
	assert_int_equal(gn_parse_size("65536", &bytes), 0);
	assert_int_equal(bytes, 65536);
	assert_int_equal(gn_parse_size("3k", &bytes), 0);
	assert_int_equal(bytes, 3072);
	assert_int_equal(gn_parse_size("17179869183G", &bytes), 0);
	assert_int_equal(bytes, 17179869183ULL << 30);
	assert_int_equal(gn_parse_size("17179869184G", &bytes), -ERANGE);
	assert_int_equal(gn_parse_size("4MB", &bytes), -EINVAL);
	assert_int_equal(gn_parse_size("", &bytes), -EINVAL);
	assert_int_equal(gn_parse_size("M", &bytes), -EINVAL);
}

static void percents(void **state)
{
	double pct;

	(void)state;
	assert_int_equal(gn_parse_percent("0.5", &pct), 0);
	assert_true(pct == 0.5);
	assert_int_equal(gn_parse_percent("100%", &pct), 0);
	assert_true(pct == 100);
	assert_int_equal(gn_parse_percent("100.1", &pct), -ERANGE);
	assert_int_equal(gn_parse_percent("nan", &pct), -EINVAL);
}

static void pids(void **state)
{
	static const char *const bad[] = {"",	",",	"1,,2", "1,2,", "-1",
					  "1 ", "0x10", "1;2",	"self"};
	static const char *const large[] = {"0", "4194305", "4294967297",
					    "1,99999999999999999999"};
	struct gn_pids p = {0};

	(void)state;
	assert_int_equal(gn_parse_pids("1,4194304,1", &p), 0);
	assert_int_equal(p.n, 2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(gn_parse_pids(bad[i], &p), -EINVAL);
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		assert_int_equal(gn_parse_pids(large[i], &p), -ERANGE);
	assert_int_equal(p.n, 2);
	free(p.pid);
}

static void help_lists_each_option(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_non_null(f);
	gn_options_help(&verb, f);
	fclose(f);
	for (size_t i = 0; i < verb.noptions; i++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", options[i].name);
		assert_non_null(strstr(text, name));
		assert_non_null(strstr(text, options[i].help));
	}
	assert_non_null(strstr(text, "--leave auto|return|ret"));
	for (char *line = text; *line; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= 80);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(everything),
		cmocka_unit_test(command_without_dashes),
		cmocka_unit_test(asks_for_help),
		cmocka_unit_test(bad_words),
		cmocka_unit_test(nothing_may_follow),
		cmocka_unit_test(durations),
		cmocka_unit_test(sizes),
		cmocka_unit_test(percents),
		cmocka_unit_test(pids),
		cmocka_unit_test(help_lists_each_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
