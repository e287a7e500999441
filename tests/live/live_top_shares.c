/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shares of a period, compared with the log of the program's own threads (top.h
 * of the fixtures). The true share in exactly that time is a range, because the
 * readings in the log lie around the ends of a period, not on them.
 */
#include "live_top.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

/* How far gnomon may be off, and how exact the truth must be, in points. */
#define POINTS 2.0
#define KNOWN  2.0

struct range {
	double low, high;
};

struct reading {
	uint64_t before, after, cpu, delay;
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

static const char *const waits[] = {"sleep", "lock", "disk",
				    "net",   "ipc",  "event"};

#define WAITS (sizeof(waits) / sizeof(waits[0]))
#define EVENT waits[WAITS - 1]

/* What one thread did in a window. */
struct shares {
	struct range cpu, queue, wait[WAITS];
	/* the most time that the kernel's account puts in none of these: the
	 * log lacks the time for which a runtime stops its threads */
	double unlogged;
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
	} else if (sscanf(line,
			  "at %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			  &tid, &r.before, &r.after, &r.cpu, &r.delay) == 5) {
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

static int by_time(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;

	return (x->before > y->before) - (x->before < y->before);
}

static struct log *read_log(struct live *t, char *text)
{
	struct log *log = calloc(1, sizeof(*log));
	struct subject *s;
	char *line;
	size_t i;

	CHECK(t, log, "no memory");
	while ((line = strsep(&text, "\n")))
		read_line(t, log, line);
	CHECK(t, log->n && log->begin < log->end, "the log is empty");
	for (i = 0; i < log->n; i++) {
		s = &log->subject[i];
		CHECK(t, s->name && s->nreadings > 2, "no log of thread %d",
		      s->tid);
		qsort(s->readings, s->nreadings, sizeof(s->readings[0]),
		      by_time);
	}
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

static double most(double a, double b)
{
	return a > b ? a : b;
}

static struct range minus(struct range a, struct range b)
{
	return (struct range){a.low - b.high, a.high - b.low};
}

static struct range within(struct range r, double most_of_it)
{
	return (struct range){least(above(r.low), most_of_it),
			      least(above(r.high), most_of_it)};
}

/* Finds the last reading before a time, and the first one after it. */
static void around(const struct subject *s, double at, size_t *last,
		   size_t *next)
{
	const struct reading *r = s->readings;
	size_t i = 0, k;

	while (i + 2 < s->nreadings && (double)r[i + 1].after <= at)
		i++;
	for (k = i + 1; k + 1 < s->nreadings && (double)r[k].before < at;)
		k++;
	*last = i;
	*next = k;
}

/* The thread's CPU time until then. It cannot grow faster than time. */
static struct range cpu_at(const struct subject *s, double at)
{
	const struct reading *a, *b;
	size_t i, k;

	around(s, at, &i, &k);
	a = &s->readings[i];
	b = &s->readings[k];
	return (struct range){
		.low = most((double)a->cpu,
			    (double)b->cpu - above((double)b->after - at)),
		.high = least((double)b->cpu,
			      (double)a->cpu + above(at - (double)a->before)),
	};
}

/*
 * The thread's time on run queues until then. The kernel adds it when the
 * thread is switched onto a CPU: the part before that is without gaps.
 */
static struct range delay_at(const struct subject *s, double at)
{
	const struct reading *r = s->readings;
	struct range out;
	size_t i, k, n;

	around(s, at, &i, &k);
	out.low = (double)r[i].delay;
	out.high = (double)r[k].delay;
	for (n = i + 1; n < s->nreadings; n++) {
		if (r[n].delay <= r[n - 1].delay)
			continue;
		out.low = most(out.low, (double)r[n].delay -
						above((double)r[n].after - at));
		if (n <= k)
			continue;
		out.high = most(out.high,
				(double)r[n].delay -
					above((double)r[n - 1].before - at));
		break;
	}
	return out;
}

/* The part of a wait before a time: without the time in which the thread ran or
 * was queued. */
static struct range waited(const struct subject *s, const struct wait *w,
			   double at)
{
	double begin = (double)w->begin, length = (double)w->end - begin;
	double all = above(length - (double)w->cpu - (double)w->delay), part;
	struct range cpu, delay;

	if (at <= begin)
		return (struct range){0, 0};
	if (at >= (double)w->end)
		return (struct range){all, all};
	cpu = within(minus(cpu_at(s, at), cpu_at(s, begin)), (double)w->cpu);
	delay = within(minus(delay_at(s, at), delay_at(s, begin)),
		       (double)w->delay);
	part = at - begin;
	return within((struct range){part - cpu.high - delay.high,
				     part - cpu.low - delay.low},
		      all);
}

static void add_wait(const struct subject *s, const struct wait *w,
		     uint64_t begin, uint64_t end, struct range *to)
{
	struct range r;

	if (w->end <= begin || w->begin >= end)
		return;
	r = minus(waited(s, w, (double)end), waited(s, w, (double)begin));
	to->low += above(r.low);
	to->high += r.high;
}

static void truth(const struct subject *s, uint64_t begin, uint64_t end,
		  struct shares *out)
{
	struct range first = cpu_at(s, (double)begin);
	struct range last = cpu_at(s, (double)end);
	double length = (double)(end - begin);
	struct range delay =
		minus(delay_at(s, (double)end), delay_at(s, (double)begin));
	struct range all = {0, 0};
	size_t i, k;

	memset(out, 0, sizeof(*out));
	out->cpu.low = above(last.low - first.high);
	out->cpu.high = last.high - first.low;
	for (k = 0; k < WAITS; k++) {
		for (i = 0; i < s->nwaits; i++)
			if (s->waits[i].class == waits[k])
				add_wait(s, &s->waits[i], begin, end,
					 &out->wait[k]);
		all.low += out->wait[k].low;
		all.high += out->wait[k].high;
	}
	out->queue.low = above(length - out->cpu.high - all.high);
	out->queue.high = above(length - out->cpu.low - all.low);
	out->unlogged =
		above(length - out->cpu.low - all.low - above(delay.low));
}

static double class_of(struct live *t, const json_t *thread, const char *name)
{
	return (double)live_number(t, thread, live_text(t, "classes.%s", name));
}

/* Includes the cost of the probes, which gnomon leaves out. */
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

/* The result for some periods. Each text is about the first bad one. */
struct verdict {
	char *off;   /* what is wrong */
	char *vague; /* what is not known exactly enough */
};

/* How a thread's period is compared. */
struct against {
	struct live *t;
	struct verdict *out;
	const char *thread;
	uint64_t period;
	double length;	 /* of the thread's part of the period */
	double stolen;	 /* points */
	double unlogged; /* points */
};

/*
 * The time that the host took while the kernel switched threads is in one
 * account and not in the other, and neither is right. Such a period proves
 * nothing.
 */
static void compare(const struct against *a, const char *what, double ns,
		    struct range one, struct range other)
{
	double got = 100 * ns / a->length;
	double low = 100 * least(one.low, other.low) / a->length;
	double high = 100 * most(one.high, other.high) / a->length;
	double off = most(low - got, got - high);
	char **to = NULL;

	if (off > POINTS + a->stolen + a->unlogged)
		to = &a->out->off;
	else if (off > POINTS || high - low > KNOWN)
		to = &a->out->vague;
	if (to && !*to)
		*to = live_text(a->t,
				"period %" N ": %s is %.2f %% %s, the log says "
				"%.2f to %.2f, the host took %.2f, other waits "
				"up to %.2f",
				a->period, a->thread, got, what, low, high,
				a->stolen, a->unlogged);
}

/* The time that the host of the machine took, on all CPUs. */
static double stolen(struct live *t, const json_t *period)
{
	double ns = (double)live_number(t, period, "machine_totals.steal_ns");

	if (ns > 0)
		ns += LIVE_TICK_NS;
	return 100 * ns / (double)live_number(t, period, "period.length_ns");
}

/*
 * How long the runtime stopped the thread, by gnomon's report: in the middle of
 * a wait, or where the log has no wait. On a busy machine a suspension takes a
 * tenth of a second. One such period proves nothing; a test requires most of
 * them to be right.
 */
static double stopped(struct live *t, const json_t *thread,
		      const struct shares *x, const struct shares *y)
{
	double ns = class_of(t, thread, "suspend");
	size_t i;

	for (i = 0; i < WAITS; i++)
		if (!strcmp(waits[i], "lock") || !strcmp(waits[i], EVENT))
			ns += above(class_of(t, thread, waits[i]) -
				    most(x->wait[i].high, y->wait[i].high));
	return ns;
}

/*
 * The log has the kernel's account of the run queue. Since Linux 6.12 that
 * contains sleep, too, of a thread that still was on a queue and was moved to
 * another CPU. gnomon sees the wakeup. What it has less proves nothing.
 */
static double asleep(struct live *t, const json_t *thread,
		     const struct shares *x, const struct shares *y)
{
	return above(least(x->queue.low, y->queue.low) -
		     class_of(t, thread, "runqueue"));
}

/*
 * gnomon looks at a thread a little after the beginning of the period and a
 * little before its end. So the truth is taken from both.
 */
static void judge_thread(struct live *t, const json_t *period,
			 const struct subject *s, struct verdict *out)
{
	const json_t *thread = top_thread(period, s->tid);
	uint64_t begin = live_number(t, period, "period.start_ns");
	uint64_t end = live_number(t, period, "period.end_ns"), elapsed;
	struct against a = {.t = t,
			    .out = out,
			    .thread = s->name,
			    .stolen = stolen(t, period),
			    .period = live_number(t, period, "period.number")};
	struct shares x, y;
	double rest, ns;
	size_t i;

	CHECK(t, thread, "thread %s (%d) is not in the period", s->name,
	      s->tid);
	elapsed = real_time(t, thread);
	rest = a.length = (double)elapsed;
	/* gnomon looked late at one of the two ends */
	if (rest <= (double)(end - begin) * 0.9 ||
	    rest >= (double)(end - begin) * 1.1) {
		out->vague = live_text(t, "%s has %" N " ns of a period of %" N,
				       s->name, elapsed, end - begin);
		return;
	}
	truth(s, begin, begin + elapsed, &x);
	truth(s, end - elapsed, end, &y);
	a.unlogged = 100 *
		     (most(x.unlogged, y.unlogged) +
		      stopped(t, thread, &x, &y) + asleep(t, thread, &x, &y)) /
		     a.length;
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
}

/* Whether the period lies completely within the log. */
static bool in_log(struct live *t, const json_t *period, const struct log *log)
{
	return live_number(t, period, "period.start_ns") >= log->begin &&
	       live_number(t, period, "period.end_ns") <= log->end;
}

/* Returns how many periods were judged; fails if gnomon reports a wrong one. */
static size_t judge_periods(struct live *t, const json_t *periods,
			    const struct log *log)
{
	const json_t *period;
	size_t i, k, n = 0;

	json_array_foreach(periods, i, period)
	{
		struct verdict v = {NULL, NULL};

		if (!in_log(t, period, log))
			continue;
		for (k = 0; k < log->n; k++)
			judge_thread(t, period, &log->subject[k], &v);
		CHECK(t, !v.off, "%s", v.off);
		if (v.vague)
			fprintf(stderr, "%s: not judged: %s\n", t->name,
				v.vague);
		n += !v.vague;
	}
	return n;
}

/* NULL, or what is missing of the thread's time in these periods. */
static char *lacking(struct live *t, const json_t *const *period, size_t n,
		     const struct subject *s)
{
	uint64_t begin = live_number(t, period[0], "period.start_ns");
	uint64_t end = live_number(t, period[n - 1], "period.end_ns"), sum = 0;
	double length = (double)(end - begin);

	for (size_t i = 0; i < n; i++)
		sum += real_time(t, top_thread(period[i], s->tid));
	if ((double)sum > length * 0.98 && (double)sum < length * 1.02)
		return NULL;
	return live_text(t, "%s has %" N " ns in all periods together, of %.0f",
			 s->name, sum, length);
}

/* The same without the first and the last period, in which gnomon may have
 * looked at the thread late. Time lost between two periods is lost for good. */
static char *lost(struct live *t, const json_t *const *period, size_t n,
		  const struct subject *s)
{
	char *off = lacking(t, period, n, s);

	for (size_t i = 1; off && i < 4 && n > 3; i++)
		off = lacking(t, period + i % 2, n - i % 2 - i / 2, s);
	return off;
}

/* Each period begins where the one before it ended, and threads lose no time
 * between them. */
static void check_joints(struct live *t, const json_t *periods,
			 const struct log *log)
{
	const json_t *period, *in[16];
	uint64_t end = 0, start;
	size_t i, k, n = 0;
	char *off;

	json_array_foreach(periods, i, period)
	{
		start = live_number(t, period, "period.start_ns");
		CHECK(t, !end || start == end,
		      "a period begins at %" N ", the last one ended at %" N,
		      start, end);
		end = live_number(t, period, "period.end_ns");
		CHECK(t, end > start, "a period of nothing");
		if (in_log(t, period, log) && n < 16)
			in[n++] = period;
	}
	for (k = 0; k < log->n; k++) {
		off = lost(t, in, n, &log->subject[k]);
		CHECK(t, !off, "%s", off);
	}
}

static void check_log(struct live *t, const json_t *periods,
		      const struct log *log, size_t wanted)
{
	size_t judged = judge_periods(t, periods, log);

	CHECK(t, judged >= wanted,
	      "only %zu of %zu periods could be judged, not %zu", judged,
	      json_array_size(periods), wanted);
	check_joints(t, periods, log);
}

/* Threads that exist before gnomon attaches. */
void test_shares(struct live *t)
{
	json_t *periods = json_array(), *period;
	struct live_talk top;
	struct top_view v;
	pid_t pid = top_start(t, &top);
	int code;

	live_ask(t, &top, live_text(t, "shares %s", t->dir));
	top_attach(t, "-n 8 -d 1s", pid, &v);
	while ((period = top_period(t, &v)))
		json_array_append_new(periods, period);
	code = live_finish(t, &v.talk);
	CHECK(t, code == 0 && json_array_size(periods) == 8,
	      "gnomon ended with %d after %zu periods", code,
	      json_array_size(periods));
	check_log(t, periods, read_log(t, top_quit(t, &top)), 4);
}

/* In a runtime, only functions distinguish a lock from another wait for an
 * event. */
static void forget_locks(struct log *log)
{
	size_t i, k;

	for (i = 0; i < log->n; i++)
		for (k = 0; k < log->subject[i].nwaits; k++)
			if (!strcmp(log->subject[i].waits[k].class, "lock"))
				log->subject[i].waits[k].class = EVENT;
}

static void shares_of_clr(struct live *t, const char *options, bool functions)
{
	char *path = live_path(t, "periods");
	struct live_args a = {.n = 0};
	struct live_end end;
	struct log *log;
	json_t *periods;

	/* it starts for one period, or for three on a busy machine, and lives
	 * through all others */
	live_add(t, &a, t->gnomon, "top", "-b", "--format", "json", "-d", "1s",
		 "-n", "8", "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	top_demo(t, &a, live_text(t, "top %s 8000", t->dir));
	live_run(t, &a, NULL, &end);
	periods = top_parse(t, live_read(t, path, NULL));
	top_code(t, end.code, 0, end.err);
	log = read_log(t, end.out);
	if (!functions)
		forget_locks(log);
	check_log(t, periods, log, 3);
}

void test_clr_shares(struct live *t)
{
	shares_of_clr(t, "", true);
	shares_of_clr(t, "--no-functions", false);
}
