/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of time on a CPU or waiting for one, compared with what the fixture
 * `classes` measures in the same run. */
#include "live_classes.h"

#include <inttypes.h>
#include <string.h>

#define N PRIu64

/* Only a CPU, and waiting for one. */
static char *off_cpu_account(struct live *t, const struct class_run *r)
{
	uint64_t queued = class_own(t, r, "runqueue");

	if (class_apart(queued, r->delay) > r->inner / 100 + r->stolen)
		return live_text(t,
				 "%s: %" N " ns runnable, by the kernel %" N
				 " of %" N,
				 r->wait, queued, r->delay, r->inner);
	if (class_other_waits(t, r, ""))
		return live_text(t, "%s: %" N " ns of waits", r->wait,
				 class_other_waits(t, r, ""));
	return NULL;
}

static void queue_and_check(struct live *t, const char *way,
			    unsigned int least_pct)
{
	uint64_t queued;
	struct class_run r;
	char *off = NULL;
	int i;

	for (i = 0; i < ATTEMPTS; i++) {
		class_run_functions(t, "", way, 2 * MS << i, &r);
		queued = class_own(t, &r, "runqueue");
		CHECK(t, queued <= r.outer + LIVE_CLOCK_NS,
		      "%s: %" N " ns runnable of %" N, way, queued, r.outer);
		class_check_callers(t, &r, "app");
		class_check_callers(t, &r, "runqueue");
		off = off_cpu_account(t, &r);
		if (!off && queued * 100 < r.inner * least_pct)
			off = live_text(t, "%s: only %" N " ns runnable of %" N,
					way, queued, r.inner);
		if (!off)
			return;
		live_again(t, i, ATTEMPTS, off);
	}
}

void test_class_spin(struct live *t)
{
	queue_and_check(t, "spin", 0);
}

/* A competitor on the same CPU gets half of it. */
void test_class_preempted(struct live *t)
{
	queue_and_check(t, "shared", 30);
}

/*
 * Every page is one fault. It has the fault's time, and no other class has
 * time; the rest is the time of the loop without the faults. The kernel counts
 * the faults. Their time only has bounds, because no clock of the kernel
 * measures it. So this test does not find faults that are reported as half as
 * long.
 */
void test_class_faults(struct live *t)
{
	uint64_t fault, faults, count;
	const json_t *wait;
	struct class_run r;
	int i = 0;

	/* a loop over pages does nothing else, unless the machine stalls */
	for (;;) {
		class_run_functions(t, "--os faults", "faults", 1, &r);
		fault = class_own(t, &r, "fault");
		if (fault * 3 >= r.cpu || live_traps_dear(t))
			break;
		live_again(t, i++, ATTEMPTS,
			   live_text(t, "%" N " ns of faults, on a CPU %" N,
				     fault, r.cpu));
	}
	faults = live_truth(r.truths, "faults", r.wait);
	CHECK(t, faults >= 8192, "the fixture had %" N " faults", faults);
	CHECK(t, fault <= r.outer + LIVE_CLOCK_NS, "%" N " ns of faults in %" N,
	      fault, r.outer);
	CHECK(t, fault >= faults * 100, "%" N " faults in %" N " ns", faults,
	      fault);
	wait = class_wait_of(&r, "fault");
	CHECK(t, wait, "the faults are not in the list");
	count = live_number(t, wait, "count");
	/* a switch within a fault splits it in two; the ends add a few more */
	CHECK(t, count >= faults && count <= faults + faults / 50,
	      "%" N " faults listed of %" N, count, faults);
	CHECK(t, live_number(t, r.report, "counters.fault-end") == 0,
	      "%" N " faults without an end",
	      live_number(t, r.report, "counters.fault-end"));

	class_run_functions(t, "--os none", "faults", 1, &r);
	CHECK(t, class_own(t, &r, "fault") == 0,
	      "%" N " ns of faults with none", class_own(t, &r, "fault"));
	CHECK(t, live_number(t, r.report, "session.classes.fault") == 0,
	      "the session has faults with none");
}

/* A call through the vsyscall page begins as a fault that has no end. */
void test_class_vsyscall(struct live *t)
{
	struct class_run r;

	class_run_functions(t, "--os faults", "vsyscall", MS, &r);
	CHECK(t, class_own(t, &r, "fault") * 2 < r.cpu,
	      "%" N " ns of faults, on a CPU %" N, class_own(t, &r, "fault"),
	      r.cpu);
	CHECK(t, live_number(t, r.report, "counters.fault-end") == 0,
	      "%" N " faults without an end",
	      live_number(t, r.report, "counters.fault-end"));
}

/* System calls between two clock readings: their CPU time is in between. */
void test_class_syscalls(struct live *t)
{
	uint64_t got = 0, within = 0;
	struct class_run r;
	int i;

	for (i = 0; i < ATTEMPTS; i++) {
		class_run_functions(t, "--os faults,syscalls", "calls", MS << i,
				    &r);
		got = class_own(t, &r, "syscall");
		within = live_truth(r.truths, "within", r.wait);
		/* this includes some of the fixture's own clock readings */
		CHECK(t,
		      got <= r.outer &&
			      got <= within + within / 20 + r.outer - r.inner,
		      "%" N " ns of system calls, measured %" N, got, within);
		class_check_callers(t, &r, "syscall");
		if (class_apart(got + class_own(t, &r, "runqueue"), r.inner) <=
			    r.inner / 50 &&
		    class_apart(got, r.cpu) <= r.cpu / 50)
			break;
		if (class_apart(got, r.cpu) <= r.cpu / 10 && live_traps_dear(t))
			break;
		live_again(t, i, ATTEMPTS,
			   live_text(t,
				     "%" N " ns of system calls, measured %" N
				     ", on a CPU %" N,
				     got, within, r.cpu));
	}

	class_run_functions(t, "", "calls", MS, &r);
	CHECK(t, live_number(t, r.report, "session.classes.syscall") == 0,
	      "system calls are timed unasked");
	CHECK(t, class_own(t, &r, "app") * 100 >= r.cpu * 95,
	      "%" N " ns of application time, on a CPU %" N,
	      class_own(t, &r, "app"), r.cpu);
}

/* Whether the header of the report says that system calls count as app. */
static unsigned int header_says(struct live *t, const char *options)
{
	struct live_end end;
	unsigned int n = 0;
	char *at;

	live_gnomon(t, "run", options, "classes nanosleep 1", &end, NULL);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	for (at = end.out; (at = strstr(at, "--os syscalls")); at++)
		n++;
	return n;
}

void test_class_header(struct live *t)
{
	unsigned int n = header_says(t, "");

	CHECK(t, n == 1, "the report names --os syscalls %u times, not once",
	      n);
	n = header_says(t, "--os faults,syscalls");
	CHECK(t, n == 0, "the report names --os syscalls, which was given");
}
