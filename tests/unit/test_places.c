// SPDX-License-Identifier: BSD-2-Clause
/* What each part of a process's memory contains, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "capture/sampler_parts.h"

static void add(struct gn_places *p, struct gn_place_list *list, uint64_t start,
		uint64_t end, uint64_t since, uint32_t what)
{
	struct gn_place place = {
		.start = start, .end = end, .since = since, .what = what};

	gn_places_add(p, list, &place);
}

static uint32_t at(const struct gn_place_list *list, uint64_t addr,
		   uint64_t time)
{
	const struct gn_place *place = gn_places_at(list, addr, time);

	return place ? place->what : 0;
}

/* A later mapping hides older ones from then on. */
static void later_ones_hide(void **state)
{
	struct gn_places p = {0};
	struct gn_place_process *own = gn_places_process(&p, 7);

	(void)state;
	assert_non_null(own);
	add(&p, &own->mapped, 0x1000, 0x3000, 0, 1);
	add(&p, &own->mapped, 0x2000, 0x4000, 50, 2);
	assert_int_equal(at(&own->mapped, 0xfff, 90), 0);
	assert_int_equal(at(&own->mapped, 0x1000, 90), 1);
	assert_int_equal(at(&own->mapped, 0x2000, 49), 1);
	assert_int_equal(at(&own->mapped, 0x2000, 50), 2);
	assert_int_equal(at(&own->mapped, 0x3fff, 49), 0);
	assert_int_equal(at(&own->mapped, 0x4000, 90), 0);
	assert_null(gn_places_find(&p, 8));
	gn_places_free(&p);
}

/* Many mappings, so that they are sorted; some replace others. A copy has them,
 * too, and outlives the original. */
static void many(void **state)
{
	enum { N = 5000 };
	struct gn_places p = {0};
	struct gn_place_process *own = gn_places_process(&p, 7), *child;

	(void)state;
	for (uint64_t i = 1; i <= N; i++) {
		uint64_t start = i * 2654435761u % N * 64;

		add(&p, &own->code, start, start + 48, 0, (uint32_t)i);
	}
	for (uint64_t i = 0; i < N; i += 10)
		add(&p, &own->code, i * 64 + 16, i * 64 + 32, 0,
		    (uint32_t)(N + i));
	child = gn_places_process(&p, 8);
	gn_places_copy(&p, child, 7);
	own = gn_places_process(&p, 7);
	assert_int_equal(own->code.n, 0);
	for (uint64_t i = 1; i <= N; i++) {
		uint64_t place = i * 2654435761u % N;
		uint64_t start = place * 64;

		assert_int_equal(at(&child->code, start + 48, 0), 0);
		if (place % 10)
			assert_int_equal(at(&child->code, start + 47, 0), i);
		else
			assert_int_equal(at(&child->code, start + 16, 0),
					 N + place);
	}
	assert_int_equal(p.held, child->code.n);
	gn_places_free(&p);
}

/* There is a limit to what a program can make gnomon keep. */
static void limited(void **state)
{
	struct gn_places p = {0};
	struct gn_place_process *own = NULL;

	(void)state;
	for (uint32_t pid = 1; pid <= GN_PLACES_PROCESSES; pid++)
		own = gn_places_process(&p, pid);
	assert_non_null(own);
	assert_null(gn_places_process(&p, GN_PLACES_PROCESSES + 1));
	for (uint64_t i = 0; i <= GN_PLACES_MAX; i++)
		add(&p, &own->code, i * 16, i * 16 + 16, 0, 1);
	assert_int_equal(p.held, GN_PLACES_MAX);
	for (uint32_t tid = 0; tid <= GN_PLACES_THREADS; tid += 4096)
		gn_places_thread(&p, tid, 7);
	gn_places_thread_ends(&p, 4096);
	assert_int_equal(gn_places_process_of(&p, 8192), 7);
	assert_int_equal(gn_places_process_of(&p, 4096), 0);
	gn_places_free(&p);
}

/* Ended processes make room for new ones: the one that ended first goes first,
 * and only if there is no room. */
static void ended_ones_make_room(void **state)
{
	struct gn_places p = {0};
	struct gn_place_process *own;

	(void)state;
	for (uint32_t pid = 1; pid <= GN_PLACES_PROCESSES; pid++) {
		own = gn_places_process(&p, pid);
		gn_places_thread(&p, pid, pid);
		add(&p, &own->mapped, 0x1000, 0x3000, 0, pid);
	}
	gn_places_thread(&p, 100000, 9);
	gn_places_thread_ends(&p,
			      9); /* another thread of the process still runs */
	gn_places_thread_ends(&p, 8);
	gn_places_thread_ends(&p, 7);
	own = gn_places_find(&p, 8);
	assert_int_equal(at(&own->mapped, 0x1000, 90), 8);
	own = gn_places_process(&p, 100001);
	assert_non_null(own);
	assert_int_equal(at(&own->mapped, 0x1000, 90), 0);
	assert_null(gn_places_find(&p, 8));
	gn_places_thread(&p, 100002, 7); /* it has not ended after all */
	assert_null(gn_places_process(&p, 100003));
	gn_places_thread_ends(&p, 100000);
	assert_non_null(gn_places_process(&p, 100003));
	assert_null(gn_places_find(&p, 9));
	gn_places_free(&p);
}

/* The same for what they had mapped. */
static void ended_ones_are_forgotten(void **state)
{
	struct gn_places p = {0};
	struct gn_place_process *first = gn_places_process(&p, 7), *own;

	(void)state;
	gn_places_thread(&p, 7, 7);
	for (uint64_t i = 0; i <= GN_PLACES_MAX; i++)
		add(&p, &first->code, i * 16, i * 16 + 16, 0, 1);
	own = gn_places_process(&p, 8);
	add(&p, &own->code, 0x1000, 0x3000, 0, 1);
	assert_int_equal(at(&own->code, 0x1000, 90), 0);
	gn_places_thread_ends(&p, 7);
	add(&p, &own->code, 0x1000, 0x3000, 0, 1);
	assert_int_equal(at(&own->code, 0x1000, 90), 1);
	assert_int_equal(p.held, 1);
	gn_places_free(&p);
}

static int no_record(void *ctx, const struct gn_rec *rec, size_t size)
{
	(void)ctx, (void)rec, (void)size;
	return 0;
}

/* Code of a file beyond the limit is not code without a file, which a JVM
 * generates. */
static void a_file_too_many_is_unknown(void **state)
{
	struct gn_sampler_names *n = gn_sampler_names_new(no_record, NULL);
	struct gn_file_id id = {.dev = 1, .ino = 1};
	uint32_t unknown, module = 0;

	(void)state;
	assert_non_null(n);
	unknown = gn_sampler_names_made(n, GN_MADE_UNKNOWN);
	for (int i = 0; i <= GN_MODULES_FILES; i++, id.ino++)
		module = gn_sampler_names_module(n, 1, 0, &id, "/none");
	assert_true(module);
	assert_int_equal(gn_sampler_names_at(n, 1, module, 0), unknown);
	gn_sampler_names_free(n);
}

/* The kernel tells of a program in a chroot by the path in there. */
static void a_file_by_two_paths(void **state)
{
	struct gn_sampler_names *n = gn_sampler_names_new(no_record, NULL);
	const struct gn_file_id id = {.dev = 1, .ino = 1}, none = {0};
	struct gn_file_id other = {.dev = 1, .ino = 2};
	uint32_t first;

	(void)state;
	assert_non_null(n);
	first = gn_sampler_names_module(n, 1, 0, &id, "/usr/bin/ruby");
	assert_int_equal(
		gn_sampler_names_module(n, 1, 0, &id, "/chroot/usr/bin/ruby"),
		first);
	assert_int_not_equal(
		gn_sampler_names_module(n, 1, 0, &id, "/usr/lib/libnew.so"),
		first);
	assert_int_not_equal(
		gn_sampler_names_module(n, 1, 0, &other, "/usr/bin/ruby"),
		first);
	first = gn_sampler_names_module(n, 1, 0, &none, "[vdso]");
	assert_int_not_equal(
		gn_sampler_names_module(n, 1, 0, &none, "[vsyscall]"), first);
	gn_sampler_names_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_ones_hide),
		cmocka_unit_test(many),
		cmocka_unit_test(limited),
		cmocka_unit_test(ended_ones_make_room),
		cmocka_unit_test(ended_ones_are_forgotten),
		cmocka_unit_test(a_file_too_many_is_unknown),
		cmocka_unit_test(a_file_by_two_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
