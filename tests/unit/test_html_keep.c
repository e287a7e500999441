// SPDX-License-Identifier: BSD-2-Clause
/* Which calls and slices a page draws separately if there are too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/html_times.h"

#define MANY (GN_HTML_KEPT * 2u)

static void keep(struct gn_html_keep *k, uint64_t start, uint64_t length)
{
	struct gn_html_kept one = {.start = start, .length = length};

	assert_int_equal(gn_html_keep(k, &one), 0);
}

static uint32_t longer(const struct gn_html_keep *k, uint64_t length)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->n; i++)
		n += k->kept[i].length >= length;
	return n;
}

/* The calls of one function in a loop may differ by less than the width of a
 * class. */
static void calls_of_one_length_are_drawn(void **state)
{
	struct gn_html_keep k = {0};

	(void)state;
	for (uint32_t i = 0; i < MANY; i++)
		keep(&k, i, 1000 + i % 20);
	assert_in_range(k.n, GN_HTML_KEPT / 4 * 3, GN_HTML_KEPT);
	assert_int_equal(k.n + k.left_out, MANY);
	/* the omitted ones are shorter than it says */
	assert_true(k.shortest > 1019);
	for (uint32_t i = 0; i < 1000; i++)
		keep(&k, MANY + i, 5000);
	assert_int_equal(longer(&k, 5000), 1000);
	assert_int_equal(k.n + k.left_out, MANY + 1000);
	free(k.kept);
}

static void the_longest_are_kept(void **state)
{
	struct gn_html_keep k = {0};
	uint64_t *length = malloc(MANY * sizeof(*length)), random = 1;
	uint32_t all = 0;

	(void)state;
	assert_non_null(length);
	for (uint32_t i = 0; i < MANY; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		length[i] = (random >> 32) >> (random >> 59);
		keep(&k, i, length[i]);
	}
	for (uint32_t i = 0; i < MANY; i++)
		all += length[i] >= k.shortest;
	assert_int_equal(longer(&k, k.shortest), all);
	assert_true(k.n >= GN_HTML_KEPT / 4 * 3);
	assert_int_equal(k.n + k.left_out, MANY);
	free(length);
	free(k.kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_one_length_are_drawn),
		cmocka_unit_test(the_longest_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
