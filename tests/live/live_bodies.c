/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of short functions, probe cost taken out, against the same work without
 * a call. */
#include "live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define N      PRIu64
#define ROUNDS 5

static const char *const bodies[] = {"half", "one", "five", "nested",
				     "recursive"};

#define BODIES (sizeof(bodies) / sizeof(bodies[0]))

struct told {
	uint64_t own, ns, error;
};

static void play(struct live *t, const char *options, struct told told[BODIES])
{
	struct live_truths truths;
	struct live_end end;
	json_t *report;

	live_reported(t, options, "bodies", &end, &report);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	live_truths(t, end.out, &truths);
	live_compare(t, &truths, report, LIVE_SOME);
	for (size_t i = 0; i < BODIES; i++) {
		const char *name = bodies[i];

		told[i].own = live_truth(&truths, "own", name);
		told[i].ns = live_function(t, report, NULL, name,
					   "application_inclusive_ns", NULL);
		told[i].error = live_function(t, report, NULL, name,
					      "error_inclusive_ns", NULL);
		CHECK(t, told[i].own, "the fixture tells nothing of %s", name);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of what was told, in percent of the truth. */
static double middle(const struct told told[ROUNDS][BODIES], size_t body)
{
	double part[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++)
		part[i] = 100 * (double)told[i][body].ns /
			  (double)told[i][body].own;
	qsort(part, ROUNDS, sizeof(*part), compare);
	return part[ROUNDS / 2];
}

/* What is told is right within the error that is told with it and a quarter of
 * the truth. How near it is in fact on a machine that does nothing else,
 * tools/bench/bodies shows; a machine with other work does not hold that. */
static void judge(struct live *t, const char *options)
{
	struct told told[ROUNDS][BODIES];

	for (int i = 0; i < ROUNDS; i++)
		play(t, options, told[i]);
	for (size_t i = 0; i < BODIES; i++) {
		double part = middle(told, i);
		size_t wrong = 0;

		for (size_t k = 0; k < ROUNDS; k++) {
			const struct told *r = &told[k][i];
			uint64_t off = r->ns > r->own ? r->ns - r->own
						      : r->own - r->ns;

			wrong += off > r->error + r->own / 4;
		}
		printf("%s: told as %.1f %%\n", bodies[i], part);
		CHECK(t, wrong * 2 < ROUNDS,
		      "%s is told as %.1f %% of what it takes; in %zu of %d "
		      "runs it is further from that than it says",
		      bodies[i], part, wrong, ROUNDS);
	}
}

void test_bodies(struct live *t)
{
	judge(t, "--leave return -f *");
}

void test_bodies_rets(struct live *t)
{
	judge(t, "--leave ret -f *");
}
