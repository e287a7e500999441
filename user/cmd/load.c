/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/load.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "capture/clock.h"
#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "output/text.h"
#include "trace/trace.h"

/* Records between two looks at the clock. */
#define LOOK_RECORDS 65536

/* Advice about a file that cannot be read. `input`: -i names it. */
static const char *advice(int err, bool input)
{
	switch (err) {
	case -ENOENT:
		return input ? "record one with 'gnomon record -- CMD', or "
			       "name it with -i FILE"
			     : "record one with 'gnomon record -- CMD', or "
			       "name another one";
	case -EACCES:
	case -EPERM:
		return "read it as its owner or as root";
	case -GN_TRACE_VERSION:
	case -GN_TRACE_ZSTD:
		return "read it with the gnomon that wrote it";
	case -ENOMEM:
		return "free some memory";
	case -EIO:
		return "check its disk";
	default:
		return "name a file that gnomon record wrote";
	}
}

const char *gn_load_name(const char *path)
{
	return strcmp(path, "-") ? path : "stdin";
}

/* Reports that a trace cannot be read. The exit status. */
static int unreadable(const char *path, int err, bool input)
{
	gn_error("cannot read %s: %s; %s", gn_load_name(path),
		 gn_trace_strerror(err), advice(err, input));
	return err == -ENOMEM ? GN_EXIT_FAILED : GN_EXIT_USAGE;
}

/* Opens a trace. GN_EXIT_OK, or the exit status after it has reported the
 * error. */
static int open_trace(const char *path, bool input,
		      struct gn_trace_reader **reader)
{
	int err = gn_trace_reader_open(path, reader);

	return err ? unreadable(path, err, input) : GN_EXIT_OK;
}

/* Feeds all records to the pipeline. 0 or the error. `bad`: the number of
 * malformed records. */
static int feed(struct gn_trace_reader *reader, struct gn_pipeline *p,
		struct gn_progress *progress, uint64_t *bad)
{
	const struct gn_rec *rec;
	uint64_t n = 0, shown = 0, done, total;
	size_t size, calls;
	int more, err;

	while ((more = gn_trace_reader_next(reader, &rec, &size)) > 0) {
		if (progress->on && n >= shown) {
			shown = n + LOOK_RECORDS;
			done = gn_trace_reader_place(reader, &total);
			gn_progress_show(progress, gn_now_ns(), "reading",
					 "KiB", done, total, 1 << 10);
		}
		calls = gn_trace_reader_calls(reader, rec);
		err = calls ? gn_pipeline_feed_calls(p, (const void *)rec,
						     calls)
			    : gn_pipeline_feed(p, rec, size);
		n += calls ? calls : 1;
		if (err == -EBADMSG)
			++*bad;
		else if (err)
			return err;
	}
	return more;
}

static void tell_skipped(const char *path, uint64_t n)
{
	if (n)
		gn_error("%s has %" PRIu64
			 " %s that only a newer gnomon knows, and %s not shown "
			 "here; read it with that gnomon",
			 gn_load_name(path), n, gn_word(n, "record", "records"),
			 gn_word(n, "it is", "they are"));
}

static int build(const char *path, struct gn_trace_reader *reader,
		 const struct gn_args *args, const struct gn_observer *observer,
		 struct gn_timeline_file *t, struct gn_model **model)
{
	struct gn_pipeline_opts opts;
	struct gn_progress progress;
	struct gn_pipeline *p;
	uint64_t bad = 0;
	int err;

	gn_progress_init(&progress, args->quiet);
	gn_report_pipeline(&opts, args);
	opts.observer = t ? &t->observer : observer;
	p = gn_pipeline_new(&opts);
	err = p ? feed(reader, p, &progress, &bad) : -ENOMEM;
	gn_progress_end(&progress);
	if (!err)
		err = gn_pipeline_finish(p, model);
	gn_pipeline_free(p);
	if (err && t && gn_timeline_failed(t, err))
		return GN_EXIT_OK;
	if (err)
		return unreadable(path, err, false);
	if (bad) {
		gn_error("cannot trust %s: %llu records are malformed; record "
			 "it again",
			 gn_load_name(path), (unsigned long long)bad);
		gn_model_free(*model);
		*model = NULL;
		return GN_EXIT_USAGE;
	}
	(*model)->truncated = gn_trace_reader_truncated(reader, NULL);
	(*model)->damaged = gn_trace_reader_tail(reader) == GN_TRACE_CORRUPT;
	tell_skipped(path, gn_trace_reader_skipped(reader));
	return GN_EXIT_OK;
}

static int load(const char *path, const struct gn_args *args,
		const struct gn_observer *observer, struct gn_model **model)
{
	struct gn_trace_reader *reader;
	int status = open_trace(path, path == args->input, &reader);

	*model = NULL;
	if (status)
		return status;
	status = build(path, reader, args, observer, NULL, model);
	gn_trace_reader_close(reader);
	return status;
}

int gn_load(const char *path, const struct gn_args *args,
	    struct gn_model **model)
{
	return load(path, args, NULL, model);
}

/* Writes nothing if the file is no trace. */
int gn_load_drawn(const char *path, const struct gn_args *args,
		  struct gn_model **model)
{
	struct gn_trace_reader *reader;
	struct gn_timeline_file t;
	int status = open_trace(path, path == args->input, &reader), closed;

	*model = NULL;
	if (status)
		return status;
	status = gn_timeline_open(&t, args, NULL, NULL);
	if (!status) {
		status = build(path, reader, args, NULL, &t, model);
		closed = gn_timeline_close(&t, *model);
		status = status ? status : closed;
	}
	gn_trace_reader_close(reader);
	return status;
}

int gn_load_watched(const char *path, const struct gn_args *args,
		    const struct gn_observer *observer, struct gn_model **model)
{
	return load(path, args, observer, model);
}
