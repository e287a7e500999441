// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory of the live view: ten times as many past objects need no more memory,
 * and what is still needed is kept.
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/threads.h"
#include "model_lives.h"

/* Allocated bytes, now and at the peak. */
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
		memset(p, 0xdb, size); /* makes any later use visible */
	__real_free(p);
}

/*
 * Feeds `n` of something. Returns the peak of allocated bytes. The peaks for n
 * and for 10 n must be equal, except for the last doubling of a table.
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

/* In a single period, of any length. */
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
 * Each process is forked from the one before, which then ends. It inherits that
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

/* Process 1 has most of the allowed names, process 2 the rest. After process 2
 * has ended, there is room for the next one. */
static void fill_and_end(bool texts)
{
	struct feed f = begin(true);
	struct gn_names *n = &f.p->stage.names;
	struct gn_model *m;

	name_functions(&f, 1, 1, 10000, 0);
	if (texts)
		n->most_texts = n->pool.size * 6 / 5;
	else
		n->most_fns = 12000;
	end_period(&f, 10);
	feed_thread(&f, 20, 2, GN_KIND_THREAD, 2, 0);
	name_functions(&f, 2, 2, 4000, 1);
	end_thread(&f, 30, 2);
	m = feed_period(&f);
	assert_in_range(m->lost, 1500, 2500);
	gn_model_free(m);
	end_period(&f, 40);
	feed_thread(&f, 50, 2, GN_KIND_THREAD, 2, 0);
	name_functions(&f, 2, 2, 1000, 2);
	m = feed_period(&f);
	assert_int_equal(m->lost, 0);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void a_limit_leaves_room_again(void **state)
{
	(void)state;
	fill_and_end(false);
	fill_and_end(true);
}

/* Whatever is swept, the rest is unchanged. */
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
	/* the compiling process executes another program, the muting one does
	 * not */
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
		/* a finished wait, woken by a thread that ended before */
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

/* All texts are swept before this record, which reports nothing itself. */
static void sweep_texts(struct feed *f, uint64_t time)
{
	const char *before = f->p->threads[0]->name;

	f->p->sweep.texts_at = 0;
	feed_now(f, time, 60, GN_CPU_ON, GN_CLASS_APP, time);
	assert_ptr_not_equal(f->p->threads[0]->name, before);
}

/* The name of a waker that ended, at any stage on its way to the model. */
static void wake(bool row)
{
	struct feed f = begin(true);
	struct gn_model *m;
	size_t i, woken = 0;

	feed_thread(&f, 0, 2, GN_KIND_THREAD, 2, 0);
	end_thread(&f, 10, 2);
	m = feed_period(&f);
	sweep_texts(&f, 20); /* the name of an ended thread */
	gn_model_free(m);
	feed_slice(&f, 21, 23, 1, GN_CLASS_LOCK, 2, false);
	sweep_texts(&f, 24); /* the name in the open interval */
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

/* Also outside the live view. */
static void the_source_of_a_function_is_left(void **state)
{
	struct feed f = begin(false);
	struct gn_model *m;

	(void)state;
	feed_name(&f, 1, CLR(1), 1, "Type.Method");
	feed_text(&f, (struct gn_rec){.kind = GN_KIND_SOURCE, .key = 7}, CLR(1),
		  1, "/src/type.cs");
	sweep_texts(&f, 20);
	feed_event(&f, 21, 1, GN_KIND_ENTER, CLR(1), 0x100, 0);
	m = feed_finish(&f);
	assert_string_equal(function_in(m, "Type.Method")->file,
			    "/src/type.cs");
	gn_model_free(m);
}

/* A model keeps its texts, even if their owners are gone. */
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

/* The memory of a burst of frames is freed when they are gone. */
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
		cmocka_unit_test(a_limit_leaves_room_again),
		cmocka_unit_test(what_lives_is_left),
		cmocka_unit_test(names_of_wakers_are_left),
		cmocka_unit_test(the_path_of_a_late_file_is_left),
		cmocka_unit_test(the_source_of_a_function_is_left),
		cmocka_unit_test(a_model_keeps_its_texts),
		cmocka_unit_test(a_burst_of_frames_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
