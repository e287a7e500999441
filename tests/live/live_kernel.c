/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's own account of a thread, compared with gnomon's. A gnomon with a
 * wrong clock (GNOMON_SKEWED) shows that the comparison finds one.
 */
#include "live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "gnomon.skel.h"

#define N PRIu64

/* Disturbed sleeps of gnomon on CPU 1: more than one comparison of the clocks
 * takes. */
#define NAPS 8u

/* The `kernel` object of the thread with that name. */
static const json_t *account_of(struct live *t, const json_t *report,
				const char *name)
{
	const json_t *thread, *kernel;
	size_t i;

	json_array_foreach(json_object_get(report, "threads"), i, thread)
	{
		const char *is =
			json_string_value(json_object_get(thread, "name"));

		if (is && strcmp(is, name))
			continue;
		kernel = json_object_get(thread, "kernel");
		CHECK(t, json_is_object(kernel),
		      "no account of the kernel's of %s", name);
		return kernel;
	}
	live_fail(t, "no thread %s", name);
}

static int64_t signed_of(struct live *t, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	CHECK(t, json_is_integer(value), "no integer %s", key);
	return json_integer_value(value);
}

/* The parts add up to the whole, and the kernel's figure is its own. */
static void check_account(struct live *t, const json_t *kernel, uint64_t cpu)
{
	int64_t own = signed_of(t, kernel, "our_cpu_ns");
	int64_t theirs = signed_of(t, kernel, "cpu_ns");

	CHECK(t, theirs >= (int64_t)cpu,
	      "by the kernel %" PRId64 " ns on a CPU, the thread has read %" N,
	      theirs, cpu);
	CHECK(t,
	      own - theirs == signed_of(t, kernel, "switching_ns") +
				      signed_of(t, kernel, "irq_ns") +
				      signed_of(t, kernel, "stolen_ns") +
				      signed_of(t, kernel, "rest_ns"),
	      "the parts of the difference do not sum: %s",
	      json_dumps(kernel, 0));
}

void test_kernel_account(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	json_t *report;

	CHECK(t, truths, "no memory");
	live_trace(t, "", "spin 50 3", truths, &report);
	check_account(t, account_of(t, report, "spin"),
		      live_truth(truths, "cpu", "spin"));
}

/* A clock that loses 2 % is found; gnomon names the thread and the amount. */
void test_kernel_skewed(struct live *t)
{
	const char *skewed = getenv("GNOMON_SKEWED");
	const json_t *kernel;
	struct live_end end;
	int64_t cpu, rest;
	json_t *report;

	CHECK(t, skewed && !access(skewed, X_OK),
	      "set GNOMON_SKEWED to the gnomon with a wrong clock");
	t->gnomon = skewed;
	live_gnomon(t, "run", "", "spin 600", &end, NULL);
	live_expect_line(t, &end, 4, "self-check");
	CHECK(t, strstr(end.out, "(spin): the kernel counted"),
	      "the thread is not told: %s", end.out);
	CHECK(t, !strstr(end.out, "# self-check  passed"),
	      "the self-check passed");
	live_reported(t, "", "spin 600", &end, &report);
	CHECK(t, end.code == 4, "gnomon ended with %d: %s", end.code, end.err);
	kernel = account_of(t, report, "spin");
	check_account(t, kernel, 600 * 1000000ull);
	cpu = signed_of(t, kernel, "cpu_ns");
	rest = signed_of(t, kernel, "rest_ns");
	CHECK(t, rest < -cpu / 100 && rest > -cpu / 33,
	      "%" PRId64 " of %" PRId64 " ns for no known reason, not 2 %%",
	      rest, cpu);
}

/* The host takes the CPU while gnomon compares the clocks. gnomon must not
 * conclude that each CPU has its own clock, because then there is no account of
 * the kernel. */
void test_kernel_napped(struct live *t)
{
	struct gnomon_bpf *late = gnomon_bpf__open_and_load();
	struct live_end end;
	json_t *report;

	if (get_nprocs() < 2)
		live_skip(t, "one CPU cannot differ from others");
	CHECK(t, late && !gnomon_bpf__attach(late), "cannot delay threads: %s",
	      strerror(errno));
	late->bss->naps = NAPS;
	live_reported(t, "", "sleep 30", &end, &report);
	CHECK(t, !late->bss->naps, "gnomon has slept only %" N " times",
	      NAPS - (uint64_t)late->bss->naps);
	gnomon_bpf__destroy(late);
	CHECK(t, end.code == 0 && report, "gnomon ended with %d: %s", end.code,
	      end.err);
	/* runnable time needs the kernel's clock; a thread that never leaves
	 * its CPU has none */
	live_number(t, account_of(t, report, "sleep"), "runqueue_ns");
}

/* While the kernel moves a thread, the thread is on no run queue, and the
 * kernel does not count that time as runnable. The thread is runnable, and the
 * difference is no fault. */
void test_kernel_late(struct live *t)
{
	struct gnomon_bpf *late = gnomon_bpf__open_and_load();
	const json_t *kernel;
	struct live_end end;
	int64_t known, held;
	json_t *report;

	if (get_nprocs() < 2)
		live_skip(t, "with one CPU no thread moves to another");
	CHECK(t, late && !gnomon_bpf__attach(late), "cannot delay threads: %s",
	      strerror(errno));
	live_reported(t, "", "moved 60", &end, &report);
	held = (int64_t)late->bss->late_ns;
	CHECK(t, late->bss->moves >= 20,
	      "the kernel moved the thread only %" N " times",
	      (uint64_t)late->bss->moves);
	gnomon_bpf__destroy(late);
	CHECK(t, end.code == 0 && report, "gnomon ended with %d: %s", end.code,
	      end.err);
	kernel = account_of(t, report, "sent");
	/* There is no upper bound here: the self-check has passed, by the
	 * kernel's own figure. Moving a thread takes time, too. */
	known = signed_of(t, kernel, "runqueue_switching_ns");
	CHECK(t, known > held - held / 20,
	      "of %" PRId64 " ns on no run queue %" PRId64 " are told", held,
	      known);
}
