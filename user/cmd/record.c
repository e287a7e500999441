/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon record: a capture whose records go into a trace file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/clock.h"
#include "capture/priority.h"
#include "cmd/capture.h"
#include "cmd/outfile.h"
#include "cmd/repeat.h"
#include "output/header.h"
#include "output/text.h"
#include "trace/rec.h"
#include "trace/trace.h"

struct record_args {
	struct gn_capture_args
		capture; /* must be first: option tables hold offsets */
	uint64_t repeat; /* GN_REPEAT_NOT = not given */
};

static const struct gn_option options[] = {
	GN_OPTS_VALUES_PIDS,
	GN_OPT_FUNCTION,
	GN_OPT_OUTPUT("the trace file (gnomon.trace)"),
	{'r', "repeat", GN_OPTION_COUNT, offsetof(struct record_args, repeat),
	 "N", "run the command N times: FILE.1 to FILE.N", NULL},
	GN_OPT_DURATION,
	GN_OPT_EVENTS_AS("of runtimes: gc, jit, loads, ..., all, none"),
	GN_OPTS_CAPTURE,
	GN_OPT_RING("64M"),
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
		    "  sudo gnomon record -p 1234 -d 10s -o app.trace\n"
		    "  sudo gnomon record -r 5 -o base -f 'parse_*' -- ./app\n",
};

/* A killed gnomon loses the records that the writing thread does not have yet.
 * So that thread gets each record at this age at the latest. */
#define KEPT_NS 1000000000u

struct recording {
	const char *path;
	const char *told;		/* its name in messages */
	struct gn_trace_writer *writer; /* NULL = not yet */
	/* records from before the writer was opened, one after the other */
	char *early;
	size_t early_size;
	uint64_t lost; /* lost records, by the counts of the kernel and of the
			  writer */
	uint64_t records;
	uint64_t flush_at;
	/* used by the writing thread */
	struct gn_priority priority;
	bool paced;
};

/* Counts losses here: the exit status must show them, and nobody replays the
 * file. */
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

static int keep_early(struct recording *r, const struct gn_rec *rec,
		      size_t size)
{
	char *early = realloc(r->early, r->early_size + size);

	if (!early)
		return -ENOMEM;
	memcpy(early + r->early_size, rec, size);
	r->early = early;
	r->early_size += size;
	return 0;
}

static int append(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct recording *r = ctx;

	note_loss(r, rec);
	r->records++;
	return r->writer ? gn_trace_writer_append(r->writer, rec, size)
			 : keep_early(r, rec, size);
}

static int append_calls(void *ctx, const struct gn_rec_func *recs, size_t n,
			size_t *taken)
{
	int err = 0;

	for (*taken = 0; *taken < n && !err; *taken += !err)
		err = append(ctx, &recs[*taken].h, sizeof(*recs));
	return err;
}

static enum gn_hold hold(void *ctx)
{
	static const enum gn_hold holds[] = {
		[GN_TRACE_WAIT_NOT] = GN_HOLD_NOT,
		[GN_TRACE_WAIT_PACK] = GN_HOLD_CPU,
		[GN_TRACE_WAIT_DISK] = GN_HOLD_DISK,
		[GN_TRACE_WAIT_STUCK] = GN_HOLD_STUCK,
	};
	struct recording *r = ctx;

	return r->writer ? holds[gn_trace_writer_wait(r->writer)] : GN_HOLD_NOT;
}

/* Like the draining thread, the writing thread has a high priority while it is
 * behind. */
static void pace(void *ctx, bool behind)
{
	struct recording *r = ctx;

	if (!r->paced) {
		static const cap_value_t keep = CAP_SYS_NICE;

		/* it needs no other capability; if it cannot drop them, it
		 * writes anyway */
		gn_keep_capabilities(&keep, 1);
		gn_priority_init(&r->priority);
	}
	r->paced = true;
	gn_priority_follow(&r->priority, behind, gn_now_ns());
}

static void flush(void *ctx)
{
	struct recording *r = ctx;
	uint64_t now = gn_now_ns();

	if (!r->writer || now < r->flush_at)
		return;
	/* if the queue is full, try again later; append() reports other
	 * errors */
	if (!gn_trace_writer_flush(r->writer))
		r->flush_at = now + KEPT_NS;
}

/* Makes the file and writes the earlier records. */
static int open_file(void *ctx)
{
	struct recording *r = ctx;
	struct gn_trace_writer_opts opts = {
		.uid = (uid_t)-1,
		.gid = (gid_t)-1,
		.pace = pace,
		.pace_ctx = r,
	};
	int err;

	gn_invoker(&opts.uid, &opts.gid);
	err = gn_trace_writer_open(r->path, &opts, &r->writer);
	for (size_t at = 0; !err && at < r->early_size;) {
		const struct gn_rec *rec = (const void *)(r->early + at);
		size_t size = gn_rec_size_of(rec, r->early_size - at);

		err = size ? gn_trace_writer_append(r->writer, rec, size)
			   : -EINVAL;
		at += size;
	}
	r->flush_at = gn_now_ns() + KEPT_NS;
	if (!err)
		return GN_EXIT_OK;
	if (err == -EINTR)
		return GN_EXIT_FAILED; /* the capture reports it */
	gn_error("cannot write %s: %s; %s", r->told, gn_trace_strerror(err),
		 err == -EAGAIN || err == -ENOMEM
			 ? "raise the limit of memory or of threads (ulimit -v "
			   "and -u)"
			 : "give another file with -o");
	return GN_EXIT_FAILED;
}

/* Whether nobody can read the trace from `path` later: a pipe, a device. */
static bool is_stream(const struct recording *r)
{
	struct stat st;

	return r->told != r->path ||
	       (!stat(r->path, &st) && !S_ISREG(st.st_mode));
}

/* Quotes the name: a shell can read it, and it has no control characters for
 * the terminal. */
static void summary(const struct recording *r, uint64_t bytes)
{
	bool kept = !is_stream(r), small = bytes < 1 << 20;
	struct gn_text_stream stream;
	FILE *f = gn_text_stream_open(&stream);
	char *word;

	if (!f)
		return;
	gn_put_word(f, r->told);
	word = gn_text_stream_close(&stream);
	if (word)
		gn_error("%" PRIu64 " %s, %.1f %s %s %s%s%s", r->records,
			 gn_word(r->records, "record", "records"),
			 (double)bytes / (small ? 1 << 10 : 1 << 20),
			 small ? "KiB" : "MiB", kept ? "in" : "written to",
			 word, kept ? "; read it with gnomon report -i " : "",
			 kept ? word : "");
	free(word);
}

/* What is in a file after an error. `bytes`: 0 if nothing of the trace is
 * there. */
static const char *what_is_left(const struct recording *r, uint64_t bytes)
{
	return bytes ? "it can be read up to its last complete chunk"
	       : access(r->path, F_OK) ? "nothing of the trace is kept"
				       : "it is as it was before";
}

static void say_kept(const struct recording *r, int err, uint64_t bytes)
{
	if (is_stream(r))
		gn_error("cannot write %s: %s", r->told,
			 gn_trace_strerror(err));
	else
		gn_error("cannot write %s: %s; %s", r->told,
			 gn_trace_strerror(err), what_is_left(r, bytes));
}

/* The capture stops because the records cannot be kept: closes the file, and
 * returns what is in it. */
static const char *left(void *ctx, const char **path)
{
	struct recording *r = ctx;
	uint64_t bytes = 0;

	if (!r->writer || is_stream(r))
		return NULL;
	*path = r->told;
	gn_trace_writer_close(r->writer, &bytes);
	r->writer = NULL;
	return what_is_left(r, bytes);
}

/* `advice`: NULL if the ring lost none. */
static int finish(struct recording *r, const struct gn_args *args,
		  const char *advice, int status)
{
	uint64_t bytes = 0;
	int err = r->writer ? gn_trace_writer_close(r->writer, &bytes) : 0;

	r->writer = NULL;
	/* the writing thread uses `r`, which is the caller's */
	gn_priority_end(&r->priority);
	free(r->early);
	if (status)
		return status;
	if (err == -ESTALE) {
		gn_error("the trace is not in %s any more: the file or its "
			 "folder was removed, renamed or replaced meanwhile; "
			 "record it again",
			 r->path);
		return GN_EXIT_FAILED;
	}
	if (err) {
		say_kept(r, err, bytes);
		return GN_EXIT_FAILED;
	}
	if (!args->quiet)
		summary(r, bytes);
	if (!r->lost || args->allow_loss)
		return GN_EXIT_OK;
	gn_error("%" PRIu64 " %s lost: %s", r->lost,
		 gn_word(r->lost, "record was", "records were"),
		 advice ? advice : GN_LOSS_ADVICE);
	return GN_EXIT_LOST;
}

static int record(const struct gn_capture_args *a, const char *path,
		  const char *told, int argc, char **argv)
{
	struct recording r = {.path = path, .told = told};
	struct gn_capture_use use = {
		.sink = append,
		.calls = append_calls,
		.hold = hold,
		.ready = open_file,
		.left = left,
		.idle = flush,
		.ctx = &r,
	};
	struct gn_capture c;
	int status;

	status = gn_capture_run(&c, a, argc, argv, &use);
	status = finish(&r, &a->args,
			c.session ? gn_session_loss_advice(c.session) : NULL,
			status);
	/* the command is not killed, even if gnomon failed */
	gn_capture_wait(&c);
	status = gn_capture_status(&c, status);
	gn_capture_end(&c);
	return status;
}

struct words {
	const struct gn_capture_args *a;
	int argc;
	char **argv;
};

static int record_one(void *ctx, const char *path)
{
	const struct words *w = ctx;

	return record(w->a, path, path, w->argc, w->argv);
}

/* Whether the trace and stdout are the same file. */
static bool is_stdout(const char *path, bool *device)
{
	struct stat file, out;

	if (stat(path, &file) || fstat(STDOUT_FILENO, &out) ||
	    file.st_dev != out.st_dev || file.st_ino != out.st_ino)
		return false;
	*device = S_ISCHR(out.st_mode);
	return true;
}

static int record_file(struct gn_capture_args *a, const char *told, int argc,
		       char **argv)
{
	/* a small container or a guest may have no /dev/stdout */
	const char *path = strcmp(told, "-") ? told : "/proc/self/fd/1";
	bool device = false, out = is_stdout(path, &device);

	if (out && gn_trace_closed(STDOUT_FILENO)) {
		gn_error("stdout is closed; name a file with -o FILE");
		return GN_EXIT_FAILED;
	}
	if (gn_is_terminal(path)) {
		gn_error("a trace is not for a terminal; name a file with -o "
			 "FILE");
		return GN_EXIT_USAGE;
	}
	/* output of the command in the same file would damage the trace */
	a->no_stdout = out && !device;
	return record(a, path, out ? "stdout" : path, argc, argv);
}

static int record_all(struct record_args *r, int argc, char **argv)
{
	const struct gn_args *args = &r->capture.args;
	const char *path = args->output ? args->output : GN_DEFAULT_TRACE;
	struct words w = {&r->capture, argc, argv};

	if (r->repeat == GN_REPEAT_NOT)
		return record_file(&r->capture, path, argc, argv);
	if (!args->command) {
		gn_error("-r runs a command again; give one after --, or leave "
			 "-r out");
		return GN_EXIT_USAGE;
	}
	return gn_repeat(path, r->repeat, args->quiet, record_one, &w);
}

int gn_cmd_record(int argc, char **argv)
{
	struct record_args r = {.repeat = GN_REPEAT_NOT};
	struct gn_args *args = &r.capture.args;
	int status;

	gn_args_init(args);
	if (gn_cmd_parse(&usage, argc, argv, args, &status) &&
	    gn_capture_target(&r.capture, &status))
		status = record_all(&r, argc, argv);
	gn_capture_args_clear(&r.capture);
	return status;
}
