/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows a model, for all verbs that end in a report. */
#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/deliver.h"
#include "cmd/timeline.h"
#include "output/caveats.h"
#include "output/sheet.h"
#include "runtime/roles.h"
#include "trace/trace.h"

/* The width of tables in a file, in cells. */
#define FILE_WIDTH 100
/* The default of --limit for a terminal and for Markdown. */
#define TERMINAL_LIMIT 50
#define MARKDOWN_LIMIT 30

static bool wants_color(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no_color && *no_color) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

static int terminal_width(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) || size.ws_col < 1)
		return 80;
	return size.ws_col;
}

/* The locale gives the encoding of a terminal. A file always gets UTF-8. */
static bool has_utf8(bool terminal)
{
	return !terminal || !strcmp(nl_langinfo(CODESET), "UTF-8");
}

void gn_report_pipeline(struct gn_pipeline_opts *o, const struct gn_args *args)
{
	uint32_t families;

	/* it was checked before */
	gn_events_parse(args->events, GN_FAMILIES_ALL, &families);
	*o = (struct gn_pipeline_opts){
		.classify = (enum gn_classify)args->classify,
		.raw = args->raw,
		.roles = gn_runtime_roles,
		.families = families & gn_sheet_families((enum gn_by)args->by),
		.observed = families,
	};
}

void gn_report_explain_opts(struct gn_explain_opts *o,
			    const struct gn_args *args, FILE *f)
{
	bool terminal = isatty(fileno(f));

	*o = (struct gn_explain_opts){
		.input = args->input,
		.width = terminal ? terminal_width(fileno(f)) : 0,
		.color = terminal && wants_color(),
		.utf8 = has_utf8(terminal),
	};
}

static size_t usual_limit(const char *format, bool terminal)
{
	if (!strcmp(format, "markdown"))
		return MARKDOWN_LIMIT;
	return terminal && !strcmp(format, "table") ? TERMINAL_LIMIT : 0;
}

void gn_report_opts_init(struct gn_report_opts *o, const struct gn_args *args,
			 FILE *f)
{
	bool terminal = isatty(fileno(f)), table;

	o->format = gn_output_at((size_t)args->format);
	table = !strcmp(o->format->name, "table");
	o->out = (struct gn_output_opts){
		.by = (enum gn_by)args->by,
		.columns = args->columns,
		.sort = args->sort,
		.limit = args->limit,
		.min_pct = args->min_pct,
		.color = terminal && wants_color(),
		.utf8 = has_utf8(terminal),
		.width = terminal ? terminal_width(fileno(f)) : 0,
		.of = table ? (enum gn_of)args->of : GN_OF_THREADS,
		.ns = args->ns || args->verbose,
		.verbose = args->verbose,
		.bare = args->quiet,
		.tree = args->tree,
		.labels = args->labels.item,
		.nlabels = args->labels.n,
	};
	if (args->limit == GN_LIMIT_DEFAULT)
		o->out.limit = usual_limit(o->format->name, terminal);
	/* in a file, columns that the user named are never left out */
	if (!terminal && table && !args->columns && !args->verbose)
		o->out.width = FILE_WIDTH;
	o->explains = table && !args->quiet;
	gn_report_explain_opts(&o->explain, args, f);
	o->explain.prefix = "# ";
}

void gn_report_timeline_opts(struct gn_timeline_opts *o,
			     const struct gn_args *args, FILE *f)
{
	bool terminal = isatty(fileno(f));

	*o = (struct gn_timeline_opts){
		.only = args->only.item,
		.nonly = args->only.n,
		.threads = args->threads.item,
		.nthreads = args->threads.n,
		.depth = args->depth,
		.min_ns = args->min,
		.utf8 = has_utf8(terminal),
		.width = terminal ? terminal_width(fileno(f)) : 0,
		.ns = args->ns || args->verbose,
		.verbose = args->verbose,
		.bare = args->quiet,
		.labels = args->labels.item,
		.nlabels = args->labels.n,
	};
}

/* Prints the findings, and a line that separates them from the header. */
static int print_findings(const struct gn_model *m,
			  const struct gn_explain_opts *o, FILE *f)
{
	struct gn_findings findings;
	int err = gn_explain(m, GN_FINDINGS_USUAL, &findings);

	if (!err)
		err = gn_findings_print(m, &findings, o, f);
	gn_findings_clear(&findings);
	if (!err)
		fputs("#\n", f);
	return err;
}

/* Prints the model and flushes. 0 or -errno; -EPIPE if the reader of `f` is
 * gone (SIGPIPE does not end the process). */
static int print_model(const struct gn_model *m, const struct gn_report_opts *o,
		       FILE *f)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int err;

	sigemptyset(&ignore.sa_mask);
	sigaction(SIGPIPE, &ignore, &before);
	errno = 0;
	err = o->explains ? print_findings(m, &o->explain, f) : 0;
	if (!err)
		err = o->format->write(m, &o->out, f);
	fflush(f);
	if (!err)
		err = gn_stream_status(f);
	sigaction(SIGPIPE, &before, NULL);
	return err;
}

/* Call trees are shown by other programs, which do not show what their files
 * say of calls that may be inlined. */
static void tell_inlined(const struct gn_model *m, const struct gn_args *args)
{
	const struct gn_output *format = gn_output_at((size_t)args->format);
	char line[GN_CAVEAT];

	if (format->shape == GN_SHAPE_STACKS && args->by != GN_BY_SAMPLES &&
	    !args->quiet && gn_caveat_inlined(m, line))
		gn_error("%s", line);
}

int gn_report_write(const struct gn_model *m, const struct gn_args *args,
		    struct gn_textfile *out)
{
	struct gn_report_opts opts;
	struct gn_progress progress;
	struct gn_steps steps = {0};
	int err;

	tell_inlined(m, args);
	gn_report_opts_init(&opts, args, out->f);
	opts.out.steps = &steps;
	gn_progress_init(&progress, args->quiet);
	err = gn_textfile_watch(out, &progress, &steps);
	if (!err)
		err = print_model(m, &opts, out->f);
	gn_progress_end(&progress);
	return gn_textfile_end(out, args->output, err);
}

#define HURRY_MS 2000

/* Writes the report to a pipe. 0 or -errno; -ETIMEDOUT: it has reported that
 * nobody reads. */
static int deliver(const struct gn_model *m, const struct gn_report_opts *opts,
		   FILE *f, bool hurries)
{
	struct gn_text_stream stream;
	FILE *memory = gn_text_stream_open(&stream);
	int err = memory ? print_model(m, opts, memory) : -ENOMEM;
	char *text = memory ? gn_text_stream_close(&stream) : NULL;
	size_t done = 0;

	if (!text && !err)
		err = -ENOMEM;
	if (!err)
		err = gn_deliver(fileno(f), text, stream.size,
				 hurries ? HURRY_MS : -1, &done);
	free(text);
	if (err == -ETIMEDOUT)
		gn_error("nobody reads the rest of the report (%zu of %zu "
			 "bytes were read); write it into a file with -o",
			 done, stream.size);
	return err;
}

int gn_report_deliver(const struct gn_model *m, const struct gn_args *args,
		      struct gn_textfile *out, bool hurries)
{
	struct gn_report_opts opts;
	int err;

	if (!gn_deliver_to(fileno(out->f)))
		return gn_report_write(m, args, out);
	tell_inlined(m, args);
	gn_report_opts_init(&opts, args, out->f);
	err = deliver(m, &opts, out->f, hurries);
	if (err != -ETIMEDOUT)
		return gn_textfile_end(out, args->output, err);
	gn_textfile_abort(out);
	return GN_EXIT_FAILED;
}
