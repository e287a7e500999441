/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of waits, compared with what the fixture `classes` measures in the
 * same run. */
#include "live_classes.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define N PRIu64

static const char *const all_classes[] = {
	"app",	    "jit",   "gc",	     "suspend", "syscall", "fault",
	"runqueue", "disk",  "lock",	     "net",	"ipc",	   "sleep",
	"child",    "other", "unclassified", "event",	"poll"};

/* What a way of waiting looks like in the report. */
struct waiting {
	const char *way; /* the fixture's way; also in the name of the test:
			    class-WAY */
	const char *class;
	const char *reason; /* the system call, NULL = none */
	bool woken;	    /* the waker is reported, and it is in wake_WAY */
	/* what a child that is forked inside waits for, inside */
	const char *childs;
};

static const struct waiting waitings[] = {
	{"nanosleep", "sleep", "nanosleep", false, NULL},
	{"clock_nanosleep", "sleep", "clock_nanosleep", false, NULL},
	{"timeout", "sleep", "futex", false, NULL},
	{"timeout_real", "sleep", "futex", false, NULL},
	{"waitv", "sleep", "futex_waitv", false, NULL},
	{"waitv_real", "sleep", "futex_waitv", false, NULL},
	{"timerfd", "sleep", "read", false, NULL},
	{"poll_none", "sleep", "poll", false, NULL},
	{"poll", "poll", "poll", false, NULL},
	{"select", "poll", "pselect6", false, NULL},
	{"epoll", "poll", "epoll_wait", false, NULL},
	{"poll_timeout", "poll", "poll", false, NULL},
	{"poll_signal", "poll", "poll", false, NULL},
	{"poll_several", "poll", "poll", false, NULL},
	{"select_timeout", "poll", "pselect6", false, NULL},
	{"select_none", "sleep", "pselect6", false, NULL},
	{"epoll_timeout", "poll", "epoll_wait", false, NULL},
	{"uring", "poll", "io_uring_enter", true, NULL},
	{"aio_none", "sleep", "io_getevents", false, NULL},
	{"signal", "event", "rt_sigtimedwait", false, NULL},
	{"mutex", "lock", "futex", true, NULL},
	{"condition", "event", "futex", true, NULL},
	{"semaphore", "event", "futex", true, NULL},
	{"barrier", "event", "futex", true, NULL},
	{"pause", "event", "pause", false, NULL},
	{"rwlock", "lock", "futex", true, NULL},
	{"reader", "lock", "futex", true, NULL},
	{"writer", "lock", "futex", true, NULL},
	{"preferred", "lock", "futex", true, NULL},
	{"robust", "lock", "futex", true, NULL},
	{"pi", "lock", "futex", true, NULL},
	{"join", "event", "futex", false, NULL},
	{"flock", "lock", "flock", true, NULL},
	{"semop", "ipc", "semtimedop", true, NULL},
	{"pipe", "ipc", "read", true, NULL},
	{"full", "ipc", "write", true, NULL},
	{"splice", "ipc", "splice", true, NULL},
	{"vmsplice", "ipc", "vmsplice", true, NULL},
	{"tee", "ipc", "tee", true, NULL},
	{"signalfd", "event", "read", true, NULL},
	{"fifo", "ipc", "openat", true, NULL},
	{"eventfd", "ipc", "read", true, NULL},
	{"unix", "ipc", "recvfrom", true, NULL},
	{"accept", "net", "accept", false, NULL},
	{"tcp", "net", "read", false, NULL},
	{"udp", "net", "recvfrom", false, NULL},
	{"waitpid", "child", "wait4", false, NULL},
	{"waitid", "child", "waitid", false, NULL},
	{"vfork", "child", "vfork", false, "sleep"},
	{"spawn", "child", NULL, false, "ipc"},
	{"stopped", "other", NULL, false, NULL},
	{"direct", "disk", "pread64", false, NULL},
	{"cold", "disk", "pread64", false, NULL},
	{"mapped", "disk", NULL, false, NULL},
	{"fsync", "disk", "fsync", false, NULL},
};

uint64_t class_apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

void class_run(struct live *t, const char *options, const char *way,
	       unsigned int ms, struct class_run *r)
{
	char *command = live_text(t, "classes %s %u 1 %s", way, ms, t->dir);
	struct live_end end;
	char *complaint;

	r->wait = live_text(t, "wait_%s", way);
	r->wake = live_text(t, "wake_%s", way);
	r->truths = calloc(1, sizeof(*r->truths));
	CHECK(t, r->truths, "no memory");
	live_gnomon(t, "run", options, command, &end, &r->report);
	if (end.code == 77 && strncmp(end.out, "skip ", 5) == 0)
		live_skip(t, "%s", end.out + 5);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, live_complaints(t, end.err, &complaint) == 0,
	      "gnomon complains: %s", complaint);
	live_clean(t, r->report);
	live_truths(t, end.out, r->truths);
	r->inner = live_truth(r->truths, "inner", r->wait);
	r->outer = live_truth(r->truths, "elapsed", r->wait);
	r->cpu = live_truth(r->truths, "cpu", r->wait);
	r->delay = live_truth(r->truths, "delay", r->wait);
	r->stolen = live_truth(r->truths, "stolen", r->wait);
	CHECK(t, r->inner, "the fixture tells nothing of %s", r->wait);
}

#define ALL_FUNCTIONS "-f surround -f wait_* -f wake_*"

void class_run_functions(struct live *t, const char *options, const char *way,
			 unsigned int ms, struct class_run *r)
{
	class_run(t, live_text(t, ALL_FUNCTIONS " %s", options), way, ms, r);
	live_compare(t, r->truths, r->report, 0);
}

static uint64_t class_of(struct live *t, const json_t *report,
			 const char *function, const char *which,
			 const char *class)
{
	return live_function(t, report, NULL, function,
			     live_text(t, "classes_%s.%s", which, class), NULL);
}

uint64_t class_own(struct live *t, const struct class_run *r, const char *class)
{
	return class_of(t, r->report, r->wait, "exclusive", class);
}

static bool is_busy(const char *class)
{
	return strcmp(class, "app") == 0 || strcmp(class, "syscall") == 0 ||
	       strcmp(class, "fault") == 0 || strcmp(class, "runqueue") == 0;
}

uint64_t class_other_waits(struct live *t, const struct class_run *r,
			   const char *class)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < sizeof(all_classes) / sizeof(all_classes[0]); i++)
		if (strcmp(all_classes[i], class) && !is_busy(all_classes[i]))
			sum += class_own(t, r, all_classes[i]);
	return sum;
}

void class_check_callers(struct live *t, const struct class_run *r,
			 const char *class)
{
	uint64_t got = class_own(t, r, class);
	uint64_t self = class_of(t, r->report, "surround", "exclusive", class);
	uint64_t all = class_of(t, r->report, "surround", "inclusive", class);

	CHECK(t, all == got + self,
	      "%s: %s has %" N " ns, its caller %" N " and %" N " of its own",
	      class, r->wait, got, all, self);
}

/* It only makes calls. */
static void check_caller_waits(struct live *t, const struct class_run *r,
			       const char *class)
{
	uint64_t self = class_of(t, r->report, "surround", "exclusive", class);

	CHECK(t, self <= class_own(t, r, class) / 100,
	      "%s: the caller has %" N " ns of its own", class, self);
}

/* The thread has at least the time of its functions. */
static void check_thread(struct live *t, const struct class_run *r,
			 const char *class)
{
	uint64_t got = class_own(t, r, class);
	const json_t *thread;
	char *path = live_text(t, "classes.%s", class);
	size_t i;

	json_array_foreach(json_object_get(r->report, "threads"), i, thread)
	{
		const json_t *name = json_object_get(thread, "name");

		if (strcmp(json_string_value(name), "classes") == 0 &&
		    live_number(t, thread, path) >= got)
			return;
	}
	live_fail(t, "no thread has the %" N " ns of %s of %s", got, class,
		  r->wait);
}

const json_t *class_wait_of(const struct class_run *r, const char *class)
{
	const json_t *functions = json_object_get(r->report, "functions");
	const json_t *f, *wait;
	size_t i, k;

	json_array_foreach(functions, i, f)
	{
		const char *name =
			json_string_value(json_object_get(f, "name"));

		if (strcmp(name, r->wait))
			continue;
		json_array_foreach(json_object_get(f, "waits"), k, wait)
		{
			const char *text = json_string_value(
				json_object_get(wait, "class"));

			if (text && strcmp(text, class) == 0)
				return wait;
		}
	}
	return NULL;
}

static bool is_text(const json_t *object, const char *key, const char *want)
{
	const char *text = json_string_value(json_object_get(object, key));

	return want ? text && strcmp(text, want) == 0 : !text;
}

/* All waits of a class in the function are in its list. */
static void check_sums(struct live *t, const struct class_run *r,
		       const char *class)
{
	const json_t *functions = json_object_get(r->report, "functions");
	const json_t *f, *wait;
	uint64_t sum = 0;
	size_t i, k;

	json_array_foreach(functions, i, f)
	{
		if (!is_text(f, "name", r->wait))
			continue;
		json_array_foreach(json_object_get(f, "waits"), k, wait)
		{
			if (!is_text(wait, "class", class))
				continue;
			sum += live_number(t, wait, "time_ns");
			CHECK(t,
			      live_number(t, wait, "longest_ns") *
					      live_number(t, wait, "count") >=
				      live_number(t, wait, "time_ns"),
			      "%s: longer in all than the longest, each time",
			      class);
		}
	}
	CHECK(t, sum == class_own(t, r, class),
	      "%s: the waits sum to %" N " ns of %" N, class, sum,
	      class_own(t, r, class));
}

static void check_reason(struct live *t, const struct class_run *r,
			 const struct waiting *w)
{
	const json_t *wait = class_wait_of(r, w->class);

	CHECK(t, wait, "%s has no waits of %s", r->wait, w->class);
	if (strcmp(w->way, "spawn") == 0) /* either of two */
		CHECK(t,
		      is_text(wait, "syscall_name", "clone") ||
			      is_text(wait, "syscall_name", "clone3"),
		      "the reason is not a clone");
	else
		CHECK(t, is_text(wait, "syscall_name", w->reason),
		      "the reason is not %s", w->reason ? w->reason : "none");
}

/* What is also reported about a poll. */
static const struct {
	const char *way, *polled, *ended;
} polls[] = {
	{"poll", "pipe", "ready"},
	{"select", "pipe", "ready"},
	{"epoll", "pipe", "ready"},
	/* what io_uring waits for is not examined */
	{"uring", "unknown", "unknown"},
	{"poll_timeout", "pipe", "timeout"},
	{"poll_signal", "pipe", "signal"},
	{"poll_several", "several", "ready"},
	{"select_timeout", "eventfd", "timeout"},
	{"epoll_timeout", "timerfd", "timeout"},
};

/* NULL, or what is wrong. If the kernel hides that the thread runs again, it is
 * not known what ended its poll. */
static char *off_polled(struct live *t, const struct class_run *r,
			const struct waiting *w)
{
	const json_t *wait = class_wait_of(r, w->class);
	const char *polled = NULL, *ended = NULL;
	size_t i;

	for (i = 0; i < sizeof(polls) / sizeof(polls[0]); i++)
		if (strcmp(polls[i].way, w->way) == 0) {
			polled = polls[i].polled;
			ended = polls[i].ended;
		}
	if (ended && strcmp(ended, "unknown") != 0 &&
	    is_text(wait, "ended_by", "unknown"))
		return live_text(t, "%s: nobody knows what ended it", r->wait);
	CHECK(t,
	      is_text(wait, "polled", polled) &&
		      is_text(wait, "ended_by", ended),
	      "a poll of %s ended by %s: %s", polled, ended,
	      json_dumps(wait, 0));
	return NULL;
}

/* The waker is the thread of that name, in that function. */
static void check_waker(struct live *t, const struct class_run *r,
			const struct waiting *w)
{
	const json_t *wait = class_wait_of(r, w->class);
	const json_t *waker = json_object_get(wait, "waker");

	CHECK(t, json_is_object(waker), "nobody is told to have woken it");
	CHECK(t, is_text(waker, "name", "waker"),
	      "another than the waker has woken it: %s", json_dumps(waker, 0));
	CHECK(t, is_text(waker, "function", r->wake),
	      "the waker was not in %s: %s", r->wake, json_dumps(waker, 0));
}

static const struct waiting *this_waiting(struct live *t)
{
	size_t i;

	for (i = 0; i < sizeof(waitings) / sizeof(waitings[0]); i++)
		if (strcmp(t->name + strlen("class-"), waitings[i].way) == 0)
			return &waitings[i];
	live_fail(t, "no such way of waiting");
}

/*
 * The time that gnomon counts, because it reads both clocks at each switch of
 * the thread, but that the kernel counts neither as time on a CPU nor as
 * waiting for one. The report has this account, and the self-check checks it.
 */
static int64_t between_accounts(struct live *t, const json_t *report)
{
	static const char *const parts[] = {
		"switching_ns", "irq_ns", "stolen_ns", "runqueue_switching_ns"};
	const json_t *thread;
	int64_t sum = 0;
	size_t i, k;

	json_array_foreach(json_object_get(report, "threads"), i, thread)
	{
		const json_t *kernel = json_object_get(thread, "kernel");

		if (!is_text(thread, "name", "classes"))
			continue;
		for (k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
			sum += json_integer_value(
				json_object_get(kernel, parts[k]));
		return sum;
	}
	live_fail(t, "no thread of the fixture");
}

/* A thread that is stopped in a read waits for the read before and after the
 * stop: on a busy machine the stopper is late. */
static uint64_t around(struct live *t, const struct class_run *r,
		       const struct waiting *w)
{
	return strcmp(w->way, "stopped") ? 0 : class_own(t, r, "ipc");
}

/* NULL, or what is wrong. */
static char *near(struct live *t, const struct class_run *r,
		  const struct waiting *w)
{
	const char *class = w->class;
	uint64_t beside = around(t, r, w);
	uint64_t busy = r->cpu + r->delay + beside +
			(uint64_t)between_accounts(t, r->report);
	uint64_t got = class_own(t, r, class);
	uint64_t waited = r->inner > busy ? r->inner - busy : 0;
	uint64_t may = r->inner / 100 + r->stolen;
	uint64_t others = class_other_waits(t, r, class) - beside;

	if (w->childs)
		others -= class_own(t, r, w->childs);
	if (r->stolen > r->inner)
		return live_text(t, "%s: the host took up to %" N " ns of %" N,
				 r->wait, r->stolen, r->inner);
	if (class_apart(got, waited) > may)
		return live_text(t, "%s: %" N " ns of %s, waited %" N " of %" N,
				 r->wait, got, class, waited, r->inner);
	if (others > may)
		return live_text(t, "%s: %" N " ns of waits beside %s", r->wait,
				 others, class);
	return NULL;
}

/* By the kernel's account it hardly waited, because the waker came first. */
static bool came_late(const struct class_run *r, unsigned int ms)
{
	return r->inner < r->cpu + r->delay + ms * 1000000ull / 10;
}

static void wait_and_check(struct live *t, const char *options,
			   const struct waiting *w, struct class_run *r)
{
	char *off = NULL;
	int i;

	for (i = 0; i < ATTEMPTS; i++) {
		class_run_functions(t, options, w->way, MS << i, r);
		if (came_late(r, (unsigned int)MS << i)) {
			live_again(t, i, ATTEMPTS, "the waker was first");
			continue;
		}
		CHECK(t, class_own(t, r, w->class) <= r->inner + LIVE_CLOCK_NS,
		      "%s: %" N " ns of %s within %" N, r->wait,
		      class_own(t, r, w->class), w->class, r->inner);
		class_check_callers(t, r, w->class);
		check_caller_waits(t, r, w->class);
		check_thread(t, r, w->class);
		check_sums(t, r, w->class);
		check_reason(t, r, w);
		if (w->woken)
			check_waker(t, r, w);
		off = off_polled(t, r, w);
		if (!off)
			off = near(t, r, w);
		if (!off)
			return;
		live_again(t, i, ATTEMPTS, off);
	}
}

void test_class_wait(struct live *t)
{
	struct class_run r;

	wait_and_check(t, "", this_waiting(t), &r);
}

/*
 * A wait that a stop interrupts and that continues through another system call
 * keeps its class. Only the stopped time has no class.
 */
void test_class_restarted(struct live *t)
{
	static const struct waiting ways[] = {
		{"restarted_sleep", "sleep", "nanosleep", false, NULL},
		{"restarted_clock", "sleep", "clock_nanosleep", false, NULL},
		{"restarted_poll", "poll", "poll", false, NULL},
		{"restarted_futex", "sleep", "futex", false, NULL},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct waiting *w = &ways[i];
		const json_t *other;
		uint64_t rest;
		struct class_run r;

		class_run_functions(t, "", w->way, MS, &r);
		check_reason(t, &r, w);
		other = class_wait_of(&r, "other");
		CHECK(t, other, "%s was not stopped", r.wait);
		CHECK(t, is_text(other, "syscall_name", NULL),
		      "%s waited in a call of its own: %s", r.wait,
		      json_dumps(other, 0));
		rest = class_own(t, &r, "other") + r.cpu + r.delay + r.stolen;
		CHECK(t,
		      rest >= r.inner ||
			      class_own(t, &r, w->class) * 2 > r.inner - rest,
		      "%s: %" N " ns of %s of %" N, r.wait,
		      class_own(t, &r, w->class), w->class, r.inner - rest);
	}
}

/* The timer ends a sleep, not the thread that the timer interrupts. If the
 * timer ends before the thread sleeps, the nap has no wait. */
void test_class_sleep_waker(struct live *t)
{
	const json_t *f, *wait;
	struct live_end end;
	json_t *report;
	size_t i, k;

	live_gnomon(t, "run", "-f nap_*", "naps 100", &end, &report);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, json_array_size(json_object_get(report, "functions")) == 4,
	      "not four functions");
	json_array_foreach(json_object_get(report, "functions"), i, f)
	{
		uint64_t sleeps = 0;

		json_array_foreach(json_object_get(f, "waits"), k, wait)
		{
			if (!is_text(wait, "class", "sleep"))
				continue;
			sleeps += live_number(t, wait, "count");
			CHECK(t, !json_object_get(wait, "waker"),
			      "a sleep is told to be ended by a thread: %s",
			      json_dumps(wait, 0));
		}
		CHECK(t, sleeps, "no sleep of %s is told",
		      json_string_value(json_object_get(f, "name")));
	}
}

/* Timing system calls does not change a wait. */
void test_class_wait_syscalls(struct live *t)
{
	static const struct waiting ways[] = {
		{"nanosleep", "sleep", "nanosleep", false, NULL},
		{"mutex", "lock", "futex", true, NULL},
		{"tcp", "net", "read", false, NULL},
	};
	struct class_run r;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		wait_and_check(t, "--os faults,syscalls", &ways[i], &r);
		CHECK(t, class_own(t, &r, "syscall") > 0, "%s: no system call",
		      r.wait);
		CHECK(t,
		      class_own(t, &r, "syscall") <= r.outer - r.inner + r.cpu,
		      "%s: %" N " ns of system calls", r.wait,
		      class_own(t, &r, "syscall"));
	}
}

/* Without any function: only the thread's account. */
void test_class_threads_only(struct live *t)
{
	static const char *const ways[][2] = {
		{"mutex", "lock"}, {"pipe", "ipc"}, {"accept", "net"}};
	const json_t *thread;
	struct class_run r;
	uint64_t got, slept;
	size_t i, k;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		class_run(t, "", ways[i][0], MS, &r);
		got = slept = 0;
		json_array_foreach(json_object_get(r.report, "threads"), k,
				   thread)
		{
			if (is_text(thread, "name", "waker"))
				slept = live_number(t, thread, "classes.sleep");
			else
				got = live_number(
					t, thread,
					live_text(t, "classes.%s", ways[i][1]));
		}
		/* the waker slept this long before it woke the other */
		CHECK(t, slept >= MS * 990000ull,
		      "the waker slept %" N " ns, not %d ms", slept, MS);
		CHECK(t,
		      got <= r.outer + slept &&
			      got + r.cpu + r.delay + r.inner / 10 >= r.inner,
		      "%s: %" N " ns of %s, measured %" N, ways[i][0], got,
		      ways[i][1], r.inner);
	}
}

/* A wait that began before gnomon attached has its class. */
void test_class_attached(struct live *t)
{
	char *path = live_path(t, "report.json");
	struct live_args fixture = {.n = 0}, a = {.n = 0};
	struct live_talk serve;
	struct live_end end;
	uint64_t elapsed, got;
	json_t *report;
	int pid;

	live_command(t, &fixture, "serve");
	live_talk(t, &fixture, &serve);
	CHECK(t,
	      sscanf(live_await(t, serve.out, "ready "), "ready %d", &pid) == 1,
	      "serve is not ready");
	live_await_call(t, pid, SYS_read, -1);
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "-p",
		 live_text(t, "%d", pid), "-d", "100ms", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	live_clean(t, report);
	elapsed = live_number(t, report, "session.elapsed_ns");
	got = live_number(t, report, "session.classes.ipc");
	CHECK(t, elapsed > 0 && got == elapsed,
	      "%" N " ns of %" N " wait for the pipe", got, elapsed);
	live_tell(t, &serve, "quit");
	live_finish(t, &serve);
}

/* Runs a way of the fixture and attaches to it while it waits. Returns what its
 * first thread waited for. */
static const json_t *attach_to_way(struct live *t, const char *way)
{
	char *path = live_path(t, "report.json");
	struct live_args fixture = {.n = 0}, a = {.n = 0};
	struct live_talk classes;
	const json_t *thread;
	struct live_end end;
	json_t *report;
	size_t i;

	live_command(t, &fixture,
		     live_text(t, "classes %s 20000 1 %s", way, t->dir));
	live_talk(t, &fixture, &classes);
	live_await_call(t, classes.pid, SYS_futex, -1);
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "-p",
		 live_text(t, "%d", (int)classes.pid), "-d", "100ms", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	kill(classes.pid, SIGKILL);
	live_wait(t, &classes);
	report = live_load(t, path);
	live_clean(t, report);
	json_array_foreach(json_object_get(report, "threads"), i, thread) if (
		is_text(thread, "name",
			"classes")) return json_object_get(thread, "classes");
	live_fail(t, "no thread of the fixture");
}

/* The word that a thread waits for may belong to a lock or to something else. A
 * wait from before the attach is then not classified, because nothing tells
 * which it is. */
void test_class_attached_word(struct live *t)
{
	static const char *const ways[][3] = {{"mutex", "lock", "event"},
					      {"reader", "lock", "event"},
					      {"condition", "event", "lock"}};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const json_t *classes = attach_to_way(t, ways[i][0]);
		uint64_t right = live_number(t, classes, ways[i][1]);
		uint64_t wrong = live_number(t, classes, ways[i][2]);
		uint64_t none = live_number(t, classes, "unclassified");

		CHECK(t, !wrong && right + none >= 90000000u,
		      "%s: %" N " ns of %s, %" N " of %s, %" N " of neither",
		      ways[i][0], right, ways[i][1], wrong, ways[i][2], none);
	}
}
