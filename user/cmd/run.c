/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon run: a capture whose records go straight into the pipeline. */
#include <errno.h>
#include <string.h>

#include "cmd/capture.h"
#include "cmd/timeline.h"

static const struct gn_option options[] = {
	GN_OPTS_VALUES_PIDS,
	GN_OPT_FUNCTION,
	GN_OPT_OUTPUT("write the report there, not to stdout"),
	GN_OPT_DURATION,
	GN_OPT_BY,
	GN_OPTS_REPORT,
	GN_OPTS_CAPTURE,
	GN_OPT_RING_AS(""),
	GN_OPT_ALLOW_LOSS_AS("ring buffer (64M); loss is not status 3"),
	GN_OPT_QUIET(""),
	GN_OPT_VERBOSE("say nothing but errors; say more"),
};

static const struct gn_verb_usage usage = {
	.name = "run",
	.synopsis = "[options] -- COMMAND [ARGUMENT...]",
	.summary = "Trace a command (or processes, -p) and print the report "
		   "when it has ended.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_COMMAND,
	.examples = "  sudo gnomon run -- dotnet app.dll\n"
		    "  sudo gnomon run -f 'parse_*' --by tree -- ./app FILE\n",
};

static int feed(void *ctx, const struct gn_rec *rec, size_t size)
{
	return gn_pipeline_feed(ctx, rec, size);
}

static int feed_calls(void *ctx, const struct gn_rec_func *recs, size_t n,
		      size_t *taken)
{
	int err = gn_pipeline_feed_calls(ctx, recs, n);

	*taken = err ? 0 : n;
	return err;
}

/* Where the report or the timeline goes. */
struct output {
	struct gn_textfile report;
	struct gn_timeline_file timeline;
	bool draws;
};

static int open_output(struct output *o, const struct gn_args *args)
{
	o->draws = gn_timeline_of(args);
	return o->draws ? gn_timeline_open(&o->timeline, args)
			: gn_report_open(&o->report, args);
}

static void drop_output(struct output *o)
{
	if (o->draws)
		gn_timeline_close(&o->timeline, NULL);
	else
		gn_textfile_abort(&o->report);
}

static bool has_place(const struct gn_args *args)
{
	const struct gn_timeline *timeline = gn_timeline_of(args);

	if (!timeline || (args->output && strcmp(args->output, "-") != 0))
		return true;
	gn_error("%s is written while the command runs; name a file with "
		 "-o FILE",
		 args->by == GN_BY_CALLS ? "--by calls" : timeline->name);
	return false;
}

static int run(const struct gn_capture_args *a, int argc, char **argv,
	       struct output *out)
{
	struct gn_capture_use use = {.sink = feed, .calls = feed_calls};
	struct gn_pipeline_opts popts;
	struct gn_pipeline *p;
	struct gn_model *m = NULL;
	struct gn_capture c;
	int status;

	gn_report_pipeline(&popts, &a->args);
	popts.observer = out->draws ? &out->timeline.observer : NULL;
	p = gn_pipeline_new(&popts);
	if (!p) {
		gn_error("no memory; free some");
		drop_output(out);
		return GN_EXIT_FAILED;
	}
	use.ctx = p;
	status = gn_capture_run(&c, a, argc, argv, &use);
	/* the command is not killed, also if gnomon failed */
	gn_capture_wait(&c);
	if (status) {
		drop_output(out);
		goto out;
	}
	if (gn_pipeline_finish(p, &m)) {
		gn_error("no memory for the report; record into a file");
		drop_output(out);
		status = GN_EXIT_FAILED;
		goto out;
	}
	status = out->draws ? gn_timeline_close(&out->timeline, m)
			    : gn_report_deliver(m, &a->args, &out->report);
	gn_report_warn(m, a->args.allow_loss);
	if (!status)
		status = gn_report_status(m, a->args.allow_loss);
	gn_model_free(m);
out:
	status = gn_capture_status(&c, status);
	gn_capture_end(&c);
	gn_pipeline_free(p);
	return status;
}

int gn_cmd_run(int argc, char **argv)
{
	struct gn_capture_args a = {0};
	struct output out;
	int status;

	gn_args_init(&a.args);
	if (!gn_cmd_parse(&usage, argc, argv, &a.args, &status) ||
	    !gn_report_args(&a.args, &status) ||
	    !gn_capture_target(&a, &status))
		goto out;
	if (!has_place(&a.args)) {
		status = GN_EXIT_USAGE;
		goto out;
	}
	/* before anything runs, report a file that cannot be written */
	status = open_output(&out, &a.args);
	if (status)
		goto out;
	status = run(&a, argc, argv, &out);
out:
	gn_capture_args_clear(&a);
	return status;
}
