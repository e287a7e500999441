/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments and results, as -a asks for them. */
#include "live.h"

#include <inttypes.h>
#include <string.h>

/* "TYPE VALUE": of an argument or a result. */
static char *value_text(struct live *t, const json_t *value)
{
	const json_t *v = json_object_get(value, "value");

	return live_text(t, "%s %s%s",
			 json_string_value(json_object_get(value, "type")),
			 v ? json_dumps(v, JSON_ENCODE_ANY) : "unreadable",
			 json_object_get(value, "cut") ? " cut" : "");
}

/* "TYPE VALUE, TYPE VALUE = TYPE VALUE", arguments and result of a row. */
static char *values_text(struct live *t, const json_t *row)
{
	const json_t *all = json_object_get(row, "arguments"), *one;
	char *text = "";
	size_t i;

	json_array_foreach(all, i, one)
	{
		const char *name =
			json_string_value(json_object_get(one, "name"));

		CHECK(t, name && !strcmp(name, live_text(t, "arg%zu", i + 1)),
		      "argument %zu is called %s", i + 1, name);
		text = live_text(t, "%s%s%s", text, i ? ", " : "",
				 value_text(t, one));
	}
	one = json_object_get(row, "result");
	return one ? live_text(t, "%s = %s", text, value_text(t, one)) : text;
}

/* Calls of the function with these values. */
static size_t rows_with(struct live *t, json_t *calls, const char *name,
			const char *values)
{
	const char *key;
	json_t *row;
	size_t n = 0;

	json_object_foreach(calls, key, row) n +=
		!strcmp(live_called(row), name) &&
		!strcmp(values_text(t, row), values);
	return n;
}

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
		CHECK(t, rows_with(t, calls, told[i].name, told[i].values) == 1,
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
