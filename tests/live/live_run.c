/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs fixtures with and without gnomon. */
#include "live.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `what`: options for the report. */
static void run_gnomon(struct live *t, const char *verb, const char *what,
		       const char *options, const char *command,
		       struct live_end *end)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, verb, NULL);
	live_split(t, &a, what);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	live_command(t, &a, command);
	live_run(t, &a, NULL, end);
}

void live_reported(struct live *t, const char *options, const char *command,
		   struct live_end *end, json_t **report)
{
	char *path = live_path(t, "report.json");

	run_gnomon(t, "run", live_text(t, "--tree --format json -o %s", path),
		   options, command, end);
	CHECK(t, end->code == 0 || end->code == 4, "gnomon ended with %d: %s",
	      end->code, end->err);
	*report = live_load(t, path);
}

void live_gnomon(struct live *t, const char *verb, const char *options,
		 const char *command, struct live_end *end, json_t **report)
{
	char *path = report ? live_path(t, "report.json") : NULL;
	char *what = "";

	/* the fixture's own clock readings include the cost of the probes */
	if (report)
		what = live_text(t, "--raw --tree --format json -o %s", path);
	run_gnomon(t, verb, what, options, command, end);
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

bool live_has_32_bits(struct live *t, const char *fixture)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, "/bin/sh", "-c",
		 live_text(t, "exec '%s'", live_fixture(t, fixture)), NULL);
	live_run(t, &a, NULL, &end);
	if (end.code)
		printf("%s: this machine runs no calls of 32 bits (%d), the "
		       "guests do\n",
		       t->name, end.code);
	return !end.code;
}

/* A process inherits the peak memory of its parent at the fork: gnomon is small
 * then. */
void test_maxrss(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end end;
	long kib = 0;

	live_add(t, &a, t->gnomon, "run", "-q", "-f", "main", "-o",
		 live_path(t, "report"), "--", live_fixture(t, "maxrss"), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, sscanf(end.out, "maxrss %ld", &kib) == 1, "it said %s",
	      end.out);
	CHECK(t, kib < 16384, "a program begins with %ld KiB of gnomon's", kib);
}
