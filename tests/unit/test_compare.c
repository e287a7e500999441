/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that last, estimates, and comparisons of handmade models. */
#include <stdarg.h>
#include <setjmp.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "compare/diff.h"
#include "compare/names.h"
#include "compare/pauses.h"
#include "compare_runs.h"
#include "golden.h"
#include "output/markup.h"

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
		{"App.P.closure#12_0.closure()", "App.P.closure#*.closure()"},
		{"N.P+_Closure$__5-0._Lambda$__1(int)",
		 "N.P+_Closure$__*._Lambda$__*(int)"},
		{"P.lambda#5-1(int)", "P.lambda#*(int)"},
		{"N.P+VB$StateMachine_3_Fetch.MoveNext()",
		 "N.P+VB$StateMachine_*Fetch.MoveNext()"},
		{"N.P+main@50-2.Invoke(int)", "N.P+main@*.Invoke(int)"},
		{"P.main@50(int)", "P.main@*(int)"},
		{"P.main@50<T>", "P.main@*<T>"},
		{"P.main@50-2", "P.main@*"},
		{"f@2x", "f@2x"},
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
		{"App\\{closure:app.php:12}", "App\\{closure:app.php:*}"},
		{"A::{closure:a2.php:7}", "A::{closure:a2.php:*}"},
		{"class@anonymous:app.php:12::run",
		 "class@anonymous:app.php:*::run"},
		{"{closure}:12", "{closure}:12"},
		{"App:12::run", "App:12::run"},
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
	/* however long the number is */
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

/* One more lambda: which is which nobody knows, so they are one. */
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

/* A call of a function, below the call before or the session. */
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

/* One calls the other: that time is in their inclusive time once. A name that
 * both sides have keeps its own. */
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

/* A pause in which records were lost has no length that is known. */
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

/* One is slower, one is noise, one came, one is gone, and one has no time any
 * more. */
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
	base[0].f[0].v.inlined = true;
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
	/* a single capture a side */
	compare(&c, &base[0], &new[0]);
	check_diff("single.txt", gn_diff_table, 0, &c);
	gn_comparison_clear(&c);
}

/* A name is text wherever it stands. */
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
		cmocka_unit_test(differences),
		cmocka_unit_test(hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
