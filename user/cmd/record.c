/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon record: a capture whose records go into a trace file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/capture.h"
#include "cmd/outfile.h"
#include "trace/trace.h"

static const struct gn_option options[] = {
	GN_OPT_FUNCTION,
	GN_OPT_PIDS,
	GN_OPT_OUTPUT("the trace file (gnomon.trace)"),
	GN_OPT_DURATION,
	GN_OPT_LEAVE,
	GN_OPT_NO_FOLLOW,
	GN_OPT_ATTACH,
	GN_OPT_OS,
	GN_OPT_RING,
	GN_OPT_ALLOW_LOSS,
	GN_OPT_QUIET("say nothing but errors"),
	GN_OPT_VERBOSE("say more"),
};

static const struct gn_verb_usage usage = {
	.name = "record",
	.synopsis = "[options] -- COMMAND [ARGUMENT...]",
	.summary = "Trace a command (or processes, -p) into a file for "
		   "gnomon report.",
	.options = options,
	.noptions = sizeof(options) / sizeof(options[0]),
	.rest = GN_REST_COMMAND,
	.examples = "  sudo gnomon record -- dotnet app.dll\n"
		    "  sudo gnomon record -p 1234 -d 10s -o app.trace\n",
};

struct recording {
	struct gn_trace_writer *writer;
	uint64_t lost; /* records, as the kernel and the writer count them */
	uint64_t records;
};

/* Loss must be in the exit status without replaying the file. */
static void note_loss(struct recording *r, const struct gn_rec *rec)
{
	static const bool is_loss[] = {
#define LOSS(name, value, text, loss, meaning) [value] = (loss),
		GN_COUNTER_LIST(LOSS)
#undef LOSS
	};
	const struct gn_rec_count *c = (const void *)rec;

	if (rec->kind == GN_KIND_COUNT && c->id < GN_COUNTER_COUNT &&
	    is_loss[c->id])
		r->lost += c->count;
}

static int append(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct recording *r = ctx;

	note_loss(r, rec);
	r->records++;
	return gn_trace_writer_append(r->writer, rec, size);
}

static void summary(const struct recording *r, const char *path, uint64_t bytes)
{
	fprintf(stderr,
		"gnomon: %" PRIu64 " records, %.1f MiB in %s; read it with "
		"gnomon report -i %s\n",
		r->records, (double)bytes / (1 << 20), path, path);
}

static int finish(struct recording *r, const char *path,
		  const struct gn_args *args, int status)
{
	uint64_t bytes = 0;
	int err = gn_trace_writer_close(r->writer, &bytes);

	if (err) {
		if (!status)
			gn_error("cannot write %s: %s; what it holds is "
				 "readable to its last whole chunk",
				 path, gn_trace_strerror(err));
		return status ? status : GN_EXIT_FAILED;
	}
	if (status)
		return status;
	if (!args->quiet)
		summary(r, path, bytes);
	if (!r->lost || args->allow_loss)
		return GN_EXIT_OK;
	gn_error("%" PRIu64 " records were lost; use a larger --ring-size or "
		 "fewer functions (-f)",
		 r->lost);
	return GN_EXIT_LOST;
}

static int record(const struct gn_capture_args *a, int argc, char **argv)
{
	const char *path = a->args.output ? a->args.output : GN_DEFAULT_TRACE;
	struct gn_trace_writer_opts wopts = {.uid = (uid_t)-1,
					     .gid = (gid_t)-1};
	struct recording r = {0};
	struct gn_capture c;
	int status, err;

	gn_invoker(&wopts.uid, &wopts.gid);
	err = gn_trace_writer_open(path, &wopts, &r.writer);
	if (err) {
		gn_error("cannot write %s: %s; give another file with -o", path,
			 gn_trace_strerror(err));
		return GN_EXIT_FAILED;
	}
	status = gn_capture_run(&c, a, argc, argv, append, &r);
	status = finish(&r, path, &a->args, status);
	/* also after a failure of ours the command ends by itself */
	if (c.session)
		gn_capture_wait(&c);
	status = gn_capture_status(&c, status);
	gn_capture_end(&c);
	return status;
}

int gn_cmd_record(int argc, char **argv)
{
	struct gn_capture_args a = {0};
	int status;

	gn_args_init(&a.args);
	if (gn_cmd_parse(&usage, argc, argv, &a.args, &status) &&
	    gn_capture_target(&a, &status))
		status = record(&a, argc, argv);
	gn_args_clear(&a.args);
	return status;
}
