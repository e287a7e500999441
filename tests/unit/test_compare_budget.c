/* SPDX-License-Identifier: BSD-2-Clause */
/* Budgets: what they may say, and how captures are judged by them. */
#include <stdarg.h>
#include <setjmp.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include <cmocka.h>

#include "compare/budget.h"
#include "compare/judge.h"
#include "compare/words.h"
#include "compare_runs.h"

static void budget_refused(const char *text, const char *word)
{
	struct gn_budget b;
	char why[512] = "";

	assert_int_equal(
		gn_budget_read(&b, text, strlen(text), why, sizeof(why)),
		-EINVAL);
	if (!strstr(why, word) || !strstr(why, "; "))
		fail_msg("'%s' lacks '%s'", why, word);
	gn_budget_clear(&b);
}

static size_t allocations;

static void *some_malloc(size_t n)
{
	if (allocations--)
		return malloc(n);
	allocations = 0;
	errno = ENOMEM;
	return NULL;
}

/* A budget that there is no memory to read is not a bad one. */
static void budgets_without_memory(void **state)
{
	static const char text[] =
		"{\"function\": [{\"name\": \"f\", \"calls\": 7}]}";
	char why[512] = "";
	size_t n = 0;
	int err;

	(void)state;
	json_set_alloc_funcs(some_malloc, free);
	do {
		struct gn_budget b;

		allocations = n++;
		err = gn_budget_read(&b, text, strlen(text), why, sizeof(why));
		gn_budget_clear(&b);
		if (err && err != -ENOMEM)
			break;
	} while (err);
	json_set_alloc_funcs(malloc, free);
	if (err)
		fail_msg("%zu allocations: %d, '%s'", n, err, why);
	assert_true(n > 8);
}

static void bad_budgets(void **state)
{
#define F(members) "{\"function\": [{\"name\": \"f\", " members "}]}"
	(void)state;
	budget_refused("", "line");
	budget_refused("[]", "not an object");
	budget_refused("{}", "no rules");
	budget_refused("{\"functions\": []}", "'functions'");
	budget_refused("{\"function\": {}}", "not an array");
	budget_refused("{\"function\": [1]}", "function[0]");
	budget_refused("{\"function\": [{\"calls\": 1}]}", "no name");
	budget_refused("{\"function\": [{\"name\": \"f\"}]}", "limits nothing");
	budget_refused(F("\"call\": 1"), "'call'");
	budget_refused(F("\"calls\": \"1ms\""), "1ms");
	budget_refused(F("\"calls\": -1"), "function[0].calls");
	budget_refused(F("\"lock\": \"-5ms\""), "'-5ms'");
	budget_refused(F("\"lock\": \"-5%\""), "'-5%'");
	budget_refused(F("\"lock\": \"+-5%\""), "'+-5%'");
	budget_refused(F("\"lock\": -5"), "'-5'");
	budget_refused(F("\"calls\": \"-1\""), "'-1'");
	budget_refused(F("\"calls\": 1, \"at_least\": \"-1ms\""), "at_least");
	budget_refused("{\"total\": {\"gc_pause\": \"-1ms\"}}", "'-1ms'");
	budget_refused(F("\"lock\": \"5\""), "'5'");
	budget_refused(F("\"lock\": \"+5\""), "'+5'");
	budget_refused(F("\"lock\": \"101%\""), "101%");
	budget_refused(F("\"lock\": \"1e3ms\""), "1e3ms");
	budget_refused(F("\"lock\": \"99999999999999999ms\""), "9ms");
	budget_refused(F("\"longest_share\": \"5%\""), "longest_share");
	budget_refused(F("\"lock_share\": \"5ms\""), "lock_share");
	budget_refused(F("\"lock_per_call\": \"5%\""), "lock_per_call");
	budget_refused(F("\"calls\": 1.5"), "nor a whole number");
	budget_refused(F("\"calls_per_call\": 1"), "calls_per_call");
	budget_refused(F("\"gc_pause\": \"5ms\""), "gc_pause");
	budget_refused(F("\"calls\": 1, \"calls\": 2"), "duplicate");
	budget_refused(F("\"calls\": 1, \"sum\": 1"), "sum");
	budget_refused(F("\"calls\": 1, \"at_least\": 1"), "at_least");
	budget_refused(F("\"calls\": 1, \"at_least\": \"8000000000000000h\""),
		       "at_least");
	budget_refused(F("\"elapsed_inclusive\": \"1ms\", \"sum\": true"),
		       "function[0].elapsed_inclusive is not a sum");
	budget_refused("{\"total\": {\"longest\": \"1ms\"}}", "longest");
#undef F
}

/* A limit can be a large share of a large base. */
static void large_readings(void **state)
{
	char buf[GN_CELL];

	(void)state;
	gn_format_reading(buf, GN_METRIC_elapsed_incl, GN_READ_PLAIN, 0x1p90);
	assert_string_equal(buf, "1237940039285380274899124224 ns");
	gn_format_reading(buf, GN_METRIC_calls, GN_READ_PLAIN, 0x1p90);
	assert_string_equal(buf, "1237940039285380274899124224.0");
	gn_format_reading(buf, GN_METRIC_calls, GN_READ_PLAIN, 0x1p50);
	assert_string_equal(buf, "1,125,899,906,842,624");
}

/* Judges the captures; the verdict of the only limit, and why it is unknown. */
static enum gn_judged judge_why(const char *budget, const struct run *base,
				size_t nbase, const struct run *new,
				size_t nnew, const char *unsound,
				const char **reason)
{
	struct gn_verdicts v;
	struct gn_comparison c;
	struct gn_budget b;
	enum gn_judged judged;
	char why[512];

	if (gn_budget_read(&b, budget, strlen(budget), why, sizeof(why)))
		fail_msg("%s", why);
	assert_int_equal(gn_comparison_begin(&c, nbase, nnew), 0);
	for (size_t i = 0; i < nbase; i++)
		assert_int_equal(gn_comparison_add(&c, GN_BASE, &base[i].m, 0),
				 0);
	for (size_t i = 0; i < nnew; i++)
		assert_int_equal(
			gn_comparison_add(&c, GN_NEW, &new[i].m, 7 * MS), 0);
	assert_int_equal(gn_comparison_end(&c), 0);
	assert_int_equal(gn_judge(&b, &c, unsound, &v), 0);
	assert_int_equal(v.n, 1);
	judged = v.at[0].judged;
	assert_int_equal(v.count[judged], 1);
	assert_true((judged == GN_JUDGED_UNKNOWN) == (v.at[0].why != NULL));
	*reason = v.at[0].why;
	gn_verdicts_clear(&v);
	gn_comparison_clear(&c);
	gn_budget_clear(&b);
	return judged;
}

static enum gn_judged judge(const char *budget, const struct run *base,
			    size_t nbase, const struct run *new, size_t nnew,
			    const char *unsound)
{
	const char *reason;

	return judge_why(budget, base, nbase, new, nnew, unsound, &reason);
}

#define RULE(members) "{\"function\": [{\"name\": \"f\", " members "}]}"

static void judged_by_the_least(void **state)
{
	static const char rule[] = RULE("\"application_exclusive\": \"+5%\"");
	struct run base[3], new[3];

	(void)state;
	repeat(base, (uint64_t[]){100 * MS, 101 * MS, 190 * MS}, 3);
	repeat(new, (uint64_t[]){150 * MS, 103 * MS, 104 * MS}, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL), GN_JUDGED_OK);
	repeat(new, (uint64_t[]){110 * MS, 112 * MS, 150 * MS}, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL),
			 GN_JUDGED_BREACHED);
	/* the two least are too far from each other, and above the limit */
	repeat(new, (uint64_t[]){110 * MS, 130 * MS, 150 * MS}, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL), GN_JUDGED_UNKNOWN);
	/* a base that is not known itself */
	repeat(base, (uint64_t[]){100 * MS, 120 * MS, 190 * MS}, 3);
	repeat(new, (uint64_t[]){103 * MS, 103 * MS, 104 * MS}, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL), GN_JUDGED_UNKNOWN);
	/* however noisy, it is no more than the base was */
	repeat(new, (uint64_t[]){100 * MS, 190 * MS, 200 * MS}, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL), GN_JUDGED_OK);
}

static void cost(struct run *runs, uint64_t error, size_t n)
{
	for (size_t i = 0; i < n; i++)
		runs[i].f[0].v.error_excl = error;
}

/* Where the cost of probes can be a large part of a value, captures of the same
 * program can agree on any part of it. */
static void judged_with_the_error_of_probes(void **state)
{
	static const char rule[] = RULE("\"application_exclusive\": \"+5%\"");
	struct run base[3], new[3];

	(void)state;
	repeat(base, (uint64_t[]){1 * MS, 1 * MS, 2 * MS}, 3);
	repeat(new, (uint64_t[]){5 * MS, 5 * MS, 9 * MS}, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL),
			 GN_JUDGED_BREACHED);
	/* 1 +- 3 and 5 +- 3 */
	cost(base, 3 * MS, 3);
	cost(new, 3 * MS, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL), GN_JUDGED_UNKNOWN);
	/* more than the error explains */
	repeat(new, (uint64_t[]){20 * MS, 20 * MS, 21 * MS}, 3);
	cost(new, 3 * MS, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL),
			 GN_JUDGED_BREACHED);
	repeat(new, (uint64_t[]){1 * MS, 1 * MS, 9 * MS}, 3);
	cost(new, 3 * MS, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL), GN_JUDGED_OK);
	/* it is as likely too much as too little on both sides */
	repeat(new, (uint64_t[]){1 * MS + MS / 50, 2 * MS, 9 * MS}, 3);
	cost(new, 3 * MS, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL), GN_JUDGED_OK);
	/* an error of up to a tenth is about the same on both sides */
	repeat(base, (uint64_t[]){100 * MS, 101 * MS, 190 * MS}, 3);
	repeat(new, (uint64_t[]){110 * MS, 112 * MS, 150 * MS}, 3);
	cost(base, 10 * MS, 3);
	cost(new, 10 * MS, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL),
			 GN_JUDGED_BREACHED);
}

static void what_cannot_be_judged(void **state)
{
	static const char times[] = RULE("\"application_exclusive\": \"+5%\"");
	static const char more[] =
		RULE("\"application_exclusive\": \"+200ms\"");
	static const char calls[] = RULE("\"calls\": \"+0%\"");
	static const char lost[] = "{\"total\": {\"lost\": 0}}";
	struct run base[2], new[2];

	(void)state;
	repeat(base, (uint64_t[]){100 * MS, 100 * MS}, 2);
	repeat(new, (uint64_t[]){100 * MS, 100 * MS}, 2);
	assert_int_equal(judge(times, base, 2, new, 2, NULL), GN_JUDGED_OK);
	/* the noise of one capture is not known; calls have none */
	assert_int_equal(judge(times, base, 1, new, 2, NULL),
			 GN_JUDGED_UNKNOWN);
	assert_int_equal(judge(calls, base, 1, new, 1, NULL), GN_JUDGED_OK);
	assert_int_equal(judge(times, base, 2, new, 2, "lost"),
			 GN_JUDGED_UNKNOWN);
	/* all of its time was the probes' */
	base[1].f[0].v.app_excl = 0;
	assert_int_equal(judge(times, base, 2, new, 2, NULL),
			 GN_JUDGED_UNKNOWN);
	assert_int_equal(judge(more, base, 2, new, 2, NULL), GN_JUDGED_OK);
	base[1].f[0].v.app_excl = 100 * MS;
	new[1].m.lost = 3;
	assert_int_equal(judge(lost, base, 2, new, 2, "lost"),
			 GN_JUDGED_BREACHED);
	new[1].f[0].v.unprobed = true;
	assert_int_equal(judge(calls, base, 2, new, 2, NULL),
			 GN_JUDGED_UNKNOWN);
	/* how often a copy was called is not known */
	new[1].f[0].v.unprobed = false;
	assert_int_equal(judge(calls, base, 2, new, 2, NULL), GN_JUDGED_OK);
	new[1].f[0].v.inlined = true;
	assert_int_equal(judge(calls, base, 2, new, 2, NULL),
			 GN_JUDGED_UNKNOWN);
	base[0].f[0].name = base[1].f[0].name = "was";
	assert_int_equal(judge(times, base, 2, new, 2, NULL),
			 GN_JUDGED_UNKNOWN);
	new[0].f[0].name = new[1].f[0].name = "other";
	assert_int_equal(judge(times, base, 2, new, 2, NULL),
			 GN_JUDGED_UNKNOWN);
}

/* A pattern that matched something once does not look as if it never did. */
static void pattern_of_one_side(void **state)
{
	static const char rule[] =
		"{\"function\": [{\"name\": \"f*\", \"calls\": \"+0%\"}]}";
	struct run with[2], without[2];
	const char *why;

	(void)state;
	repeat(with, (uint64_t[]){100 * MS, 100 * MS}, 2);
	repeat(without, (uint64_t[]){100 * MS, 100 * MS}, 2);
	without[0].f[0].name = without[1].f[0].name = "other";
	assert_int_equal(judge_why(rule, with, 2, without, 2, NULL, &why),
			 GN_JUDGED_UNKNOWN);
	assert_non_null(strstr(why, "in the base only"));
	assert_int_equal(judge_why(rule, without, 2, with, 2, NULL, &why),
			 GN_JUDGED_UNKNOWN);
	assert_non_null(strstr(why, "in the new captures only"));
	assert_int_equal(judge_why(rule, without, 2, without, 2, NULL, &why),
			 GN_JUDGED_UNKNOWN);
	assert_non_null(strstr(why, "no capture has"));
}

/* It did not run in the last of them. */
static void repeat_but_last(struct run *runs, const uint64_t *ns, size_t n)
{
	repeat(runs, ns, n);
	runs[n - 1].f[0].name = "other";
}

static void captures_without_it(void **state)
{
	static const char percent[] =
		RULE("\"application_exclusive\": \"+5%\"");
	static const char more[] = RULE("\"elapsed_exclusive\": \"+2ms\"");
	static const char each[] =
		RULE("\"elapsed_exclusive_per_call\": \"+5%\"");
	static const char most[] = RULE("\"application_exclusive\": \"15ms\"");
	static const uint64_t ten[] = {10 * MS, 10 * MS, 10 * MS};
	static const uint64_t twenty[] = {20 * MS, 20 * MS, 20 * MS};
	struct run all[3], base[3], new[3];

	(void)state;
	repeat(all, ten, 3);
	/* slower where it runs */
	repeat_but_last(new, twenty, 3);
	assert_int_equal(judge(percent, all, 3, new, 3, NULL),
			 GN_JUDGED_UNKNOWN);
	assert_int_equal(judge(each, all, 3, new, 3, NULL), GN_JUDGED_BREACHED);
	assert_int_equal(judge(most, NULL, 0, new, 3, NULL),
			 GN_JUDGED_BREACHED);
	/* as slow where it runs */
	repeat_but_last(new, ten, 3);
	assert_int_equal(judge(percent, all, 3, new, 3, NULL), GN_JUDGED_OK);
	assert_int_equal(judge(most, NULL, 0, new, 3, NULL), GN_JUDGED_OK);
	/* the base had less of it */
	repeat_but_last(base, ten, 3);
	assert_int_equal(judge(more, base, 3, all, 3, NULL), GN_JUDGED_UNKNOWN);
	assert_int_equal(judge(each, base, 3, all, 3, NULL), GN_JUDGED_OK);
	/* more than the base even where that ran */
	repeat(new, twenty, 3);
	assert_int_equal(judge(more, base, 3, new, 3, NULL),
			 GN_JUDGED_BREACHED);
	/* of what a call takes one capture is not enough */
	assert_int_equal(judge(each, base + 1, 2, all, 3, NULL),
			 GN_JUDGED_UNKNOWN);
}

static void absolute_limits(void **state)
{
	static const struct {
		const char *rule;
		enum gn_judged judged;
	} of[] = {
		{RULE("\"calls\": 10"), GN_JUDGED_OK},
		{RULE("\"calls\": 9"), GN_JUDGED_BREACHED},
		{RULE("\"application_exclusive\": \"100ms\""), GN_JUDGED_OK},
		{RULE("\"application_exclusive\": \"99.9ms\""),
		 GN_JUDGED_BREACHED},
		{RULE("\"application_exclusive\": \"50%\""), GN_JUDGED_OK},
		{RULE("\"application_exclusive\": \"49%\""),
		 GN_JUDGED_BREACHED},
		{RULE("\"application_exclusive_share\": \"50%\""),
		 GN_JUDGED_OK},
		{RULE("\"application_exclusive_share\": \"49%\""),
		 GN_JUDGED_BREACHED},
		{RULE("\"app_per_call\": \"10ms\""), GN_JUDGED_OK},
		{RULE("\"app_per_call\": \"9ms\""), GN_JUDGED_BREACHED},
		{RULE("\"lock\": \"0ns\""), GN_JUDGED_OK},
		{"{\"function\": [{\"name\": \"*\", \"sum\": true, "
		 "\"calls\": 10}]}",
		 GN_JUDGED_BREACHED},
		{"{\"function\": [{\"name\": \"?\", \"module\": \"ap*\", "
		 "\"sum\": true, \"calls\": 11}]}",
		 GN_JUDGED_OK},
		{"{\"total\": {\"gc_pause\": \"6ms\"}}", GN_JUDGED_BREACHED},
		{"{\"total\": {\"gc_pause\": \"7ms\"}}", GN_JUDGED_OK},
		{"{\"total\": {\"jit\": \"1%\"}}", GN_JUDGED_OK},
	};
	struct run new[1];

	(void)state;
	repeat(new, (uint64_t[]){100 * MS}, 1);
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (judge(of[i].rule, NULL, 0, new, 1, NULL) != of[i].judged)
			fail_msg("%s", of[i].rule);
}

/* A verdict calls a function what reports and diff call it. */
static void names_are_shown_as_in_reports(void **state)
{
	static const char text[] = "{\"function\": [{\"name\": "
				   "\"V.get_X*\", \"calls\": 9}]}";
	struct run run = {0};
	struct gn_comparison c;
	struct gn_verdicts v;
	struct gn_budget b;
	char why[512], *name;

	(void)state;
	put(&run, "V.get_X()", "/x/app", 10, MS);
	run.f[0].short_name = "V.X.get";
	assert_int_equal(
		gn_budget_read(&b, text, strlen(text), why, sizeof(why)), 0);
	assert_int_equal(gn_comparison_begin(&c, 0, 1), 0);
	assert_int_equal(gn_comparison_add(&c, GN_NEW, &run.m, 0), 0);
	assert_int_equal(gn_comparison_end(&c), 0);
	assert_int_equal(gn_judge(&b, &c, NULL, &v), 0);
	assert_int_equal(v.n, 1);
	name = gn_verdict_name(&v.at[0]);
	assert_string_equal(name, "V.X.get: calls 9");
	free(name);
	name = gn_verdict_text(&v.at[0]);
	assert_string_equal(name, "calls of V.X.get is 10; the budget allows "
				  "9");
	free(name);
	gn_verdicts_clear(&v);
	gn_comparison_clear(&c);
	gn_budget_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_budgets),
		cmocka_unit_test(budgets_without_memory),
		cmocka_unit_test(large_readings),
		cmocka_unit_test(judged_by_the_least),
		cmocka_unit_test(judged_with_the_error_of_probes),
		cmocka_unit_test(what_cannot_be_judged),
		cmocka_unit_test(pattern_of_one_side),
		cmocka_unit_test(captures_without_it),
		cmocka_unit_test(absolute_limits),
		cmocka_unit_test(names_are_shown_as_in_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
