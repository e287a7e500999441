// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hooksite/clr/arena.h"
#include "hooksite/clr/ids.h"
#include "hooksite/clr/unwinds.h"

#define THREADS	  8
#define FUNCTIONS 20000

static struct gn_ids *new_ids(void)
{
	struct gn_ids *ids = calloc(1, sizeof(*ids));

	assert_non_null(ids);
	return ids;
}

/* Addresses like the runtime's: close together, aligned. */
static gn_cor_id function(size_t i)
{
	return 0x7f0012340008u + i * 24;
}

static void test_dense_and_stable(void **state)
{
	struct gn_ids *ids = new_ids();

	(void)state;
	assert_int_equal(gn_ids_get(ids, 0), 0);
	assert_int_equal(gn_ids_find(ids, function(0)), 0);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(gn_ids_get(ids, function(i)), i + 1);
	for (size_t i = 0; i < 1000; i++) {
		assert_int_equal(gn_ids_get(ids, function(i)), i + 1);
		assert_int_equal(gn_ids_find(ids, function(i)), i + 1);
	}
	assert_int_equal(gn_ids_find(ids, function(1000)), 0);
	free(ids);
}

static void test_forget(void **state)
{
	struct gn_ids *ids = new_ids();

	(void)state;
	for (size_t i = 0; i < 100; i++)
		gn_ids_get(ids, function(i));
	gn_ids_forget(ids, function(7));
	gn_ids_forget(ids, function(500));
	assert_int_equal(gn_ids_find(ids, function(7)), 0);
	assert_int_equal(gn_ids_find(ids, function(8)), 9);
	/* another function at the same address is another function */
	assert_int_equal(gn_ids_get(ids, function(7)), 101);
	assert_int_equal(gn_ids_find(ids, function(7)), 101);
	free(ids);
}

/* The ids of freed dynamic methods return again and again: a look-up must not
 * search all slots that once had one. */
static void test_forgotten_slots_are_taken(void **state)
{
	struct gn_ids *ids = calloc(1, sizeof(*ids));
	uint32_t taken = 0;

	(void)state;
	assert_non_null(ids);
	for (uint32_t i = 1; i <= 1000; i++) {
		assert_int_equal(gn_ids_get(ids, 0x7f1234560000), i);
		assert_int_equal(gn_ids_find(ids, 0x7f1234560000), i);
		gn_ids_forget(ids, 0x7f1234560000);
		assert_int_equal(gn_ids_find(ids, 0x7f1234560000), 0);
	}
	for (uint32_t i = 0; i < GN_IDS_FRONT; i++)
		taken += !!ids->front[i];
	assert_int_equal(taken, 1);
	free(ids);
}

static void test_forget_module(void **state)
{
	struct gn_ids *ids = new_ids();

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		uint32_t index = gn_ids_get(ids, function(i));

		atomic_store(&gn_id_of(ids, index)->module, 1 + i % 3);
	}
	gn_ids_forget_module(ids, 0);
	gn_ids_forget_module(ids, 2);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(gn_ids_find(ids, function(i)),
				 i % 3 == 1 ? 0 : i + 1);
	free(ids);
}

static void test_full(void **state)
{
	struct gn_ids *ids = new_ids();

	(void)state;
	for (size_t i = 0; i < GN_IDS_MAX; i++)
		assert_int_equal(gn_ids_get(ids, function(i)), i + 1);
	assert_int_equal(gn_ids_get(ids, function(GN_IDS_MAX)), 0);
	assert_int_equal(gn_ids_find(ids, function(GN_IDS_MAX)), 0);
	assert_int_equal(gn_ids_get(ids, function(5)), 6);
	assert_int_equal(gn_ids_find(ids, function(GN_IDS_MAX - 1)),
			 GN_IDS_MAX);
	free(ids);
}

struct race {
	struct gn_ids *ids;
	struct gn_arena *arena;
	pthread_barrier_t *start;
	uint32_t seed;
	uint32_t index[FUNCTIONS];
	unsigned char *piece[FUNCTIONS];
};

static void *race(void *arg)
{
	struct race *r = arg;

	/* each thread uses its own order; prime to FUNCTIONS */
	static const uint32_t steps[THREADS] = {1, 3, 7, 9, 11, 13, 17, 19};

	pthread_barrier_wait(r->start);
	for (size_t n = 0; n < FUNCTIONS; n++) {
		size_t i = (n * steps[r->seed] + r->seed) % FUNCTIONS;

		r->index[i] = gn_ids_get(r->ids, function(i));
		r->piece[i] = gn_arena_take(r->arena, 1 + i % 100);
		if (r->piece[i])
			memset(r->piece[i], (int)r->seed + 1, 1 + i % 100);
	}
	return NULL;
}

/* All threads get the same index for a function, and their own memory. */
static void test_threads(void **state)
{
	struct race *races = calloc(THREADS, sizeof(*races));
	struct gn_ids *ids = new_ids();
	struct gn_arena arena = {NULL};
	pthread_barrier_t start;
	pthread_t threads[THREADS];
	unsigned char *seen = calloc(GN_IDS_MAX + 1, 1);

	(void)state;
	assert_non_null(races);
	assert_non_null(seen);
	pthread_barrier_init(&start, NULL, THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		races[i].ids = ids;
		races[i].arena = &arena;
		races[i].start = &start;
		races[i].seed = i;
		assert_int_equal(
			pthread_create(&threads[i], NULL, race, &races[i]), 0);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t f = 0; f < FUNCTIONS; f++) {
		uint32_t index = gn_ids_find(ids, function(f));

		assert_true(index > 0 && !seen[index]);
		seen[index] = 1;
		for (uint32_t i = 0; i < THREADS; i++) {
			unsigned char *piece = races[i].piece[f];

			assert_int_equal(races[i].index[f], index);
			assert_non_null(piece);
			for (size_t b = 0; b < 1 + f % 100; b++)
				assert_int_equal(piece[b], i + 1);
		}
	}
	pthread_barrier_destroy(&start);
	free(races);
	free(seen);
	free(ids);
}

static void test_arena(void **state)
{
	struct gn_arena arena = {NULL};
	char *first = gn_arena_take(&arena, 3);
	char *second = gn_arena_take(&arena, 1);

	(void)state;
	assert_non_null(first);
	assert_int_equal((uintptr_t)first % 8, 0);
	assert_int_equal(second - first, 8);
	assert_null(gn_arena_take(&arena, GN_ARENA_CHUNK));
	assert_null(gn_arena_take(&arena, SIZE_MAX));
	for (int i = 0; i < 100; i++) {
		char *piece = gn_arena_take(&arena, GN_ARENA_CHUNK / 4);

		assert_non_null(piece);
		memset(piece, 1, GN_ARENA_CHUNK / 4);
	}
	assert_memory_equal(first, "\0\0\0", 3);
}

/* A filter catches what it throws: an end without a begin, and a begin without
 * an end. */
static void test_unwinds_of_filters(void **state)
{
	struct gn_unwinds u = {0};

	(void)state;
	gn_unwinds_filter_end(&u);
	assert_int_equal(gn_unwinds_pop(&u), 0);
	gn_unwinds_push(&u, 1);
	gn_unwinds_filter_begin(&u, 9);
	assert_int_equal(gn_unwinds_pop(&u), 0);
	assert_int_equal(gn_unwinds_pop(&u), 0);
	gn_unwinds_push(&u, 2);
	gn_unwinds_push(&u, 0);
	gn_unwinds_filter_begin(&u, 9);
	gn_unwinds_filter_end(&u);
	assert_int_equal(gn_unwinds_pop(&u), 0);
	gn_unwinds_push(&u, 0);
	gn_unwinds_push(&u, 3);
	gn_unwinds_push(&u, 0);
	gn_unwinds_filter_end(&u);
	assert_int_equal(gn_unwinds_pop(&u), 1);
	assert_int_equal(gn_unwinds_pop(&u), 0);
}

/* The reported end of a filter's function is not that of a frame, unless
 * another unwind begins before the filter ends. */
static void test_unwinds_held(void **state)
{
	struct gn_unwinds u = {0};

	(void)state;
	assert_int_equal(gn_unwinds_settle(&u), 0);
	gn_unwinds_push(&u, 9);
	assert_int_equal(gn_unwinds_end(&u), 9);
	gn_unwinds_filter_begin(&u, 9);
	gn_unwinds_push(&u, 9);
	assert_int_equal(gn_unwinds_end(&u), 0);
	assert_int_equal(gn_unwinds_settle(&u), 9);
	assert_int_equal(gn_unwinds_settle(&u), 0);
	gn_unwinds_push(&u, 2);
	assert_int_equal(gn_unwinds_end(&u), 2);
	/* an unwind that does not belong to the filter */
	gn_unwinds_filter_begin(&u, 0);
	gn_unwinds_push(&u, 9);
	assert_int_equal(gn_unwinds_end(&u), 9);
	gn_unwinds_filter_end(&u);
	gn_unwinds_push(&u, 9);
	assert_int_equal(gn_unwinds_end(&u), 0);
	gn_unwinds_filter_end(&u);
	assert_int_equal(gn_unwinds_settle(&u), 0);
	assert_int_equal(gn_unwinds_end(&u), 0);
}

static void test_unwinds(void **state)
{
	struct gn_unwinds u = {0};

	(void)state;
	assert_int_equal(gn_unwinds_pop(&u), 0);
	gn_unwinds_push(&u, 1);
	gn_unwinds_push(&u, 2);
	assert_int_equal(gn_unwinds_pop(&u), 2);
	gn_unwinds_push(&u, 3);
	assert_int_equal(gn_unwinds_pop(&u), 3);
	assert_int_equal(gn_unwinds_pop(&u), 1);
	assert_int_equal(gn_unwinds_pop(&u), 0);
	/* unwinds without an end make room for new ones */
	for (uint32_t i = 1; i <= 3 * GN_UNWINDS_MAX; i++)
		gn_unwinds_push(&u, i);
	for (uint32_t i = 0; i < GN_UNWINDS_MAX; i++)
		assert_int_equal(gn_unwinds_pop(&u), 3 * GN_UNWINDS_MAX - i);
	assert_int_equal(gn_unwinds_pop(&u), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dense_and_stable),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_forgotten_slots_are_taken),
		cmocka_unit_test(test_forget_module),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_arena),
		cmocka_unit_test(test_unwinds),
		cmocka_unit_test(test_unwinds_of_filters),
		cmocka_unit_test(test_unwinds_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
