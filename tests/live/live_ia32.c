/* SPDX-License-Identifier: BSD-2-Clause */
/* 32-bit system calls have other numbers. */
#include "live.h"

#include <inttypes.h>
#include <string.h>

#define N PRIu64

static bool is_text(const json_t *object, const char *key, const char *want)
{
	const char *text = json_string_value(json_object_get(object, key));

	return want ? text && strcmp(text, want) == 0 : !text;
}

/* The waits of the session for `class` in `syscall` (NULL = in none). */
static uint64_t waited(struct live *t, const json_t *report, const char *class,
		       const char *syscall)
{
	const json_t *wait;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach(json_object_get(report, "waits"), i,
			   wait) if (is_text(wait, "class", class) &&
				     is_text(wait, "syscall_name", syscall))
		sum += live_number(t, wait, "time_ns");
	return sum;
}

void test_ia32(struct live *t)
{
	static const struct {
		const char *truth, *class, *syscall;
	} ways[] = {
		{"nanosleep", "sleep", "nanosleep"},
		{"clock_nanosleep", "sleep", "clock_nanosleep"},
		{"futex", "sleep", "futex"},
		{"read", "ipc", "read"},
		{"wait4", "child", "wait4"},
		{"ipc", "other", NULL},
	};
	const char *fixture =
		strcmp(t->name, "ia32-program") ? "ia32_64" : "ia32_32";
	struct live_truths truths = {.n = 0};
	struct live_end end;
	uint64_t got, inner, queued;
	json_t *report;
	size_t i;

	if (!live_has_32_bits(t, fixture))
		return;
	live_gnomon(t, "run", "", fixture, &end, &report);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	live_clean(t, report);
	live_truths(t, end.out, &truths);
	queued = live_number(t, report, "session.classes.runqueue");
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		inner = live_truth(&truths, "inner", ways[i].truth);
		got = waited(t, report, ways[i].class, ways[i].syscall);
		/* a call on either side reads the clock; the rest is the run
		 * queue */
		CHECK(t,
		      got && got <= inner &&
			      got + queued + t->guest_ns >= inner / 2,
		      "%" N " ns of %s in %s, measured %" N, got, ways[i].class,
		      ways[i].syscall ? ways[i].syscall : "no call", inner);
	}
}

/* Its functions cannot be traced, which is said. */
void test_ia32_functions(struct live *t)
{
	static const char *const ways[] = {"%s", "sh -c $0 %s"};
	const char *fixture = live_fixture(t, "ia32_32");

	if (!live_has_32_bits(t, "ia32_32"))
		return;
	for (size_t i = 0; i < 2; i++) {
		struct live_args a = {.n = 0};
		struct live_talk talk;
		char *line;

		live_add(t, &a, t->gnomon, "run", "-o", live_path(t, "report"),
			 "-f", "main", "--", NULL);
		live_split(t, &a, live_text(t, ways[i], fixture));
		live_talk(t, &a, &talk);
		line = live_await_or_end(t, talk.err, "gnomon: '");
		CHECK(t, line && strstr(line, "is a 32-bit program"),
		      "it is not said");
		CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	}
}
