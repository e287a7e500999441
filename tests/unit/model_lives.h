/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests of what the live view's model keeps: a thread that stays, and names
 * that come and go. Include after cmocka.h.
 */
#ifndef GNOMON_TESTS_MODEL_LIVES_H
#define GNOMON_TESTS_MODEL_LIVES_H

#include "model_feed.h"

#define CLR(i) GN_FUNC(GN_RUNTIME_CLR, i)

static inline void name_thread(struct feed *f, uint32_t tid, uint32_t n)
{
	struct gn_rec_thread r = {.f = {.h = {.time = n,
					      .tid = tid,
					      .seq = ++f->seq[tid],
					      .kind = GN_KIND_RENAME}},
				  .pid = 1};

	snprintf(r.comm, sizeof(r.comm), "n%08x", n);
	feed_rec(f, &r, sizeof(r));
}

static inline void name_functions(struct feed *f, uint32_t tid, uint32_t pid,
				  uint32_t n, uint32_t generation)
{
	char text[64];

	for (uint32_t i = 1; i <= n; i++) {
		snprintf(text, sizeof(text), "Type.Method%u of %u", i,
			 generation);
		feed_name(f, tid, CLR(i), pid, text);
	}
}

static inline void end_thread(struct feed *f, uint64_t time, uint32_t tid)
{
	feed_event(f, time, tid, GN_KIND_EXIT, 0, 0, 0);
	f->seq[tid] = f->slice_seq[tid] = 0;
}

/* Thread 1, of process 1, stays alive. */
static inline struct feed begin(bool live)
{
	struct gn_pipeline_opts opts = {.live = live};
	struct feed f = {.p = gn_pipeline_new(&opts)};

	assert_non_null(f.p);
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	return f;
}

static inline void end_period(struct feed *f, uint64_t time)
{
	feed_now(f, time, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, time - 1);
	gn_model_free(feed_period(f));
}

#endif
