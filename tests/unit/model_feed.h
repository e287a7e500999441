/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests of the live view: feeds records one by one to a pipeline, numbered
 * by thread, and finds things in a period's model by name. Include after
 * cmocka.h.
 */
#ifndef GNOMON_TESTS_MODEL_FEED_H
#define GNOMON_TESTS_MODEL_FEED_H

#include <stdio.h>
#include <string.h>

#include "model/pipeline.h"
#include "records.h"

#define FEED_TIDS  64
#define FEED_FUTEX 202 /* the system call of all waits */

struct feed {
	struct gn_pipeline *p;
	uint32_t seq[FEED_TIDS], slice_seq[FEED_TIDS];
};

static inline void feed_rec(struct feed *f, const void *rec, size_t size)
{
	assert_int_equal(gn_pipeline_feed(f->p, rec, size), 0);
}

static inline void feed_text(struct feed *f, struct gn_rec h, uint32_t id,
			     uint32_t ref, const char *text)
{
	union text_record r;
	size_t size = make_text(&r, h, id, ref, text, NULL);

	feed_rec(f, &r, size);
}

/* A FUNCTION of a module, or a MODULE: f1, f2, ... or m1, m2, ... */
static inline void feed_named(struct feed *f, enum gn_kind kind, uint32_t id,
			      uint32_t module)
{
	char name[16];

	snprintf(name, sizeof(name), "%c%u", kind == GN_KIND_MODULE ? 'm' : 'f',
		 id);
	feed_text(f, (struct gn_rec){.kind = kind}, id, module, name);
}

/* The NAME record of a function in process `pid`, from thread `tid`. */
static inline void feed_name(struct feed *f, uint32_t tid, uint32_t func,
			     uint32_t pid, const char *name)
{
	feed_text(f,
		  (struct gn_rec){.tid = tid,
				  .seq = ++f->seq[tid],
				  .kind = GN_KIND_NAME},
		  func, pid, name);
}

static inline struct feed feed_new(enum gn_classify how)
{
	struct gn_pipeline_opts opts = {.classify = how, .live = true};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	uint32_t i;

	assert_non_null(f.p);
	for (i = 1; i <= 6; i++)
		feed_named(&f, GN_KIND_FUNCTION, i, 0);
	return f;
}

static inline void feed_thread(struct feed *f, uint64_t time, uint32_t tid,
			       enum gn_kind kind, uint32_t pid, uint32_t parent)
{
	struct gn_rec_thread r = {.f = {.h = {.time = time,
					      .tid = tid,
					      .seq = ++f->seq[tid],
					      .kind = kind}},
				  .pid = pid,
				  .parent = parent};

	snprintf(r.comm, sizeof(r.comm), "t%u", tid);
	feed_rec(f, &r, sizeof(r));
}

/* Names a thread of process 1. */
static inline void feed_comm(struct feed *f, uint64_t time, uint32_t tid,
			     const char *comm)
{
	struct gn_rec_thread r = {.f = {.h = {.time = time,
					      .tid = tid,
					      .seq = ++f->seq[tid],
					      .kind = GN_KIND_THREAD}},
				  .pid = 1};

	memcpy(r.comm, comm, strlen(comm));
	feed_rec(f, &r, sizeof(r));
}

static inline void feed_event(struct feed *f, uint64_t time, uint32_t tid,
			      enum gn_kind kind, uint32_t func, uint64_t key,
			      uint32_t os)
{
	struct gn_rec_func r = {.h = {.time = time,
				      .tid = tid,
				      .seq = ++f->seq[tid],
				      .kind = kind,
				      .flags = os ? GN_F_OS_EVENT : 0,
				      .key = key},
				.func = func,
				.os_ns = os};

	feed_rec(f, &r, sizeof(r));
}

static inline void feed_slice(struct feed *f, uint64_t start, uint64_t end,
			      uint32_t tid, enum gn_class class, uint32_t waker,
			      bool in_probe)
{
	struct gn_rec_slice r = {.h = {.time = end,
				       .tid = tid,
				       .seq = ++f->slice_seq[tid],
				       .kind = GN_KIND_SLICE,
				       .flags = in_probe ? GN_F_IN_PROBE : 0},
				 .start = start,
				 .waker = waker,
				 .reason = FEED_FUTEX,
				 .class = (uint8_t) class};

	feed_rec(f, &r, sizeof(r));
}

static inline void feed_now_woken(struct feed *f, uint64_t time, uint32_t tid,
				  enum gn_cpu_state state, enum gn_class class,
				  uint64_t since, uint64_t woken)
{
	struct gn_rec_now r = {
		.h = {.time = time, .tid = tid, .kind = GN_KIND_NOW},
		.since = since,
		.woken = woken,
		.reason = FEED_FUTEX,
		.state = (uint8_t)state,
		.class = (uint8_t) class};

	feed_rec(f, &r, sizeof(r));
}

static inline void feed_now(struct feed *f, uint64_t time, uint32_t tid,
			    enum gn_cpu_state state, enum gn_class class,
			    uint64_t since)
{
	feed_now_woken(f, time, tid, state, class, since, 0);
}

static inline void feed_mute(struct feed *f, uint64_t time, uint32_t func,
			     uint32_t pid)
{
	struct gn_rec_mute r = {.h = {.time = time, .kind = GN_KIND_MUTE},
				.func = func,
				.pid = pid};

	feed_rec(f, &r, sizeof(r));
}

static inline void feed_unprobed(struct feed *f, uint64_t time, uint32_t module)
{
	struct gn_rec_unprobed r = {
		.h = {.time = time, .kind = GN_KIND_UNPROBED},
		.module = module,
		.pid = 1,
	};

	feed_rec(f, &r, sizeof(r));
}

/* Checks what must hold for every period. */
static inline void feed_check(const struct gn_model *m)
{
	assert_int_equal(m->checks.account_error_ns, 0);
	assert_int_equal(m->checks.slice_mismatches, 0);
	assert_int_equal(m->checks.os_overruns, 0);
	assert_int_equal(m->checks.time_reversals, 0);
}

static inline struct gn_model *feed_period(struct feed *f)
{
	struct gn_model *m = NULL;

	assert_int_equal(gn_pipeline_period(f->p, &m), 0);
	feed_check(m);
	return m;
}

static inline struct gn_model *feed_finish(struct feed *f)
{
	struct gn_model *m = NULL;

	assert_int_equal(gn_pipeline_finish(f->p, &m), 0);
	gn_pipeline_free(f->p);
	feed_check(m);
	return m;
}

/* The thread in the model; NULL if there is none. */
static inline const struct gn_model_thread *thread_in(const struct gn_model *m,
						      uint32_t tid)
{
	const struct gn_model_thread *found = NULL;
	size_t i;

	for (i = 0; i < m->nthreads; i++) {
		if (m->threads[i].tid != tid)
			continue;
		assert_null(found);
		found = &m->threads[i];
	}
	return found;
}

static inline const struct gn_model_function *
function_in(const struct gn_model *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->nfunctions; i++)
		if (!strcmp(m->functions[i].name, name))
			return &m->functions[i];
	return NULL;
}

/* The values of a function that must exist. */
static inline const struct gn_values *values_of(const struct gn_model *m,
						const char *name)
{
	const struct gn_model_function *f = function_in(m, name);

	assert_non_null(f);
	return &f->v;
}

static inline const char *name_in(const struct gn_model *m, int32_t function)
{
	return function < 0 ? "-" : m->functions[function].name;
}

/* "f1 f2 f3": the innermost one is last. */
static inline void assert_stack(const struct gn_model *m, uint32_t tid,
				const char *want)
{
	const struct gn_model_thread *t = thread_in(m, tid);
	char text[256] = "";
	size_t n = 0;
	uint32_t i;

	assert_non_null(t);
	assert_int_equal(t->live->depth, t->live->nstack);
	for (i = 0; i < t->live->nstack; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
				      i ? " " : "",
				      name_in(m, t->live->stack[i]));
	assert_string_equal(text, want);
}

static inline const struct gn_model_share *
share_in(const struct gn_model *m, uint32_t tid, const char *function)
{
	const struct gn_model_thread *t = thread_in(m, tid);
	size_t i;

	assert_non_null(t);
	for (i = 0; i < t->live->nshares; i++)
		if (!strcmp(name_in(m, t->live->shares[i].function), function))
			return &t->live->shares[i];
	return NULL;
}

/* The sum of all rows of a class, whatever the waker. */
static inline struct gn_model_wait wait_in(const struct gn_model *m,
					   enum gn_class class)
{
	struct gn_model_wait sum = {0};
	size_t i;

	for (i = 0; i < m->nwaits; i++) {
		if (m->waits[i].class != class)
			continue;
		sum.ns += m->waits[i].ns;
		sum.count += m->waits[i].count;
		if (m->waits[i].longest > sum.longest)
			sum.longest = m->waits[i].longest;
	}
	return sum;
}

#endif
