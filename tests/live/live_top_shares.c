/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shares of a period against the log of the program's own threads (top.h of the
 * fixtures): what each must be in just that time, as a range, since the log's
 * readings lie around the ends of a period and not on them.
 */
#include "live_top.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

#define POINTS	 2.0
#define ATTEMPTS 4

struct range {
	double low, high;
};

struct reading {
	uint64_t before, after, cpu;
};

struct wait {
	const char *class;
	uint64_t begin, end, cpu, delay;
};

struct subject {
	pid_t tid;
	char *name;
	struct reading *readings;
	struct wait *waits;
	size_t nreadings, nwaits;
};

struct log {
	struct subject subject[16];
	size_t n;
	uint64_t begin, end;
};

static const char *const waits[] = {"sleep", "lock", "disk", "net", "ipc"};

#define WAITS (sizeof(waits) / sizeof(waits[0]))

/* What one thread did in a window. */
struct shares {
	struct range cpu, queue, wait[WAITS];
};

static struct subject *subject(struct live *t, struct log *log, pid_t tid)
{
	size_t i;

	for (i = 0; i < log->n; i++)
		if (log->subject[i].tid == tid)
			return &log->subject[i];
	CHECK(t, i < sizeof(log->subject) / sizeof(log->subject[0]),
	      "too many threads in the log");
	log->subject[i].tid = tid;
	log->n++;
	return &log->subject[i];
}

static void *one_more(struct live *t, void *list, size_t n, size_t size)
{
	if (n & (n - 1))
		return list;
	list = realloc(list, (n ? 2 * n : 1) * size);
	CHECK(t, list, "no memory");
	return list;
}

static const char *wait_class(struct live *t, const char *name)
{
	size_t i;

	for (i = 0; i < WAITS; i++)
		if (strcmp(waits[i], name) == 0)
			return waits[i];
	live_fail(t, "the log has a wait for %s", name);
}

static void read_line(struct live *t, struct log *log, const char *line)
{
	struct subject *s;
	struct reading r;
	struct wait w;
	char name[32];
	int tid;

	if (sscanf(line, "thread %d %31s", &tid, name) == 2) {
		subject(t, log, tid)->name = live_text(t, "%s", name);
	} else if (sscanf(line, "cpu %d %" SCNu64 " %" SCNu64 " %" SCNu64, &tid,
			  &r.before, &r.after, &r.cpu) == 4) {
		s = subject(t, log, tid);
		s->readings = one_more(t, s->readings, s->nreadings, sizeof(r));
		s->readings[s->nreadings++] = r;
	} else if (sscanf(line,
			  "wait %d %31s %" SCNu64 " %" SCNu64 " %" SCNu64
			  " %" SCNu64,
			  &tid, name, &w.begin, &w.end, &w.cpu,
			  &w.delay) == 6) {
		s = subject(t, log, tid);
		w.class = wait_class(t, name);
		s->waits = one_more(t, s->waits, s->nwaits, sizeof(w));
		s->waits[s->nwaits++] = w;
	} else {
		sscanf(line, "samples %" SCNu64 " %" SCNu64, &log->begin,
		       &log->end);
	}
}

static struct log *read_log(struct live *t, char *text)
{
	struct log *log = calloc(1, sizeof(*log));
	char *line;

	CHECK(t, log, "no memory");
	while ((line = strsep(&text, "\n")))
		read_line(t, log, line);
	CHECK(t, log->n && log->begin < log->end, "the log is empty");
	return log;
}

static double above(double ns)
{
	return ns > 0 ? ns : 0;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* The CPU time up to a time between two readings. */
static struct range cpu_at(const struct subject *s, uint64_t at)
{
	const struct reading *r = s->readings;
	size_t i = 0;

	while (i + 2 < s->nreadings && r[i + 1].after <= at)
		i++;
	return (struct range){
		.low = (double)r[i].cpu,
		.high = least((double)r[i + 1].cpu,
			      (double)r[i].cpu + (double)(at - r[i].before)),
	};
}

static void add_wait(const struct wait *w, uint64_t begin, uint64_t end,
		     struct range *to)
{
	uint64_t from = w->begin > begin ? w->begin : begin;
	uint64_t till = w->end < end ? w->end : end;
	double busy = (double)w->cpu + (double)w->delay;
	double all = above((double)(w->end - w->begin) - busy), part;

	if (from >= till)
		return;
	part = (double)(till - from);
	to->low += till - from == w->end - w->begin ? all : above(part - busy);
	to->high += least(part, all);
}

static void truth(const struct subject *s, uint64_t begin, uint64_t end,
		  struct shares *out)
{
	struct range first = cpu_at(s, begin), last = cpu_at(s, end);
	double length = (double)(end - begin);
	struct range all = {0, 0};
	size_t i, k;

	memset(out, 0, sizeof(*out));
	out->cpu.low = above(last.low - first.high);
	out->cpu.high = last.high - first.low;
	for (k = 0; k < WAITS; k++) {
		for (i = 0; i < s->nwaits; i++)
			if (s->waits[i].class == waits[k])
				add_wait(&s->waits[i], begin, end,
					 &out->wait[k]);
		all.low += out->wait[k].low;
		all.high += out->wait[k].high;
	}
	out->queue.low = above(length - out->cpu.high - all.high);
	out->queue.high = above(length - out->cpu.low - all.low);
}

static double class_of(struct live *t, const json_t *thread, const char *name)
{
	return (double)live_number(t, thread, live_text(t, "classes.%s", name));
}

/* With what the probes took, which gnomon leaves out. */
static uint64_t real_time(struct live *t, const json_t *thread)
{
	return live_number(t, thread, "elapsed_ns") +
	       live_number(t, thread, "probe_cost_ns");
}

static double on_cpu(struct live *t, const json_t *thread)
{
	static const char *const classes[] = {"app", "jit", "gc", "syscall",
					      "fault"};
	double sum = (double)live_number(t, thread, "probe_cost_ns");
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		sum += class_of(t, thread, classes[i]);
	return sum;
}

/* How a thread's period is compared. */
struct against {
	struct live *t;
	const char *thread;
	uint64_t period;
	double elapsed, length; /* of the thread, and between the clocks */
	double may;		/* points */
	char *off;		/* the first that is off */
};

static void compare(struct against *a, const char *what, double ns,
		    struct range one, struct range other)
{
	double got = 100 * ns / a->elapsed;
	double low = 100 * least(one.low, other.low) / a->length;
	double high = 100 * (one.high > other.high ? one.high : other.high) /
		      a->length;

	if (a->off || (got >= low - a->may && got <= high + a->may))
		return;
	a->off = live_text(a->t,
			   "period %" N ": %s is %.2f %% %s, not %.2f to %.2f",
			   a->period, a->thread, got, what, low, high);
}

/*
 * A thread is looked at a bit after the period's beginning and a bit before its
 * end, when gnomon looks: so the truth of both is taken.
 */
static char *off_thread(struct live *t, const json_t *period,
			const struct subject *s, double may)
{
	const json_t *thread = top_thread(period, s->tid);
	uint64_t begin = live_number(t, period, "period.start_ns");
	uint64_t end = live_number(t, period, "period.end_ns");
	struct against a = {.t = t,
			    .thread = s->name,
			    .period = live_number(t, period, "period.number"),
			    .length = (double)(end - begin),
			    .may = may};
	double rest, ns;
	struct shares x, y;
	uint64_t elapsed;
	size_t i;

	CHECK(t, thread, "thread %s (%d) is not in the period", s->name,
	      s->tid);
	elapsed = real_time(t, thread);
	a.elapsed = (double)elapsed;
	CHECK(t, a.elapsed > a.length * 0.9 && a.elapsed < a.length * 1.1,
	      "%s has %" N " ns of a period of %.0f", s->name, elapsed,
	      a.length);
	truth(s, begin, begin + elapsed, &x);
	truth(s, end - elapsed, end, &y);
	a.length = a.elapsed;
	rest = a.elapsed;
	compare(&a, "on a CPU", ns = on_cpu(t, thread), x.cpu, y.cpu);
	rest -= ns;
	compare(&a, "runqueue", ns = class_of(t, thread, "runqueue"), x.queue,
		y.queue);
	rest -= ns;
	for (i = 0; i < WAITS; i++) {
		ns = class_of(t, thread, waits[i]);
		compare(&a, waits[i], ns, x.wait[i], y.wait[i]);
		rest -= ns;
	}
	compare(&a, "other", rest, (struct range){0, 0}, (struct range){0, 0});
	return a.off;
}

/* What the machine's host took, of some CPU, nobody knows more of. */
static double points(struct live *t, const json_t *period)
{
	return POINTS +
	       100.0 *
		       (double)live_number(t, period,
					   "machine_totals.steal_ns") /
		       (double)live_number(t, period, "period.length_ns");
}

/* NULL, or what is off in some period. `whole`: how many were compared. */
static char *off_periods(struct live *t, const json_t *periods,
			 const struct log *log, size_t *whole)
{
	const json_t *period;
	char *off = NULL;
	size_t i, k;

	*whole = 0;
	json_array_foreach(periods, i, period)
	{
		if (live_number(t, period, "period.start_ns") < log->begin ||
		    live_number(t, period, "period.end_ns") > log->end)
			continue;
		for (k = 0; k < log->n && !off; k++)
			off = off_thread(t, period, &log->subject[k],
					 points(t, period));
		++*whole;
	}
	return off;
}

/* Each begins where the one before it ended, and threads lose nothing between
 * them. */
static void check_joints(struct live *t, const json_t *periods,
			 const struct log *log)
{
	uint64_t sums[16] = {0}, begin = 0, end = 0, start;
	const json_t *period;
	double length = 0;
	size_t i, k;

	json_array_foreach(periods, i, period)
	{
		start = live_number(t, period, "period.start_ns");
		CHECK(t, !end || start == end,
		      "a period begins at %" N ", the last one ended at %" N,
		      start, end);
		end = live_number(t, period, "period.end_ns");
		CHECK(t, end > start, "a period of nothing");
		if (start < log->begin || end > log->end)
			continue;
		begin = begin ? begin : start;
		for (k = 0; k < log->n; k++)
			sums[k] += real_time(
				t, top_thread(period, log->subject[k].tid));
		length = (double)(end - begin);
	}
	for (k = 0; k < log->n; k++)
		CHECK(t,
		      (double)sums[k] > length * 0.98 &&
			      (double)sums[k] < length * 1.02,
		      "%s has %" N " ns in all periods together, of %.0f",
		      log->subject[k].name, sums[k], length);
}

static char *check_log(struct live *t, const json_t *periods, char *text,
		       size_t least_periods)
{
	struct log *log = read_log(t, text);
	size_t whole;
	char *off = off_periods(t, periods, log, &whole);

	CHECK(t, whole >= least_periods, "only %zu whole periods of %zu", whole,
	      json_array_size(periods));
	check_joints(t, periods, log);
	return off;
}

/* Threads that are there before gnomon comes. */
static char *shares_of_native(struct live *t, const char *options)
{
	json_t *periods = json_array(), *period;
	struct live_talk top;
	struct top_view v;
	pid_t pid = top_start(t, &top);
	int code;

	live_ask(t, &top, live_text(t, "shares %s", t->dir));
	top_attach(t, live_text(t, "%s -n 4 -d 1s", options), pid, &v);
	while ((period = top_period(t, &v)))
		json_array_append_new(periods, period);
	code = live_finish(t, &v.talk);
	CHECK(t, code == 0 && json_array_size(periods) == 4,
	      "gnomon ended with %d after %zu periods", code,
	      json_array_size(periods));
	return check_log(t, periods, top_quit(t, &top), 4);
}

void test_shares(struct live *t)
{
	char *off = NULL;
	int i;

	for (i = 0; i < ATTEMPTS; i++) {
		off = shares_of_native(t, "");
		if (!off)
			return;
	}
	live_fail(t, "%s, and the like in %d runs", off, ATTEMPTS);
}

static char *shares_of_clr(struct live *t, const char *options)
{
	char *path = live_path(t, "periods");
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *periods;

	/* it starts for one, and is there for four whole ones */
	live_add(t, &a, t->gnomon, "top", "-b", "--format", "json", "-d", "1s",
		 "-n", "6", "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	top_demo(t, &a, live_text(t, "top %s 6000", t->dir));
	live_run(t, &a, NULL, &end);
	periods = top_parse(t, live_read(t, path, NULL));
	top_code(t, end.code, 0, end.err);
	return check_log(t, periods, end.out, 3);
}

void test_clr_shares(struct live *t)
{
	char *off = NULL;
	int i;

	for (i = 0; i < ATTEMPTS; i++) {
		off = shares_of_clr(t, i % 2 ? "--no-functions" : "");
		if (!off)
			return;
	}
	live_fail(t, "%s, and the like in %d runs", off, ATTEMPTS);
}
