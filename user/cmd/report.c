/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon report: a trace file's records through the pipeline into an output. */
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/timeline.h"

static const struct gn_option options[] = {
	GN_OPT_INPUT,
	GN_OPT_OUTPUT("write the report there, not to stdout"),
	GN_OPT_BY,
	GN_OPT_FORMAT,
	GN_OPT_COLUMNS,
	GN_OPT_SORT,
	GN_OPT_LIMIT,
	GN_OPT_MIN_PCT,
	GN_OPT_CLASSIFY,
	GN_OPT_OF,
	GN_OPT_NS,
	GN_OPT_RAW,
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

/* The report into the file or stdout. GN_EXIT_OK or GN_EXIT_FAILED. */
static int print(const struct gn_model *m, const struct gn_args *args)
{
	struct gn_textfile out;
	int status = gn_report_open(&out, args);

	return status ? status : gn_report_write(m, args, &out);
}

static int show(const struct gn_args *args, struct gn_model **model)
{
	int status = gn_load(args->input, args, NULL, model);

	return status ? status : print(*model, args);
}

/* A timeline is written while the trace is read. */
static int draw(const struct gn_args *args, struct gn_model **model)
{
	struct gn_timeline_file t;
	int status, closed;

	status = gn_timeline_open(&t, args);
	if (status)
		return status;
	status = gn_load(args->input, args, &t, model);
	closed = gn_timeline_close(&t, *model);
	return status ? status : closed;
}

int gn_cmd_report(int argc, char **argv)
{
	struct gn_model *model = NULL;
	struct gn_args args;
	int status;

	gn_args_init(&args);
	if (!gn_cmd_parse(&usage, argc, argv, &args, &status) ||
	    !gn_report_args(&args, &status))
		goto out;
	if (!args.input)
		args.input = GN_DEFAULT_TRACE;
	status = gn_timeline_of(&args) ? draw(&args, &model)
				       : show(&args, &model);
	if (!model)
		goto out;
	gn_report_warn(model, args.allow_loss);
	if (!status)
		status = gn_report_status(model, args.allow_loss);
	gn_model_free(model);
out:
	gn_args_clear(&args);
	return status;
}
