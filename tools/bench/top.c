/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gnomon top watches a program with 200 threads that make 100,000 function
 * events per second; each variant starts it again. CPU times are those of the
 * processes themselves, read before and after the same ten periods.
 */
#include "top.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "series.h"
#include "top_run.h"

#define THREADS	    "200"
#define EVENTS	    "100000"
#define WARM	    3  /* periods of a second before the measurement */
#define PERIODS	    10 /* measured periods */
#define KEYS	    12
#define KEY_WAIT_MS 300 /* after a period was drawn: between two drawings */

#define GOAL_CPU   10.0 /* percent of a CPU */
#define GOAL_MIB   64.0
#define GOAL_PAUSE 1500.0 /* milliseconds: each period is drawn */
#define GOAL_KEY   100.0  /* milliseconds */

/* The watched program. */
struct target {
	pid_t pid;
	int input, output;
	char number[16]; /* the PID, as an argument */
};

/* Values for the measured time. */
struct usage {
	double own;    /* CPU of gnomon, percent of one */
	double target; /* CPU of the target */
	double peak;   /* MiB */
	double events; /* per second, reported by gnomon; 0 = it does not report
			  them */
	bool lost;
};

struct moment {
	uint64_t time, own, target;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void pause_ms(int ms)
{
	struct timespec t = {.tv_sec = ms / 1000,
			     .tv_nsec = ms % 1000 * 1000000L};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static int start_target(const struct bench *b, struct target *t)
{
	const char *const work[] = {"steady", THREADS, EVENTS, NULL};
	int in[2], out[2], err;

	if (pipe2(in, O_CLOEXEC))
		return -errno;
	if (pipe2(out, O_CLOEXEC)) {
		err = -errno;
		close(in[0]);
		close(in[1]);
		return err;
	}
	err = process_start(b, NULL, work, &(struct streams){in[0], out[1], -1},
			    &t->pid);
	close(in[0]);
	close(out[1]);
	t->input = in[1];
	t->output = out[0];
	if (err) {
		close(t->input);
		close(t->output);
		return err;
	}
	snprintf(t->number, sizeof(t->number), "%d", (int)t->pid);
	pause_ms(1000); /* all threads run, and one-time work is done */
	return 0;
}

/* Ends it; `events`: how many it made per second. */
static int end_target(struct target *t, double *events)
{
	uint64_t calls = 0, elapsed = 0;
	char text[256];
	ssize_t n;
	int status;

	close(t->input);
	n = read(t->output, text, sizeof(text) - 1);
	close(t->output);
	status = process_wait(t->pid);
	text[n > 0 ? n : 0] = '\0';
	if (status ||
	    sscanf(text, "%" SCNu64 " %" SCNu64, &calls, &elapsed) != 2 ||
	    !elapsed)
		return -EPROTO;
	*events = 2e9 * (double)calls / (double)elapsed;
	return 0;
}

static struct moment moment_of(const struct target *t, pid_t own)
{
	return (struct moment){.time = now_ns(),
			       .own = own ? top_cpu(own) : 0,
			       .target = top_cpu(t->pid)};
}

static void use_between(struct usage *u, struct moment a, struct moment b)
{
	double time = (double)(b.time - a.time);

	u->own = 100 * (double)(b.own - a.own) / time;
	u->target = 100 * (double)(b.target - a.target) / time;
}

static void untraced(const struct target *t, struct usage *u)
{
	struct moment begin = moment_of(t, 0);

	pause_ms(PERIODS * 1000);
	use_between(u, begin, moment_of(t, 0));
}

/* What gnomon reports at its end. */
static int take_end(struct top_run *r, struct usage *u)
{
	int status;

	u->peak = (double)top_peak(r->pid) / (1 << 20);
	status = top_end(r);
	u->lost |= status == STATUS_LOST;
	if (status < 0)
		return status;
	return status && status != STATUS_LOST ? -ECHILD : 0;
}

static int watch_rows(struct top_run *r, const struct target *t,
		      struct usage *u)
{
	double length = 0, calls = 0;
	struct moment begin;
	int err = 0;

	for (int i = 0; !err && i < WARM; i++)
		err = top_read_period(r);
	begin = moment_of(t, r->pid);
	for (int i = 0; !err && i < PERIODS; i++) {
		err = top_read_period(r);
		length += r->length;
		calls += r->calls * r->length;
	}
	use_between(u, begin, moment_of(t, r->pid));
	u->events = length > 0 ? 2 * calls / length : 0;
	u->lost = r->lost > 0;
	return err;
}

static int rows(const struct bench *b, const struct target *t, args_t args,
		struct usage *u)
{
	struct top_run r;
	int err = top_start_rows(b, args, &r), ended;

	if (err)
		return err;
	err = watch_rows(&r, t, u);
	ended = take_end(&r, u);
	return err ? err : ended;
}

/* The screen draws once per period; `pauses`: milliseconds between drawings. */
static int watch_screen(struct top_run *r, const struct target *t,
			struct usage *u, struct series *pauses)
{
	uint64_t warm = now_ns() + WARM * 1000000000ull, last;
	struct moment begin;
	struct burst burst = {0};
	int err = 0;

	while (!err && burst.end < warm)
		err = top_read_screen(r, 10000, &burst);
	if (!err && !r->opened)
		err = -ENOTTY;
	last = burst.begin;
	begin = moment_of(t, r->pid);
	for (int i = 0; !err && i < PERIODS; i++) {
		err = top_read_screen(r, 10000, &burst);
		series_add(pauses, (double)(burst.begin - last) / 1e6);
		last = burst.begin;
	}
	use_between(u, begin, moment_of(t, r->pid));
	return err;
}

/* The time from a key to the last byte that it causes on the screen. */
static int press_keys(struct top_run *r, struct series *times)
{
	struct burst burst;
	int err = 0;

	for (int i = 0; !err && i < KEYS; i++) {
		uint64_t pressed;

		err = top_read_screen(r, 10000, &burst);
		pause_ms(KEY_WAIT_MS);
		pressed = now_ns();
		if (!err)
			err = top_press(r, 't');
		if (!err)
			err = top_read_screen(r, 10000, &burst);
		series_add(times, (double)(burst.end - pressed) / 1e6);
	}
	return err;
}

static int screen(const struct bench *b, const struct target *t, args_t args,
		  struct usage *u, struct series *pauses, struct series *keys)
{
	struct top_run r;
	struct burst first;
	int err = top_start_screen(b, args, &r), ended;

	if (err)
		return err;
	/* gnomon's messages first, then the screen */
	err = top_read_screen(&r, 20000, &first);
	if (!err)
		err = watch_screen(&r, t, u, pauses);
	if (!err)
		err = press_keys(&r, keys);
	ended = take_end(&r, u);
	return err ? err : ended;
}

static void print_usage(const char *name, const struct usage *u, bool functions)
{
	printf("  %-38s %8.1f", name, u->target);
	if (u->peak > 0)
		printf(" %8.1f %8.1f", u->own, u->peak);
	if (functions)
		printf(" %10.0f", u->events);
	else if (u->peak > 0)
		printf(" %10s", "-");
	if (u->peak > 0)
		printf(" %6s", u->lost ? "SOME" : "none");
	putchar('\n');
}

static void print_goal(const char *name, double value, const char *unit,
		       double goal)
{
	printf("  %-46s %8.1f %-3s  goal: at most %.0f, %s\n", name, value,
	       unit, goal, value <= goal ? "met" : "NOT met");
}

struct results {
	struct usage before, rows, screen, none, after;
	struct series pauses, keys;
	double events; /* made per second */
};

static void print_all(const struct results *r)
{
	double base = (r->before.target + r->after.target) / 2;
	bool lost = r->rows.lost || r->screen.lost || r->none.lost;

	printf("top: " THREADS " threads, " EVENTS
	       " function events a second; %d periods of 1 s\n",
	       PERIODS);
	printf("  %-38s %8s %8s %8s %10s %6s\n", "", "target", "gnomon", "peak",
	       "told", "lost");
	printf("  %-38s %8s %8s %8s %10s\n", "", "CPU %", "CPU %", "MiB",
	       "events/s");
	print_usage("untraced, before", &r->before, false);
	print_usage("gnomon top, rows", &r->rows, true);
	print_usage("gnomon top, a screen", &r->screen, false);
	print_usage("gnomon top --no-functions, rows", &r->none, false);
	print_usage("untraced, after", &r->after, false);
	printf("  made: %.0f events a second\n", r->events);
	print_goal("gnomon's CPU, rows", r->rows.own, "%", GOAL_CPU);
	print_goal("gnomon's CPU, a screen", r->screen.own, "%", GOAL_CPU);
	print_goal("its memory, rows", r->rows.peak, "MiB", GOAL_MIB);
	print_goal("its memory, a screen", r->screen.peak, "MiB", GOAL_MIB);
	print_goal("longest between two drawings", series_at(&r->pauses, 1),
		   "ms", GOAL_PAUSE);
	print_goal("slowest of the keys, until all is drawn",
		   series_at(&r->keys, 1), "ms", GOAL_KEY);
	printf("  %-46s %8.1f ms; a drawing each %.0f ms\n",
	       "median of the keys", series_median(&r->keys),
	       series_median(&r->pauses));
	printf("  lost records: %s; goal: none, %s\n", lost ? "SOME" : "none",
	       lost ? "NOT met" : "met");
	if (base > 0)
		printf("  target's CPU, traced / untraced: %.3f; "
		       "%.3f with --no-functions\n",
		       r->rows.target / base, r->none.target / base);
}

static int measure(const struct bench *b, const struct target *t,
		   struct results *r)
{
	const char *const functions[] = {"top", "-p", t->number, "-f",
					 "fib", "-f", "entry_*", NULL};
	const char *const batch[] = {"top", "-b", "-p",	     t->number, "-f",
				     "fib", "-f", "entry_*", NULL};
	const char *const none[] = {"top", "-b",      "--no-functions",
				    "-p",  t->number, NULL};
	int err;

	untraced(t, &r->before);
	err = rows(b, t, batch, &r->rows);
	if (!err)
		err = screen(b, t, functions, &r->screen, &r->pauses, &r->keys);
	if (!err)
		err = rows(b, t, none, &r->none);
	untraced(t, &r->after);
	return err;
}

int top(const struct bench *b)
{
	struct results r = {0};
	struct target t;
	int err = start_target(b, &t), ended;

	if (!err) {
		err = measure(b, &t, &r);
		ended = end_target(&t, &r.events);
		err = err ? err : ended;
	}
	if (err) {
		fprintf(stderr, "bench: top: cannot be measured (%s)\n",
			strerror(-err));
		return err;
	}
	print_all(&r);
	return 0;
}
