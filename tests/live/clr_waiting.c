/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All waits of .NET in one program, compared with what the topic `waiting` of
 * the fixture measures in the same run. The time between its clock readings
 * includes its own work and the time for which it was runnable after a wait.
 * Both come from the kernel's account of the thread, which is read inside one
 * pair of readings and outside another. So the time of the wait lies between
 * two known numbers. For a function, the lower bound comes from readings inside
 * it: a collection can suspend the thread between outer readings and the
 * function's begin.
 */
#include "clr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

#define MS	 40
#define ATTEMPTS 3

/* A wait of the fixture, and its class with and without functions: to the
 * kernel, a runtime's lock is a wait for a condition. */
static const struct wait {
	const char *type, *class, *plain;
} kinds[] = {
	{"MonitorEnter", "lock", "event"},
	{"ReaderWriter", "lock", "event"},
	{"Semaphore", "lock", "event"},
	{"MonitorWait", "event", "event"},
	{"SlimEvent", "event", "event"},
	{"Handle", "event", "event"},
	{"Finished", "event", "event"},
	{"Sleep", "sleep", "sleep"},
	{"MonitorTimeout", "sleep", "sleep"},
	{"Delay", "event", "event"},
	{"Pipe", "ipc", "ipc"},
	{"Child", "event", "event"},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct run {
	struct live_truths *truths;
	json_t *report;
	bool functions;
};

/* It waited for `least` to `most` ns. */
struct bounds {
	uint64_t least, most;
};

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static const json_t *thread_of(struct live *t, const struct run *r,
			       const char *name)
{
	uint64_t tid = live_truth(r->truths, "thread", name);
	const json_t *thread;
	size_t i;

	json_array_foreach(json_object_get(r->report, "threads"), i, thread)
	{
		if (live_number(t, thread, "tid") == tid)
			return thread;
	}
	live_fail(t, "thread %" N " of %s is not in the report", tid, name);
}

/*
 * Time of a thread that gnomon counts but that the kernel counts neither as
 * time on a CPU nor as waiting for one, or the reverse: both clocks are read at
 * each switch of the thread. The self-check checks this.
 */
static uint64_t between_accounts(const json_t *thread)
{
	static const char *const parts[] = {
		"switching_ns", "irq_ns", "stolen_ns", "runqueue_switching_ns"};
	const json_t *kernel = json_object_get(thread, "kernel");
	int64_t sum = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum += json_integer_value(json_object_get(kernel, parts[i]));
	return (uint64_t)(sum < 0 ? -sum : sum);
}

static struct bounds bounds_of(struct live *t, const struct run *r,
			       const char *prefix, const char *name)
{
	const struct live_truths *all = r->truths;
	uint64_t inner = live_truth(all, live_text(t, "%sinner", prefix), name);
	uint64_t around =
		live_truth(all, live_text(t, "%saround", prefix), name);
	uint64_t delay = live_truth(all, live_text(t, "%sdelay", prefix), name);
	uint64_t most = live_truth(all, live_text(t, "%scpu", prefix), name);
	uint64_t least =
		live_truth(all, live_text(t, "%scpu-least", prefix), name);
	/* plus the rounding of the two clocks */
	uint64_t may = around / 1000 + LIVE_CLOCK_NS +
		       between_accounts(thread_of(t, r, name));

	CHECK(t, inner && around >= inner && least,
	      "the fixture tells nothing of %s", name);
	return (struct bounds){less(inner, most + delay + may),
			       less(around + may, least + delay)};
}

static bool is_wait(const char *class)
{
	static const char *const others[] = {"app",	"jit",	 "gc",
					     "syscall", "fault", "runqueue"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(class, others[i]))
			return false;
	return true;
}

/* All classes in which a thread waits, of the function or the whole thread. */
static uint64_t waited(const json_t *classes)
{
	const char *class;
	const json_t *ns;
	uint64_t sum = 0;

	json_object_foreach((json_t *)classes, class, ns)
	{
		if (is_wait(class))
			sum += (uint64_t)json_integer_value(ns);
	}
	return sum;
}

static const json_t *function_of(struct live *t, const json_t *report,
				 const char *name)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(report, "functions"), i, f)
	{
		if (!strcmp(json_string_value(json_object_get(f, "name")),
			    name))
			return f;
	}
	live_fail(t, "%s is not in the report", name);
}

/* The function has exactly the time that it waited; the thread has at least
 * that. */
static const json_t *classes_of(struct live *t, const struct run *r,
				const char *name)
{
	struct bounds b = bounds_of(t, r, r->functions ? "" : "life-", name);
	const json_t *classes;
	uint64_t sum;

	if (r->functions) {
		b.least = bounds_of(t, r, "inside-", name).least;
		classes = json_object_get(function_of(t, r->report, name),
					  "classes_inclusive");
	} else {
		classes = json_object_get(thread_of(t, r, name), "classes");
	}
	sum = waited(classes);
	CHECK(t, sum >= b.least && (!r->functions || sum <= b.most),
	      "%s waited for %" N " ns, by the kernel's account %" N " to %" N,
	      name, sum, b.least, b.most);
	return classes;
}

/* NULL, or what is missing in the class. The fixture saw the thread asleep, but
 * the thread may have been in an earlier wait, or suspended. */
static char *missing(struct live *t, const struct run *r, const struct wait *w)
{
	char *name = live_text(t, "Demo.%s.Once()", w->type);
	const char *class = r->functions ? w->class : w->plain;
	uint64_t asleep = live_truth(r->truths, "asleep", name);
	const json_t *classes = classes_of(t, r, name);
	uint64_t got = live_number(t, classes, class);
	uint64_t suspended = live_number(t, classes, "suspend");

	CHECK(t, asleep, "the fixture does not tell how long %s slept", name);
	if (got + suspended + asleep / 1000 + LIVE_CLOCK_NS >= asleep)
		return NULL;
	return live_text(t, "%s: %" N " ns of %s, it was asleep for %" N, name,
			 got, class, asleep);
}

static uint64_t idle_in(struct live *t, const json_t *waits)
{
	const json_t *wait;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach(waits, i, wait)
	{
		if (json_is_true(json_object_get(wait, "idle_worker")))
			sum += live_number(t, wait, "time_ns");
	}
	return sum;
}

/* An idle worker waits for a signal; its functions show that it is one.
 * There may be no worker between the readings, if another one took the
 * second item. */
static void check_worker(struct live *t, const struct run *r)
{
	const json_t *f, *classes;
	struct bounds b;
	uint64_t idle = 0;
	size_t i;

	if (!live_truth(r->truths, "inner", "worker"))
		return;
	b = bounds_of(t, r, "", "worker");
	classes = json_object_get(thread_of(t, r, "worker"), "classes");
	CHECK(t, waited(classes) >= b.least,
	      "the worker waited for %" N " ns, by the kernel's account %" N,
	      waited(classes), b.least);
	if (!r->functions)
		return;
	json_array_foreach(json_object_get(r->report, "functions"), i, f)
		idle += idle_in(t, json_object_get(f, "waits"));
	CHECK(t, idle >= b.least / 10 * 9,
	      "idle workers have %" N " ns, one had nothing to do for %" N,
	      idle, b.least);
}

static void run_all(struct live *t, bool collect, struct run *r)
{
	struct live_args command = {.n = 0};
	struct live_end end;

	clr_demo(t, &command,
		 live_text(t, "waiting %d%s", MS, collect ? " collect" : ""));
	clr_trace(t, r->functions ? "" : "--clr light", NULL, &command, &end,
		  &r->report);
	CHECK(t, end.code == 0 && r->report, "gnomon ended with %d: %s",
	      end.code, end.err);
	clr_closed(t, r->report);
	r->truths = calloc(1, sizeof(*r->truths));
	CHECK(t, r->truths, "no memory");
	live_truths(t, end.out, r->truths);
}

void test_clr_waiting(struct live *t)
{
	bool collect = strstr(t->name, "collect");
	char *off = NULL;

	clr_need(t);
	for (int i = 0; i < ATTEMPTS; i++) {
		struct run r = {.functions = !strstr(t->name, "light")};

		run_all(t, collect, &r);
		off = NULL;
		for (size_t k = 0; k < KINDS && !off; k++)
			off = missing(t, &r, &kinds[k]);
		check_worker(t, &r);
		if (!off)
			return;
		live_again(t, i, ATTEMPTS, off);
	}
}
