/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of native programs, and options that select some of them. */
#include "live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

/* fib(n) calls itself twice or not at all. */
void test_calls(struct live *t)
{
	struct live_args command = {.n = 0};
	json_t *calls, *row, *within = json_object();
	struct live_end end;
	const char *key;

	live_command(t, &command, "fib 10");
	calls = live_calls(t, "-f *", &command, &end);
	live_calls_compare(t, calls, end.out);
	json_object_foreach(calls, key, row)
	{
		const json_t *parent = live_caller(t, calls, row);
		const char *id;

		if (!parent || strcmp(live_called(row), "fib") ||
		    strcmp(live_called(parent), "fib"))
			continue;
		id = live_text(t, "%" N, live_number(t, parent, "call"));
		json_object_set_new(
			within, id,
			json_integer(json_integer_value(
					     json_object_get(within, id)) +
				     1));
	}
	CHECK(t, json_object_size(within) > 10, "fib called itself %zu times",
	      json_object_size(within));
	json_object_foreach(within, key, row)
		CHECK(t, json_integer_value(row) == 2, "a fib called %d others",
		      (int)json_integer_value(row));
}

/* A call reports what it waited for. */
void test_calls_classes(struct live *t)
{
	struct live_args command = {.n = 0};
	const char *key, *name = "nap_until";
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_end end;
	uint64_t slept = 0;
	json_t *calls, *row;

	CHECK(t, truths, "no memory");
	live_command(t, &command, "sleep 20 3");
	calls = live_calls(t, "-f *", &command, &end);
	live_calls_compare(t, calls, end.out);
	live_truths(t, end.out, truths);
	json_object_foreach(calls, key,
			    row) if (!strcmp(live_called(row), name)) slept +=
		live_number(t, row, "sleep_ns");
	/* the way into the sleep is part of it */
	CHECK(t, slept > live_truth(truths, "slept", name) * 9 / 10,
	      "%s slept %" N " ns of %" N, name, slept,
	      live_truth(truths, "slept", name));
	free(truths);
}

static size_t lines_with(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* --only finds a function with or without its parameters. */
void test_calls_only(struct live *t)
{
	static const char *const globs[] = {"leaf", "leaf(int)"};
	char *path = live_path(t, "trace");
	struct live_end end;

	live_gnomon(t, "record", live_text(t, "-f * -o %s", path), "throw 5",
		    &end, NULL);
	for (size_t i = 0; i < 2; i++) {
		struct live_args a = {.n = 0};

		live_add(t, &a, t->gnomon, "report", "--by", "calls", "-i",
			 path, "--only", globs[i], NULL);
		live_run(t, &a, NULL, &end);
		CHECK(t,
		      end.code == 0 && strstr(end.out, "leaf(") &&
			      !strstr(end.out, "middle("),
		      "--only %s: %s%s", globs[i], end.err, end.out);
	}
}

/* Selections from a trace: by time, function, thread and level. */
void test_calls_chosen(struct live *t)
{
	static const struct {
		const char *options, *word;
		size_t times;
	} reports[] = {
		{"--min 5ms", "nap_nanosleep();", 3},
		{"--min 1h", "nap", 0},
		{"--only nap_u*", "nap_until();", 3},
		{"--only nap_u*", "nap_nanosleep", 0},
		{"--thread nobody", "nap", 0},
		{"--depth 1", "main", 0},
		{"--depth 2", "main();", 1},
		{"--depth 3", "nap_until();", 3},
	};
	char *path = live_path(t, "trace");
	struct live_end end;

	live_gnomon(t, "record", live_text(t, "-f * -o %s", path), "sleep 20 3",
		    &end, NULL);
	CHECK(t, end.code == 0, "record ended with %d: %s", end.code, end.err);
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		struct live_args a = {.n = 0};
		size_t n;

		live_add(t, &a, t->gnomon, "report", "--by", "calls", "-i",
			 path, NULL);
		live_split(t, &a, reports[i].options);
		live_run(t, &a, NULL, &end);
		n = lines_with(end.out, reports[i].word);
		CHECK(t, end.code == 0 && n == reports[i].times,
		      "%s: %zu lines with '%s', not %zu: %s%s",
		      reports[i].options, n, reports[i].word, reports[i].times,
		      end.err, end.out);
	}
}
