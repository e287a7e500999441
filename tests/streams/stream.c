// SPDX-License-Identifier: BSD-2-Clause
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/take.h"
#include "records.h"

#define CALLS 9 /* that are fed at the same time */

static void die(const char *what)
{
	fprintf(stderr, "stream: %s\n", what);
	abort();
}

void stream_free(struct stream *s)
{
	free(s->words);
	*s = (struct stream){0};
}

void stream_raw(struct stream *s, const void *rec, size_t size)
{
	size_t words = 1 + (size + 7) / 8;

	if (s->n + words > s->cap) {
		s->cap = (s->n + words) * 2;
		s->words = realloc(s->words, s->cap * sizeof(*s->words));
		if (!s->words)
			die("no memory");
	}
	s->words[s->n] = size;
	s->words[s->n + words - 1] = 0;
	memcpy(&s->words[s->n + 1], rec, size);
	s->n += words;
}

struct stream_seq *stream_seq(struct stream *s, uint32_t tid)
{
	size_t i;

	for (i = 0; i < s->nseqs; i++)
		if (s->seqs[i].tid == tid)
			return &s->seqs[i];
	if (s->nseqs == STREAM_THREADS)
		die("too many threads");
	s->seqs[s->nseqs] = (struct stream_seq){.tid = tid};
	return &s->seqs[s->nseqs++];
}

void stream_new_thread(struct stream *s, uint32_t tid)
{
	*stream_seq(s, tid) = (struct stream_seq){.tid = tid};
}

static void add_text(struct stream *s, const struct gn_rec *h,
		     const struct stream_event *e)
{
	union text_record u;
	size_t size = make_text(&u, *h, e->id, e->ref,
				e->text[0] ? e->text[0] : "", e->text[1]);

	stream_raw(s, &u, size);
}

static void add_thread(struct stream *s, const struct gn_rec_func *f,
		       const struct stream_event *e)
{
	struct gn_rec_thread r = {.f = *f, .pid = e->pid, .parent = e->parent};

	if (e->comm)
		memcpy(r.comm, e->comm, strnlen(e->comm, sizeof(r.comm)));
	stream_raw(s, &r, sizeof(r));
}

/* `count` samples of one function that nobody called. */
static void add_samples(struct stream *s, const struct gn_rec *h,
			const struct stream_event *e)
{
	struct {
		struct gn_rec_sample r;
		uint32_t frame[2];
	} u = {.r = {.h = *h,
		     .size = gn_sample_size(1),
		     .pid = e->pid,
		     .frames = 1},
	       .frame = {e->func}};

	for (uint64_t i = 0; i < e->count; i++)
		stream_raw(s, &u, u.r.size);
}

/* What gnomon measured about itself, or the kernel about a thread. */
static void add_measured(struct stream *s, const struct gn_rec *h,
			 const struct stream_event *e)
{
	struct gn_rec_cost cost = {.h = *h,
				   .id = e->id,
				   .samples = e->samples,
				   .before_ns = e->before,
				   .after_ns = e->after,
				   .spread_ns = e->spread,
				   .turn_ns = (int32_t)e->turn};
	struct gn_rec_sched sched = {.h = *h,
				     .kernel_cpu = e->kernel_cpu,
				     .kernel_delay = e->kernel_delay,
				     .cpu = e->cpu,
				     .delay = e->delay,
				     .lag = e->cpu_apart};
	struct gn_rec_kernel kernel = {.h = *h,
				       .kernel_cpu = e->kernel_cpu,
				       .kernel_delay = e->kernel_delay,
				       .cpu = e->cpu,
				       .delay = e->delay,
				       .cpu_apart = e->cpu_apart,
				       .delay_apart = e->delay_apart,
				       .irq = e->irq,
				       .stolen = e->stolen,
				       .switches = e->switches,
				       .drift = e->drift,
				       .span = e->span};

	if (e->kind == GN_KIND_COST)
		stream_raw(s, &cost, sizeof(cost));
	else if (e->kind == GN_KIND_KERNEL)
		stream_raw(s, &kernel, sizeof(kernel));
	else
		stream_raw(s, &sched, sizeof(sched));
}

static void add_one(struct stream *s, const struct stream_event *e,
		    const struct gn_rec *h)
{
	struct gn_rec_func f = {.h = *h, .func = e->func, .os_ns = e->os_ns};
	struct gn_rec_slice slice = {.h = *h,
				     .start = e->start,
				     .waker = e->waker,
				     .reason = e->reason ? (uint16_t)e->reason
							 : GN_NO_SYSCALL,
				     .class = (uint8_t)e->class,
				     .detail = (uint8_t)e->detail};
	struct gn_rec_os_ns os = {.h = *h, .ns = e->ns};
	struct gn_rec_stack stack = {.h = *h, .lo = e->lo, .hi = e->hi};
	struct gn_rec_count count = {.h = *h, .id = e->id, .count = e->count};
	struct gn_rec_session session = {.h = *h, .end = e->end};
	struct gn_rec_unprobed unprobed = {.h = *h, .pid = e->pid};

	switch (e->kind) {
	case GN_KIND_THREAD:
	case GN_KIND_EXEC:
	case GN_KIND_RENAME:
		add_thread(s, &f, e);
		break;
	case GN_KIND_SLICE:
		stream_raw(s, &slice, sizeof(slice));
		break;
	case GN_KIND_OS_NS:
		stream_raw(s, &os, sizeof(os));
		break;
	case GN_KIND_STACK:
		stream_raw(s, &stack, sizeof(stack));
		break;
	case GN_KIND_COUNT:
		stream_raw(s, &count, sizeof(count));
		break;
	case GN_KIND_SESSION:
		stream_raw(s, &session, sizeof(session));
		break;
	case GN_KIND_UNPROBED:
		stream_raw(s, &unprobed, sizeof(unprobed));
		break;
	case GN_KIND_SAMPLE:
		add_samples(s, h, e);
		break;
	case GN_KIND_WAKE:
		stream_raw(s, h, sizeof(*h));
		break;
	case GN_KIND_COST:
	case GN_KIND_SCHED:
	case GN_KIND_KERNEL:
		add_measured(s, h, e);
		break;
	case GN_KIND_NAME:
	case GN_KIND_SOURCE:
	case GN_KIND_INFO:
	case GN_KIND_MODULE:
	case GN_KIND_FUNCTION:
		add_text(s, h, e);
		break;
	default:
		stream_raw(s, &f, sizeof(f));
	}
}

void stream_add(struct stream *s, const struct stream_event *e)
{
	struct gn_rec h = {.time = e->time,
			   .tid = e->tid,
			   .kind = e->kind,
			   .flags = e->flags,
			   .key = e->key};
	enum gn_stream stream = GN_STREAM_USER;

	gn_rec_kind_size(e->kind, &stream);
	if (stream == GN_STREAM_SLICE)
		h.seq = ++stream_seq(s, e->tid)->slice_seq;
	else if (stream == GN_STREAM_COLLECT || stream == GN_STREAM_NOTE)
		h.seq = ++stream_seq(s, e->tid)->seq;
	add_one(s, e, &h);
}

static size_t next_of(const struct stream *s, size_t i)
{
	return i + 1 + (s->words[i] + 7) / 8;
}

/* Collects calls and their ends of one thread from `i` on, only a few, so that
 * some are fed singly. Returns how many; *after: where the others begin. */
static size_t take_calls(const struct stream *s, size_t i,
			 struct gn_rec_func calls[CALLS], size_t *after)
{
	size_t n = 0, most = i % (CALLS + 1);

	for (; i < s->n && n < most; i = next_of(s, i)) {
		const struct gn_rec *rec = (const void *)&s->words[i + 1];

		if (s->words[i] != sizeof(*calls) ||
		    (rec->kind != GN_KIND_ENTER &&
		     rec->kind != GN_KIND_LEAVE) ||
		    (n && rec->tid != calls->h.tid))
			break;
		memcpy(&calls[n++], rec, sizeof(*calls));
	}
	*after = i;
	return n;
}

int stream_feed_next(const struct stream *s, size_t *i, struct gn_pipeline *p)
{
	const void *rec = &s->words[*i + 1];
	struct gn_rec_func calls[CALLS];
	size_t at = *i, n = take_calls(s, at, calls, i);

	if (n)
		return gn_pipeline_feed_calls(p, calls, n);
	*i = next_of(s, at);
	return gn_pipeline_feed(p, rec, s->words[at]);
}

int stream_feed(const struct stream *s, struct gn_pipeline *p)
{
	int err = 0;

	for (size_t i = 0; i < s->n && !err;)
		err = stream_feed_next(s, &i, p);
	return err;
}

static struct gn_model *model(const struct stream *s,
			      const struct gn_pipeline_opts *opts)
{
	struct gn_pipeline *p = gn_pipeline_new(opts);
	struct gn_model *m = NULL;

	if (!p)
		die("no pipeline");
	if (stream_feed(s, p))
		die("a record was refused");
	if (gn_pipeline_finish(p, &m))
		die("no model");
	gn_pipeline_free(p);
	return m;
}

/* The threads of .NET show that a process is of .NET. */
static uint32_t runtime_of(const char *thread)
{
	return strncmp(thread, ".NET ", 5) ? 0 : GN_RUNTIME_CLR;
}

struct gn_model *stream_model(const struct stream *s, enum gn_classify how)
{
	return model(s, &(struct gn_pipeline_opts){
				.classify = how,
				.roles.runtime_of = runtime_of,
			});
}

struct gn_model *stream_raw_model(const struct stream *s)
{
	return model(s, &(struct gn_pipeline_opts){.raw = true});
}
