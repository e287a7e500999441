// SPDX-License-Identifier: BSD-2-Clause
/* gnomon top: the live view, as a screen or as rows for scripts. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/live.h"
#include "cmd/outfile.h"
#include "cmd/top_show.h"
#include "output/text.h"
#include "runtime/roles.h"
#include "top/screen.h"

/* Small, because it stays in memory. It need not hold a whole period, because
 * gnomon drains it every 5 ms. */
#define RING_SIZE (8u << 20)
/* A running runtime sends the names of all requested methods at once. */
#define RING_ATTACHED (32u << 20)
#define PERIOD_LEAST  10000000u	     /* 10 ms */
#define PERIOD_MOST   3600000000000u /* an hour */
#define PERIOD_NORMAL 1000000000u
#define NOT_GIVEN     (-1)

struct top_args {
	struct gn_capture_args
		a; /* must be first: option tables hold offsets */
	uint64_t period;
	uint64_t iterations;
	bool batch;
	int format; /* enum gn_top_format; NOT_GIVEN */
	const char *sort;
	const char *prom;
	bool no_functions;
	double budget;
};

static const char *format_choice(size_t i)
{
	static const char *const names[] = {"rows", "json"};

	return GN_CHOICE(names, i);
}

static const struct gn_option options[] = {
	GN_OPT_PIDS,
	GN_OPT_FUNCTION,
	{'d', "delay", GN_OPTION_DURATION, offsetof(struct top_args, period),
	 "TIME", "how long a period is (1s); 10ms to 1h", NULL},
	{'n', "iterations", GN_OPTION_COUNT,
	 offsetof(struct top_args, iterations), "N", "end after N periods",
	 NULL},
	{'b', "batch", GN_OPTION_FLAG, offsetof(struct top_args, batch), NULL,
	 "rows on stdout, for scripts; no screen", NULL},
	{0, "format", GN_OPTION_CHOICE, offsetof(struct top_args, format), NULL,
	 "batch: rows, or an object a line a period", format_choice},
	{0, "sort", GN_OPTION_TEXT, offsetof(struct top_args, sort), "COLUMN",
	 "batch: cpu (default), lock, calls, name, ...", NULL},
	{0, "limit", GN_OPTION_COUNT, offsetof(struct gn_args, limit), "N",
	 "batch: show N threads; 0 = all (default)", NULL},
	GN_OPT_OUTPUT("batch: into a new file"),
	{0, "prom", GN_OPTION_TEXT, offsetof(struct top_args, prom), "FILE",
	 "write a file for Prometheus each period", NULL},
	{0, "no-functions", GN_OPTION_FLAG,
	 offsetof(struct top_args, no_functions), NULL,
	 "threads and classes only, for production", NULL},
	{0, "budget", GN_OPTION_PERCENT, offsetof(struct top_args, budget),
	 "PCT", "mute hot tiny functions: slow down by < PCT %", NULL},
	GN_OPT_CLASSIFY,
	GN_OPT_LEAVE_AS(""),
	GN_OPT_INLINE("ends; inlined calls"),
	GN_OPT_HOOKS,
	GN_OPT_ON_FULL,
	GN_OPT_NO_FOLLOW,
	GN_OPT_USER,
	GN_OPT_OS,
	GN_OPT_RING_AS(""),
	GN_OPT_ALLOW_LOSS_AS("ring (8M; -p -f: 32M); loss is not status 3"),
	GN_OPT_VERBOSE("say more"),
};

static const struct gn_verb_usage usage = {
	.name = "top",
	.synopsis = "[options] -p PID | -- COMMAND [ARGUMENT...]",
	.summary = "Watch where threads spend their time; ? shows the keys.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_COMMAND,
	.examples = "  sudo gnomon top -- dotnet app.dll\n"
		    "  sudo gnomon top -p 1234 -b -n 10 --format json\n",
};

static bool refuse(int *status, const char *text)
{
	gn_error("%s", text);
	*status = GN_EXIT_USAGE;
	return false;
}

static bool sort_known(const char *sort)
{
	size_t i = 0;

	while (gn_top_batch_column(i) && strcmp(gn_top_batch_column(i), sort))
		i++;
	return gn_top_batch_column(i);
}

static void say_columns(const char *sort)
{
	char all[512] = "";
	size_t n = 0;

	for (size_t i = 0; gn_top_batch_column(i); i++)
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s",
				      i ? ", " : "", gn_top_batch_column(i));
	gn_error("--sort cannot be '%s'; give one of %s", sort, all);
}

/* Whether the user wants rows. */
static bool is_batch(const struct top_args *t)
{
	return t->batch || t->format != NOT_GIVEN || t->a.args.output;
}

static bool args_fit(struct top_args *t, int *status)
{
	const char *why;
	bool rows = is_batch(t) || gn_screen_check(&why);

	if (t->period < PERIOD_LEAST || t->period > PERIOD_MOST)
		return refuse(status,
			      "a period is 10ms to 1h; give another -d");
	if (t->no_functions && (t->a.args.functions.n || t->budget > 0))
		return refuse(status, "--no-functions cannot be combined with "
				      "-f or --budget; leave one out");
	if (t->a.hooks == GN_HOOKS_FAST)
		return refuse(
			status,
			"with --hooks fast, the records of a period would come "
			"after its end; leave --hooks fast out");
	if (t->sort && !rows)
		return refuse(status, "--sort is for batch mode; give -b, or "
				      "press s on the screen");
	if (t->sort && !sort_known(t->sort)) {
		say_columns(t->sort);
		*status = GN_EXIT_USAGE;
		return false;
	}
	if (!gn_capture_target(&t->a, status))
		return false;
	*status = GN_EXIT_USAGE;
	return !gn_outputs_collide(t->a.args.output, t->prom) &&
	       !gn_capture_overwrites(&t->a.args, t->prom);
}

/* What is traced: "PID 1234,1235", or the words of the command. The caller
 * frees it. */
static char *title_of(const struct gn_args *a)
{
	struct gn_text_stream text;
	FILE *f = gn_text_stream_open(&text);

	if (!f)
		return NULL;
	for (size_t i = 0; i < a->pids.n; i++)
		fprintf(f, "%s%d", i ? "," : "PID ", (int)a->pids.pid[i]);
	for (int i = 0; i < a->ncommand; i++)
		fprintf(f, "%s%s", i ? " " : "", a->command[i]);
	return gn_text_stream_close(&text);
}

static int trace(struct top_args *t, struct gn_live_opts *o,
		 struct gn_top_show *show, int argc, char **argv)
{
	struct gn_live_run *live = gn_live_new(o, gn_top_show_live(show));
	struct gn_capture_use use;
	struct gn_capture c;
	bool closed;
	int status;

	if (!live) {
		gn_error("no memory; free some");
		return GN_EXIT_FAILED;
	}
	use = gn_live_use(live);
	t->a.command_out = gn_top_show_command_out(show);
	status = gn_capture_run(&c, &t->a, argc, argv, &use);
	if (!status && gn_top_show_failed(show))
		status = GN_EXIT_FAILED;
	closed = gn_top_show_close(show);
	gn_signals_screen_closed(&c.signals);
	/* after Ctrl-C most commands just end */
	if (closed && !status && gn_session_child(c.session) &&
	    !c.signals.first)
		gn_capture_tell_waiting();
	gn_capture_wait(&c);
	gn_top_show_output(show);
	if (!status)
		status = gn_live_status(live, t->a.args.allow_loss,
					gn_session_loss_advice(c.session));
	status = gn_capture_status(&c, status);
	gn_capture_end(&c);
	gn_live_free(live);
	return status;
}

static int top(struct top_args *t, int argc, char **argv)
{
	struct gn_args *a = &t->a.args;
	char *title = title_of(a);
	struct gn_live_opts o = {
		.period = t->period,
		.iterations = t->iterations,
		.title = title,
		/* in a running process, only functions that -f names */
		.functions = !t->no_functions && (a->functions.n || !a->pids.n),
		.budget = t->budget,
		.pipeline = {.classify = (enum gn_classify)a->classify,
			     .roles = gn_runtime_roles,
			     .live = true},
	};
	struct gn_top_show_opts so = {
		.batch = is_batch(t),
		.format = t->format == NOT_GIVEN
				  ? GN_TOP_ROWS
				  : (enum gn_top_format)t->format,
		.sort = t->sort,
		.limit = a->limit == GN_LIMIT_DEFAULT ? 0 : a->limit,
		.output = a->output,
		.prom = t->prom,
		.command = a->command != NULL,
		.user = &t->a.user,
		.period = t->period,
		.classify = o.pipeline.classify,
	};
	struct gn_top_show *show = NULL;
	int status;

	if (!title) {
		gn_error("no memory; free some");
		return GN_EXIT_FAILED;
	}
	status = gn_top_show_new(&so, &show);
	if (!status)
		status = trace(t, &o, show, argc, argv);
	gn_top_show_free(show);
	free(title);
	return status;
}

int gn_cmd_top(int argc, char **argv)
{
	struct top_args t = {.period = PERIOD_NORMAL, .format = NOT_GIVEN};
	/* excludes also the functions of runtimes */
	static const char *const none = "!*";
	int status;

	gn_args_init(&t.a.args);
	if (!gn_cmd_parse(&usage, argc, argv, &t.a.args, &status) ||
	    !args_fit(&t, &status))
		goto out;
	t.a.can_mute = t.budget > 0;
	t.a.live = true;
	t.a.ring_default = t.a.args.pids.n && t.a.args.functions.n
				   ? RING_ATTACHED
				   : RING_SIZE;
	if (t.no_functions && !t.a.os)
		t.a.os = "none"; /* timing page faults would slow down every
				    process */
	if (t.no_functions) {
		t.a.args.functions.item = malloc(sizeof(none));
		if (!t.a.args.functions.item) {
			gn_error("no memory; free some");
			status = GN_EXIT_FAILED;
			goto out;
		}
		t.a.args.functions.item[0] = none;
		t.a.args.functions.n = 1;
	}
	status = top(&t, argc, argv);
out:
	gn_args_clear(&t.a.args);
	return status;
}
