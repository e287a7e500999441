/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a command line. Each line of an input is a word. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "fuzz.h"

#define WORDS_MAX 64

static const struct gn_option options[] = {
	GN_OPT_PIDS,	   GN_OPT_OUTPUT("where"),
	GN_OPT_INPUT,	   GN_OPT_DURATION,
	GN_OPT_QUIET("q"), GN_OPT_VERBOSE("v"),
	GN_OPT_FUNCTION,   GN_OPT_LEAVE,
	GN_OPT_NO_FOLLOW,  GN_OPT_CLASSIFY,
	GN_OPT_SORT,	   GN_OPT_BY,
	GN_OPT_EVENTS,	   GN_OPT_FORMAT,
	GN_OPT_LIMIT,	   GN_OPT_MIN_PCT,
	GN_OPT_NS,	   GN_OPT_RAW,
	GN_OPT_COLUMNS,	   GN_OPT_ALLOW_LOSS,
};

static const struct gn_verb_usage usages[] = {
	{"run", "[OPTION...] COMMAND", "runs", options,
	 sizeof(options) / sizeof(options[0]), GN_REST_COMMAND, NULL},
	{"report", "[OPTION...]", "reports", options,
	 sizeof(options) / sizeof(options[0]), GN_REST_NONE, NULL},
};

static void check_args(const struct gn_args *a, const struct gn_verb_usage *u,
		       char **argv, int argc)
{
	must(!a->ncommand || u->rest == GN_REST_COMMAND, "no command there");
	must(!a->command == !a->ncommand, "a command has words");
	must(!a->command || (a->command + a->ncommand == argv + argc &&
			     a->command[0][0]),
	     "a command is the rest of the words");
	must(a->min_pct >= 0 && a->min_pct <= 100, "percents are percents");
	must(!a->output || *a->output, "a text is not empty");
	must(!a->sort || *a->sort, "a text is not empty");
	must(gn_by_choice((size_t)a->by) && gn_format_choice((size_t)a->format),
	     "a choice is one of them");
	for (size_t i = 0; i < a->pids.n; i++) {
		must(a->pids.pid[i] > 0, "a process has a number");
		for (size_t k = 0; k < i; k++)
			must(a->pids.pid[i] != a->pids.pid[k],
			     "a process is named once");
	}
}

static void parse(const struct gn_verb_usage *u, int argc, char **argv)
{
	char err[256] = "", *order[WORDS_MAX + 2];
	struct gn_args args;
	int status;

	/* getopt may reorder the words */
	memcpy(order, argv, ((size_t)argc + 1) * sizeof(*order));
	gn_args_init(&args);
	status = gn_options_parse(u, argc, order, &args, err, sizeof(err));
	must(status == GN_PARSED_OK || status == GN_PARSED_HELP ||
		     status == -EINVAL,
	     "words are good, bad, or ask for help");
	must(!!*err == (status == -EINVAL), "what is bad is told");
	if (status == GN_PARSED_OK)
		check_args(&args, u, order, argc);
	gn_args_clear(&args);
}

/* A strict parser accepts only text that has exactly this value. */
static void read_value(const char *text)
{
	uint64_t n, ns, bytes;
	double pct;

	if (!gn_parse_u64(text, &n)) {
		must(strspn(text, "0123456789") == strlen(text),
		     "a number is digits");
		must(n == strtoull(text, NULL, 10), "a number is its digits");
		must(!gn_parse_size(text, &bytes) && bytes == n,
		     "a number is a size");
		must(n > UINT64_MAX / 1000000000 ||
			     (!gn_parse_duration(text, &ns) &&
			      ns == n * 1000000000),
		     "a number is seconds");
	}
	if (!gn_parse_percent(text, &pct))
		must(pct >= 0 && pct <= 100, "percents are percents");
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	char *argv[WORDS_MAX + 2];
	int argc = 0;

	argv[argc++] = strdup("verb");
	must(argv[0], "there is memory");
	while (in.left && argc <= WORDS_MAX) {
		argv[argc] = gn_fuzz_take_text(&in, '\n', NULL);
		read_value(argv[argc++]);
	}
	argv[argc] = NULL;
	for (size_t i = 0; i < 2; i++)
		parse(&usages[i], argc, argv);
	while (argc)
		free(argv[--argc]);
}
