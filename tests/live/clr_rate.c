/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with fast hooks runs at full speed again after gnomon has detached,
 * and after it was killed while hooks wrote records. The program measures the
 * CPU time of one call with its thread's clock, so that other load on the
 * machine hardly matters.
 */
#include "clr.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N	   PRIu64
#define WINDOWS	   15
#define DEADLINE_S 60
/*
 * Medians of one run differ by up to a quarter on a busy machine. A call takes
 * 2 ns, and 40 ns with hooks that write records. Hooks that write none would
 * still more than double it, because they add two calls.
 */
#define SAME(before)   ((before) + (before) / 2)
#define SLOWER(before) ((before)*5)

static int by_size(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static uint64_t window(struct live *t, const struct live_talk *program)
{
	const char prefix[] = "picoseconds ";
	char *line = live_await(t, program->out, prefix);

	return strtoull(line + strlen(prefix), NULL, 10);
}

/* The median of several windows, in ps per call. */
static uint64_t rate(struct live *t, const struct live_talk *program)
{
	uint64_t ps[WINDOWS];

	for (int i = 0; i < WINDOWS; i++)
		live_tell(t, program, "measure");
	for (int i = 0; i < WINDOWS; i++)
		ps[i] = window(t, program);
	qsort(ps, WINDOWS, sizeof(*ps), by_size);
	return ps[WINDOWS / 2];
}

/* Measures until a call takes at least, or at most, this long. */
static uint64_t await_rate(struct live *t, const struct live_talk *program,
			   uint64_t least, uint64_t most, const char *when)
{
	time_t end = time(NULL) + DEADLINE_S;
	uint64_t ps;

	do
		ps = rate(t, program);
	while ((ps < least || ps > most) && time(NULL) < end);
	CHECK(t, ps >= least && ps <= most,
	      "%s a call takes %" N " ps, not %" N " to %" N, when, ps, least,
	      most);
	return ps;
}

static void attach(struct live *t, const struct live_talk *program,
		   struct live_talk *gnomon)
{
	struct live_args a = {.n = 0};
	char *line;

	live_add(t, &a, t->gnomon, "record", "--hooks", "fast", "-f",
		 "Demo.Rate.Called", "-o", live_path(t, "rate.trace"), "-p",
		 live_text(t, "%d", program->pid), NULL);
	live_talk(t, &a, gnomon);
	line = live_await(t, gnomon->err, "gnomon: ");
	if (strstr(line, "--hooks fast: "))
		live_skip(t, "%s", line);
	CHECK(t, !strncmp(line, "gnomon: attached", 16), "%s", line);
}

/* Ends gnomon while hooks write: more windows follow. */
static void end_midway(struct live *t, const struct live_talk *program,
		       struct live_talk *gnomon, bool killed)
{
	int code;

	for (int i = 0; i < WINDOWS; i++)
		live_tell(t, program, "measure");
	window(t, program);
	CHECK(t, kill(gnomon->pid, killed ? SIGKILL : SIGINT) == 0,
	      "gnomon has ended by itself");
	code = live_wait(t, gnomon);
	CHECK(t, code == (killed ? 128 + SIGKILL : 0), "gnomon ended with %d",
	      code);
	for (int i = 1; i < WINDOWS; i++)
		window(t, program);
}

/* The name of the test says how gnomon ends. */
void test_fast_rate(struct live *t)
{
	bool killed = strstr(t->name, "killed");
	struct live_args a = {.n = 0};
	struct live_talk program, gnomon;
	uint64_t before;

	clr_need(t);
	clr_demo(t, &a, "rate");
	live_talk(t, &a, &program);
	free(live_await(t, program.out, "ready"));
	rate(t, &program);
	before = rate(t, &program);
	attach(t, &program, &gnomon);
	await_rate(t, &program, SLOWER(before), UINT64_MAX, "traced,");
	end_midway(t, &program, &gnomon, killed);
	await_rate(t, &program, 0, SAME(before), "after gnomon,");
	CHECK(t, live_finish(t, &program) == 0, "the program failed");
}
