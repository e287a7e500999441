/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time classes of .NET programs, compared with what the topic `classes` of the
 * fixture measures in the same run. As in live_classes.h: what gnomon says of
 * itself, and bounds from clock readings, must hold in every run. How near a
 * time comes to the kernel's own account must hold in at least one run.
 */
#include "clr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

#define ATTEMPTS 3
#define MS	 40

/* Only the thread that requests a collection collects. */
#define OPTIONS "DOTNET_gcServer=0 DOTNET_gcConcurrent=0"

#define SURROUND "Demo.Classes.Surround(Demo.Way)"

/* One run of a way. */
struct run {
	char *wait; /* the name of the function */
	struct live_truths *truths;
	json_t *report;
	const json_t *thread; /* the calling thread, in the report */
	uint64_t inner, cpu, delay;
};

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t truth(const struct run *r, const char *word)
{
	return live_truth(r->truths, word, r->wait);
}

/* Of the function and its callees. */
static uint64_t within(struct live *t, const struct run *r, const char *class)
{
	return live_function(t, r->report, NULL, r->wait,
			     live_text(t, "classes_inclusive.%s", class), NULL);
}

static uint64_t of_thread(struct live *t, const json_t *thread,
			  const char *class)
{
	return live_number(t, thread, live_text(t, "classes.%s", class));
}

/* The thread whose TID the fixture prints after that word. */
static const json_t *thread_of(struct live *t, const struct run *r,
			       const char *word)
{
	uint64_t tid = truth(r, word);
	const json_t *thread;
	size_t i;

	CHECK(t, tid, "the fixture does not tell its thread: %s", word);
	json_array_foreach(json_object_get(r->report, "threads"), i, thread)
	{
		if (live_number(t, thread, "tid") == tid)
			return thread;
	}
	live_fail(t, "thread %" N " (%s) is not in the report", tid, word);
}

/* The caller, and the whole thread, have at least the function's time. */
static void check_caller(struct live *t, const struct run *r, const char *class)
{
	uint64_t got = within(t, r, class);
	uint64_t all = live_function(
		t, r->report, NULL, SURROUND,
		live_text(t, "classes_inclusive.%s", class), NULL);
	uint64_t thread = of_thread(t, r->thread, class);

	CHECK(t, all >= got && thread >= all,
	      "%s: %" N " ns in %s, %" N " in its caller, %" N
	      " in all of the thread",
	      class, got, r->wait, all, thread);
}

static void run_way(struct live *t, const char *options, const char *way,
		    const char *type, unsigned int ms, struct run *r)
{
	struct live_args command = {.n = 0};
	struct live_end end;

	clr_demo(t, &command, live_text(t, "classes %s %u", way, ms));
	clr_trace(t, options, NULL, &command, &end, &r->report);
	if (end.code == 77 && strncmp(end.out, "skip ", 5) == 0)
		live_skip(t, "%s", end.out + 5);
	if (r->report)
		clr_closed(t, r->report);
	CHECK(t, end.code == 0 && r->report, "gnomon ended with %d: %s",
	      end.code, end.err);
	r->truths = calloc(1, sizeof(*r->truths));
	CHECK(t, r->truths, "no memory");
	live_truths(t, end.out, r->truths);
	r->wait = live_text(t, "Demo.%s.Wait()", type);
	r->inner = truth(r, "inner");
	r->cpu = truth(r, "cpu");
	r->delay = truth(r, "delay");
	CHECK(t, r->inner, "the fixture tells nothing of %s", r->wait);
	live_compare(t, r->truths, r->report, 0);
	r->thread = thread_of(t, r, "thread");
}

static uint64_t sum_of(struct live *t, const struct run *r,
		       const char *const *classes)
{
	uint64_t sum = 0;

	for (; *classes; classes++)
		sum += within(t, r, *classes);
	return sum;
}

static const char *const on_cpu[] = {"app",	"jit",	 "gc",
				     "syscall", "fault", NULL};

static const char *const waits[] = {"suspend", "disk",	"lock",		"event",
				    "poll",    "net",	"ipc",		"sleep",
				    "child",   "other", "unclassified", NULL};

/* The time that a thread's CPU clock may lack but gnomon's time on a CPU has.
 * The report has this account, and the self-check checks it. */
static uint64_t between_clocks(const json_t *thread)
{
	static const char *const parts[] = {"switching_ns", "irq_ns",
					    "stolen_ns"};
	const json_t *kernel = json_object_get(thread, "kernel");
	json_int_t sum = 0;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum += json_integer_value(json_object_get(kernel, parts[i]));
	return sum > 0 ? (uint64_t)sum : 0;
}

/*
 * NULL, or how far the thread's time on a CPU is from the kernel's, if that is
 * more than both 1 % and 1 ms. The kernel's clock was read shortly before the
 * thread's end.
 */
static char *off_thread(struct live *t, const struct run *r)
{
	uint64_t got = 0, least = truth(r, "thread-cpu");
	uint64_t most = least + between_clocks(r->thread), off = 0;
	const char *const *name;

	for (name = on_cpu; *name; name++)
		got += of_thread(t, r->thread, *name);
	if (got < least)
		off = least - got;
	else if (got > most)
		off = got - most;
	if (off > 1000000 && off > least / 100)
		return live_text(t,
				 "the thread was on a CPU for %" N
				 " ns, by the kernel for %" N " to %" N,
				 got, least, most);
	return NULL;
}

/* NULL, or what is off its CPU time by at least 1 % of the time between the
 * readings; what the function did outside them is allowed. */
static char *off_cpu_time(struct live *t, const struct run *r)
{
	uint64_t elapsed = live_function(t, r->report, NULL, r->wait,
					 "elapsed_inclusive_ns", NULL);
	uint64_t got = sum_of(t, r, on_cpu), may = r->inner / 100;
	uint64_t outside = elapsed > r->inner ? elapsed - r->inner : 0;

	if (got + may < r->cpu || got > r->cpu + outside + may)
		return live_text(t,
				 "%s: on a CPU for %" N " ns, measured %" N
				 " in %" N " of %" N,
				 r->wait, got, r->cpu, r->inner, elapsed);
	return off_thread(t, r);
}

/* NULL, or what is off the kernel's account between the readings by at least 1
 * %. */
static char *off_bracket(struct live *t, const struct run *r, const char *class)
{
	uint64_t busy = r->cpu + r->delay, got = within(t, r, class);
	uint64_t waited = r->inner > busy ? r->inner - busy : 0;
	uint64_t others = sum_of(t, r, waits) - got;
	uint64_t may = r->inner / 100;

	if (apart(got, waited) > may)
		return live_text(t, "%s: %" N " ns of %s, waited %" N " of %" N,
				 r->wait, got, class, waited, r->inner);
	if (others > may)
		return live_text(t, "%s: %" N " ns of waits beside %s", r->wait,
				 others, class);
	return off_cpu_time(t, r);
}

/* What a way of waiting looks like in the report. */
struct waiting {
	const char *way, *type; /* for the fixture; the test is class-WAY */
	const char *class;
	bool woken; /* by the fixture's helper, whose TID it prints */
};

/* Thread.Sleep waits for a futex until its timeout: that is a sleep. */
static const struct waiting waitings[] = {
	{"sleep", "SleepWay", "sleep", false},
	{"lock", "LockWay", "lock", true},
	{"lock-busy", "BusyLockWay", "lock", true},
	{"accept", "AcceptWay", "net", false},
	{"receive", "ReceiveWay", "net", false},
};

static const struct waiting *this_waiting(struct live *t)
{
	size_t i;

	for (i = 0; i < sizeof(waitings) / sizeof(waitings[0]); i++)
		if (strcmp(t->name + strlen("class-"), waitings[i].way) == 0)
			return &waitings[i];
	live_fail(t, "no such way of waiting");
}

static bool is_text(const json_t *object, const char *key, const char *want)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && strcmp(text, want) == 0;
}

/* The longest wait of a class that the fixture's helper ended, in a function of
 * the runtime. */
static uint64_t longest_woken(struct live *t, const struct run *r,
			      const char *class)
{
	const json_t *functions = json_object_get(r->report, "functions");
	const json_t *f, *wait, *waker;
	uint64_t tid = truth(r, "waker"), longest = 0, ns;
	size_t i, k;

	json_array_foreach(functions, i, f)
	{
		json_array_foreach(json_object_get(f, "waits"), k, wait)
		{
			waker = json_object_get(wait, "waker");
			if (!waker || !is_text(wait, "class", class) ||
			    live_number(t, waker, "tid") != tid ||
			    !json_object_get(waker, "function"))
				continue;
			ns = live_number(t, wait, "longest_ns");
			longest = ns > longest ? ns : longest;
		}
	}
	return longest;
}

static void check_waker(struct live *t, const struct run *r, const char *class)
{
	uint64_t got = within(t, r, class), ns = longest_woken(t, r, class);

	CHECK(t, ns >= got / 2,
	      "the helper ended no wait of %" N " ns, but one of %" N, got, ns);
}

void test_clr_class_wait(struct live *t)
{
	const struct waiting *w = this_waiting(t);
	char *off = NULL;
	struct run r;
	int i;

	clr_need(t);
	for (i = 0; i < ATTEMPTS; i++) {
		run_way(t, OPTIONS, w->way, w->type, MS << i, &r);
		check_caller(t, &r, w->class);
		CHECK(t, within(t, &r, w->class) <= r.inner + LIVE_CLOCK_NS,
		      "%s: %" N " ns of %s within %" N, r.wait,
		      within(t, &r, w->class), w->class, r.inner);
		if (w->woken)
			check_waker(t, &r, w->class);
		off = off_bracket(t, &r, w->class);
		if (!off)
			return;
		live_again(t, i, ATTEMPTS, off);
	}
}

/* Other work that a collecting thread does in a collection. */
static uint64_t interruptions(struct live *t, const json_t *thread)
{
	static const char *const classes[] = {"fault", "runqueue", "disk",
					      NULL};
	const char *const *name;
	uint64_t sum = 0;

	for (name = classes; *name; name++)
		sum += of_thread(t, thread, *name);
	return sum;
}

/* The runtime reports each pause in whole microseconds. */
static uint64_t rounding(const struct run *r)
{
	return 1000 * truth(r, "collections") + LIVE_CLOCK_NS;
}

/*
 * A collection lies within a pause and is most of it: the rest is suspending
 * and resuming. Faults and preemptions within it have their own classes.
 */
static char *off_pause(struct live *t, const struct run *r, uint64_t gc,
		       uint64_t interrupted)
{
	uint64_t pause = truth(r, "pause");

	CHECK(t, gc <= pause + rounding(r),
	      "%" N " ns of collections in pauses of %" N, gc, pause);
	if (gc + interrupted + pause / 50 < pause)
		return live_text(t,
				 "%" N " ns of collections and %" N
				 " of interruptions in pauses of %" N,
				 gc, interrupted, pause);
	return NULL;
}

void test_clr_class_collect(struct live *t)
{
	static const char *const interrupts[] = {
		"fault", "runqueue", "disk", "lock", "event", "poll", NULL};
	char *off = NULL;
	struct run r;
	uint64_t gc;
	int i;

	clr_need(t);
	for (i = 0; i < ATTEMPTS; i++) {
		run_way(t, OPTIONS, "collect", "CollectWay", MS << i, &r);
		gc = within(t, &r, "gc");
		check_caller(t, &r, "gc");
		CHECK(t, truth(&r, "pause") <= r.inner,
		      "the fixture's pauses are longer than its bracket");
		off = off_pause(t, &r, gc, sum_of(t, &r, interrupts));
		if (!off)
			off = off_cpu_time(t, &r);
		if (!off)
			return;
		live_again(t, i, ATTEMPTS, off);
	}
}

/*
 * While the helper collects, the thread runs on until it is stopped, waits, and
 * is then runnable for a while. The suspension is what the fixture's loop
 * missed between its turns, minus the part in which it was busy. The runtime
 * takes the end of a pause before the helper releases the thread: an
 * interruption of the helper between the two is suspension, too.
 */
static char *off_suspension(struct live *t, const struct run *r,
			    uint64_t interrupted)
{
	uint64_t got = within(t, r, "suspend"), pause = truth(r, "pause");
	uint64_t gaps = truth(r, "gaps"), busy = truth(r, "busy");
	uint64_t may = r->inner / 100, others = sum_of(t, r, waits) - got;

	if (got + others + busy + r->delay + may < gaps || got > gaps + may)
		return live_text(t,
				 "suspended for %" N " ns, stood still for %" N
				 ", of which %" N " busy",
				 got, gaps, busy);
	if (got + busy + r->delay + may < pause ||
	    got > pause + interrupted + may)
		return live_text(t, "suspended for %" N " ns in pauses of %" N,
				 got, pause);
	return off_bracket(t, r, "suspend");
}

void test_clr_class_suspended(struct live *t)
{
	const json_t *helper, *idle;
	uint64_t interrupted;
	char *off = NULL;
	struct run r;
	int i;

	clr_need(t);
	for (i = 0; i < ATTEMPTS; i++) {
		run_way(t, OPTIONS, "suspended", "SuspendedWay", MS << i, &r);
		check_caller(t, &r, "suspend");
		/* a thread that waits for something else goes on waiting */
		idle = thread_of(t, &r, "idle");
		CHECK(t,
		      of_thread(t, idle, "event") >= truth(&r, "pause") &&
			      of_thread(t, idle, "gc") == 0,
		      "the idle thread has %" N " ns of event and %" N
		      " of gc in pauses of %" N,
		      of_thread(t, idle, "event"), of_thread(t, idle, "gc"),
		      truth(&r, "pause"));
		helper = thread_of(t, &r, "waker");
		CHECK(t, of_thread(t, helper, "suspend") == 0,
		      "who suspends is suspended, for %" N " ns",
		      of_thread(t, helper, "suspend"));
		CHECK(t, within(t, &r, "gc") == 0,
		      "who is suspended collects, for %" N " ns",
		      within(t, &r, "gc"));
		interrupted = interruptions(t, helper);
		off = off_pause(t, &r, of_thread(t, helper, "gc"), interrupted);
		if (!off)
			off = off_suspension(t, &r, interrupted);
		if (!off)
			return;
		live_again(t, i, ATTEMPTS, off);
	}
}

/*
 * The runtime's own measurement lies between the begin and the end of each
 * compilation, and includes interruptions. It does not include what the thread
 * does around it, on the CPU.
 */
static void compile_and_check(struct live *t, const char *options)
{
	static const char *const interrupts[] = {"fault", "runqueue", "disk",
						 "lock",  "event",    "poll",
						 "other", NULL};
	uint64_t jit, compiled;
	char *off = NULL;
	struct run r;
	int i;

	clr_need(t);
	for (i = 0; i < ATTEMPTS; i++) {
		run_way(t, options, "compile", "CompileWay", MS, &r);
		jit = within(t, &r, "jit");
		compiled = truth(&r, "compiled");
		check_caller(t, &r, "jit");
		CHECK(t, truth(&r, "methods") >= 2 * 255,
		      "the fixture compiled only %" N " methods",
		      truth(&r, "methods"));
		CHECK(t, compiled <= r.inner,
		      "the fixture compiled for %" N " ns of %" N, compiled,
		      r.inner);
		CHECK(t,
		      jit + sum_of(t, &r, interrupts) + LIVE_CLOCK_NS >=
			      compiled,
		      "%" N " ns of jit and %" N
		      " of interruptions, compiled for %" N,
		      jit, sum_of(t, &r, interrupts), compiled);
		/* otherwise the bounds say little */
		if (compiled + r.delay < r.inner / 2)
			off = live_text(t, "only compiled for %" N " of %" N,
					compiled, r.inner);
		else if (jit > r.cpu + r.inner / 100)
			off = live_text(t, "%" N " ns of jit, on a CPU %" N,
					jit, r.cpu);
		else
			off = off_cpu_time(t, &r);
		if (!off)
			return;
		live_again(t, i, ATTEMPTS, off);
	}
}

void test_clr_class_compile(struct live *t)
{
	compile_and_check(t, OPTIONS);
}

void test_clr_class_compile_optimized(struct live *t)
{
	compile_and_check(t, OPTIONS " DOTNET_TieredCompilation=0");
}

/* The runtime does not report the end of a compilation that throws. What the
 * thread does afterwards is not the compiler's. */
static void thrown_and_check(struct live *t, const char *options)
{
	struct live_args command = {.n = 0};
	struct live_truths truths = {0};
	uint64_t jit, work, elapsed;
	const json_t *thread;
	struct live_end end;
	json_t *report;

	clr_need(t);
	clr_demo(t, &command, "thrown");
	clr_trace(t, options, NULL, &command, &end, &report);
	CHECK(t, end.code == 0 && report, "gnomon ended with %d: %s", end.code,
	      end.err);
	clr_closed(t, report);
	live_truths(t, end.out, &truths);
	work = live_truth(&truths, "inner", "Demo.Thrown.Work(long)");
	CHECK(t, work, "the fixture tells nothing of its work");
	thread = json_array_get(json_object_get(report, "threads"), 0);
	jit = of_thread(t, thread, "jit");
	elapsed = live_number(t, thread, "elapsed_ns");
	CHECK(t, elapsed > work && jit < elapsed - work,
	      "%" N " ns of jit and %" N " of work in %" N, jit, work, elapsed);
	CHECK(t,
	      live_number(t, report, "code.compilations_thrown") ==
		      live_truth(&truths, "thrown", "compilations"),
	      "%" N " compilations threw",
	      live_number(t, report, "code.compilations_thrown"));
}

void test_clr_thrown_light(struct live *t)
{
	thrown_and_check(t, "--clr light");
}

void test_clr_thrown(struct live *t)
{
	thrown_and_check(t, "");
}

void test_clr_thrown_filter(struct live *t)
{
	thrown_and_check(t, "-f Demo.Thrown.*");
}

void test_clr_thrown_elt(struct live *t)
{
	thrown_and_check(t, "--clr-hooks elt -f Demo.Thrown.*");
}
