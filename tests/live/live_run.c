/* SPDX-License-Identifier: BSD-2-Clause */
/* Fixtures with and without gnomon. */
#include "live.h"

#include <stdlib.h>
#include <string.h>

void live_gnomon(struct live *t, const char *verb, const char *options,
		 const char *command, struct live_end *end, json_t **report)
{
	char *path = report ? live_path(t, "report.json") : NULL;
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, verb, NULL);
	/* a fixture's own brackets have the probes' cost in them */
	if (report)
		live_add(t, &a, "--raw", "--format", "json", "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	live_command(t, &a, command);
	live_run(t, &a, NULL, end);
	if (report) {
		CHECK(t, end->code < 2 || end->code > 4,
		      "gnomon ended with %d: %s", end->code, end->err);
		*report = live_load(t, path);
	}
}

void live_trace(struct live *t, const char *options, const char *command,
		struct live_truths *truths, json_t **report)
{
	struct live_end end;

	live_gnomon(t, "run", options, command, &end, report);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	live_truths(t, end.out, truths);
	live_clean(t, *report);
}

void live_run_row(struct live *t, const struct live_row *row)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args a = {.n = 0};
	struct live_end plain, traced;
	json_t *report;
	char *complaint;

	CHECK(t, truths, "no memory");
	live_command(t, &a, row->command);
	live_run(t, &a, NULL, &plain);
	live_gnomon(t, "run", row->options, row->command, &traced, &report);

	CHECK(t, traced.code == plain.code,
	      "ended with %d under gnomon, with %d without: %s", traced.code,
	      plain.code, traced.err);
	live_same(t, "the program's output", live_counts(t, traced.out),
		  live_counts(t, plain.out));
	CHECK(t, live_complaints(t, traced.err, &complaint) == 0,
	      "gnomon complains: %s", complaint);
	live_clean(t, report);
	live_truths(t, traced.out, truths);
	live_compare(t, truths, report, row->flags);
}
