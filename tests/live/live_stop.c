/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The moment at which a capture of a running process stops. Some threads are
 * asleep then, and wake before gnomon gets to them. They count as asleep until
 * the stop, whatever they do afterwards.
 */
#include "live.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define N	PRIu64
#define THREADS 16
/* From the signal to the wake: in each run, and in a run where all were too
 * early. */
#define SOON_MS 8
#define LATE_MS 512
/* How far the run of the waking thread can be off if the kernel hides a switch:
 * it is timed by another clock then, and the wake may have been that much
 * before the stop. */
#define HIDDEN_NS     50000
#define SYSCALL_TRIES 5
/* The way into and out of the calls. */
#define CALLS_NS 200000

/*
 * False: they woke before the stop, so the run proves nothing. The thread that
 * wakes the others may have been woken just before the stop and not have run
 * yet. For that thread alone, a run queue before the stop is no error.
 */
static bool all_slept(struct live *t, const json_t *report)
{
	const json_t *threads = json_object_get(report, "threads"), *thread;
	uint64_t elapsed, slept, waker;
	size_t i;

	if (live_number(t, report, "session.classes.app"))
		return false;
	CHECK(t, json_array_size(threads) == THREADS + 1, "%zu threads told",
	      json_array_size(threads));
	json_array_foreach(threads, i, thread)
	{
		elapsed = live_number(t, thread, "elapsed_ns");
		waker = live_number(t, thread, "classes.ipc");
		slept = live_number(t, thread, "classes.event") + waker;
		if (waker && elapsed - slept > HIDDEN_NS &&
		    elapsed - slept ==
			    live_number(t, thread, "classes.runqueue"))
			return false;
		CHECK(t, slept <= elapsed && elapsed - slept <= HIDDEN_NS,
		      "a thread that slept all the time: %" N " ns of %" N
		      ", %" N " runnable, %" N " unclassified",
		      slept, elapsed,
		      live_number(t, thread, "classes.runqueue"),
		      live_number(t, thread, "classes.unclassified"));
	}
	return true;
}

/* Waits until all threads sleep. The program says that it is ready when they
 * are about to wait; the first one waits in call `first`. */
static void await_asleep(struct live *t, pid_t pid, long first)
{
	DIR *dir = opendir(live_text(t, "/proc/%d/task", (int)pid));
	struct dirent *e;

	CHECK(t, dir, "the fixture has ended");
	while ((e = readdir(dir))) {
		pid_t tid = atoi(e->d_name);

		if (tid)
			live_await_call(t, tid, tid == pid ? first : SYS_futex,
					-1);
	}
	closedir(dir);
}

/* Attaches gnomon to a fixture that is ready. Returns the path of the
 * report. */
static char *attach(struct live *t, const char *fixture, long first,
		    const char *options, struct live_talk *talk,
		    struct live_talk *gnomon)
{
	struct live_args a = {.n = 0};
	char *pid;

	live_command(t, &a, fixture);
	live_talk(t, &a, talk);
	pid = live_await(t, talk->out, "ready ") + strlen("ready ");
	await_asleep(t, atoi(pid), first);
	return live_attach(t, options, pid, gnomon);
}

static bool stop_and_wake(struct live *t, const char *options, const char *word,
			  long ms)
{
	struct live_talk wakes, gnomon;
	json_t *report;
	char *path;

	path = attach(t, live_text(t, "wakes %d", THREADS), SYS_read, options,
		      &wakes, &gnomon);
	live_interrupt(t, &gnomon);
	live_pause(ms);
	live_ask(t, &wakes, word);
	report = live_attached(t, &gnomon, path);
	live_tell(t, &wakes, "quit");
	CHECK(t, live_finish(t, &wakes) == 0, "wakes ended otherwise");
	return all_slept(t, report);
}

/* How long gnomon takes to stop is not known in advance, so there are several
 * tries. */
static void stop_with(struct live *t, const char *options, const char *word)
{
	int told = 0;

	for (long ms = 1; ms <= SOON_MS || (!told && ms <= LATE_MS); ms *= 2)
		told += stop_and_wake(t, options, word, ms);
	CHECK(t, told, "they always woke before gnomon stopped");
}

void test_stop_wake(struct live *t)
{
	stop_with(t, "", "wake");
}

void test_stop_end(struct live *t)
{
	stop_with(t, "", "end");
}

/* The same without the kernel's account of the run queue. */
void test_stop_wakeups(struct live *t)
{
	stop_with(t, "--os wakeups", "wake");
}

/* The system call that is open at the stop ends before gnomon gets to the
 * thread. */
void test_stop_syscall(struct live *t)
{
	struct live_talk zeros, gnomon;
	uint64_t app, outside = 0;
	json_t *report;
	char *path, *line;

	for (int i = 0; i < SYSCALL_TRIES; i++) {
		path = attach(t, "zeros", SYS_poll, "--os faults,syscalls",
			      &zeros, &gnomon);
		live_tell(t, &zeros, "go");
		live_pause(50);
		report = live_detach(t, &gnomon, path);
		live_tell(t, &zeros, "quit");
		line = live_await(t, zeros.out, "outside read ");
		sscanf(line, "outside read %" SCNu64, &outside);
		CHECK(t, live_finish(t, &zeros) == 0, "zeros ended otherwise");
		app = live_number(t, report, "session.classes.app");
		/* in a guest the way of each call takes longer, too */
		CHECK(t, app <= outside + CALLS_NS + t->guest_ns,
		      "%" N " ns of app, but it was only %" N
		      " ns outside of read()",
		      app, outside);
	}
}
