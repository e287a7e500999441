/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of system calls, compared with what a program prints about its
 * calls. */
#include "live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

/* A field of the system call's row, summed over both names. */
static uint64_t of_syscall(const json_t *report, const char *name,
			   const char *other, const char *key)
{
	uint64_t sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(report, "syscalls"), i, row)
	{
		const char *is =
			json_string_value(json_object_get(row, "name"));

		if (is && (!strcmp(is, name) || !strcmp(is, other)))
			sum += (uint64_t)json_integer_value(
				json_object_get(row, key));
	}
	return sum;
}

/* A call counts once, with all of its time, even if its thread is switched out
 * in it. A call that fails counts as an error. */
void test_syscalls(struct live *t)
{
	static const char *const naps[] = {"nanosleep", "clock_nanosleep"};
	uint64_t times = 7, slept, at_least = 2 * times * 20 * 1000000ull;
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_end end;
	json_t *report;
	uint64_t n;

	CHECK(t, truths, "no memory");
	/* this implies --os syscalls */
	live_reported(t, "--by syscalls", "sleep 20 7", &end, &report);
	CHECK(t, report, "gnomon ended with %d: %s", end.code, end.err);
	live_truths(t, end.out, truths);
	n = of_syscall(report, naps[0], naps[1], "calls");
	CHECK(t, n == 2 * times, "%" N " sleeps", n);
	n = of_syscall(report, naps[0], naps[1], "errors");
	CHECK(t, n == 0, "%" N " sleeps failed", n);
	slept = of_syscall(report, naps[0], naps[1], "elapsed_ns");
	n = live_truth(truths, "inner", "nap_nanosleep") +
	    live_truth(truths, "inner", "nap_until");
	CHECK(t, slept >= at_least && slept <= n,
	      "%" N " ns of sleeps, not from %" N " to %" N, slept, at_least,
	      n);
	n = of_syscall(report, naps[0], naps[1], "off_cpu_ns");
	CHECK(t, n >= at_least / 2 && n <= slept, "%" N " ns off CPUs", n);
	n = of_syscall(report, "close", "close", "errors");
	CHECK(t, n == live_truth(truths, "failed", "close"),
	      "%" N " calls of close failed", n);
	n = of_syscall(report, "exit_group", "exit_group", "open");
	CHECK(t, n == 1, "%" N " calls of exit_group", n);
	json_decref(report);
	free(truths);
}
