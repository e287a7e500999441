/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of a switch is smaller than the difference between two starts of a
 * program. So the same two processes are timed before, while and after
 * something is attached, and the ratio uses the mean of before and after. They
 * continue while it is attached, because a CPU that has slept is slow for a
 * while. Each time is that of the fastest of several stretches: a virtual
 * machine has moments in which everything takes a quarter longer, traced or
 * not.
 */
#include "switch.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "bare.h"
#include "pingpong.h"
#include "series.h"

#define STRETCHES 10
/* If before and after differ by more than this part, the time in between may be
 * disturbed, too. */
#define DISTURBED 0.03
/* Per stretch: some 30 ms, in which gnomon drains at least once. */
#define TRIPS 6000

enum watched { NOTHING, MEASURED, OTHER, IDLE };

struct setting {
	const char *name;
	enum watched watched; /* by gnomon; NOTHING: an empty program */
	const char *verb;     /* of gnomon */
	const char *os;	      /* its --os */
	double goal;	      /* at most this; 0 = none */
};

static const struct setting settings[] = {
	{"traced", MEASURED, "run", "faults", 1.15},
	{"traced, by gnomon record", MEASURED, "record", "faults", 1.15},
	{"untraced, an idle process is traced", IDLE, "run", "faults", 1.05},
	{"untraced, beside a traced ping-pong", OTHER, "run", "faults", 1.05},
	{"an empty program at each switch", NOTHING, NULL, NULL, 0},
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* Nanoseconds per switch. */
struct pace {
	double cpu;	/* in the fastest stretch */
	double elapsed; /* on the clock, over all stretches */
};

struct result {
	unsigned int disturbed;	    /* rounds that prove nothing */
	struct series off, on;	    /* of CPU time */
	struct series cpu, elapsed; /* on / off */
};

static int take_pace(struct pingpong *p, struct pace *out)
{
	struct run run;

	*out = (struct pace){0};
	for (int i = 0; i < STRETCHES; i++) {
		int err = pingpong_time(p, TRIPS, &run);
		double ops = (double)run.ops;

		if (err)
			return err;
		if (!i || (double)run.cpu / ops < out->cpu)
			out->cpu = (double)run.cpu / ops;
		out->elapsed += (double)run.elapsed / ops / STRETCHES;
	}
	return pingpong_go(p);
}

static bool possible(const struct setting *s)
{
	cpu_set_t may;

	return s->watched != OTHER ||
	       (!sched_getaffinity(0, sizeof(may), &may) &&
		CPU_COUNT(&may) > 1);
}

/* The processes of a round: those that are not measured sleep, or run
 * elsewhere. */
struct scene {
	const struct bench *b;
	struct pingpong measured, other;
	struct beside idle;
	char idle_pid[16];
	struct pace last; /* with nothing attached */
};

static const char *pids_of(const struct scene *s, enum watched watched)
{
	switch (watched) {
	case MEASURED:
		return s->measured.pids;
	case OTHER:
		return s->other.pids;
	default:
		return s->idle_pid;
	}
}

static int with_gnomon(struct scene *s, const struct setting *how,
		       struct pace *pace)
{
	const char *const args[] = {how->verb,
				    "-o",
				    "/dev/null",
				    "--os",
				    how->os,
				    "-p",
				    pids_of(s, how->watched),
				    NULL};
	struct beside gnomon;
	int err, stopped;

	err = beside_start(s->b, args, NULL, &gnomon);
	if (err)
		return err;
	err = take_pace(&s->measured, pace);
	stopped = beside_stop(&gnomon);
	return err ? err : stopped;
}

static int with_nothing(struct scene *s, struct pace *pace)
{
	struct nothing *nothing;
	int err = nothing_start(&nothing);

	if (err)
		return err;
	err = take_pace(&s->measured, pace);
	nothing_stop(nothing);
	return err;
}

static void keep(const struct pace *before, const struct pace *during,
		 const struct pace *after, struct result *r)
{
	double cpu = (before->cpu + after->cpu) / 2;
	double elapsed = (before->elapsed + after->elapsed) / 2;

	if (fabs(before->cpu - after->cpu) > DISTURBED * cpu) {
		r->disturbed++;
		return;
	}
	series_add(&r->off, cpu);
	series_add(&r->on, during->cpu);
	series_add(&r->cpu, during->cpu / cpu);
	series_add(&r->elapsed, during->elapsed / elapsed);
}

static int one(struct scene *s, const struct setting *how, struct result *r)
{
	struct pace before = s->last, during, after;
	int err;

	err = how->watched == NOTHING ? with_nothing(s, &during)
				      : with_gnomon(s, how, &during);
	if (!err)
		err = take_pace(&s->measured, &after);
	if (err) {
		fprintf(stderr, "bench: %s: cannot be measured (%s)\n",
			how->name, strerror(-err));
		return err;
	}
	keep(&before, &during, &after, r);
	s->last = after;
	return 0;
}

static int beside_other(struct scene *s, const struct setting *how,
			struct result *r)
{
	int err, stopped;

	err = pingpong_start(s->b, 0, &s->other);
	if (err)
		return err;
	err = pingpong_go(&s->other);
	if (!err)
		err = take_pace(&s->measured, &s->last);
	if (!err)
		err = one(s, how, r);
	stopped = pingpong_stop(&s->other);
	if (!err)
		err = take_pace(&s->measured, &s->last);
	return err ? err : stopped;
}

static int one_round(struct scene *s, struct result *results)
{
	int err = 0, stopped;

	err = pingpong_start(s->b, -1, &s->measured);
	if (err)
		return err;
	err = take_pace(&s->measured, &s->last);
	for (size_t i = 0; i < SETTINGS && !err; i++) {
		if (!possible(&settings[i]))
			continue;
		err = settings[i].watched == OTHER
			      ? beside_other(s, &settings[i], &results[i])
			      : one(s, &settings[i], &results[i]);
	}
	stopped = pingpong_stop(&s->measured);
	return err ? err : stopped;
}

static void print_result(const struct setting *s, const struct result *r)
{
	double median = series_median(&r->cpu);

	if (!r->cpu.n) {
		printf("  %-36s %s\n", s->name,
		       r->disturbed ? "the machine was too busy"
				    : "needs two CPUs");
		return;
	}
	printf("  %-36s %6.0f %6.0f %7.3f  %6.3f -%6.3f %7.3f", s->name,
	       series_median(&r->off), series_median(&r->on), median,
	       series_at(&r->cpu, 0.25), series_at(&r->cpu, 0.75),
	       series_median(&r->elapsed));
	if (s->goal > 0)
		printf("  goal: at most %.2f, %s", s->goal,
		       median <= s->goal ? "met" : "NOT met");
	if (r->disturbed)
		printf("  (%u rounds disturbed)", r->disturbed);
	putchar('\n');
}

static int all_rounds(struct scene *s, struct result *results)
{
	const char *const idle[] = {"idle", NULL};
	int err, stopped;

	err = beside_start(s->b, NULL, idle, &s->idle);
	if (err)
		return err;
	snprintf(s->idle_pid, sizeof(s->idle_pid), "%d", (int)s->idle.pid);
	for (unsigned int i = 0; i < s->b->rounds && !err; i++)
		err = one_round(s, results);
	stopped = beside_stop(&s->idle);
	return err ? err : stopped;
}

int bench_switch(const struct bench *b)
{
	struct result results[SETTINGS] = {0};
	struct scene scene = {.b = b};
	int err = all_rounds(&scene, results);

	if (err)
		return err;
	printf("switch: two processes on one CPU, a byte to and fro by pipes; "
	       "%u rounds\n",
	       b->rounds);
	printf("  %-36s %6s %6s %7s  %14s %7s\n", "ns a switch, of CPU time",
	       "off", "on", "on/off", "quartiles", "clock");
	for (size_t i = 0; i < SETTINGS; i++)
		print_result(&settings[i], &results[i]);
	return 0;
}
