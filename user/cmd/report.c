/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon report: runs the records of a trace file through the pipeline into an
 * output. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/outfile.h"
#include "cmd/timeline.h"
#include "output/sheet.h"

struct report_args {
	struct gn_args args; /* must be first: option tables hold offsets */
	bool schema;
};

static const struct gn_option options[] = {
	GN_OPT_INPUT,
	GN_OPT_OUTPUT("write the report there, not to stdout"),
	GN_OPT_BY,
	GN_OPTS_REPORT,
	GN_OPT_LABEL,
	{0, "schema", GN_OPTION_FLAG, offsetof(struct report_args, schema),
	 NULL, "print the JSON Schema of all JSON, no report", NULL},
	GN_OPT_ALLOW_LOSS,
	GN_OPT_QUIET("no header above a table"),
	GN_OPT_VERBOSE("more columns, exact nanoseconds, whole paths"),
};

static const struct gn_verb_usage usage = {
	.name = "report",
	.synopsis = "[-i FILE] [options]",
	.summary = "Print what a trace file holds: calls, Elapsed and "
		   "Application Time, Inclusive\nand Exclusive, of each "
		   "function, module, thread or process; or its waits.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_NONE,
	.examples = "  gnomon report --sort ae --limit 20\n"
		    "  gnomon report -i app.trace --by tree --min-pct 1\n"
		    "  gnomon report --format json -o app.json\n",
};

/* Writes the report to the file or stdout. GN_EXIT_OK or GN_EXIT_FAILED. */
static int print(const struct gn_model *m, const struct gn_args *args)
{
	struct gn_textfile out;
	int status = gn_textfile_begin(&out, args->output);

	return status ? status : gn_report_write(m, args, &out);
}

static int show(const struct gn_args *args, struct gn_model **model)
{
	int status = gn_load(args->input, args, model);

	return status ? status : print(*model, args);
}

/* Whether the output is empty because there are no samples. Only a table says
 * that itself. */
static bool says_nothing(const struct gn_args *args, const struct gn_model *m)
{
	return args->by == GN_BY_SAMPLES && !m->nsamples &&
	       !strcmp(gn_format_choice((size_t)args->format), "collapsed");
}

/* Tables without events hold sums from the recording: no event can be
 * chosen. */
static bool check_events(const struct gn_args *args)
{
	if (!args->events || gn_timeline_of(args) ||
	    gn_sheet_families((enum gn_by)args->by))
		return true;
	gn_error("--events chooses what a timeline or a table of events shows; "
		 "add --by events, or leave it out");
	return false;
}

static int report(struct gn_args *args)
{
	struct gn_model *model = NULL;
	int status;

	if (!gn_report_args(args, &status))
		return status;
	if (!check_events(args))
		return GN_EXIT_USAGE;
	if (!args->input)
		args->input = GN_DEFAULT_TRACE;
	if (gn_overwrites(args->output, args->input))
		return GN_EXIT_USAGE;
	status = gn_timeline_of(args) ? gn_load_drawn(args->input, args, &model)
				      : show(args, &model);
	if (!model)
		return status;
	if (says_nothing(args, model))
		gn_error("the trace has no samples; record it with --snapshot");
	gn_report_warn(model, args->allow_loss);
	if (!status)
		status = gn_report_status(model, args->allow_loss);
	gn_model_free(model);
	return status;
}

static int print_schema(const struct gn_args *args)
{
	if (args->output && strcmp(args->output, "-") != 0) {
		gn_error("--schema goes to stdout; leave -o out");
		return GN_EXIT_USAGE;
	}
	fputs(gn_json_schema, stdout);
	return gn_cmd_written();
}

int gn_cmd_report(int argc, char **argv)
{
	struct report_args a = {0};
	int status;

	gn_args_init(&a.args);
	if (gn_cmd_parse(&usage, argc, argv, &a.args, &status))
		status = a.schema ? print_schema(&a.args) : report(&a.args);
	gn_args_clear(&a.args);
	return status;
}
