/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/meter.h"
#include "capture/meter_calls.h"
#include "capture/meter_first.h"
#include "capture/meter_pairs.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include <gnomon/lock.h>
#include <gnomon/thread.h>
#include "capture/calibrate.h"
#include "capture/clock.h"
#include "capture/session_internal.h"
#include "gnomon.skel.h"

#define AGAIN_CALLS 10
#define CLOSE_CALLS 16
#define FEW_CALLS   12
#define WARM_UP	    2
/* Measuring takes at most this part (one in N) of a CPU's time, and of all
 * hits, unless the last measurement was long ago. Then it may take half of all
 * hits: where hardly any are, their cost does not matter. */
#define TIME_SHARE 200
#define HITS_SHARE 10
#define LONG_NS	   250000000u
/*
 * The request comes right after gnomon has drained the ring and goes to sleep.
 * Its CPU, often the other half of a core, is then free, and hits cost less. So
 * the thread first waits for a part of this delay, each time a different one
 * (steps of the golden ratio spread evenly).
 */
#define DELAY_NS   10000000u
#define DELAY_STEP 6180340u
#define WORK_NS	   1000

struct gn_meter {
	struct gn_session *s;
	struct gn_links *links;
	struct gn_meter_pair pair[GN_METER_PAIRS];
	unsigned int npairs;
	uint64_t clock;	 /* ns to read the clock */
	uint64_t cycles; /* length of the work between two hits */
	double work;	 /* the same in ns */
	double no_work;	 /* ns of the least work */
	bool close;	 /* the calls under way do no work */
	struct gn_meter_interrupts interrupts;
	struct gn_rec_cost cost[GN_PROBE_CLASS_COUNT]; /* as last measured */
	uint64_t hits; /* hits of traced threads since the last measurement */

	/* the thread's orders, under `lock` */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake, done;
	unsigned int todo; /* calls of each pair; 0: nothing */
	uint64_t delay;	   /* ns to wait before the calls */
	int cpu;	   /* -1: any */
	uint64_t took;	   /* ns for AGAIN_CALLS calls */
	bool quit;
	uint32_t tid;

	struct gn_meter_calls calls; /* under way */
	struct gn_meter_first first;
};

static void put_cost(struct gn_meter *m, enum gn_probe_class class,
		     struct gn_rec_cost *cost)
{
	cost->h = (struct gn_rec){.kind = GN_KIND_COST, .time = gn_now_ns()};
	cost->id = class;
	m->cost[class] = *cost;
	gn_session_put(m->s, &cost->h, sizeof(*cost));
}

/* Computes the cost of single-stepped enters that set up a return probe from
 * three measured classes. */
static void put_joined(struct gn_meter *m)
{
	const struct gn_rec_cost *stepped = &m->cost[GN_PROBE_STEPPED];
	const struct gn_rec_cost *call = &m->cost[GN_PROBE_CALL];
	const struct gn_rec_cost *neither = &m->cost[GN_PROBE_EMULATED];
	struct gn_rec_cost both;

	if (!stepped->samples || !call->samples || !neither->samples)
		return;
	gn_meter_join(stepped, call, neither, &both);
	put_cost(m, GN_PROBE_STEPPED_CALL, &both);
}

/* A runtime's enter and leave are of one class, so they share the mean cost. */
static void put_both(struct gn_meter *m, const struct gn_meter_pair *pair,
		     struct gn_rec_cost *enter, struct gn_rec_cost *leave)
{
	enter->spread_ns += pair->differs;
	leave->spread_ns += pair->differs;
	if (pair->enter == pair->leave) {
		enter->before_ns = (enter->before_ns + leave->before_ns) / 2;
		enter->after_ns = (enter->after_ns + leave->after_ns) / 2;
		enter->spread_ns = (enter->spread_ns + leave->spread_ns) / 2;
	} else {
		put_cost(m, pair->leave, leave);
	}
	put_cost(m, pair->enter, enter);
}

/* Hits that follow each other at once have another cost. The difference adds to
 * the error, because nobody knows how soon the next hit comes. */
static void compare(struct gn_meter *m, struct gn_meter_pair *pair,
		    const struct gn_meter_call *calls, unsigned int n)
{
	if (m->close)
		pair->inner = gn_meter_inner(calls, n, m->no_work);
	else
		pair->differs = (uint32_t)fabs(
			gn_meter_inner(calls, n, m->work) - pair->inner);
}

static void conclude_pair(struct gn_meter *m, unsigned int i)
{
	struct gn_rec_cost enter = {0}, leave = {0};
	unsigned int n = gn_meter_calls_pick(&m->calls, i, WARM_UP);

	/* calls with and without work are made only at the start */
	if (n && m->calls.asked != AGAIN_CALLS)
		compare(m, &m->pair[i], m->calls.of[i], n);
	if (!m->close && gn_meter_solve(m->calls.of[i], n, m->clock, m->work,
					&m->interrupts, &enter, &leave))
		put_both(m, &m->pair[i], &enter, &leave);
}

/* Call when all records of the calls are there. */
static void conclude(struct gn_meter *m)
{
	for (unsigned int i = 0; i < m->npairs; i++)
		conclude_pair(m, i);
	put_joined(m);
	m->calls.asked = 0;
}

bool gn_meter_take(struct gn_meter *m, const struct gn_rec *rec)
{
	if (!m)
		return false;
	if (rec->tid != m->tid) {
		if (m->s->measuring)
			return gn_meter_first_take(&m->first, rec);
		m->hits += rec->kind == GN_KIND_ENTER ||
			   rec->kind == GN_KIND_LEAVE;
		return false;
	}
	gn_meter_calls_take(&m->calls, rec);
	return true;
}

static void go_to(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	/* if this is not allowed, the thread stays where it is */
	sched_setaffinity(0, sizeof(one), &one);
}

static void call_all(struct gn_meter *m, unsigned int n, int cpu)
{
	cpu_set_t all;
	bool moved = cpu >= 0 && cpu < CPU_SETSIZE &&
		     !sched_getaffinity(0, sizeof(all), &all);

	if (moved)
		go_to(cpu);
	for (unsigned int i = 0; i < m->npairs; i++) {
		for (unsigned int k = 0; k < n; k++) {
			m->calls.of[i][k].before = gn_now_ns();
			gn_calibrate_call(m->pair[i].calls,
					  m->close ? 0 : m->cycles);
		}
	}
	if (moved)
		sched_setaffinity(0, sizeof(all), &all);
}

static void *serve(void *arg)
{
	struct gn_meter *m = arg;
	cap_t none = cap_init();

	/* the thread only calls functions, so it needs no capability; if it
	 * cannot drop them it keeps them */
	if (none)
		cap_set_proc(none);
	cap_free(none);
	pthread_mutex_lock(&m->lock);
	m->tid = (uint32_t)gettid();
	pthread_cond_signal(&m->done);
	while (!m->quit) {
		unsigned int todo = m->todo;
		struct timespec delay = {0};
		uint64_t start;

		if (!todo) {
			pthread_cond_wait(&m->wake, &m->lock);
			continue;
		}
		delay.tv_nsec = (long)m->delay;
		pthread_mutex_unlock(&m->lock);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &delay, NULL);
		start = gn_now_ns();
		call_all(m, todo, m->cpu);
		pthread_mutex_lock(&m->lock);
		m->took = (gn_now_ns() - start) * AGAIN_CALLS / todo;
		m->todo = 0;
		m->delay = (m->delay + DELAY_STEP) % DELAY_NS;
		pthread_cond_signal(&m->done);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

/* Asks the thread for `n` calls of each pair. */
static void ask(struct gn_meter *m, unsigned int n, int cpu)
{
	m->hits = 0;
	gn_meter_calls_ask(&m->calls, m->npairs, n, gn_now_ns());
	pthread_mutex_lock(&m->lock);
	m->cpu = cpu;
	m->todo = n;
	pthread_cond_signal(&m->wake);
	pthread_mutex_unlock(&m->lock);
}

/* The CPU that a thread is on or was on last; -1: not known. */
static int cpu_of(uint32_t tid)
{
	char path[64], line[1024];
	const char *at;
	int cpu = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	/* the name may contain anything; 36 fields come between it and the
	 * CPU */
	at = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	for (int i = 0; at && i < 37; i++)
		at = strchr(at + 1, ' ');
	if (at && sscanf(at, "%d", &cpu) != 1)
		cpu = -1;
	fclose(f);
	return cpu;
}

static bool due(const struct gn_meter *m, uint64_t now)
{
	uint64_t ago = now > m->calls.since ? now - m->calls.since : 0;
	uint64_t own = (uint64_t)GN_METER_RECORDS * AGAIN_CALLS * m->npairs;

	if (ago >= LONG_NS)
		return m->hits >= own;
	return ago >= TIME_SHARE * m->took && m->hits >= HITS_SHARE * own;
}

void gn_meter_follow(struct gn_meter *m, uint64_t now, uint32_t tid)
{
	bool under_way;

	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	under_way = m->todo;
	pthread_mutex_unlock(&m->lock);
	if (under_way)
		return;
	if (gn_meter_calls_are_there(&m->calls))
		conclude(m);
	if (tid && due(m, now))
		ask(m, AGAIN_CALLS, cpu_of(tid));
}

static uint64_t clock_cost(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 64; i++) {
		uint64_t a = gn_now_ns(), b = gn_now_ns();

		if (b - a < best)
			best = b - a;
	}
	return best;
}

static double time_work(const struct gn_meter *m, uint64_t cycles)
{
	uint64_t ns[GN_METER_CALLS];

	for (int i = 0; i < GN_METER_CALLS; i++) {
		uint64_t start = gn_now_ns();

		gn_calibrate_work(cycles);
		ns[i] = gn_now_ns() - start;
	}
	return gn_meter_mean(ns, GN_METER_CALLS, NULL) - (double)m->clock;
}

/* Finds the number of cycles that take WORK_NS, and how long they take
 * exactly. */
static void set_work(struct gn_meter *m)
{
	double ns = time_work(m, WORK_NS);

	m->cycles = WORK_NS;
	if (ns > 0)
		m->cycles = (uint64_t)((double)WORK_NS * WORK_NS / ns);
	m->work = time_work(m, m->cycles);
	m->no_work = time_work(m, 0);
}

static int start(struct gn_meter *m)
{
	int err;

	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->wake, NULL);
	pthread_cond_init(&m->done, NULL);
	err = gn_thread_start(&m->thread, serve, m);
	if (err)
		return err;
	pthread_mutex_lock(&m->lock);
	while (!m->tid)
		pthread_cond_wait(&m->done, &m->lock);
	pthread_mutex_unlock(&m->lock);
	return 0;
}

/* Makes the kernel side trace the thread. */
static int trace_thread(struct gn_meter *m)
{
	struct gn_control *control = &m->s->skel->bss->control;
	int targets = bpf_map__fd(m->s->skel->maps.targets);
	struct gn_lock none = {0};
	int err;

	if (bpf_map_update_elem(targets, &m->tid, &none, BPF_ANY))
		return -errno;
	control->scanning = GN_SCAN_THREAD;
	err = gn_session_look(m->s);
	control->scanning = 0;
	bpf_map_delete_elem(targets, &m->tid);
	return err;
}

static void take_all(struct gn_session *s)
{
	s->drain_until = UINT64_MAX;
	ring_buffer__consume(s->ring);
}

/* No delay: nothing has been drained yet. */
static void measure_now(struct gn_meter *m, unsigned int calls)
{
	m->delay = 0;
	ask(m, calls, -1);
	pthread_mutex_lock(&m->lock);
	while (m->todo)
		pthread_cond_wait(&m->done, &m->lock);
	pthread_mutex_unlock(&m->lock);
	take_all(m->s);
	gn_meter_follow(m, 0, 0);
}

static void measure_new_processes(struct gn_meter *m)
{
	struct gn_rec_cost cost = {0};

	if (!gn_meter_link_first(m->s, m->links) ||
	    gn_meter_first_run(m->s, &m->first, m->cycles))
		return;
	take_all(m->s);
	if (gn_meter_first_solve(&m->first, &cost))
		put_cost(m, GN_PROBE_FIRST, &cost);
}

/* Measures the first m->npairs pairs. */
static void measure_pairs(struct gn_meter *m, unsigned int close,
			  unsigned int calls)
{
	m->close = true;
	measure_now(m, close);
	m->close = false;
	measure_now(m, calls);
}

/* Only the first `now` pairs are needed at the start. The others are measured
 * with few calls here. Pairs without `again` are dropped; the rest are measured
 * again while the capture runs. */
static void measure_first(struct gn_meter *m, unsigned int now)
{
	unsigned int all = m->npairs;

	if (now < all)
		measure_pairs(m, FEW_CALLS, FEW_CALLS);
	m->npairs = now;
	if (now)
		measure_pairs(m, CLOSE_CALLS, GN_METER_CALLS);
	m->npairs = all;
	measure_new_processes(m);
	for (unsigned int i = 0; i < m->npairs;) {
		if (m->pair[i].again)
			i++;
		else
			m->pair[i] = m->pair[--m->npairs];
	}
}

int gn_meter_new(struct gn_session *s)
{
	struct gn_control *control = &s->skel->bss->control;
	unsigned int now = 0;
	struct gn_meter *m;

	if (!s->probes.count && !gn_filter_positive(s->filter))
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->s = s;
	m->clock = clock_cost() / 2;
	set_work(m);
	m->links = gn_links_new();
	if (!m->links || start(m)) {
		gn_links_free(m->links, NULL);
		free(m);
		return 0;
	}
	m->npairs = gn_meter_pairs(s, m->links, m->pair, &now);
	s->meter = m;
	s->measuring = true;
	control->start = gn_now_ns();
	if (!trace_thread(m))
		measure_first(m, now);
	control->start = 0;
	take_all(s);
	s->measuring = false;
	memset(control->counters, 0, sizeof(control->counters));
	return 0;
}

void gn_meter_free(struct gn_meter *m, struct gn_links *links)
{
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	m->quit = true;
	pthread_cond_signal(&m->wake);
	pthread_mutex_unlock(&m->lock);
	pthread_join(m->thread, NULL);
	pthread_mutex_destroy(&m->lock);
	pthread_cond_destroy(&m->wake);
	pthread_cond_destroy(&m->done);
	gn_links_join(links, m->links);
	free(m);
}
