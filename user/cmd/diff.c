/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon diff: what changed from one set of captures to another. */
#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmd/sets.h"
#include "compare/diff.h"
#include "trace/trace.h"

/* The default of --limit: rows of each kind. */
#define USUAL_LIMIT 20

struct diff_args {
	struct gn_args args; /* must be first: option tables hold offsets */
	struct gn_list base;
	int metric, format;
};

static const struct format {
	const char *name;
	int (*write)(const struct gn_diff *d, FILE *f);
	bool whole; /* all rows by default */
	bool paths; /* it shows the call trees */
} formats[] = {
	{"table", gn_diff_table, false, false},
	{"json", gn_diff_json, true, false},
	{"markdown", gn_diff_markdown, false, false},
	{"html", gn_diff_html, true, true},
};

static const char *format_choice(size_t i)
{
	return i < sizeof(formats) / sizeof(formats[0]) ? formats[i].name
							: NULL;
}

/* The columns whose sum over functions is the total. */
static int metric_at(size_t i)
{
	static const int metrics[] = {GN_METRIC_app_excl,
				      GN_METRIC_elapsed_excl, GN_METRIC_calls};
	size_t n = sizeof(metrics) / sizeof(metrics[0]);

	if (i < n)
		return metrics[i];
	return i - n < GN_CLASS_COUNT ? GN_METRIC_CLASS + (int)(i - n) : -1;
}

static const char *metric_choice(size_t i)
{
	int metric = metric_at(i);

	return metric < 0 ? NULL : gn_metric_word(metric);
}

static const struct gn_option options[] = {
	{'b', "base", GN_OPTION_LIST, offsetof(struct diff_args, base), "FILE",
	 "one of the base; then all others are new", NULL},
	GN_OPT_OUTPUT("write it there, not to stdout"),
	{0, "format", GN_OPTION_CHOICE, offsetof(struct diff_args, format),
	 NULL, "how it is written", format_choice},
	{0, "sort", GN_OPTION_CHOICE, offsetof(struct diff_args, metric),
	 "VALUE", "application_exclusive, calls, lock, ...", metric_choice},
	{0, "limit", GN_OPTION_COUNT, offsetof(struct gn_args, limit), "N",
	 "rows of each kind (20), 0 = all", NULL},
	GN_OPT_CLASSIFY,
	GN_OPT_ALLOW_LOSS,
	GN_OPT_QUIET("no progress"),
};

static const struct gn_verb_usage usage = {
	.name = "diff",
	.synopsis = "[options] BASE NEW",
	.summary = "Say what changed from one capture to another, or from one "
		   "set (record -r)\nto another: in total, by class, thread, "
		   "module and function.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_FILES,
	.examples = "  sudo gnomon record -r 5 -o new -f 'parse_*' -- ./app\n"
		    "  gnomon diff base new\n"
		    "  gnomon diff --format markdown --sort lock old.trace "
		    "new.trace\n",
};

static int write_diff(const struct diff_args *a, const struct gn_diff *d)
{
	struct gn_textfile out;
	int status = gn_textfile_begin(&out, a->args.output);

	if (status)
		return status;
	signal(SIGPIPE, SIG_IGN);
	errno = 0;
	return gn_textfile_end(&out, a->args.output,
			       formats[a->format].write(d, out.f));
}

static int show(const struct diff_args *a, const struct gn_sets *s)
{
	bool terminal = !a->args.output && isatty(STDOUT_FILENO);
	struct gn_diff_opts o = {
		.metric = metric_at((size_t)a->metric),
		.limit = a->args.limit,
		.utf8 = !terminal || !strcmp(nl_langinfo(CODESET), "UTF-8"),
	};
	struct gn_diff d;
	int status;

	if (o.limit == GN_LIMIT_DEFAULT)
		o.limit = formats[a->format].whole ? 0 : USUAL_LIMIT;
	if (gn_diff_make(&s->comparison, &o, &d)) {
		gn_error("no memory to compare; free some");
		status = GN_EXIT_FAILED;
	} else {
		status = write_diff(a, &d);
	}
	gn_diff_clear(&d);
	if (!status && s->unsound)
		status = s->broken ? GN_EXIT_BROKEN : GN_EXIT_LOST;
	return status;
}

static int diff(const struct diff_args *a)
{
	const char *const *files = (const char *const *)a->args.command;
	size_t n = (size_t)a->args.ncommand;
	bool paths = formats[a->format].paths;
	struct gn_sets s;
	int status;

	if (a->base.n && n)
		status = gn_sets_read(&s, &a->args, a->base.item, a->base.n,
				      files, n, NULL, paths);
	else if (!a->base.n && n == 2)
		status = gn_sets_read(&s, &a->args, files, 1, files + 1, 1,
				      NULL, paths);
	else {
		gn_error("%zu file%s given; give BASE and NEW, or several of "
			 "the base by -b",
			 n + a->base.n, n + a->base.n == 1 ? " is" : "s are");
		return GN_EXIT_USAGE;
	}
	if (!status)
		status = show(a, &s);
	gn_sets_clear(&s);
	return status;
}

int gn_cmd_diff(int argc, char **argv)
{
	struct diff_args a = {0};
	int status;

	gn_args_init(&a.args);
	if (gn_cmd_parse(&usage, argc, argv, &a.args, &status))
		status = diff(&a);
	free(a.base.item);
	gn_args_clear(&a.args);
	return status;
}
