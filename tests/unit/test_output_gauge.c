/* SPDX-License-Identifier: BSD-2-Clause */
/* The number of threads on a CPU: in a gap only the known ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/gauge.h"

#define START 1000000u

/* The CPU time of all threads. */
struct sum {
	uint64_t time;
	double value, ns;
};

static int add(void *ctx, const char *name, uint64_t time, double value)
{
	struct sum *s = ctx;

	if (strcmp(name, "threads on a CPU") != 0)
		return 0;
	s->ns += s->value * (double)(time - s->time);
	s->time = time;
	s->value = value;
	return 0;
}

static void expect(const struct gn_gauges *g, double ns)
{
	struct sum s = {0};

	assert_int_equal(gn_gauges_each(g, add, &s), 0);
	assert_true(s.value == 0);
	assert_true(s.ns > ns - 1 && s.ns < ns + 1);
}

static void slice(struct gn_gauges *g, enum gn_class class, uint64_t start,
		  uint64_t end)
{
	const struct gn_seen_slice s = {
		.class = class, .start = START + start, .end = START + end};

	assert_int_equal(gn_gauges_slice(g, &s), 0);
}

static void interval(struct gn_gauges *g, uint64_t start, uint64_t end,
		     bool gap)
{
	if (gap)
		gn_gauges_gap(g, 0, START + start, START + end);
	gn_gauges_interval(g, 0);
}

/* Waits in many spans; meanwhile the length of a span doubles. */
static void wait_often(struct gn_gauges *g, uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at < end; at += 1000) {
		slice(g, GN_CLASS_SLEEP, at + 100, at + 300);
		slice(g, GN_CLASS_SYSCALL, at + 300, at + 310);
	}
}

static void of_gaps(void **state)
{
	enum { LONG = 20000000 };
	struct gn_gauges *g = calloc(1, sizeof(*g));

	(void)state;
	assert_non_null(g);
	assert_int_equal(gn_gauges_begin(g, 0, START), 0);
	wait_often(g, 0, LONG);
	interval(g, 0, LONG, false);
	wait_often(g, LONG, 2 * LONG);
	interval(g, LONG, 2 * LONG, true);
	/* it began in the gap, and is reported after it */
	slice(g, GN_CLASS_SYSCALL, 2 * LONG - 1000, 2 * LONG + 1000);
	slice(g, GN_CLASS_SLEEP, 2 * LONG + 1000, 2 * LONG + 3000);
	interval(g, 2 * LONG, 2 * LONG + 10000, false);
	interval(g, 2 * LONG + 10000, 3 * LONG, true);
	gn_gauges_thread(g, 0, START, START + 3 * LONG);
	expect(g, LONG / 1000. * 800 + LONG / 1000. * 10 + 1000 + 8000);
	gn_gauges_free(g);
	free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
