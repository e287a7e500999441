// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/timeline.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "output/calls.h"
#include "output/text.h"
#include "trace/trace.h"

const struct gn_timeline *gn_timeline_of(const struct gn_args *args)
{
	size_t outputs = 0;

	if (args->by == GN_BY_CALLS)
		return gn_calls_timeline(
			gn_format_choice((size_t)args->format));
	while (gn_output_at(outputs))
		outputs++;
	if ((size_t)args->format < outputs)
		return NULL;
	return gn_timeline_at((size_t)args->format - outputs);
}

static int end(struct gn_timeline_file *t, int err)
{
	t->format->free(&t->observer);
	return gn_textfile_end(&t->out, t->path, err);
}

/* Writes the part before the first record, so that an output that cannot be
 * written is reported before anything runs. */
static int begin(struct gn_timeline_file *t, const struct gn_args *args,
		 gn_writable_fn writable, void *ctx)
{
	int err;

	/* first: a stream of gn_textfile_ask() cannot tell whether it is a
	 * terminal */
	gn_report_timeline_opts(&t->opts, args, t->out.f);
	err = writable ? gn_textfile_ask(&t->out, writable, ctx) : 0;
	errno = 0;
	if (!err)
		err = t->format->begin(&t->observer, t->out.f, &t->opts);
	if (err)
		return err;
	fflush(t->out.f);
	return gn_stream_status(t->out.f);
}

int gn_timeline_open(struct gn_timeline_file *t, const struct gn_args *args,
		     gn_writable_fn writable, void *ctx)
{
	int err, status;

	*t = (struct gn_timeline_file){
		.format = gn_timeline_of(args),
		.path = args->output,
		.input = args->input,
	};
	status = gn_textfile_begin(&t->out, t->path);
	if (status)
		return status;
	/* for stdout, or for a pipe that -o names */
	signal(SIGPIPE, SIG_IGN);
	err = begin(t, args, writable, ctx);
	/* if the reader is gone, the next write finds that */
	return err && err != -EPIPE ? end(t, err) : GN_EXIT_OK;
}

bool gn_timeline_failed(struct gn_timeline_file *t, int err)
{
	if (!ferror(t->out.f))
		return false;
	t->err = err;
	return true;
}

/* The findings, for the formats that show them. */
static int finish(struct gn_timeline_file *t, const struct gn_model *m)
{
	struct gn_findings findings;
	struct gn_text_stream stream;
	FILE *f = gn_text_stream_open(&stream);
	char *text;
	int err = f ? gn_explain(m, GN_FINDINGS_USUAL, &findings) : -ENOMEM;

	if (!f)
		return err;
	if (!err)
		err = gn_findings_json(m, &findings, t->input, f);
	gn_findings_clear(&findings);
	text = gn_text_stream_close(&stream);
	if (!text && !err)
		err = -ENOMEM;
	if (!err)
		err = t->format->finish(&t->observer, m, text);
	free(text);
	return err;
}

int gn_timeline_close(struct gn_timeline_file *t, const struct gn_model *m)
{
	int err = t->err;

	if (!err && m)
		err = finish(t, m);
	if (err || m)
		return end(t, err);
	t->format->free(&t->observer);
	gn_textfile_abort(&t->out);
	return GN_EXIT_OK;
}
