/* SPDX-License-Identifier: BSD-2-Clause */
/* Lasting names, estimates, comparisons of handmade models, budgets. */
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
#include "compare/diff.h"
#include "compare/judge.h"
#include "compare/names.h"
#include "compare/pauses.h"
#include "compare/words.h"
#include "golden.h"
#include "output/markup.h"

#define MS 1000000ULL

static void expect_name(char *(*of)(const char *), const char *name,
			const char *lasting)
{
	char *got = of(name);

	assert_non_null(got);
	assert_string_equal(got, lasting);
	free(got);
}

static void function_names_last(void **state)
{
	static const char *const names[][2] = {
		{"main", "main"},
		{"f2(int, A3<4>)", "f2(int, A3<4>)"},
		{"App.Program.<Main>b__0_1(int)",
		 "App.Program.<Main>b__*(int)"},
		{"App.<>c__DisplayClass12_0.<Run>b__1()",
		 "App.<>c__DisplayClass*.<Run>b__*()"},
		{"App.<Main>g__Local|3_7(int)", "App.<Main>g__Local|*(int)"},
		{"App.<Run>d__5.MoveNext()", "App.<Run>d__*.MoveNext()"},
		{"main::{lambda(int)#2}::operator()(int) const",
		 "main::{lambda(int)#*}::operator()(int) const"},
		{"com.x.Main.lambda$run$12", "com.x.Main.lambda$run$*"},
		{"com.x.Main$$Lambda$14+0x0000000800c03000.apply(int)",
		 "com.x.Main$$Lambda$*+0x*.apply(int)"},
		{"com.x.Main$$Lambda+0x000000007c040420.<init>()",
		 "com.x.Main$$Lambda+0x*.<init>()"},
		{"java.lang.invoke.LambdaForm$MH+0x00007f80d0000400.invoke()",
		 "java.lang.invoke.LambdaForm$MH+0x*.invoke()"},
		{"libx.so+0x1234", "libx.so+0x1234"},
		{"com.x.Main$$Lambda$14/0x0000000800c03000.apply",
		 "com.x.Main$$Lambda$*/0x*.apply"},
		{"com.x.Main$$Lambda$14+0x00007fccd4000a08.apply()",
		 "com.x.Main$$Lambda$*+0x*.apply()"},
		{"com.x.Main$$Lambda+0x00007fccd4000a08.apply()",
		 "com.x.Main$$Lambda+0x*.apply()"},
		{"parse.constprop.0.isra.1", "parse.constprop.*.isra.*"},
		{"core::fmt::write::h0123456789abcdef", "core::fmt::write::h*"},
		{"core::fmt::write::h0123", "core::fmt::write::h0123"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect_name(gn_lasting_function, names[i][0], names[i][1]);
}

#define DIGITS "1234567890123456789012345678901234567890"

static void other_names_last(void **state)
{
	(void)state;
	expect_name(gn_lasting_thread, "worker-12", "worker-*");
	expect_name(gn_lasting_thread, "worker12", "worker*");
	expect_name(gn_lasting_thread, "pool-1-thread-3", "pool-*-thread-*");
	expect_name(gn_lasting_thread, "C2 CompilerThre", "C2 CompilerThre");
	expect_name(gn_lasting_thread, ".NET TP Worker", ".NET TP Worker");
	expect_name(gn_lasting_thread, "w12x", "w12x");
	/* numbers of any length */
	expect_name(gn_lasting_thread, "w" DIGITS DIGITS "x",
		    "w" DIGITS DIGITS "x");
	expect_name(gn_lasting_thread, "", "");
	expect_name(gn_lasting_module, "/usr/lib/libz.so.1.2.13", "libz.so.*");
	expect_name(gn_lasting_module, "/opt/App-1.3.dll", "App-*.dll");
	expect_name(gn_lasting_module, "/a/b/app", "app");
	expect_name(gn_lasting_module, "/a/System.Private.CoreLib.dll",
		    "System.Private.CoreLib.dll");
	expect_name(gn_lasting_module, "", "");
}

static void estimates(void **state)
{
	double least[] = {5, 3, 9}, median[] = {4, 1, 2, 3, 100}, one[] = {7};
	struct gn_estimate e = gn_estimate_least(least, 3);

	(void)state;
	assert_true(e.value == 3 && e.noise == 2 && e.n == 3);
	e = gn_estimate_median(median, 5);
	assert_true(e.value == 3 && e.noise == 1);
	e = gn_estimate_least(one, 1);
	assert_true(e.value == 7 && e.noise == 0);
	e = gn_estimate_median(one, 0);
	assert_true(e.value == 0 && e.n == 0);
}

/* One capture: functions with calls and application time. */
struct run {
	struct gn_model m;
	struct gn_model_function f[4];
	struct gn_model_module mod[2];
	struct gn_model_thread t[2];
	struct gn_model_node node[5];
};

static void put(struct run *r, const char *name, const char *module,
		uint64_t calls, uint64_t ns)
{
	struct gn_model_function *f = &r->f[r->m.nfunctions++];

	*f = (struct gn_model_function){.name = name, .module = module};
	f->v.calls = calls;
	f->v.app_excl = f->v.app_incl = ns;
	f->v.elapsed_excl = f->v.elapsed_incl = ns;
	f->v.class_excl[GN_CLASS_APP] = ns;
	r->m.session.app_incl += ns;
	r->m.session.elapsed_incl += ns;
	r->m.functions = r->f;
}

static void put_module(struct run *r, const char *name, uint64_t ns)
{
	struct gn_model_module *m = &r->mod[r->m.nmodules++];

	*m = (struct gn_model_module){.name = name};
	m->v.elapsed_incl = ns;
	r->m.modules = r->mod;
}

static const struct gn_item *find(const struct gn_comparison *c,
				  enum gn_part part, const char *name)
{
	for (size_t i = 0; i < c->nitems; i++)
		if (c->items[i]->part == part &&
		    !strcmp(c->items[i]->name, name))
			return c->items[i];
	return NULL;
}

static uint64_t value(const struct gn_comparison *c, const struct gn_item *item,
		      enum gn_side side, int metric)
{
	assert_non_null(item);
	return gn_item_runs(c, item, side)[0].value[metric];
}

static void compare(struct gn_comparison *c, const struct run *base,
		    const struct run *new)
{
	assert_int_equal(gn_comparison_begin(c, 1, 1), 0);
	assert_int_equal(gn_comparison_add(c, GN_BASE, &base->m, 0), 0);
	assert_int_equal(gn_comparison_add(c, GN_NEW, &new->m, 0), 0);
	assert_int_equal(gn_comparison_add(c, GN_NEW, &new->m, 0), -E2BIG);
	assert_int_equal(gn_comparison_end(c), 0);
	assert_int_equal(c->items[0]->part, GN_PART_TOTAL);
}

static void lambdas_keep_their_names(void **state)
{
	struct run base = {0}, new = {0};
	struct gn_comparison c;

	(void)state;
	put(&base, "A.<F>b__0_0()", "/x/app.dll", 1, 10);
	put(&base, "A.<F>b__0_1()", "/x/app.dll", 2, 20);
	put(&new, "A.<F>b__0_0()", "/y/app.dll", 3, 30);
	put(&new, "A.<F>b__0_1()", "/y/app.dll", 4, 40);
	compare(&c, &base, &new);
	assert_int_equal(value(&c, find(&c, GN_PART_FUNCTION, "A.<F>b__0_1()"),
			       GN_NEW, GN_METRIC_calls),
			 4);
	assert_int_equal(c.nitems, 3);
	gn_comparison_clear(&c);
}

/* Two lambdas cannot be told apart, so they are one row. */
static void lambdas_become_one(void **state)
{
	struct run base = {0}, new = {0};
	struct gn_comparison c;
	const struct gn_item *item;

	(void)state;
	put(&base, "A.<F>b__0_0()", "/x/app.dll", 1, 10);
	put(&base, "A.G()", "/x/app.dll", 1, 10);
	put(&new, "A.<F>b__0_0()", "/y/app.dll", 3, 30);
	put(&new, "A.<F>b__0_1()", "/y/app.dll", 4, 40);
	put(&new, "A.G()", "/y/app.dll", 1, 10);
	compare(&c, &base, &new);
	item = find(&c, GN_PART_FUNCTION, "A.<F>b__*()");
	assert_int_equal(value(&c, item, GN_BASE, GN_METRIC_calls), 1);
	assert_int_equal(value(&c, item, GN_NEW, GN_METRIC_calls), 7);
	assert_int_equal(c.nitems, 3);
	gn_comparison_clear(&c);
}

/* Adds a call of a function, below the previous call or the session. */
static void put_node(struct run *r, int32_t parent, int32_t function,
		     uint64_t ns)
{
	struct gn_model_node *n = &r->node[r->m.nnodes++];

	*n = (struct gn_model_node){.parent = parent, .function = function};
	n->v.elapsed_incl = ns;
	n->v.app_incl = ns - 1;
	r->m.nodes = r->node;
	if (function < 0)
		return;
	r->f[function].v.elapsed_incl += ns;
	r->f[function].v.app_incl += ns - 1;
}

/* One lambda calls the other: their inclusive time counts that once. A name
 * that both sides have stays. */
static void lambdas_in_each_other(void **state)
{
	struct run base = {0}, new = {0};
	struct gn_comparison c;
	const struct gn_item *item;

	(void)state;
	put(&base, "A.<F>b__0_0()", "/x/app.dll", 1, 0);
	put_node(&base, -1, -1, 100);
	put_node(&base, 0, 0, 100);
	put(&new, "A.<F>b__0_0()", "/y/app.dll", 2, 0);
	put(&new, "A.<F>b__0_1()", "/y/app.dll", 2, 0);
	put_node(&new, -1, -1, 110);
	put_node(&new, 0, 0, 100);
	put_node(&new, 1, 1, 90);
	put_node(&new, 0, 1, 10);
	compare(&c, &base, &new);
	item = find(&c, GN_PART_FUNCTION, "A.<F>b__*()");
	assert_int_equal(value(&c, item, GN_BASE, GN_METRIC_elapsed_incl), 100);
	assert_int_equal(value(&c, item, GN_NEW, GN_METRIC_elapsed_incl), 110);
	assert_int_equal(value(&c, item, GN_NEW, GN_METRIC_app_incl), 108);
	gn_comparison_clear(&c);
	compare(&c, &new, &new);
	item = find(&c, GN_PART_FUNCTION, "A.<F>b__0_1()");
	assert_int_equal(value(&c, item, GN_NEW, GN_METRIC_elapsed_incl), 100);
	gn_comparison_clear(&c);
}

static void renamed_assembly(void **state)
{
	struct run base = {0}, new = {0};
	struct gn_comparison c;
	const struct gn_item *item;

	(void)state;
	put(&base, "A.F()", "/x/Old.dll", 1, 10);
	put(&base, "A.Gone()", "/x/Old.dll", 1, 10);
	put(&base, "main", "/x/other", 5, 10);
	put_module(&base, "/x/Old.dll", 20);
	put(&new, "A.F()", "/x/Fresh.dll", 2, 30);
	put(&new, "A.New()", "/x/Fresh.dll", 2, 30);
	put(&new, "main", "/x/other", 6, 10);
	put_module(&new, "/x/Fresh.dll", 60);
	compare(&c, &base, &new);
	item = find(&c, GN_PART_FUNCTION, "A.F()");
	assert_int_equal(value(&c, item, GN_BASE, GN_METRIC_calls), 1);
	assert_int_equal(value(&c, item, GN_NEW, GN_METRIC_calls), 2);
	item = find(&c, GN_PART_MODULE, "Fresh.dll");
	assert_int_equal(value(&c, item, GN_BASE, GN_METRIC_elapsed_incl), 20);
	assert_int_equal(value(&c, item, GN_NEW, GN_METRIC_elapsed_incl), 60);
	assert_null(find(&c, GN_PART_MODULE, "Old.dll"));
	item = find(&c, GN_PART_FUNCTION, "A.Gone()");
	assert_true(item && item->in[GN_BASE] && !item->in[GN_NEW]);
	item = find(&c, GN_PART_FUNCTION, "A.New()");
	assert_true(item && !item->in[GN_BASE] && item->in[GN_NEW]);
	gn_comparison_clear(&c);
}

/* A pause in which records were lost has no known length. */
static void lost_pauses(void **state)
{
	struct gn_pauses p;
	const struct gn_observer *o = &p.observer;
	struct gn_seen at = {.time = 10};

	(void)state;
	gn_pauses_init(&p);
	assert_int_equal(o->begin(o->ctx, &at, GN_DOES_SUSPEND, 0), 0);
	at.time = 30;
	assert_int_equal(o->end(o->ctx, &at, GN_DOES_SUSPEND), 0);
	assert_int_equal(o->begin(o->ctx, &at, GN_DOES_SUSPEND, 0), 0);
	assert_int_equal(o->gap(o->ctx, 0, 40, 100), 0);
	assert_int_equal(o->gap(o->ctx, 7, 40, 100), 0);
	at.time = 90;
	assert_int_equal(o->end(o->ctx, &at, GN_DOES_SUSPEND), 0);
	assert_int_equal(gn_pauses_longest(&p), 20);
	gn_pauses_free(&p);
}

/* --- budgets --- */

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

/* A lack of memory for reading a budget does not make it a bad budget. */
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

/* A limit may be a large share of a large base. */
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

/* Judges the captures. Returns the verdict on the only limit. */
static enum gn_judged judge(const char *budget, const struct run *base,
			    size_t nbase, const struct run *new, size_t nnew,
			    const char *unsound)
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
	gn_verdicts_clear(&v);
	gn_comparison_clear(&c);
	gn_budget_clear(&b);
	return judged;
}

#define RULE(members) "{\"function\": [{\"name\": \"f\", " members "}]}"

static void repeat(struct run *runs, const uint64_t *ns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		runs[i] = (struct run){0};
		put(&runs[i], "f", "/x/app", 10, ns[i]);
		put(&runs[i], "g", "/x/app", 1, 100 * MS);
	}
}

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
	/* the two shortest are too far apart, and above the limit */
	repeat(new, (uint64_t[]){110 * MS, 130 * MS, 150 * MS}, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL), GN_JUDGED_UNKNOWN);
	/* the base itself is not known well enough */
	repeat(base, (uint64_t[]){100 * MS, 120 * MS, 190 * MS}, 3);
	repeat(new, (uint64_t[]){103 * MS, 103 * MS, 104 * MS}, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL), GN_JUDGED_UNKNOWN);
	/* noisy, but not more than the base */
	repeat(new, (uint64_t[]){100 * MS, 190 * MS, 200 * MS}, 3);
	assert_int_equal(judge(rule, base, 3, new, 3, NULL), GN_JUDGED_OK);
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
	/* the noise of a single capture is not known; calls have none */
	assert_int_equal(judge(times, base, 1, new, 2, NULL),
			 GN_JUDGED_UNKNOWN);
	assert_int_equal(judge(calls, base, 1, new, 1, NULL), GN_JUDGED_OK);
	assert_int_equal(judge(times, base, 2, new, 2, "lost"),
			 GN_JUDGED_UNKNOWN);
	/* all of its time was the cost of probes */
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
	base[0].f[0].name = base[1].f[0].name = "was";
	assert_int_equal(judge(times, base, 2, new, 2, NULL),
			 GN_JUDGED_UNKNOWN);
	new[0].f[0].name = new[1].f[0].name = "other";
	assert_int_equal(judge(times, base, 2, new, 2, NULL),
			 GN_JUDGED_UNKNOWN);
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
	/* the same speed where it runs */
	repeat_but_last(new, ten, 3);
	assert_int_equal(judge(percent, all, 3, new, 3, NULL), GN_JUDGED_OK);
	assert_int_equal(judge(most, NULL, 0, new, 3, NULL), GN_JUDGED_OK);
	/* the base had less of it */
	repeat_but_last(base, ten, 3);
	assert_int_equal(judge(more, base, 3, all, 3, NULL), GN_JUDGED_UNKNOWN);
	assert_int_equal(judge(each, base, 3, all, 3, NULL), GN_JUDGED_OK);
	/* more than the base, even where the base ran it */
	repeat(new, twenty, 3);
	assert_int_equal(judge(more, base, 3, new, 3, NULL),
			 GN_JUDGED_BREACHED);
	/* one capture is not enough for the time per call */
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

static void check_diff(const char *name,
		       int (*write)(const struct gn_diff *d, FILE *f),
		       size_t limit, struct gn_comparison *c)
{
	struct gn_diff_opts o = {
		.metric = GN_METRIC_app_excl, .limit = limit, .utf8 = true};
	struct gn_diff d;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(gn_diff_make(c, &o, &d), 0);
	assert_int_equal(write(&d, f), 0);
	fclose(f);
	golden_compare("compare", name, text);
	free(text);
	gn_diff_clear(&d);
}

/* One is slower, one is noise, one is new, one is gone, and one has lost all
 * its time. */
static void differences(void **state)
{
	struct gn_comparison c;
	struct run base[3], new[3];

	(void)state;
	repeat(base, (uint64_t[]){100 * MS, 101 * MS, 190 * MS}, 3);
	repeat(new, (uint64_t[]){150 * MS, 151 * MS, 152 * MS}, 3);
	for (size_t i = 0; i < 3; i++) {
		put(&base[i], "gone", "/x/app", 3, 7 * MS);
		put(&base[i], "noisy", "/x/app", 3, (9 + 3 * i) * MS);
		put(&base[i], "emptied", "/x/app", 3, 5 * MS);
		put(&new[i], "emptied", "/x/app", 3, 0);
		put(&new[i], "came<script>|`x", "/y/app", 3, 8 * MS);
		put(&new[i], "noisy", "/x/app", 3, (10 + 3 * i) * MS);
	}
	assert_int_equal(gn_comparison_begin(&c, 3, 3), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(gn_comparison_add(&c, GN_BASE, &base[i].m, 0),
				 0);
		assert_int_equal(gn_comparison_add(&c, GN_NEW, &new[i].m, 0),
				 0);
	}
	assert_int_equal(gn_comparison_end(&c), 0);
	check_diff("diff.txt", gn_diff_table, 0, &c);
	check_diff("limit.txt", gn_diff_table, 2, &c);
	check_diff("diff.md", gn_diff_markdown, 0, &c);
	gn_comparison_clear(&c);
	/* one capture on each side */
	compare(&c, &base[0], &new[0]);
	check_diff("single.txt", gn_diff_table, 0, &c);
	gn_comparison_clear(&c);
}

/* A name is text everywhere. */
static void hostile_names(void **state)
{
	static const char name[] = "<b>|`x`\"&\n::error::@who\x1b[31m";
	static const struct {
		int (*put)(FILE *f, const char *name);
		const char *never;
	} of[] = {{gn_markdown_text, "<>|@\n\x1b"},
		  {gn_xml_text, "<>\"\n\x1b"}};
	char *text;
	size_t size;
	FILE *f;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		f = open_memstream(&text, &size);
		assert_int_equal(of[i].put(f, name), 0);
		fclose(f);
		assert_null(strpbrk(text, of[i].never));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_names_last),
		cmocka_unit_test(other_names_last),
		cmocka_unit_test(estimates),
		cmocka_unit_test(lambdas_keep_their_names),
		cmocka_unit_test(lambdas_become_one),
		cmocka_unit_test(lambdas_in_each_other),
		cmocka_unit_test(renamed_assembly),
		cmocka_unit_test(lost_pauses),
		cmocka_unit_test(bad_budgets),
		cmocka_unit_test(budgets_without_memory),
		cmocka_unit_test(large_readings),
		cmocka_unit_test(judged_by_the_least),
		cmocka_unit_test(what_cannot_be_judged),
		cmocka_unit_test(captures_without_it),
		cmocka_unit_test(absolute_limits),
		cmocka_unit_test(differences),
		cmocka_unit_test(hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
