/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and results, as -a asks for them. */
#include "live.h"

#include <inttypes.h>
#include <string.h>

#define LETTERS                                                    \
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST" \
	"UVWXYZ-+"

/* A floating-point value is in none of the registers that are read: gnomon
 * reports that, and also the other values. */
static void check_floats(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *calls;

	live_command(t, &command, "values");
	calls = live_calls(t, "-a fact:arg1/f64,arg1/i32,ret/f32", &command,
			   &end);
	CHECK(t, strstr(end.err, "fact of "), "nothing is said: %s", end.err);
	CHECK(t, strstr(end.err, "f32, f64 and class are not reported"),
	      "the message is '%s'", end.err);
	CHECK(t, live_calls_with(t, calls, "fact", "i32 5") == 1,
	      "the integer is not told alone");
}

static void check_values(struct live *t, const char *attach)
{
	static const char asked[] =
		"-a numbers:arg1/i8,arg2/u16,arg3/i32,arg4,arg5/bool,arg6/ptr,"
		"ret -a texts:arg1/str,arg2/str,ret/str -a fact:arg1/i32,ret/"
		"i32 -a tens:arg1/i32,ret/i32";
	static const struct {
		const char *name, *values;
	} told[] = {
		{"numbers", "i8 -5, u16 65535, i32 -100000, i64 -1, bool true, "
			    "ptr 4660 = i64 -165538"},
		{"texts", "str \"plain\", str \"with \\\"quotes\\\" and "
			  "\\\\xff\\u001B\" = str \"plain\""},
		{"texts",
		 "str \"" LETTERS "\" cut, str null = str \"" LETTERS "\" cut"},
		{"texts", "str \"\", str unreadable = str \"\""},
		{"fact", "i32 5 = i32 120"},
		{"fact", "i32 4 = i32 24"},
		{"fact", "i32 3 = i32 6"},
		{"fact", "i32 2 = i32 2"},
		{"fact", "i32 1 = i32 1"},
		{"tens", "i32 3 = i32 30"},
		{"tens", "i32 7 = i32 70"},
	};
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *calls;

	live_command(t, &command, "values");
	calls = live_calls(t, live_text(t, "%s %s", asked, attach), &command,
			   &end);
	live_calls_compare(t, calls, end.out);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		CHECK(t,
		      live_calls_with(t, calls, told[i].name, told[i].values) ==
			      1,
		      "%s: no call of %s with %s", attach, told[i].name,
		      told[i].values);
}

/* Several -a for one function, by one name or by two: none is dropped. */
static void check_several(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *calls;

	live_command(t, &command, "values");
	calls = live_calls(t,
			   "-a twin:arg1/i32 -a twin_too:arg2/i32,ret/i32 -a "
			   "f?ct:arg1/i32 -a fact:arg1/u8,ret/i32",
			   &command, &end);
	CHECK(t,
	      live_calls_with(t, calls, "twin", "i32 9, i32 2 = i32 7") +
			      live_calls_with(t, calls, "twin_too",
					      "i32 9, i32 2 = i32 7") ==
		      1,
	      "values by one of two names are not told");
	CHECK(t, live_calls_with(t, calls, "fact", "i32 5 = i32 120") == 1,
	      "values by one of two patterns are not told");
}

/* !GLOB leaves out what a pattern of -a matches, too. */
static void check_left_out(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *calls;

	live_command(t, &command, "values");
	calls = live_calls(t, "-f !tens -a t[we]*:arg1/i32,ret/i32", &command,
			   &end);
	CHECK(t,
	      live_calls_with(t, calls, "twin", "i32 9 = i32 7") +
			      live_calls_with(t, calls, "twin_too",
					      "i32 9 = i32 7") ==
		      1,
	      "the values of another function are not told");
	CHECK(t,
	      !live_calls_with(t, calls, "tens", "i32 3 = i32 30") &&
		      !live_calls_with(t, calls, "tens", ""),
	      "a function is traced that was left out");
}

void test_values(struct live *t)
{
	check_several(t);
	check_left_out(t);
	check_values(t, "--leave ret");
	check_values(t, "--leave return");
	check_values(t, "--attach single");
	check_floats(t);
}

/* What is wrong, and at which place. */
void test_values_bad(struct live *t)
{
	static const char *const bad[][2] = {
		{"fact:arg1/i33", "at character 11"},
		{"fact:arg7", "at character 6"},
		{"fact:arg1,arg1", "once"},
		{"fact:arg1;", "at character 6"},
		{"fact:", "at character 6"},
		{":arg1", "at character 1"},
		{"fact", "FUNC:VALUE"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct live_args a = {.n = 0};
		struct live_end end;

		live_add(t, &a, t->gnomon, "run", "-a", bad[i][0], "--", "true",
			 NULL);
		live_run(t, &a, NULL, &end);
		live_expect_line(t, &end, 2, bad[i][1]);
	}
}

static json_t *probe_calls(struct live *t, const char *asked,
			   struct live_end *end)
{
	struct live_args command = {.n = 0};
	json_t *calls;

	live_command(t, &command, "probes");
	calls = live_calls(t, asked, &command, end);
	return calls;
}

static void one_call(struct live *t, json_t *calls, const char *probe,
		     const char *values)
{
	const char *name = live_text(t, "usdt:gn_probes:%s", probe);

	CHECK(t, live_calls_with(t, calls, name, values) == 1,
	      "no hit of %s with %s", probe, values);
}

/* Each value has the place and the type that the probe's note gives. */
static void check_probes(struct live *t, const char *options)
{
	struct live_end end;
	json_t *calls = probe_calls(
		t,
		live_text(t,
			  "-a usdt::gn_probes:told:arg1,arg2,arg3,arg4,arg5,"
			  "arg6/str,arg7 -a usdt:self:counted:arg1 %s",
			  options),
		&end);

	live_calls_compare(t, calls, end.out);
	one_call(t, calls, "told",
		 "i32 -100000, u64 1234567890123, i64 -5, u32 4294967295, i16 "
		 "-300, str \"a \\\"text\\\"\", u64 unreadable");
	one_call(t, calls, "counted", "u64 1");
	one_call(t, calls, "counted", "u64 2");
	one_call(t, calls, "counted", "u64 3");
	json_decref(calls);
}

void test_usdt_values(struct live *t)
{
	struct live_end end;
	json_t *calls;

	check_probes(t, "");
	check_probes(t, "-f counted");
	check_probes(t, "--attach single");
	/* with another type */
	calls = probe_calls(t,
			    "-a usdt::told:arg1/i64,arg2/u8,arg3/i8,arg4/i64,"
			    "arg5/bool,arg6/str",
			    &end);
	one_call(t, calls, "told",
		 "i64 -100000, u8 203, i8 -5, i64 4294967295, bool true, str "
		 "\"a \\\"text\\\"\"");
	json_decref(calls);
}

/* gnomon reports arguments that a probe does not have, or that cannot be read,
 * and also the other values. */
void test_usdt_values_bad(struct live *t)
{
	static const char *const bad[][2] = {
		{"usdt::p:n:ret", "give arg1 to arg12"},
		{"usdt::p:n:arg13", "give arg1 to arg12"},
		{"usdt::p:n:arg0", "give arg1 to arg12"},
		{"usdt::p:n:arg1/f64", "give i8 to i64"},
		{"usdt::p:n:arg1,arg1", "once"},
		{"usdt::gn_probes:none:arg1", "no USDT probe matches"},
	};
	struct live_end end;
	json_t *calls = probe_calls(
		t, "-a usdt::mixed:arg2,arg3,arg1 -a usdt::told:arg1/str",
		&end);

	one_call(t, calls, "told", "");
	CHECK(t,
	      strstr(end.err, "mixed of ") &&
		      strstr(end.err, "arg2 is not reported at 1 of 1 sites: "
				      "its location cannot be read") &&
		      strstr(end.err, "arg3 is not reported at 1 of 1 sites: "
				      "the probe has fewer arguments") &&
		      strstr(end.err,
			     "arg1 is not reported at 1 of 1 sites: it is "
			     "too small"),
	      "it says: %s", end.err);
	CHECK(t, strstr(end.out, "calls usdt:gn_probes:told 1"),
	      "the program was not run");
	json_decref(calls);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct live_args a = {.n = 0};

		live_add(t, &a, t->gnomon, "run", "-a", bad[i][0], "--", NULL);
		live_command(t, &a, "probes");
		live_run(t, &a, NULL, &end);
		live_expect_line(t, &end, 2, bad[i][1]);
	}
}
