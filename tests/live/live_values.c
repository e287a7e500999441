/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and results, as -a asks for them. */
#include "live.h"

#include <inttypes.h>
#include <string.h>

#define LETTERS                                                    \
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST" \
	"UVWXYZ-+"

static void check_values(struct live *t, const char *attach)
{
	static const char asked[] =
		"-a numbers:arg1/i8,arg2/u16,arg3/i32,arg4,arg5/bool,arg6/ptr,"
		"ret -a texts:arg1/str,arg2/str,ret/str -a fact:arg1/i32,ret/"
		"i32";
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

void test_values(struct live *t)
{
	check_values(t, "--leave ret");
	check_values(t, "--leave return");
	check_values(t, "--attach single");
}

/* What is wrong, and where. */
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
