// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory of the live view: ten times as much that was takes no more, and what a
 * hostile program makes live without end has bounds, which are counted.
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/threads.h"
#include "model_feed.h"

#define CLR(i) GN_FUNC(GN_RUNTIME_CLR, i)

/* Bytes that are allocated, and the most that were. */
static struct {
	size_t now, most;
} held;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

static void *taken(void *p)
{
	held.now += malloc_usable_size(p);
	if (held.now > held.most)
		held.most = held.now;
	return p;
}

void *__wrap_malloc(size_t size)
{
	return taken(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return taken(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	size_t before = malloc_usable_size(p);
	void *q = __real_realloc(p, size);

	if (!q)
		return NULL;
	held.now -= before;
	return taken(q);
}

void __wrap_free(void *p)
{
	size_t size = malloc_usable_size(p);

	held.now -= size;
	if (p)
		memset(p, 0xdb, size); /* whoever still looks at it sees that */
	__real_free(p);
}

static void name_thread(struct feed *f, uint32_t tid, uint32_t n)
{
	struct gn_rec_thread r = {.f = {.h = {.time = n,
					      .tid = tid,
					      .seq = ++f->seq[tid],
					      .kind = GN_KIND_RENAME}},
				  .pid = 1};

	snprintf(r.comm, sizeof(r.comm), "n%08x", n);
	feed_rec(f, &r, sizeof(r));
}

static void name_functions(struct feed *f, uint32_t tid, uint32_t pid,
			   uint32_t n, uint32_t generation)
{
	char text[64];

	for (uint32_t i = 1; i <= n; i++) {
		snprintf(text, sizeof(text), "Type.Method%u of %u", i,
			 generation);
		feed_name(f, tid, CLR(i), pid, text);
	}
}

static void end_thread(struct feed *f, uint64_t time, uint32_t tid)
{
	feed_event(f, time, tid, GN_KIND_EXIT, 0, 0, 0);
	f->seq[tid] = f->slice_seq[tid] = 0;
}

/* Thread 1, of process 1, lives in all that follows. */
static struct feed begin(bool live)
{
	struct gn_pipeline_opts opts = {.live = live};
	struct feed f = {.p = gn_pipeline_new(&opts)};

	assert_non_null(f.p);
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	return f;
}

static void end_period(struct feed *f, uint64_t time)
{
	feed_now(f, time, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, time - 1);
	gn_model_free(feed_period(f));
}

/*
 * Takes `n` of something; the most bytes that were held at a time. What n took
 * is to be as much as what 10 n take, but for the last doubling of a table.
 */
static size_t most_of(void (*take)(struct feed *f, uint32_t n), bool live,
		      uint32_t n)
{
	struct feed f;
	size_t before = held.now, most;

	held.most = held.now;
	f = begin(live);
	take(&f, n);
	most = held.most - before;
	gn_pipeline_free(f.p);
	assert_int_equal(held.now, before);
	return most;
}

static void assert_bounded(void (*take)(struct feed *f, uint32_t n), bool live,
			   uint32_t n)
{
	size_t once = most_of(take, live, n),
	       often = most_of(take, live, 10 * n);

	if (often > once + once / 20)
		fail_msg("%u take %zu bytes, %u take %zu", n, once, 10 * n,
			 often);
}

/* In one period, however long it is. */
static void rename_often(struct feed *f, uint32_t n)
{
	char last[16];

	for (uint32_t i = 1; i <= n; i++)
		name_thread(f, 1, i);
	snprintf(last, sizeof(last), "n%08x", n);
	assert_string_equal(f->p->threads[0]->name, last);
}

static void names_that_a_thread_had_are_forgotten(void **state)
{
	(void)state;
	assert_bounded(rename_often, true, 50000);
	assert_bounded(rename_often, false, 50000);
}

static void start_threads(struct feed *f, uint32_t n)
{
	for (uint32_t i = 1; i <= n; i++) {
		feed_thread(f, i, 2, GN_KIND_THREAD, 1, 1);
		name_thread(f, 2, i);
		feed_event(f, i, 2, GN_KIND_ENTER, CLR(1), 0x100, 0);
		end_thread(f, i, 2);
		if (i % 100 == 0)
			end_period(f, i);
	}
}

static void threads_that_ended_are_forgotten(void **state)
{
	(void)state;
	assert_bounded(start_threads, true, 20000);
}

static void start_processes(struct feed *f, uint32_t n)
{
	for (uint32_t i = 1; i <= n; i++) {
		feed_thread(f, i, 2, GN_KIND_THREAD, 2, 1);
		name_functions(f, 2, 2, 50, i);
		feed_event(f, i, 2, GN_KIND_ENTER, CLR(1), 0x100, 0);
		end_thread(f, i, 2);
		if (i % 5 == 0)
			end_period(f, i);
	}
}

static void functions_of_processes_that_ended_are_forgotten(void **state)
{
	(void)state;
	assert_bounded(start_processes, true, 500);
}

static void change_programs(struct feed *f, uint32_t n)
{
	feed_thread(f, 0, 2, GN_KIND_THREAD, 2, 0);
	for (uint32_t i = 1; i <= n; i++) {
		feed_thread(f, i, 2, GN_KIND_EXEC, 2, 2);
		name_functions(f, 2, 2, 50, i);
		feed_event(f, i, 2, GN_KIND_ENTER, CLR(1), 0x100, 0);
		if (i % 5 == 0)
			end_period(f, i);
	}
}

static void functions_of_programs_that_are_over_are_forgotten(void **state)
{
	(void)state;
	assert_bounded(change_programs, true, 500);
}

/* Each id has one name at a time. */
static void change_names(struct feed *f, uint32_t n)
{
	for (uint32_t i = 1; i <= n; i++) {
		name_functions(f, 1, 1, 10, i);
		if (i % 20 == 0)
			end_period(f, i);
	}
}

static void names_that_a_function_had_are_forgotten(void **state)
{
	(void)state;
	assert_bounded(change_names, true, 2000);
}

/*
 * Each process is forked from the one before, which then ends: it has that
 * one's functions, also those that it never called itself.
 */
static void fork_on(struct feed *f, uint32_t n)
{
	struct gn_model *m;
	uint32_t tid = 2, next;

	feed_thread(f, 0, tid, GN_KIND_THREAD, tid, 0);
	for (uint32_t i = 1; i <= n; i++) {
		next = 2 + (tid - 1) % 40;
		if (i % 50 == 1)
			name_functions(f, tid, tid, 50, i);
		feed_thread(f, i, next, GN_KIND_THREAD, next, tid);
		end_thread(f, i, tid);
		tid = next;
		if (i % 10)
			continue;
		feed_event(f, i, tid, GN_KIND_ENTER, CLR(1 + i % 50), 0x100, 0);
		feed_event(f, i + 1, tid, GN_KIND_LEAVE, CLR(1 + i % 50), 0x100,
			   0);
		m = feed_period(f);
		for (size_t k = 0; k < m->nfunctions; k++)
			assert_non_null(strstr(m->functions[k].name, "Type."));
		gn_model_free(m);
	}
}

static void functions_of_ancestors_are_known(void **state)
{
	(void)state;
	assert_bounded(fork_on, true, 3000);
}

/* Whatever is swept out, what is left is as it was. */
static void what_lives_is_left(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;
	char text[64];

	(void)state;
	feed_name(&f, 1, CLR(7), 1, "Kept.Open");
	feed_name(&f, 1, CLR(8), 1, "Kept.Compiled");
	feed_name(&f, 1, CLR(9), 1, "Kept.Muted");
	feed_event(&f, 10, 1, GN_KIND_ENTER, CLR(7), 0x800, 0);
	feed_event(&f, 20, 1, GN_KIND_JIT_BEGIN, CLR(8), 0, 0);
	feed_event(&f, 30, 1, GN_KIND_JIT_END, 0, 0, 0);
	/* who compiled goes on in another program, who muted does not */
	feed_thread(&f, 32, 3, GN_KIND_THREAD, 3, 0);
	feed_name(&f, 3, CLR(5), 3, "Kept.Before");
	feed_event(&f, 33, 3, GN_KIND_JIT_BEGIN, CLR(5), 0, 0);
	feed_event(&f, 34, 3, GN_KIND_JIT_END, 0, 0, 0);
	feed_thread(&f, 35, 3, GN_KIND_EXEC, 3, 3);
	feed_mute(&f, 36, CLR(9), 1);
	for (uint32_t i = 0; i < 10; i++) {
		uint64_t time = 100 + 100 * (uint64_t)i;

		feed_thread(&f, time, 2, GN_KIND_THREAD, 2, 0);
		snprintf(text, sizeof(text), "Gone.Method%u", i);
		feed_name(&f, 2, CLR(7), 2, text);
		feed_event(&f, time + 10, 2, GN_KIND_ENTER, CLR(7), 0x400, 0);
		end_thread(&f, time + 20, 2);
		feed_now(&f, time + 50, 1, GN_CPU_WAITING, GN_CLASS_SLEEP,
			 time + 40);
		/* a wait that is over, woken by one that ended before */
		if (i)
			feed_slice(&f, time + 10, time + 30, 1, GN_CLASS_LOCK,
				   2, false);
		f.p->sweep.fns_at = f.p->sweep.texts_at = 0;
		m = feed_period(&f);
		assert_stack(m, 1, "Kept.Open");
		assert_string_equal(thread_in(m, 1)->name, "t1");
		assert_string_equal(thread_in(m, 2)->name, "t2");
		assert_string_equal(
			name_in(m, thread_in(m, 3)->live->activity[0].function),
			"Kept.Before");
		assert_non_null(function_in(m, text));
		assert_int_equal(thread_in(m, 1)->live->nactivities, 1);
		assert_string_equal(
			name_in(m, thread_in(m, 1)->live->activity[0].function),
			"Kept.Compiled");
		assert_true(function_in(m, "Kept.Muted")->muted);
		for (size_t k = 0; k < m->nwaits; k++)
			if (m->waits[k].waker)
				assert_string_equal(m->waits[k].waker_name,
						    "t2");
		gn_model_free(m);
	}
	assert_int_equal(f.p->stage.names.nfns, 4);
	assert_int_equal(f.p->stage.names.nmuted, 1);
	assert_true(gn_names_muted(&f.p->stage.names, f.p->processes[0].program,
				   CLR(9)));
	gn_model_free(feed_finish(&f));
}

/* The record before which all texts are swept tells nothing itself. */
static void sweep_texts(struct feed *f, uint64_t time)
{
	const char *before = f->p->threads[0]->name;

	f->p->sweep.texts_at = 0;
	feed_now(f, time, 60, GN_CPU_ON, GN_CLASS_APP, time);
	assert_ptr_not_equal(f->p->threads[0]->name, before);
}

/* The name of a waker that ended, wherever it is on its way to the model. */
static void wake(bool row)
{
	struct feed f = begin(true);
	struct gn_model *m;
	size_t i, woken = 0;

	feed_thread(&f, 0, 2, GN_KIND_THREAD, 2, 0);
	end_thread(&f, 10, 2);
	m = feed_period(&f);
	sweep_texts(&f, 20); /* a ghost's */
	gn_model_free(m);
	feed_slice(&f, 21, 23, 1, GN_CLASS_LOCK, 2, false);
	sweep_texts(&f, 24); /* of the open interval */
	feed_event(&f, 25, 1, GN_KIND_ENTER, CLR(1), 0x100, 2);
	if (row)
		sweep_texts(&f, 26);
	m = feed_period(&f);
	for (i = 0; i < m->nwaits; i++) {
		if (!m->waits[i].waker)
			continue;
		assert_string_equal(m->waits[i].waker_name, "t2");
		woken++;
	}
	assert_int_equal(woken, 1);
	assert_string_equal(m->processes[0].name, "t1");
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void names_of_wakers_are_left(void **state)
{
	(void)state;
	wake(false);
	wake(true);
}

static void the_path_of_a_late_file_is_left(void **state)
{
	struct gn_rec_unprobed r = {.h = {.time = 5,
					  .kind = GN_KIND_UNPROBED,
					  .flags = GN_F_BY_PATH},
				    .module = 1,
				    .pid = 1};
	struct feed f = begin(true);
	struct gn_model *m;

	(void)state;
	feed_named(&f, GN_KIND_MODULE, 1, 0);
	feed_rec(&f, &r, sizeof(r));
	sweep_texts(&f, 20);
	m = feed_period(&f);
	assert_string_equal(m->by_path, "m1");
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* A model has its texts, whatever becomes of those who had them. */
static void a_model_keeps_its_texts(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;

	(void)state;
	name_thread(&f, 1, 1);
	m = feed_period(&f);
	for (uint32_t i = 2; i < 60000; i++)
		name_thread(&f, 1, i);
	assert_string_equal(thread_in(m, 1)->name, "n00000001");
	gn_model_free(feed_finish(&f));
	assert_string_equal(thread_in(m, 1)->name, "n00000001");
	gn_model_free(m);
}

/* Enters without an end, each on a path of its own. */
static void frames_have_a_bound(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;
	uint64_t i;

	(void)state;
	f.p->stage.most_frames = 1000;
	for (i = 0; i < 5000; i++)
		feed_event(&f, 10 + i, 1, GN_KIND_ENTER, CLR(1), 0x100000 - i,
			   0);
	m = feed_period(&f);
	assert_true(thread_in(m, 1)->v.calls <= 1024);
	assert_int_equal(thread_in(m, 1)->v.calls + m->lost, 5000);
	assert_int_equal(thread_in(m, 1)->live->depth,
			 thread_in(m, 1)->v.calls);
	assert_true(gn_model_lossy(m));
	assert_true(thread_in(m, 1)->gaps > 0);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* Calls of ever other functions from ever other paths. */
static void paths_have_a_bound(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;
	uint64_t i;

	(void)state;
	f.p->stage.tree.most = 100;
	for (i = 0; i < 500; i++) {
		feed_event(&f, 10 + i, 1, GN_KIND_ENTER, CLR((uint32_t)i + 1),
			   0x800, 0);
		feed_event(&f, 10 + i, 1, GN_KIND_LEAVE, CLR((uint32_t)i + 1),
			   0x800, 0);
	}
	assert_int_equal(f.p->stage.tree.n, 100);
	/* a path that is known is no new one */
	feed_event(&f, 600, 1, GN_KIND_ENTER, CLR(7), 0x800, 0);
	feed_event(&f, 600, 1, GN_KIND_LEAVE, CLR(7), 0x800, 0);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->v.calls, 99); /* session, process */
	assert_int_equal(m->lost, 500 - 98);
	assert_int_equal(m->checks.unmatched_leaves, 500 - 98);
	gn_model_free(m);
	/* there is room again */
	feed_event(&f, 1000, 1, GN_KIND_ENTER, CLR(400), 0x800, 0);
	m = feed_period(&f);
	assert_int_equal(m->lost, 0);
	assert_int_equal(thread_in(m, 1)->v.calls, 1);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* Functions of whom each is called once, and names that nobody needs. */
static void functions_have_a_bound(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;
	uint32_t i;

	(void)state;
	f.p->stage.names.most_fns = 100;
	for (i = 1; i <= 500; i++) {
		feed_event(&f, 10 + i, 1, GN_KIND_ENTER, CLR(i), 0x800, 0);
		feed_event(&f, 10 + i, 1, GN_KIND_LEAVE, CLR(i), 0x800, 0);
	}
	name_functions(&f, 1, 1, 200, 1);
	assert_int_equal(f.p->stage.names.nfns, 100);
	m = feed_period(&f);
	assert_int_equal(m->lost, 400 + 100);
	assert_int_equal(m->nfunctions, 100);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void texts_have_a_bound(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;

	(void)state;
	f.p->stage.names.most_texts = 20000;
	name_functions(&f, 1, 1, 1000, 1);
	assert_in_range(f.p->stage.names.pool.size, 20000, 20200);
	assert_in_range(f.p->stage.names.nfns, 200, 400);
	/* a thread's name is short, and always told */
	name_thread(&f, 1, 77);
	m = feed_period(&f);
	assert_int_equal(m->lost + f.p->stage.names.nfns, 1000);
	assert_string_equal(thread_in(m, 1)->name, "n0000004d");
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* 1 calls 2 to 200, and each of them 1000. */
static void call_many(struct feed *f)
{
	uint64_t now = 10;

	feed_event(f, now, 1, GN_KIND_ENTER, CLR(1), 0x900, 0);
	for (uint32_t i = 2; i <= 200; i++, now += 40) {
		feed_event(f, now + 10, 1, GN_KIND_ENTER, CLR(i), 0x800, 0);
		feed_event(f, now + 20, 1, GN_KIND_ENTER, CLR(1000), 0x700, 0);
		feed_event(f, now + 30, 1, GN_KIND_LEAVE, CLR(1000), 0x700, 0);
		feed_event(f, now + 40, 1, GN_KIND_LEAVE, CLR(i), 0x800, 0);
	}
	feed_event(f, now + 10, 1, GN_KIND_LEAVE, CLR(1), 0x900, 0);
}

/* Each call and its own time is its function's, also where its path had no
 * room; only who called it is not known then. */
static void other_paths_are_told(void **state)
{
	struct feed f = begin(false);
	const struct gn_model_function *other;
	struct gn_model *m;
	uint64_t own = 0, calls = 0, children = 0;

	(void)state;
	f.p->stage.tree.most = 100;
	call_many(&f);
	m = feed_finish(&f);
	assert_false(gn_model_lossy(m));
	assert_false(gn_model_broken(m));
	for (size_t i = 0; i < m->nfunctions; i++) {
		own += m->functions[i].v.elapsed_excl;
		calls += m->functions[i].v.calls;
	}
	assert_int_equal(calls, 1 + 2 * 199);
	assert_int_equal(own, m->session.elapsed_excl);
	assert_int_equal(own, 199 * 40 + 10);
	other = function_in(m, "[other]");
	assert_int_equal(other->v.calls, 0);
	assert_int_equal(other->v.elapsed_excl, 0);
	for (size_t i = 0; i < m->nnodes; i++)
		if (m->nodes[i].parent >= 0 &&
		    m->nodes[m->nodes[i].parent].function ==
			    (int32_t)other->index)
			children += m->nodes[i].v.calls;
	assert_int_equal(m->checks.other_calls, children);
	assert_in_range(children, 2 * (199 - 49), 2 * (199 - 47));
	/* session, process, [other] and one node of each function below it */
	assert_in_range(m->nnodes, 100, 100 + 1 + 201);
	gn_model_free(m);
}

/* The bounds of a capture to its end are what there is of memory. */
static void a_whole_capture_has_no_bounds(void **state)
{
	struct feed f = begin(false);

	(void)state;
	assert_int_equal(f.p->stage.most_frames, 0);
	/* but for call paths: what has no room there is not lost */
	assert_int_equal(f.p->stage.tree.most, GN_MOST_NODES);
	assert_int_equal(f.p->stage.names.most_fns, 0);
	assert_int_equal(f.p->stage.names.most_texts, 0);
	gn_model_free(feed_finish(&f));
}

static bool only_first(void *ctx, uint32_t pid, uint32_t tid)
{
	assert_int_equal(pid, 1);
	*(uint32_t *)ctx += 1;
	return tid == 1;
}

/* The end of thread 2 is lost: it is the record after the one that came. */
static void a_thread_whose_end_was_lost_ends(void **state)
{
	struct feed f = begin(true);
	uint32_t asked = 0;
	struct gn_model *m;
	uint64_t i;

	(void)state;
	feed_thread(&f, 0, 2, GN_KIND_THREAD, 1, 1);
	for (i = 1; i <= 5; i++) {
		/* nothing was lost: nobody is asked for */
		assert_int_equal(gn_pipeline_silent(f.p, only_first, &asked),
				 0);
		end_period(&f, 100 * i);
	}
	assert_int_equal(asked, 0);
	f.seq[1]++;
	name_thread(&f, 1, 600);
	assert_int_equal(gn_pipeline_silent(f.p, only_first, &asked), 0);
	/* thread 2 has been silent for more than a period, thread 1 not */
	assert_int_equal(asked, 1);
	m = feed_period(&f);
	assert_int_equal(m->lost, 2);
	assert_int_equal(thread_in(m, 2)->live->state, GN_THREAD_ENDED);
	assert_int_equal(thread_in(m, 2)->gaps, 1);
	gn_model_free(m);
	m = feed_period(&f);
	assert_null(thread_in(m, 2));
	assert_int_equal(m->lost, 0);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* One period without a word is a thread that waits for its turn to be told. */
static void a_thread_is_not_asked_for_at_once(void **state)
{
	struct feed f = begin(true);
	uint32_t asked = 0;

	(void)state;
	f.seq[1]++;
	name_thread(&f, 1, 5);
	gn_model_free(feed_period(&f));
	assert_int_equal(gn_pipeline_silent(f.p, only_first, &asked), 0);
	assert_int_equal(asked, 0);
	gn_model_free(feed_period(&f));
	assert_int_equal(gn_pipeline_silent(f.p, only_first, &asked), 0);
	assert_int_equal(asked, 1);
	gn_model_free(feed_finish(&f));
}

/* What grows with a period ends it: as much as that, but not less. */
static void a_period_is_full(void **state)
{
	struct feed f = begin(true);
	uint32_t i;

	(void)state;
	for (i = 1; i < GN_PERIOD_ENDED; i++) {
		feed_thread(&f, i, 2, GN_KIND_THREAD, 1, 1);
		end_thread(&f, i, 2);
	}
	assert_false(gn_pipeline_full(f.p));
	feed_thread(&f, i, 2, GN_KIND_THREAD, 1, 1);
	end_thread(&f, i, 2);
	assert_true(gn_pipeline_full(f.p));
	end_period(&f, i);
	assert_false(gn_pipeline_full(f.p));
	for (i = 1; i <= GN_PERIOD_NODES; i++)
		feed_event(&f, 100000 + i, 1, GN_KIND_ENTER, 5, 0, 0);
	assert_true(gn_pipeline_full(f.p));
	/* what stays open is the next period's from its begin */
	end_period(&f, 1000000);
	assert_false(gn_pipeline_full(f.p));
	gn_model_free(feed_finish(&f));
}

/* What a burst of frames took is given back when they are gone. */
static void a_burst_of_frames_is_given_back(void **state)
{
	struct feed f = begin(true);
	size_t before = held.now;
	uint32_t i;

	(void)state;
	for (i = 1; i <= 100000; i++)
		feed_event(&f, i, 1, GN_KIND_ENTER, 5, 0x800000 - i, 0);
	assert_true(held.now > before + 100000 * sizeof(struct gn_frame));
	feed_event(&f, i, 1, GN_KIND_LEAVE, 5, 0x800000 - 1, 0);
	end_period(&f, i);
	end_period(&f, i + 10);
	assert_true(held.now < before + (256u << 10));
	gn_model_free(feed_finish(&f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_a_thread_had_are_forgotten),
		cmocka_unit_test(threads_that_ended_are_forgotten),
		cmocka_unit_test(
			functions_of_processes_that_ended_are_forgotten),
		cmocka_unit_test(
			functions_of_programs_that_are_over_are_forgotten),
		cmocka_unit_test(names_that_a_function_had_are_forgotten),
		cmocka_unit_test(functions_of_ancestors_are_known),
		cmocka_unit_test(what_lives_is_left),
		cmocka_unit_test(names_of_wakers_are_left),
		cmocka_unit_test(the_path_of_a_late_file_is_left),
		cmocka_unit_test(a_model_keeps_its_texts),
		cmocka_unit_test(frames_have_a_bound),
		cmocka_unit_test(paths_have_a_bound),
		cmocka_unit_test(functions_have_a_bound),
		cmocka_unit_test(texts_have_a_bound),
		cmocka_unit_test(other_paths_are_told),
		cmocka_unit_test(a_whole_capture_has_no_bounds),
		cmocka_unit_test(a_thread_whose_end_was_lost_ends),
		cmocka_unit_test(a_thread_is_not_asked_for_at_once),
		cmocka_unit_test(a_period_is_full),
		cmocka_unit_test(a_burst_of_frames_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
