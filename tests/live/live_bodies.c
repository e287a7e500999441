/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of short native functions. */
#include "live_told.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define N      PRIu64
#define ROUNDS 5

static const char *const names[LIVE_BODIES] = {"half", "one", "five", "nested",
					       "recursive"};

struct told {
	uint64_t own, ns, error;
};

static void look_up(struct live *t, const struct live_end *end,
		    const json_t *report, struct told told[LIVE_BODIES])
{
	struct live_truths *truths = calloc(1, sizeof(*truths));

	CHECK(t, truths, "no memory");
	CHECK(t, end->code == 0, "gnomon ended with %d: %s", end->code,
	      end->err);
	live_truths(t, end->out, truths);
	live_compare(t, truths, report, LIVE_SOME);
	for (size_t i = 0; i < LIVE_BODIES; i++) {
		const char *name = names[i];

		told[i].own = live_truth(truths, "own", name);
		told[i].ns = live_function(t, report, NULL, name,
					   "application_inclusive_ns", NULL);
		told[i].error = live_function(t, report, NULL, name,
					      "error_inclusive_ns", NULL);
		CHECK(t, told[i].own, "the fixture tells nothing of %s", name);
	}
	free(truths);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of the reported times, in percent of the truth. */
static double middle(const struct told told[ROUNDS][LIVE_BODIES], size_t body)
{
	double part[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++)
		part[i] = 100 * (double)told[i][body].ns /
			  (double)told[i][body].own;
	qsort(part, ROUNDS, sizeof(*part), compare);
	return part[ROUNDS / 2];
}

void test_bodies(struct live *t)
{
	struct live_args command = {.n = 0};

	live_command(t, &command, "bodies blocks");
	live_told(t, names, "--leave return -f *", &command);
}

/*
 * A single step costs four times as much as a call here. So, in most rounds,
 * the reported time is right within its reported error and a tenth of the
 * truth.
 */
void test_bodies_rets(struct live *t)
{
	struct told told[ROUNDS][LIVE_BODIES];

	for (int i = 0; i < ROUNDS; i++) {
		struct live_end end;
		json_t *report;

		live_reported(t, "--leave ret -f *", "bodies", &end, &report);
		look_up(t, &end, report, told[i]);
		json_decref(report);
	}
	for (size_t i = 0; i < LIVE_BODIES; i++) {
		double part = middle(told, i);
		size_t wrong = 0;

		for (size_t k = 0; k < ROUNDS; k++) {
			const struct told *r = &told[k][i];
			uint64_t off = r->ns > r->own ? r->ns - r->own
						      : r->own - r->ns;

			wrong += off > r->error + r->own / 10;
		}
		printf("%s: told as %.1f %%\n", names[i], part);
		CHECK(t, wrong * 2 < ROUNDS,
		      "%s is told as %.1f %% of what it takes; in %zu of %d "
		      "runs it is further from that than it says",
		      names[i], part, wrong, ROUNDS);
	}
}
