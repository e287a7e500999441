/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions in periods: their calls, the stacks of threads, and muting. */
#include "live_top.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define N PRIu64

/* in percent, for tests that mute */
/* With return probes: a single-stepped leave would cost about as much as the
 * budget even if only hot_batch is left, depending on the speed of the
 * machine. */
#define BUDGET	  10
#define BUDGET_AS "--budget 10 --leave return"

/* For records that come faster than a slow build of gnomon can read them. */
#define ROOM "--ring-size 64M"

/* The number of periods after which a condition must be true. */
#define PATIENCE 60

static uint64_t sum_of(struct live *t, const json_t *periods,
		       const char *function, const char *field)
{
	const json_t *period;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach(periods, i, period) sum +=
		top_of(t, period, function, field);
	return sum;
}

static void expect_truth(struct live *t, const json_t *periods, const char *out,
			 const char *function)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	uint64_t calls = sum_of(t, periods, function, "calls"), want;

	CHECK(t, truths, "no memory");
	live_truths(t, out, truths);
	want = live_truth(truths, "calls", function);
	CHECK(t, calls == want && want,
	      "%s: %" N " calls in all periods, %" N " made", function, calls,
	      want);
}

/* The periods together report all calls, and each of them is consistent. */
void test_top_calls(struct live *t)
{
	json_t *periods;
	struct live_end end;

	periods = top_run(t, "-d 50ms -f hot_* " ROOM,
			  "hot 100 300\nhot 3 10000\nquit\n", &end);
	top_code(t, end.code, 0, end.err);
	CHECK(t, json_array_size(periods) > 1, "there is one period only");
	expect_truth(t, periods, end.out, "hot_batch");
	expect_truth(t, periods, end.out, "hot_tiny");
}

/* An idle thread keeps its stack, and all of its time belongs to the function
 * that waits. */
static void check_standing(struct live *t, const json_t *period)
{
	const json_t *thread = top_named(period, "stands"), *stack, *share;
	uint64_t elapsed;

	CHECK(t, thread, "the thread is not in the period");
	stack = json_object_get(thread, "stack");
	CHECK(t,
	      json_array_size(stack) == 2 &&
		      live_number(t, thread, "stack_depth") == 2,
	      "%zu frames, not 2", json_array_size(stack));
	CHECK(t,
	      strcmp(top_function(t, period, json_array_get(stack, 0)),
		     "stand_outer") == 0 &&
		      strcmp(top_function(t, period, json_array_get(stack, 1)),
			     "stand_inner") == 0,
	      "it stands in %s, called by %s",
	      top_function(t, period, json_array_get(stack, 1)),
	      top_function(t, period, json_array_get(stack, 0)));
	CHECK(t,
	      top_is(json_object_get(thread, "current"), "name",
		     "stand_inner") &&
		      top_is(json_object_get(thread, "top"), "name",
			     "stand_inner"),
	      "it is not in stand_inner now");
	CHECK(t, top_is(thread, "state", "waiting"), "it does not wait but %s",
	      json_string_value(json_object_get(thread, "state")));
	CHECK(t, top_is(thread, "doing", "event"), "it waits for %s",
	      json_string_value(json_object_get(thread, "doing")));
	elapsed = live_number(t, thread, "elapsed_ns");
	CHECK(t, elapsed && live_number(t, thread, "classes.event") == elapsed,
	      "%" N " ns of %" N " wait to be signalled",
	      live_number(t, thread, "classes.event"), elapsed);
	share = json_array_get(json_object_get(thread, "functions"), 0);
	CHECK(t,
	      live_number(t, share, "elapsed_exclusive_ns") == elapsed &&
		      live_number(t, share, "calls") == 0,
	      "its time is not all stand_inner's");
	CHECK(t,
	      top_of(t, period, "stand_outer", "elapsed_inclusive_ns") ==
			      elapsed &&
		      top_of(t, period, "stand_outer",
			     "elapsed_exclusive_ns") == 0,
	      "its time is not all within stand_outer");
}

/* It prints that it stands before it waits, and may lose its CPU in between. */
static void await_standing(struct live *t, struct top_view *v)
{
	const json_t *thread = top_named(top_fresh(t, v), "stands");

	CHECK(t, thread, "the thread is not in the period");
	live_await_call(t, (pid_t)live_number(t, thread, "tid"), SYS_futex, -1);
}

void test_top_stack(struct live *t)
{
	struct live_talk top;
	struct top_view v;
	pid_t pid = top_start(t, &top);

	top_attach(t, "-d 100ms -f stand_*", pid, &v);
	live_ask(t, &top, "stand");
	await_standing(t, &v);
	top_fresh(t, &v);
	check_standing(t, top_next(t, &v));
	check_standing(t, top_next(t, &v));
	top_detach(t, &v);
	top_quit(t, &top);
}

static void check_no_functions(struct live *t, const json_t *periods)
{
	const json_t *period, *f;
	size_t i, k;

	CHECK(t, json_array_size(periods) > 0, "there is no period");
	json_array_foreach(periods, i, period)
	{
		CHECK(t,
		      json_is_false(json_object_get(period, "function_probes")),
		      "it says that functions are seen");
		/* functions that were compiled have names */
		json_array_foreach(json_object_get(period, "functions"), k, f)
			CHECK(t,
			      live_number(t, f, "calls") == 0 &&
				      live_number(t, f,
						  "elapsed_inclusive_ns") == 0,
			      "a function has times");
		CHECK(t,
		      json_array_size(json_object_get(period, "threads")) > 0,
		      "there are no threads");
	}
}

void test_top_no_functions(struct live *t)
{
	struct live_end end;
	json_t *periods = top_run(t, "-d 100ms --no-functions",
				  "hot 300 1000\nquit\n", &end);

	check_no_functions(t, periods);
	top_code(t, end.code, 0, end.err);
}

static json_t *run_clr(struct live *t, const char *options, const char *topic,
		       struct live_end *end)
{
	char *path = live_path(t, "periods");
	struct live_args a = {.n = 0};
	json_t *periods;

	live_add(t, &a, t->gnomon, "top", "-b", "--format", "json", "-o", path,
		 NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	top_demo(t, &a, topic);
	live_run(t, &a, NULL, end);
	periods = top_parse(t, live_read(t, path, NULL));
	top_code(t, end->code, 0, end->err);
	return periods;
}

void test_clr_no_functions(struct live *t)
{
	struct live_end end;

	check_no_functions(t, run_clr(t, "-d 200ms --no-functions",
				      "top hot 100 1000 100", &end));
}

void test_clr_calls(struct live *t)
{
	struct live_end end;
	json_t *periods = run_clr(t, "-d 200ms -f Demo.Hot.* " ROOM,
				  "top hot 100 1000 100", &end);

	expect_truth(t, periods, end.out, "Demo.Hot.Batch(int,int)");
	expect_truth(t, periods, end.out, "Demo.Hot.Tiny(int)");
}

static double slowdown(const json_t *period)
{
	const json_t *value = json_object_get(json_object_get(period, "budget"),
					      "slowdown_pct");

	return value ? json_number_value(value) : -1;
}

/* The shortest time of the fixture's loop. */
static uint64_t heat(struct live *t, struct live_talk *top)
{
	uint64_t ns;
	char *line;

	live_tell(t, top, "cool");
	line = live_await(t, top->out, "heat ");
	live_await(t, top->out, "done");
	CHECK(t, sscanf(line, "heat %" SCNu64, &ns) == 1 && ns,
	      "the fixture says \"%s\"", line);
	return ns;
}

/* The muted function is no longer seen, and its time belongs to its caller. */
static void check_muted(struct live *t, const json_t *period)
{
	uint64_t incl = top_of(t, period, "hot_batch", "elapsed_inclusive_ns");
	uint64_t own = top_of(t, period, "hot_batch", "elapsed_exclusive_ns");

	CHECK(t, top_muted(period, "hot_tiny"), "hot_tiny is not told of");
	CHECK(t, !top_muted(period, "hot_batch"),
	      "hot_batch is muted though it need not be");
	CHECK(t, top_of(t, period, "hot_tiny", "calls") == 0,
	      "hot_tiny has calls");
	CHECK(t, incl && own == incl,
	      "hot_batch has %" N " ns of its own of %" N, own, incl);
}

static json_t *until_muted(struct live *t, struct top_view *v,
			   const char *function)
{
	json_t *period;
	int i;

	for (i = 0; i < PATIENCE; i++) {
		period = top_next(t, v);
		if (top_muted(period, function))
			return period;
		json_decref(period);
	}
	live_fail(t, "%s is not muted in %d periods", function, PATIENCE);
}

/* Waits until gnomon reports three periods within the budget. A period in which
 * hot_batch has no call does not count: its thread may have been stalled. */
static void await_kept(struct live *t, struct top_view *v)
{
	json_t *period;
	int i, kept = 0;
	uint64_t calls = 0;

	for (i = 0; i < PATIENCE && kept < 3; i++) {
		period = top_next(t, v);
		check_muted(t, period);
		calls = top_of(t, period, "hot_batch", "calls");
		kept = calls && slowdown(period) >= 0 &&
				       slowdown(period) < BUDGET
			       ? kept + 1
			       : 0;
		json_decref(period);
	}
	CHECK(t, kept == 3,
	      "the slow-down stays above %d %%, hot_batch has %" N " calls",
	      BUDGET, calls);
}

/* The time of the program's loop in a session, and `without` it: before and
 * after. */
static uint64_t heat_within(struct live *t, struct live_talk *top, pid_t pid,
			    uint64_t *without)
{
	uint64_t with, after;
	struct top_view v;

	live_ask(t, top, "heat");
	*without = heat(t, top);
	top_attach(t, "-d 200ms -f hot_tiny -f hot_batch " BUDGET_AS " " ROOM,
		   pid, &v);
	live_ask(t, top, "heat");
	until_muted(t, &v, "hot_tiny");
	/* calls that were open then end normally */
	top_fresh(t, &v);
	await_kept(t, &v);
	with = heat(t, top);
	top_detach(t, &v);
	live_ask(t, top, "heat");
	after = heat(t, top);
	if (after < *without)
		*without = after;
	return with;
}

/* After some periods the budget is kept, by gnomon's figures and by the
 * program's own measurement. One good session is enough, because a virtual
 * machine can become a quarter slower within a second. */
void test_top_budget(struct live *t)
{
	uint64_t without = 0, with = 1;
	struct live_talk top;
	pid_t pid = top_start(t, &top);
	int i;

	for (i = 0; i < 5 && with * 100 > without * (100 + BUDGET); i++)
		with = heat_within(t, &top, pid, &without);
	CHECK(t, with * 100 <= without * (100 + BUDGET),
	      "the program needs %" N " ns, %" N " without gnomon", with,
	      without);
	top_quit(t, &top);
}

/* The program does and prints the same. Functions that are not muted are
 * counted. As in the loop, hot_batch costs next to nothing, whatever part of
 * the two a period contains. */
void test_budget_output(struct live *t)
{
	const char *input = "hot 30 400000\nprint word\nquit\n";
	struct live_start how = {.input = input};
	struct live_args a = {.n = 0};
	struct live_end plain, end;
	json_t *periods, *last;
	uint64_t tiny;

	live_command(t, &a, "top");
	live_run(t, &a, &how, &plain);
	periods = top_run(
		t, "-d 100ms -f hot_tiny -f hot_batch " BUDGET_AS " " ROOM,
		input, &end);
	top_code(t, end.code, 0, end.err);
	/* without the line of its PID */
	live_same(t, "the program's output", strchr(end.out, '\n'),
		  strchr(plain.out, '\n'));
	last = json_array_get(periods, json_array_size(periods) - 1);
	CHECK(t, !top_muted(last, "hot_batch"),
	      "hot_batch is muted though it costs next to nothing");
	expect_truth(t, periods, end.out, "hot_batch");
	CHECK(t, top_muted(last, "hot_tiny"), "hot_tiny was not muted");
	tiny = sum_of(t, periods, "hot_tiny", "calls");
	CHECK(t, tiny > 0 && tiny < 30 * 400000,
	      "hot_tiny: %" N " calls seen of 12000000", tiny);
}

void test_clr_budget(struct live *t)
{
	const char *topic = "top hot 400 2000 3000";
	struct live_args a = {.n = 0};
	struct live_end plain, end;
	json_t *periods, *period;
	size_t n, i, quiet = 0;

	top_demo(t, &a, topic);
	live_run(t, &a, NULL, &plain);
	periods = run_clr(t, "-d 200ms -f Demo.Hot.* " BUDGET_AS " " ROOM,
			  topic, &end);
	live_same(t, "the program's output", end.out, plain.out);
	expect_truth(t, periods, end.out, "Demo.Hot.Batch(int,int)");
	n = json_array_size(periods);
	json_array_foreach(periods, i, period)
	{
		if (!top_muted(period, "Demo.Hot.Tiny(int)") ||
		    top_of(t, period, "Demo.Hot.Tiny(int)", "calls"))
			continue;
		CHECK(t, slowdown(period) >= 0 && slowdown(period) < BUDGET,
		      "period %zu of %zu: probes slow by %.1f %%", i + 1, n,
		      slowdown(period));
		quiet++;
	}
	CHECK(t, quiet >= 2, "Tiny is quiet in %zu periods of %zu", quiet, n);
}
