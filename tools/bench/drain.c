/* SPDX-License-Identifier: BSD-2-Clause */
#include "drain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/event.h>
#include "model/pipeline.h"
#include "series.h"
#include "trace/trace.h"

#define PAIRS	  500000u
#define FUNCTIONS 200u
#define DEPTH	  24u
#define AT_ONCE	  48u
#define TID	  100u
#define STACK	  0x7ffe00100000ull

/* Records one after the other, as in a ring. */
struct stream {
	char *bytes;
	size_t size;
	size_t records;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put(struct stream *s, const void *rec, size_t size)
{
	memcpy(s->bytes + s->size, rec, size);
	s->size += size;
	s->records++;
}

/* A reproducible number with a random distribution. */
static uint32_t spread(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void put_thread(struct stream *s, uint64_t time)
{
	struct gn_rec_thread t = {
		.f.h = {.time = time,
			.tid = TID,
			.seq = 1,
			.kind = GN_KIND_THREAD},
		.pid = TID,
		.comm = "stream",
	};

	put(s, &t, sizeof(t));
}

/* One of the few functions that a function calls. */
static uint32_t callee(uint32_t caller, uint32_t *state)
{
	return (caller * 7 + spread(state) % 3) % FUNCTIONS;
}

/* Calls and returns as a program makes them: the depth goes up and down. */
static void put_calls(struct stream *s, uint64_t time)
{
	uint32_t open[DEPTH + 1] = {0}, depth = 0, state = 1, seq = 1;

	for (uint32_t i = 0; i < 2 * PAIRS; i++) {
		bool enter = !depth || (depth < DEPTH && spread(&state) & 1);
		struct gn_rec_func f = {
			.h = {.time = time += 300 + spread(&state) % 500,
			      .tid = TID,
			      .seq = ++seq,
			      .kind = enter ? GN_KIND_ENTER : GN_KIND_LEAVE},
		};

		if (enter) {
			open[depth + 1] = callee(open[depth], &state);
			depth++;
		}
		f.h.key = STACK - depth * 64;
		f.func = GN_FUNC(GN_RUNTIME_CLR, 1 + open[depth]);
		depth -= !enter;
		put(s, &f, sizeof(f));
	}
}

static int make(struct stream *s)
{
	const size_t room = 2 * PAIRS * sizeof(struct gn_rec_func) +
			    sizeof(struct gn_rec_thread);

	s->size = 0;
	s->records = 0;
	s->bytes = malloc(room);
	if (!s->bytes)
		return -ENOMEM;
	put_thread(s, 1000000);
	put_calls(s, 1000000);
	return 0;
}

static size_t size_at(const struct gn_rec *rec)
{
	return rec->kind == GN_KIND_THREAD ? sizeof(struct gn_rec_thread)
					   : sizeof(struct gn_rec_func);
}

/* Takes the records one by one. */
typedef int (*take_fn)(void *to, const struct gn_rec *rec, size_t size);

static int feed(void *to, const struct gn_rec *rec, size_t size)
{
	return gn_pipeline_feed(to, rec, size);
}

/* As in a capture, except that it waits where a capture loses. */
static int append(void *to, const struct gn_rec *rec, size_t size)
{
	const struct timespec rest = {.tv_nsec = 100000};
	int err;

	while ((err = gn_trace_writer_append(to, rec, size)) == -ENOBUFS)
		nanosleep(&rest, NULL);
	return err;
}

static int for_each(const struct stream *s, take_fn take, void *to)
{
	for (size_t at = 0; at < s->size;) {
		const struct gn_rec *rec = (const void *)(s->bytes + at);
		size_t size = size_at(rec);
		int err = take(to, rec, size);

		if (err)
			return err;
		at += size;
	}
	return 0;
}

/* As from the ring of a thread: many at once. */
static int feed_calls(const struct stream *s, struct gn_pipeline *p)
{
	const struct gn_rec *first = (const void *)s->bytes;
	const struct gn_rec_func *calls =
		(const void *)(s->bytes + size_at(first));
	int err = gn_pipeline_feed(p, first, size_at(first));

	for (size_t left = 2 * PAIRS, n; left && !err; left -= n, calls += n) {
		n = left < AT_ONCE ? left : AT_ONCE;
		err = gn_pipeline_feed_calls(p, calls, n);
	}
	return err;
}

static int feed_each(const struct stream *s, struct gn_pipeline *p)
{
	return for_each(s, feed, p);
}

static int finish(struct gn_pipeline *p)
{
	struct gn_model *m = NULL;
	int err = gn_pipeline_finish(p, &m);

	if (err)
		return err;
	err = gn_model_lossy(m) || gn_model_broken(m) ||
			      m->checks.unmatched_leaves
		      ? -EPROTO
		      : 0;
	gn_model_free(m);
	return err;
}

static int run_model(const struct stream *s,
		     int (*feeds)(const struct stream *, struct gn_pipeline *),
		     uint64_t *ns, uint64_t *end_ns)
{
	struct gn_pipeline *p = gn_pipeline_new(&(struct gn_pipeline_opts){0});
	uint64_t begin = now_ns();
	int err = p ? feeds(s, p) : -ENOMEM;

	*ns = now_ns() - begin;
	begin = now_ns();
	if (!err)
		err = finish(p);
	*end_ns = now_ns() - begin;
	gn_pipeline_free(p);
	return err;
}

static int run_writer(const struct stream *s, const char *path, uint64_t *ns)
{
	const struct gn_trace_writer_opts opts = {.uid = (uid_t)-1,
						  .gid = (gid_t)-1};
	struct gn_trace_writer *w;
	uint64_t begin = now_ns();
	int err = gn_trace_writer_open(path, &opts, &w), closed;

	if (err)
		return err;
	err = for_each(s, append, w);
	closed = gn_trace_writer_close(w, NULL);
	*ns = now_ns() - begin;
	return err ? err : closed;
}

static int read_all(struct gn_trace_reader *r, struct gn_pipeline *p,
		    size_t *records)
{
	const struct gn_rec *rec;
	size_t size;
	int got, err;

	while ((got = gn_trace_reader_next(r, &rec, &size)) > 0) {
		size_t calls = gn_trace_reader_calls(r, rec);

		err = calls ? gn_pipeline_feed_calls(p, (const void *)rec,
						     calls)
			    : gn_pipeline_feed(p, rec, size);
		if (err)
			return err;
		*records += calls ? calls : 1;
	}
	return got;
}

static int run_report(const char *path, size_t expected, uint64_t *ns)
{
	struct gn_pipeline *p = gn_pipeline_new(&(struct gn_pipeline_opts){0});
	struct gn_trace_reader *r = NULL;
	uint64_t begin = now_ns();
	size_t records = 0;
	int err = p ? gn_trace_reader_open(path, &r) : -ENOMEM;

	if (!err)
		err = read_all(r, p, &records);
	if (!err)
		err = records == expected ? finish(p) : -EPROTO;
	*ns = now_ns() - begin;
	if (r)
		gn_trace_reader_close(r);
	gn_pipeline_free(p);
	return err;
}

struct results {
	struct series model, calls, end, writer, report;
	double file_size;
};

static int one_round(const struct stream *s, const char *path,
		     struct results *r)
{
	uint64_t model, calls, end, writer, report;
	struct stat st;
	int err = run_model(s, feed_each, &model, &end);

	if (!err)
		err = run_model(s, feed_calls, &calls, &end);
	if (!err)
		err = run_writer(s, path, &writer);
	if (!err && stat(path, &st))
		err = -errno;
	if (!err)
		err = run_report(path, s->records, &report);
	if (err)
		return err;
	series_add(&r->model, (double)model / (double)s->records);
	series_add(&r->calls, (double)calls / (double)s->records);
	series_add(&r->end, (double)end / 1e6);
	series_add(&r->writer, (double)writer / (double)s->records);
	series_add(&r->report, (double)report / (double)s->records);
	r->file_size = (double)st.st_size / (double)s->records;
	return 0;
}

static void print_rate(const char *name, const struct series *s)
{
	double median = series_median(s);

	printf("  %-46s %8.1f  %6.1f -%6.1f %8.2f\n", name, median,
	       series_at(s, 0.25), series_at(s, 0.75),
	       median > 0 ? 1e3 / median : 0);
}

int drain(const struct bench *b)
{
	char dir[] = "/tmp/gnomon-bench-XXXXXX", path[64];
	struct results r = {0};
	struct stream s;
	int err = make(&s);

	if (err)
		return err;
	if (!mkdtemp(dir)) {
		err = -errno;
		goto out;
	}
	snprintf(path, sizeof(path), "%s/trace", dir);
	for (unsigned int i = 0; !err && i < b->rounds; i++)
		err = one_round(&s, path, &r);
	unlink(path);
	rmdir(dir);
	if (err)
		goto out;
	printf("drain: %zu records of %u functions, %u calls deep; %u rounds\n",
	       s.records, FUNCTIONS, DEPTH, b->rounds);
	printf("  %-46s %8s  %15s %8s\n", "ns a record, on the clock", "median",
	       "quartiles", "M/s");
	print_rate("the model, of probes (run)", &r.model);
	print_rate("the model, of rings of threads (run)", &r.calls);
	print_rate("the trace writer, until all is on disk (record)",
		   &r.writer);
	print_rate("reader and model (report)", &r.report);
	printf("  the model's end: %.1f ms; the file: %.1f bytes a record\n",
	       series_median(&r.end), r.file_size);
out:
	free(s.bytes);
	if (err)
		fprintf(stderr, "bench: drain: cannot be measured (%s)\n",
			strerror(-err));
	return err;
}
