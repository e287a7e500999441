// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ended threads are merged into rows of their process: all sums equal those
 * from the same records with a row for each thread, and memory is bounded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/threads.h"
#include "model_feed.h"

#define TIDS  20
#define PIDS  3
#define STEPS 3000

/* Two pipelines that receive the same records. */
struct twins {
	struct feed all, few;
	uint64_t time;
	struct life {
		bool lives;
		uint32_t pid, depth, func[8];
	} life[TIDS + 1];
	uint64_t random;
};

static uint32_t below(struct twins *w, uint32_t n)
{
	w->random = w->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(w->random >> 33) % n;
}

static struct feed begin(uint32_t most)
{
	struct gn_pipeline_opts opts = {.most_ended = most};
	struct feed f = {.p = gn_pipeline_new(&opts)};

	assert_non_null(f.p);
	for (uint32_t i = 1; i <= 6; i++)
		feed_named(&f, GN_KIND_FUNCTION, i, 0);
	return f;
}

/* A first thread has its process's PID, and stays alive. */
static void make_thread(struct twins *w, uint32_t tid)
{
	uint32_t first = 1 + below(w, PIDS);
	uint32_t parent = 1 + below(w, TIDS);
	uint32_t pid = tid <= PIDS ? tid : first;

	if (tid == parent)
		parent = 0;
	feed_thread(&w->all, w->time, tid, GN_KIND_THREAD, pid, parent);
	feed_thread(&w->few, w->time, tid, GN_KIND_THREAD, pid, parent);
	w->life[tid] = (struct life){.lives = true, .pid = pid};
}

static void event(struct twins *w, uint32_t tid, enum gn_kind kind,
		  uint32_t func, uint32_t os)
{
	uint64_t key = 1000 - w->life[tid].depth;

	feed_event(&w->all, w->time, tid, kind, func, key, os);
	feed_event(&w->few, w->time, tid, kind, func, key, os);
}

/* A call or its end, maybe after a wait that some thread ended, which may have
 * ended itself. */
static void call(struct twins *w, uint32_t tid)
{
	struct life *l = &w->life[tid];
	uint32_t os = below(w, 3) ? 0 : 1 + below(w, 400), by;

	if (os) {
		by = 1 + below(w, TIDS);
		feed_slice(&w->all, w->time - os, w->time, tid, GN_CLASS_EVENT,
			   by, false);
		feed_slice(&w->few, w->time - os, w->time, tid, GN_CLASS_EVENT,
			   by, false);
	}
	if (l->depth < 8 && below(w, 2)) {
		l->func[l->depth++] = 1 + below(w, 6);
		event(w, tid, GN_KIND_ENTER, l->func[l->depth - 1], os);
	} else if (l->depth) {
		event(w, tid, GN_KIND_LEAVE, l->func[l->depth - 1], os);
		l->depth--;
	} else {
		event(w, tid, GN_KIND_EXIT, 0, os);
		l->lives = tid <= PIDS;
	}
}

static void step(struct twins *w)
{
	uint32_t tid = 1 + below(w, TIDS);

	w->time += 500;
	if (!w->life[tid].lives)
		make_thread(w, tid);
	else if (w->life[tid].depth || tid > PIDS)
		call(w, tid);
}

static void same_values(const struct gn_values *a, const struct gn_values *b)
{
	assert_memory_equal(a, b, sizeof(*a));
}

static void same_models(const struct gn_model *a, const struct gn_model *b)
{
	same_values(&a->session, &b->session);
	assert_memory_equal(&a->checks, &b->checks, sizeof(a->checks));
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->nfunctions, b->nfunctions);
	for (size_t i = 0; i < a->nfunctions; i++)
		same_values(&a->functions[i].v, &b->functions[i].v);
	assert_int_equal(a->nprocesses, b->nprocesses);
	for (size_t i = 0; i < a->nprocesses; i++) {
		same_values(&a->processes[i].v, &b->processes[i].v);
		assert_int_equal(a->processes[i].threads,
				 b->processes[i].threads);
	}
	assert_int_equal(a->nnodes, b->nnodes);
	for (size_t i = 0; i < a->nnodes; i++)
		same_values(&a->nodes[i].v, &b->nodes[i].v);
	assert_int_equal(a->nwaits, b->nwaits);
	for (size_t i = 0; i < a->nwaits; i++) {
		assert_int_equal(a->waits[i].ns, b->waits[i].ns);
		assert_int_equal(a->waits[i].count, b->waits[i].count);
		assert_string_equal(a->waits[i].waker_name,
				    b->waits[i].waker_name);
	}
	assert_int_equal(gn_model_threads(a), gn_model_threads(b));
}

/* The sums of idle threads and of the others; a report shows both parts. */
static void sums(const struct gn_model *m, uint64_t of[2][6])
{
	for (size_t i = 0; i < m->nthreads; i++) {
		const struct gn_model_thread *t = &m->threads[i];
		uint64_t *to = of[gn_time_is_idle(t->classes, t->elapsed)];

		to[0] += gn_model_row_threads(t);
		to[1] += t->elapsed;
		to[2] += t->span;
		to[3] += t->records;
		to[4] += t->v.calls;
		to[5] += t->in_doubt;
	}
}

static void same_streams(uint64_t seed)
{
	struct twins w = {.all = begin(0),
			  .few = begin(1 + (uint32_t)seed % 7),
			  .random = seed};
	uint64_t all[2][6] = {{0}}, few[2][6] = {{0}};
	struct gn_model *a, *b;

	for (uint32_t i = 1; i <= PIDS; i++)
		make_thread(&w, i);
	for (int i = 0; i < STEPS; i++)
		step(&w);
	a = feed_finish(&w.all);
	b = feed_finish(&w.few);
	same_models(a, b);
	sums(a, all);
	sums(b, few);
	assert_memory_equal(all, few, sizeof(all));
	assert_true(a->nthreads > 100);
	/* the living ones, the limit, and two rows for each process */
	assert_true(b->nthreads <= TIDS + 8 + 2 * PIDS);
	gn_model_free(a);
	gn_model_free(b);
}

static void sums_are_the_same(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++)
		same_streams(seed);
}

/* A thread that makes one call and ends. */
static void brief(struct feed *f, uint32_t tid, uint64_t time, bool idle)
{
	feed_thread(f, time, tid, GN_KIND_THREAD, 1, 1);
	feed_event(f, time + 10, tid, GN_KIND_ENTER, 1, 100, 0);
	if (idle)
		feed_slice(f, time + 10, time + 9990, tid, GN_CLASS_EVENT, 1,
			   false);
	feed_event(f, time + 10000, tid, GN_KIND_LEAVE, 1, 100,
		   idle ? 9980 : 0);
	feed_event(f, time + 10010, tid, GN_KIND_EXIT, 0, 0, 0);
}

static const struct gn_model_thread *named(const struct gn_model *m,
					   const char *name)
{
	for (size_t i = 0; i < m->nthreads; i++)
		if (!strcmp(m->threads[i].name, name))
			return &m->threads[i];
	fail_msg("no thread %s", name);
	return NULL;
}

static void rows_say_what_they_are(void **state)
{
	struct feed f = begin(2);
	const struct gn_model_thread *t;
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 10, 1, GN_KIND_THREAD, 1, 0);
	for (uint32_t i = 0; i < 12; i++)
		brief(&f, 2 + i, 20000 * (i + 1), i % 3 == 2);
	m = feed_finish(&f);
	/* the last two came after the last merge, which left one row */
	t = named(m, "[7 ended threads]");
	assert_int_equal(t->merged, 7);
	assert_int_equal(t->tid, 0);
	assert_int_equal(t->pid, 1);
	assert_int_equal(t->elapsed, 7 * 10010);
	assert_int_equal(t->v.calls, 7);
	t = named(m, "[3 ended idle threads]");
	assert_int_equal(t->merged, 3);
	assert_int_equal(t->classes[GN_CLASS_EVENT], 3 * 9980);
	assert_int_equal(gn_model_threads(m), 13);
	gn_model_free(m);
}

static enum gn_role of_thread(const char *name)
{
	return !strcmp(name, "t2") ? GN_ROLE_IDLE : GN_ROLE_NONE;
}

/* Many threads end: the first one was t2, the last one `last`. */
static bool row_helps(uint32_t last)
{
	struct feed f = begin(2);
	struct gn_model *m;
	bool helps;

	f.p->opts.roles.of_thread = of_thread;
	feed_thread(&f, 10, 1, GN_KIND_THREAD, 1, 0);
	for (uint32_t i = 0; i < 12; i++) {
		uint32_t tid = i < 6 ? 2 : last;

		brief(&f, tid, 20000 * (i + 1), false);
		f.seq[tid] = f.slice_seq[tid] = 0;
	}
	m = feed_finish(&f);
	helps = named(m, "[10 ended threads]")->helper;
	gn_model_free(m);
	return helps;
}

static void helpers_make_a_row_of_helpers(void **state)
{
	(void)state;
	assert_true(row_helps(2));
	assert_false(row_helps(3));
}

#define READ 0

/* A read() that takes `ns` and returns. */
static void read_call(struct feed *f, uint32_t tid, uint64_t start, uint32_t ns)
{
	struct gn_rec_slice r = {.h = {.time = start + ns,
				       .tid = tid,
				       .seq = ++f->slice_seq[tid],
				       .kind = GN_KIND_SLICE,
				       .flags = GN_F_RETURNED},
				 .start = start,
				 .reason = READ,
				 .class = GN_CLASS_SYSCALL};

	feed_rec(f, &r, sizeof(r));
}

static void reader(struct feed *f, uint32_t tid, uint64_t time)
{
	feed_thread(f, time, tid, GN_KIND_THREAD, 1, 1);
	feed_event(f, time + 10, tid, GN_KIND_ENTER, 1, 100, 0);
	read_call(f, tid, time + 20, tid);
	feed_event(f, time + 1000, tid, GN_KIND_LEAVE, 1, 100, tid);
	feed_event(f, time + 1000 * tid, tid, GN_KIND_EXIT, 0, 0, 0);
}

/* The row of system calls of the model's thread. */
static const struct gn_model_syscall *read_by(const struct gn_model *m,
					      const struct gn_model_thread *t)
{
	const struct gn_model_syscall *found = NULL;

	for (size_t i = 0; i < m->nthread_syscalls; i++) {
		if (&m->threads[m->thread_syscalls[i].thread] != t)
			continue;
		assert_null(found);
		found = &m->thread_syscalls[i];
	}
	return found;
}

/* Calls belong to the thread that made them, in any order of threads, or to the
 * row into which it was merged. */
static void system_calls_stay(void **state)
{
	struct feed f = begin(0);
	const struct gn_model_syscall *x;
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 10, 1, GN_KIND_THREAD, 1, 0);
	for (uint32_t tid = 2; tid <= 9; tid++)
		reader(&f, tid, 20000 * tid);
	m = feed_finish(&f);
	assert_int_equal(m->nthread_syscalls, 8);
	assert_null(read_by(m, thread_in(m, 1)));
	for (uint32_t tid = 2; tid <= 9; tid++)
		assert_int_equal(read_by(m, thread_in(m, tid))->cpu, tid);
	gn_model_free(m);
	f = begin(2);
	feed_thread(&f, 10, 1, GN_KIND_THREAD, 1, 0);
	for (uint32_t tid = 2; tid <= 9; tid++)
		reader(&f, tid, 20000 * tid);
	m = feed_finish(&f);
	/* the last one came after the last merge, which left one row */
	x = read_by(m, named(m, "[6 ended threads]"));
	assert_int_equal(x->calls, 6);
	assert_int_equal(x->cpu, 2 + 3 + 4 + 5 + 6 + 7);
	assert_int_equal(x->shortest, 2);
	assert_int_equal(x->longest, 7);
	assert_int_equal(read_by(m, thread_in(m, 8))->cpu, 8);
	assert_int_equal(read_by(m, thread_in(m, 9))->cpu, 9);
	assert_int_equal(m->syscalls[0].calls, 8);
	gn_model_free(m);
}

/* At most one ended thread is kept for each TID. */
static void memory_is_bounded(void **state)
{
	struct feed f = begin(8);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 10, 1, GN_KIND_THREAD, 1, 0);
	for (uint32_t i = 0; i < 100000; i++) {
		brief(&f, 2 + i % 50, 20000 * (uint64_t)(i + 1), false);
		assert_in_range(f.p->nthreads, 1, 11);
		assert_in_range(f.p->threads_cap, 1, 64);
		assert_in_range(f.p->ghosts.n, 0, 50);
	}
	m = feed_finish(&f);
	assert_int_equal(gn_model_threads(m), 100001);
	gn_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_the_same),
		cmocka_unit_test(rows_say_what_they_are),
		cmocka_unit_test(helpers_make_a_row_of_helpers),
		cmocka_unit_test(system_calls_stay),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
