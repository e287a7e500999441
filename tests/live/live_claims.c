/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that takes a ring for its fast hooks while gnomon cannot be
 * informed. */
#include "live.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 200000 /* several of them fill the largest ring */

/* Their begins and ends do not fit into a ring of 64K. */
#define THREADS 2000

static void report_of(struct live *t, const char *trace, const char *format,
		      const char *to)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "report", "-i", trace, "--allow-loss",
		 "--format", format, "-o", to, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, !end.code, "the report ended with %d: %s", end.code, end.err);
}

/* gnomon is informed when that is possible again. What the thread wrote before
 * is lost and counted; what it does afterwards is in the report. */
void test_sleds_claim_lost(struct live *t)
{
	char *trace = live_path(t, "claim.trace"), *text;
	char *table = live_path(t, "claim.txt");
	char *json = live_path(t, "claim.json");
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	uint64_t calls;

	live_add(t, &a, t->gnomon, "record", "-f", "work", "--hooks", "fast",
		 "--ring-size", "64K", "--allow-loss", "-o", trace, "--", NULL);
	live_command(t, &a, live_text(t, "claimed_xray %d %d", THREADS, CALLS));
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.out, "ready"));
	kill(gnomon.pid, SIGSTOP);
	live_ask(t, &gnomon, "fill");
	kill(gnomon.pid, SIGCONT);
	live_tell(t, &gnomon, "call");
	CHECK(t, live_finish(t, &gnomon) == 0, "gnomon failed");
	report_of(t, trace, "table", table);
	text = live_read(t, table, NULL);
	CHECK(t, strstr(text, " lost: their threads began when there was no "),
	      "nothing says that records were lost: %s", text);
	report_of(t, trace, "json", json);
	calls = live_function(t, live_load(t, json), NULL, "work", "calls",
			      NULL);
	CHECK(t, calls >= CALLS / 2, "%" PRIu64 " calls of %d", calls, CALLS);
}
