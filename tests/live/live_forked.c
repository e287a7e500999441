/* SPDX-License-Identifier: BSD-2-Clause */
/* Forked children of a program with fast hooks. */
#include "live.h"

#include <inttypes.h>
#include <string.h>

#define N PRIu64

/* A thread passes a few sites: for its ring, and for functions that its process
 * is the first to call. */
#define SITES 100

static json_t *report_of(struct live *t, const char *trace)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "report", "--raw", "--format", "json", "-o",
		 path, "-i", trace, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, !end.code, "report: %s", end.err);
	return live_load(t, path);
}

void live_forked(struct live *t, const struct live_args *command,
		 uint64_t threads)
{
	char *trace = live_path(t, "trace");
	struct live_args record = {.n = 0}, show = {.n = 0};
	struct live_end end;
	json_t *report;
	uint64_t fast, probed;

	live_add(t, &record, t->gnomon, "record", "-q", "-o", trace, "--",
		 NULL);
	for (size_t i = 0; i < command->n; i++)
		live_add(t, &record, command->word[i], NULL);
	live_run(t, &record, NULL, &end);
	report = report_of(t, trace);
	live_clean(t, report);
	fast = live_hits(t, report, "fast");
	probed =
		live_hits(t, report, "managed") + live_hits(t, report, "named");
	CHECK(t, probed < threads * SITES && fast > 10 * probed,
	      "%" N " hits of probes, %" N " of fast hooks", probed, fast);
	live_add(t, &show, t->gnomon, "report", "-i", trace, NULL);
	live_run(t, &show, NULL, &end);
	CHECK(t,
	      strstr(end.out, live_text(t,
					" %" N " threads of forked children "
					"have them, too",
					threads)),
	      "not %" N " threads of forked children: %.3000s", threads,
	      end.out);
}
