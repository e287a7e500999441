/* SPDX-License-Identifier: BSD-2-Clause */
/* What -f includes and excludes in a .NET program. */
#include "clr.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

static const char *text(const json_t *f, const char *key)
{
	const char *value = json_string_value(json_object_get(f, key));

	return value ? value : "";
}

/* The recursion topic with these options; the report must agree with it. */
static void trace(struct live *t, const char *options, unsigned int flags,
		  struct clr_pair *pair)
{
	struct live_args command = {.n = 0};

	clr_need(t);
	clr_demo(t, &command, "recursion");
	clr_pair(t, options, &command, pair);
	clr_compare(t, pair, flags);
}

/* Every function's `key` matches the glob. */
static void expect_only(struct live *t, const json_t *report, const char *key,
			const char *glob)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(report, "functions"), i, f)
		CHECK(t, fnmatch(glob, text(f, key), FNM_EXTMATCH) == 0,
		      "%s of %s does not match %s", text(f, "name"),
		      text(f, "module"), glob);
}

/* All functions that begin with Demo. in one report have as many calls in the
 * other. */
static void expect_demo_of(struct live *t, const json_t *from, const json_t *in)
{
	uint64_t calls, want;
	const json_t *f;
	size_t i, n = 0;

	json_array_foreach(json_object_get(from, "functions"), i, f)
	{
		if (strncmp(text(f, "name"), "Demo.", 5))
			continue;
		n++;
		want = live_number(t, f, "calls");
		calls = live_function(t, in, NULL, text(f, "name"), "calls",
				      NULL);
		CHECK(t, calls == want,
		      "%s: %" N " calls with a filter, %" N " without",
		      text(f, "name"), calls, want);
	}
	CHECK(t, n > 5, "only %zu functions of the program", n);
}

void test_filter_glob(struct live *t)
{
	struct clr_pair all, some;

	trace(t, "", 0, &all);
	trace(t, "-f Demo.*", 0, &some);
	expect_only(t, some.report, "name", "Demo.*");
	expect_demo_of(t, all.report, some.report);
	expect_demo_of(t, some.report, all.report);
}

void test_filter_leaves_out(struct live *t)
{
	struct clr_pair pair;
	size_t found;

	trace(t, "-f !*.Fib(*", LIVE_SOME, &pair);
	live_function(t, pair.report, NULL, "Demo.Recursion.Fib(int)", "calls",
		      &found);
	CHECK(t, !found, "Fib is traced all the same");
	live_function(t, pair.report, NULL, "Demo.Recursion.Deep(int)", "calls",
		      &found);
	CHECK(t, found, "Deep is not traced");
	CHECK(t, clr_functions(pair.report) > 100,
	      "functions that nobody left out are not traced");

	trace(t, "-f Demo.* -f !*.Fib(*", LIVE_SOME, &pair);
	expect_only(t, pair.report, "name", "Demo.*");
	live_function(t, pair.report, NULL, "Demo.Recursion.Fib(int)", "calls",
		      &found);
	CHECK(t, !found, "Fib is traced though left out at last");
}

void test_filter_module(struct live *t)
{
	struct clr_pair pair;

	trace(t, "-f demo:*", 0, &pair);
	expect_only(t, pair.report, "module", "*/demo.dll");
	trace(t, "-f demo:*.Deep(*", LIVE_SOME, &pair);
	CHECK(t, clr_functions(pair.report) == 1, "%zu functions, not 1",
	      clr_functions(pair.report));
	CHECK(t,
	      live_function(t, pair.report, NULL, "Demo.Recursion.Deep(int)",
			    "calls", NULL) == 1001,
	      "Deep was not called 1001 times");
}

/* A user who names only native functions does not want the managed ones. */
void test_filter_library(struct live *t)
{
	struct clr_pair pair;

	trace(t, "-f libc.so.6:malloc", LIVE_SOME, &pair);
	expect_only(t, pair.report, "runtime", "native");
	CHECK(t,
	      live_function(t, pair.report, NULL, "malloc", "calls", NULL) >
		      1000,
	      "malloc was called less often than any .NET program does");

	trace(t, "-f libc.so.6:malloc -f Demo.*", 0, &pair);
	CHECK(t,
	      live_function(t, pair.report, NULL, "malloc", "calls", NULL) >
		      1000,
	      "malloc is missing beside managed functions");
	expect_only(t, pair.report, "name", "@(Demo.*|malloc)");
}
