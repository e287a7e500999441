/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon explain: what matters in a trace, in sentences. */
#include <signal.h>

#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/outfile.h"
#include "explain/explain.h"

enum form {
	FORM_TEXT = 0,
	FORM_JSON,
};

static const char *form_choice(size_t i)
{
	static const char *const texts[] = {
		[FORM_TEXT] = "text",
		[FORM_JSON] = "json",
	};

	return GN_CHOICE(texts, i);
}

static const struct gn_option options[] = {
	GN_OPT_INPUT,
	GN_OPT_OUTPUT("write there, not to stdout"),
	{0, "format", GN_OPTION_CHOICE, offsetof(struct gn_args, format), NULL,
	 "sentences, or one JSON object", form_choice},
	GN_OPT_ALLOW_LOSS,
	GN_OPT_VERBOSE("all findings, not the first five"),
};

static const struct gn_verb_usage usage = {
	.name = "explain",
	.synopsis = "[-i FILE] [options]",
	.summary = "Say where the time of a trace went and why: the findings "
		   "that\nmatter most, each with the command that shows more.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_NONE,
	.examples = "  gnomon explain -i app.trace\n"
		    "  gnomon explain -i app.trace --format json\n",
};

static int write_findings(const struct gn_model *m, const struct gn_args *args,
			  FILE *f)
{
	struct gn_findings findings;
	struct gn_explain_opts opts;
	int err;

	gn_report_explain_opts(&opts, args, f);
	err = gn_explain(m, args->verbose ? 0 : GN_FINDINGS_USUAL, &findings);
	if (!err && args->format == FORM_JSON)
		err = gn_findings_json(m, &findings, args->input, f);
	else if (!err)
		err = gn_findings_print(m, &findings, &opts, f);
	gn_findings_clear(&findings);
	return err;
}

static int print(const struct gn_model *m, const struct gn_args *args)
{
	struct gn_textfile out;
	int status = gn_textfile_begin(&out, args->output);

	if (status)
		return status;
	signal(SIGPIPE, SIG_IGN);
	return gn_textfile_end(&out, args->output,
			       write_findings(m, args, out.f));
}

int gn_cmd_explain(int argc, char **argv)
{
	struct gn_model *model = NULL;
	struct gn_args args;
	int status;

	gn_args_init(&args);
	if (!gn_cmd_parse(&usage, argc, argv, &args, &status))
		goto out;
	if (!args.input)
		args.input = GN_DEFAULT_TRACE;
	status = GN_EXIT_USAGE;
	if (gn_overwrites(args.output, args.input))
		goto out;
	status = gn_load(args.input, &args, &model);
	if (!model)
		goto out;
	if (!status)
		status = print(model, &args);
	gn_report_warn(model, args.allow_loss);
	if (!status)
		status = gn_report_status(model, args.allow_loss);
	gn_model_free(model);
out:
	gn_args_clear(&args);
	return status;
}
