/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon report: a trace file's records through the pipeline into an output. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/timeline.h"
#include "trace/trace.h"

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

/* What to do about a file that cannot be opened. */
static const char *advice(int err)
{
	switch (err) {
	case -ENOENT:
		return "record one with 'gnomon record -- CMD', or name it "
		       "with -i FILE";
	case -EACCES:
	case -EPERM:
		return "read it as its owner or as root";
	case -GN_TRACE_VERSION:
		return "read it with the gnomon that wrote it";
	default:
		return "name a file that gnomon record wrote";
	}
}

/* Opens a trace, says why not. GN_EXIT_OK or the exit status. */
static int open_trace(const char *path, struct gn_trace_reader **reader)
{
	struct stat st;
	int err = 0;

	if (stat(path, &st))
		err = -errno;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	if (!err)
		err = gn_trace_reader_open(path, reader);
	if (!err)
		return GN_EXIT_OK;
	gn_error("cannot read %s: %s; %s", path, gn_trace_strerror(err),
		 advice(err));
	return err == -ENOMEM ? GN_EXIT_FAILED : GN_EXIT_USAGE;
}

/* All records into the pipeline. 0 or what went wrong. `bad`: records that are
 * not well formed. */
static int feed(struct gn_trace_reader *reader, struct gn_pipeline *p,
		uint64_t *bad)
{
	const struct gn_rec *rec;
	size_t size;
	int more, err;

	while ((more = gn_trace_reader_next(reader, &rec, &size)) > 0) {
		err = gn_pipeline_feed(p, rec, size);
		if (err == -EBADMSG)
			++*bad;
		else if (err)
			return err;
	}
	return more;
}

/* `t`: a timeline of it, or NULL. When that could not be written, which it
 * says itself, there is no model. */
static int build(const char *path, struct gn_trace_reader *reader,
		 const struct gn_args *args, struct gn_timeline_file *t,
		 struct gn_model **model)
{
	struct gn_pipeline_opts opts;
	struct gn_pipeline *p;
	uint64_t bad = 0;
	int err;

	gn_report_pipeline(&opts, args);
	opts.observer = t ? &t->observer : NULL;
	p = gn_pipeline_new(&opts);
	err = p ? feed(reader, p, &bad) : -ENOMEM;
	if (!err)
		err = gn_pipeline_finish(p, model);
	gn_pipeline_free(p);
	if (err && t && gn_timeline_failed(t, err))
		return GN_EXIT_OK;
	if (err) {
		gn_error("cannot read %s: %s; %s", path, gn_trace_strerror(err),
			 err == -ENOMEM ? "free some memory" : advice(err));
		return err == -ENOMEM ? GN_EXIT_FAILED : GN_EXIT_USAGE;
	}
	if (bad) {
		gn_error("cannot trust %s: %llu records are malformed; record "
			 "it again",
			 path, (unsigned long long)bad);
		gn_model_free(*model);
		*model = NULL;
		return GN_EXIT_USAGE;
	}
	(*model)->truncated = gn_trace_reader_truncated(reader, NULL);
	return GN_EXIT_OK;
}

static int load(const char *path, const struct gn_args *args,
		struct gn_timeline_file *t, struct gn_model **model)
{
	struct gn_trace_reader *reader;
	int status = open_trace(path, &reader);

	if (status)
		return status;
	status = build(path, reader, args, t, model);
	gn_trace_reader_close(reader);
	return status;
}

/* The report into the file or stdout. GN_EXIT_OK or GN_EXIT_FAILED. */
static int print(const struct gn_model *m, const struct gn_args *args)
{
	const char *where = args->output ? args->output : "stdout";
	struct gn_textfile out;
	int err = gn_textfile_open(&out, args->output);

	if (err) {
		gn_error("cannot write %s: %s; give another file with -o",
			 where, gn_trace_strerror(err));
		return GN_EXIT_FAILED;
	}
	return gn_report_write(m, args, &out);
}

static int show(const char *path, const struct gn_args *args,
		struct gn_model **model)
{
	int status = load(path, args, NULL, model);

	return status ? status : print(*model, args);
}

/* A timeline is written while the trace is read. */
static int draw(const char *path, const struct gn_args *args,
		struct gn_model **model)
{
	struct gn_timeline_file t;
	int status, closed;

	status = gn_timeline_open(&t, args);
	if (status)
		return status;
	status = load(path, args, &t, model);
	closed = gn_timeline_close(&t, *model);
	return status ? status : closed;
}

int gn_cmd_report(int argc, char **argv)
{
	struct gn_model *model = NULL;
	struct gn_args args;
	const char *path;
	int status;

	gn_args_init(&args);
	if (!gn_cmd_parse(&usage, argc, argv, &args, &status) ||
	    !gn_report_args(&args, &status))
		goto out;
	path = args.input ? args.input : GN_DEFAULT_TRACE;
	status = gn_timeline_of(&args) ? draw(path, &args, &model)
				       : show(path, &args, &model);
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
