/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon run: a capture whose records go straight into the pipeline. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "capture/clock.h"
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

/* The destination of the records, and the report or the timeline made from
 * them. */
struct output {
	struct gn_textfile report;
	struct gn_timeline_file timeline;
	bool draws;
	struct gn_pipeline *pipeline;
	struct gn_capture *capture; /* while it handles signals */
};

/* A write that fails can belong to an earlier record: prefers its error. */
static int own_error(const struct output *o, int err)
{
	return err && o->draws && o->timeline.out.err ? o->timeline.out.err
						      : err;
}

static int feed(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct output *o = ctx;

	return own_error(o, gn_pipeline_feed(o->pipeline, rec, size));
}

static int feed_calls(void *ctx, const struct gn_rec_func *recs, size_t n,
		      size_t *taken)
{
	struct output *o = ctx;
	int err = gn_pipeline_feed_calls(o->pipeline, recs, n);

	*taken = err ? 0 : n;
	return own_error(o, err);
}

/* After a signal has ended the trace, a reader that reads nothing for so long
 * is considered gone. */
#define UNREAD_NS 2000000000u

/* A pager reads on only when its user does, so the trace waits for it. Signals
 * are blocked, so this loop handles them. */
static int await_reader(void *ctx, int fd)
{
	struct gn_capture *c = ((struct output *)ctx)->capture;
	uint64_t over = 0;

	while (c && c->session) {
		struct pollfd p[2] = {{.fd = fd, .events = POLLOUT},
				      {.fd = c->signals.fd, .events = POLLIN}};

		/* the write will report an error of `fd` */
		if (poll(p, 2, 100) < 0 && errno != EINTR)
			return -errno;
		if (p[0].revents)
			return 0;
		gn_capture_signal(c);
		if (!c->signals.end &&
		    (!c->signals.first || gn_session_lives(c->session)))
			continue;
		if (!over)
			over = gn_now_ns();
		if (gn_now_ns() - over > UNREAD_NS)
			return -ETIMEDOUT;
	}
	return 0;
}

static int open_output(struct output *o, const struct gn_args *args)
{
	*o = (struct output){.draws = gn_timeline_of(args)};
	return o->draws ? gn_timeline_open(&o->timeline, args, await_reader, o)
			: gn_textfile_begin(&o->report, args->output);
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

/* Whether a signal was meant for gnomon itself, not only for the trace. */
static bool is_sent_away(const struct gn_capture *c)
{
	int sig = c->signals.end ? c->signals.end : c->signals.first;

	return sig && sig != SIGINT;
}

static int run(const struct gn_capture_args *a, int argc, char **argv,
	       struct output *out)
{
	struct gn_capture_use use = {.sink = feed, .calls = feed_calls};
	struct gn_pipeline_opts popts;
	struct gn_pipeline *p;
	struct gn_model *m = NULL;
	struct gn_capture c = {0};
	int status;

	gn_report_pipeline(&popts, &a->args);
	popts.observer = out->draws ? &out->timeline.observer : NULL;
	p = gn_pipeline_new(&popts);
	if (!p) {
		gn_error("no memory; free some");
		drop_output(out);
		return GN_EXIT_FAILED;
	}
	use.ctx = out;
	out->pipeline = p;
	out->capture = &c;
	status = gn_capture_run(&c, a, argc, argv, &use);
	/* the command is not killed, even if gnomon failed */
	gn_capture_wait(&c);
	/* a signal ends gnomon from now on */
	out->capture = NULL;
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
			    : gn_report_deliver(m, &a->args, &out->report,
						is_sent_away(&c));
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
	/* an output that cannot be written is reported before the command
	 * starts */
	status = open_output(&out, &a.args);
	if (status)
		goto out;
	status = run(&a, argc, argv, &out);
out:
	gn_capture_args_clear(&a);
	return status;
}
