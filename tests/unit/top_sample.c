/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "top_sample.h"
#include "golden.h"

#define MS TOP_MS

static void make_functions(struct top_sample *s)
{
	static const struct {
		const char *name, *module;
		enum gn_runtime_id runtime;
		uint64_t calls, elapsed, app;
	} of[TOP_FUNCTIONS] = {
		{"App.Program.Leaf(System.Int32, System.String)",
		 "/opt/app/App.dll", GN_RUNTIME_CLR, 123456, 900 * MS,
		 890 * MS},
		{"take<std::map<int, char>>(unsigned long)", "/usr/bin/app",
		 GN_RUNTIME_NATIVE, 300, 800 * MS, 20 * MS},
		{"main", "/usr/bin/app", GN_RUNTIME_NATIVE, 1, 150 * MS,
		 50 * MS},
		{TOP_HOSTILE, "", GN_RUNTIME_NATIVE, 7, 999, 500},
		{"tiny", "/usr/bin/app", GN_RUNTIME_NATIVE, 0, 0, 0},
		{"was.here.Once()", "/opt/app/App.dll", GN_RUNTIME_CLR, 0, 0,
		 0},
	};

	for (uint32_t i = 0; i < TOP_FUNCTIONS; i++) {
		struct gn_values *v = &s->functions[i].v;

		s->functions[i] = (struct gn_model_function){
			i,   of[i].name, of[i].module, of[i].runtime,
			{0}, i == 4,	 NULL,	       NULL,
			0};
		v->calls = v->finished = of[i].calls;
		v->elapsed_incl = v->elapsed_excl = of[i].elapsed;
		v->app_incl = v->app_excl = of[i].app;
		v->class_incl[GN_CLASS_APP] = v->class_excl[GN_CLASS_APP] =
			of[i].app;
		v->class_incl[GN_CLASS_LOCK] = v->class_excl[GN_CLASS_LOCK] =
			of[i].elapsed - of[i].app;
	}
	s->m.functions = s->functions;
	s->m.nfunctions = TOP_FUNCTIONS;
	s->modules[0] =
		(struct gn_model_module){"/opt/app/App.dll", s->functions[0].v};
	s->modules[1] =
		(struct gn_model_module){"/usr/bin/app", s->functions[1].v};
	s->m.modules = s->modules;
	s->m.nmodules = 2;
}

static void make_thread(struct top_sample *s, int i, uint32_t pid, uint32_t tid,
			const char *name, enum gn_thread_state state,
			enum gn_class doing)
{
	s->threads[i] = (struct gn_model_thread){
		.pid = pid,
		.tid = tid,
		.name = name,
		.start = s->m.start,
		.end = s->m.end,
		.live = &s->live[i],
	};
	s->live[i].state = state;
	s->live[i].doing = doing;
	s->live[i].reason = GN_NO_SYSCALL;
}

static void make_threads(struct top_sample *s)
{
	struct gn_model_thread *t = s->threads;

	make_thread(s, 0, 100, 100, "app", GN_THREAD_WAITING, GN_CLASS_LOCK);
	t[0].classes[GN_CLASS_APP] = 50 * MS;
	t[0].classes[GN_CLASS_LOCK] = 949999001;
	t[0].classes[GN_CLASS_UNCLASSIFIED] = 999;
	t[0].v.calls = 301;
	s->live[0].reason = 202;
	make_thread(s, 1, 100, 101, "spin", GN_THREAD_RUNNING, GN_CLASS_JIT);
	t[1].classes[GN_CLASS_APP] = 890 * MS;
	t[1].classes[GN_CLASS_JIT] = 8 * MS;
	t[1].classes[GN_CLASS_RUNQUEUE] = 2 * MS;
	t[1].v.calls = 123456;
	t[1].probe_cost = 100 * MS;
	make_thread(s, 2, 100, 102, "-", GN_THREAD_WAITING, GN_CLASS_SLEEP);
	t[2].classes[GN_CLASS_SLEEP] = 1000 * MS;
	make_thread(s, 3, 200, 200, "two words", GN_THREAD_WAITING,
		    GN_CLASS_DISK);
	t[3].classes[GN_CLASS_DISK] = 700 * MS;
	t[3].classes[GN_CLASS_SYSCALL] = 300 * MS;
	make_thread(s, 4, 200, 201, TOP_HOSTILE, GN_THREAD_RUNNABLE,
		    GN_CLASS_APP);
	t[4].classes[GN_CLASS_APP] = 300 * MS;
	t[4].classes[GN_CLASS_RUNQUEUE] = 700 * MS;
	t[4].v.calls = 7;
	make_thread(s, 5, 100, 103, "", GN_THREAD_ENDED, GN_CLASS_APP);
	t[5].end = t[5].start;
	for (int i = 0; i < TOP_THREADS; i++)
		t[i].elapsed = t[i].end - t[i].start - t[i].probe_cost;
	s->m.threads = t;
	s->m.nthreads = TOP_THREADS;
}

static void make_live(struct top_sample *s)
{
	struct gn_model_live *l = s->live;

	s->stack[0] = -1;
	s->stack[1] = 2;
	s->stack[2] = 0;
	l[1].stack = s->stack;
	l[1].nstack = 3;
	l[1].depth = 300;
	l[0].stack = s->stack;
	l[0].nstack = l[0].depth = 2;
	s->shares[0] = (struct gn_model_share){
		.function = -1, .elapsed = 500 * MS, .app = 20 * MS};
	s->shares[1] = (struct gn_model_share){
		.function = 1, .calls = 300, .elapsed = 400 * MS, .app = 9};
	s->shares[1].classes[GN_CLASS_LOCK] = 400 * MS - 9;
	s->shares[1].classes[GN_CLASS_APP] = 9;
	s->shares[2] = (struct gn_model_share){
		.function = 2, .calls = 1, .elapsed = 100 * MS, .app = 1};
	s->shares[3] = (struct gn_model_share){
		.function = 0, .calls = 123456, .elapsed = 900 * MS};
	l[0].shares = s->shares;
	l[0].nshares = 3;
	l[1].shares = s->shares + 3;
	l[1].nshares = 1;
	l[1].activity[0] = (struct gn_model_activity){GN_CLASS_JIT, 5,
						      s->m.end - 8 * MS, 0};
	l[1].activity[1] = (struct gn_model_activity){
		GN_CLASS_GC, -1, s->m.start - 9 * MS, s->m.start + 1};
	/* ended before the period began */
	l[1].activity[2] = (struct gn_model_activity){
		GN_CLASS_GC, -1, s->m.start - 19 * MS, s->m.start - 10 * MS};
	l[1].nactivities = 3;
}

static void make_period(struct top_sample *s)
{
	s->p = (struct gn_top_period){
		.m = &s->m,
		.number = 3,
		/* 2026-05-01T12:34:56.789999999Z */
		.wall = 1777638896789999999,
		.length = 1000 * MS,
		.session = 3002 * MS,
		.title = "./app 'two words' \033[2J",
		.functions = true,
		.own_cpu_ns = 32 * MS,
		.own_rss = 12345678,
		.machine = {2,
			    1500 * MS,
			    2000 * MS,
			    10 * MS,
			    20 * MS,
			    8ULL << 30,
			    3ULL << 30,
			    {1.5, 0.25, 0}},
		.budget = 5,
		.slowdown = 4.96,
		.muted = s->muted,
		.nmuted = 1,
	};
	s->muted[0] = (struct gn_top_muted){"tiny", "/usr/bin/app"};
}

void top_sample_sum(struct top_sample *s)
{
	struct gn_values *all = &s->m.session;

	memset(all, 0, sizeof(*all));
	for (size_t i = 0; i < s->m.nprocesses; i++)
		memset(&s->processes[i].v, 0, sizeof(s->processes[i].v));
	for (size_t i = 0; i < s->m.nthreads; i++) {
		struct gn_model_thread *t = &s->m.threads[i];
		struct gn_values *v = &s->processes[t->pid != 100].v;

		t->elapsed = 0;
		for (int c = 0; c < GN_CLASS_COUNT; c++) {
			t->elapsed += t->classes[c];
			v->class_incl[c] += t->classes[c];
			all->class_incl[c] += t->classes[c];
		}
		v->calls += t->v.calls;
		all->calls += t->v.calls;
		v->elapsed_incl += t->elapsed;
		all->elapsed_incl += t->elapsed;
	}
	all->app_incl = all->class_incl[GN_CLASS_APP];
}

void top_sample_make(struct top_sample *s)
{
	memset(s, 0, sizeof(*s));
	s->m.start = 5000 * MS;
	s->m.end = 6000 * MS;
	s->info[0] = (struct gn_model_info){"version", "0.1.0"};
	s->info[1] = (struct gn_model_info){
		"command", "[\"./app\",\"two words\",\"\\u001b[2J\"]"};
	s->info[2] = (struct gn_model_info){"machine", "host, 2 CPUs"};
	s->m.info = s->info;
	s->m.ninfo = 3;
	make_functions(s);
	make_threads(s);
	make_live(s);
	s->processes[0] = (struct gn_model_process){
		.pid = 100, .name = "app", .threads = 4};
	s->processes[1] = (struct gn_model_process){
		.pid = 200, .name = "two words", .threads = 2};
	s->m.processes = s->processes;
	s->m.nprocesses = 2;
	top_sample_sum(s);
	s->waits[0] = (struct gn_model_wait){.function = -1,
					     .class = GN_CLASS_SLEEP,
					     .reason = 230,
					     .ns = 1000 * MS,
					     .count = 1,
					     .longest = 1000 * MS,
					     .waker_name = "",
					     .waker_function = -1};
	s->waits[1] = (struct gn_model_wait){.function = 1,
					     .class = GN_CLASS_LOCK,
					     .reason = 202,
					     .ns = 400 * MS - 9,
					     .count = 300,
					     .longest = 8 * MS,
					     .waker = 101,
					     .waker_name = "spin"};
	s->m.waits = s->waits;
	s->m.nwaits = 2;
	s->m.probe_cost = 100 * MS;
	s->m.probe_cost_left = 12;
	s->m.costs[GN_PROBE_EMULATED] =
		(struct gn_model_cost){1000, 380, 301, 5, 150000};
	make_period(s);
}

void top_sample_worst(struct top_sample *s)
{
	s->m.lost = 1234;
	s->m.counters[GN_COUNTER_RING_FULL] = 1200;
	s->m.counters[GN_COUNTER_MISSED] = 34;
	s->m.counters[GN_COUNTER_TORN] = 9;
	s->m.checks.account_error_ns = 77;
	s->p.lost = 5678;
	s->p.target = GN_TOP_KILLED;
	s->p.signal = 9;
	s->p.status = 137;
	s->p.budget = 0;
	s->p.slowdown = -1;
	s->p.nmuted = 0;
	s->p.functions = false;
	s->threads[1].gaps = 2;
}

void top_sample_empty(struct top_sample *s)
{
	s->m.nthreads = s->m.nfunctions = s->m.nmodules = 0;
	s->m.nprocesses = s->m.nwaits = 0;
	memset(&s->m.session, 0, sizeof(s->m.session));
	s->p.target = GN_TOP_ENDED;
	s->p.title = "";
	s->p.length = 0;
	s->p.nmuted = 0;
}

void top_golden(const char *name, const char *text)
{
	golden_compare("top", name, text);
}

bool top_locale_comma(const char *dir)
{
	char command[1024], text[8];

	snprintf(command, sizeof(command),
		 "mkdir -p '%s' && localedef -c -i de_DE -f UTF-8 "
		 "'%s/comma.UTF-8' >/dev/null 2>&1",
		 dir, dir);
	if (system(command) || setenv("LOCPATH", dir, 1) ||
	    !setlocale(LC_ALL, "comma.UTF-8"))
		return false;
	snprintf(text, sizeof(text), "%.1f", 1.5);
	assert_string_equal(text, "1,5");
	return true;
}

void top_locale_plain(void)
{
	setlocale(LC_ALL, "C");
	unsetenv("LOCPATH");
}
