/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "output_model.h"
#include "golden.h"

#define MS 1000000ULL

/* Values whose classes add up: the time that is not application time is
 * lock. */
static struct gn_values values(uint64_t calls, uint64_t elapsed_incl,
			       uint64_t elapsed_excl, uint64_t app_incl,
			       uint64_t app_excl)
{
	struct gn_values v = {
		.calls = calls,
		.elapsed_incl = elapsed_incl,
		.elapsed_excl = elapsed_excl,
		.app_incl = app_incl,
		.app_excl = app_excl,
		.min = calls ? elapsed_incl / calls / 2 : 0,
		.max = calls ? elapsed_incl / calls * 2 : 0,
		.finished = calls,
		.spent = elapsed_incl,
	};

	v.class_incl[GN_CLASS_APP] = app_incl;
	v.class_excl[GN_CLASS_APP] = app_excl;
	v.class_incl[GN_CLASS_LOCK] = elapsed_incl - app_incl;
	v.class_excl[GN_CLASS_LOCK] = elapsed_excl - app_excl;
	return v;
}

static void make_info(struct sample *s)
{
	static const struct gn_model_info info[] = {
		{"version", "0.1.0"},
		{"command", "[\"./app\",\"two words\",\"it's\",\"\"]"},
		{"machine", "host, x86_64, 2 CPUs"},
		{"kernel", "6.1.0-test"},
		{"functions.return", "3"},
		{"functions.ret", "1"},
		{"functions.refused", "2"},
		{"functions.refused.first",
		 "plain: it is shorter than its probe"},
	};

	memcpy(s->info, info, sizeof(info));
	s->m.info = s->info;
	s->m.ninfo = sizeof(info) / sizeof(info[0]);
}

static void make_functions(struct sample *s)
{
	struct gn_model_function *f = s->functions;

	f[0] = (struct gn_model_function){0,
					  "main",
					  "/usr/bin/app",
					  GN_RUNTIME_NATIVE,
					  values(1, 2500 * MS, 1, 1500 * MS, 1),
					  false,
					  NULL,
					  NULL,
					  0};
	f[1] = (struct gn_model_function){
		1,
		"ns::work<std::map<int, char>>(unsigned long, char const*)",
		"/usr/bin/app",
		GN_RUNTIME_NATIVE,
		values(3, 2499999999, 1250 * MS, 1499999999, 250 * MS),
		false,
		NULL,
		NULL,
		0};
	f[2] = (struct gn_model_function){
		2,
		"App.Program.Leaf(System.Int32)",
		"/opt/app/App.dll",
		GN_RUNTIME_CLR,
		values(1234567, 1249999999, 1249999999, 1249999999, 1249999999),
		false,
		NULL,
		NULL,
		0};
	f[3] = (struct gn_model_function){3,
					  HOSTILE,
					  "",
					  GN_RUNTIME_NATIVE,
					  values(7, 999, 999, 500, 500),
					  false,
					  NULL,
					  NULL,
					  0};
	s->m.functions = f;
	s->m.nfunctions = 4;
	s->modules[0] = (struct gn_model_module){
		"/usr/bin/app",
		values(4, 2500 * MS, 1250000001, 1500 * MS, 250000001)};
	s->modules[1] = (struct gn_model_module){
		"/opt/app/App.dll", values(1234567, 1249999999, 1249999999,
					   1249999999, 1249999999)};
	s->m.modules = s->modules;
	s->m.nmodules = 2;
}

static void make_threads(struct sample *s)
{
	struct gn_model_thread *t = s->threads;

	t[0] = (struct gn_model_thread){
		.pid = 100,
		.tid = 100,
		.name = "app",
		.start = 1000,
		.end = 1000 + 2500 * MS,
		.elapsed = 2500 * MS,
		.records = 12,
		.v = values(1234571, 2500 * MS, 0, 1500 * MS, 0),
	};
	t[1] = (struct gn_model_thread){
		.pid = 100,
		.tid = 101,
		.name = "wor\tker",
		.start = 2000,
		.end = 2000 + 500 * MS,
		.elapsed = 500 * MS,
		.records = 2,
		.v = values(7, 500 * MS, 499999001, 20 * MS, 19999500),
	};
	for (int i = 0; i < 2; i++)
		memcpy(t[i].classes, t[i].v.class_incl, sizeof(t[i].classes));
	s->m.threads = t;
	s->m.nthreads = 2;
	s->processes[0] = (struct gn_model_process){
		.pid = 100,
		.name = "app",
		.threads = 2,
		.ended = true,
		.exit = SIGSEGV | 0x80,
		.ended_at = 3000 * MS,
		.v = values(1234578, 3000 * MS, 0, 1520 * MS, 0),
	};
	s->m.processes = s->processes;
	s->m.nprocesses = 1;
}

static void make_tree(struct sample *s)
{
	const struct gn_model_function *f = s->functions;
	struct gn_model_node *n = s->nodes;

	n[0] = (struct gn_model_node){-1, 1,	     -1,	  -1,
				      0,  "session", s->m.session};
	n[1] = (struct gn_model_node){
		0, 2, -1, -1, 0, "app", s->processes[0].v};
	n[2] = (struct gn_model_node){1, 3, 5, 0, 0, NULL, f[0].v};
	n[3] = (struct gn_model_node){2, 4, -1, 1, 0, NULL, f[1].v};
	n[4] = (struct gn_model_node){3, -1, -1, 2, 0, NULL, f[2].v};
	n[5] = (struct gn_model_node){1, -1, -1, 3, 0, NULL, f[3].v};
	s->m.nodes = n;
	s->m.nnodes = 6;
	s->edges[0] = (struct gn_model_edge){-1, 0, f[0].v};
	s->edges[1] = (struct gn_model_edge){0, 1, f[1].v};
	s->edges[2] = (struct gn_model_edge){1, 2, f[2].v};
	s->edges[3] = (struct gn_model_edge){-1, 3, f[3].v};
	s->m.edges = s->edges;
	s->m.nedges = 4;
}

void sample_make(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	s->m.classify = GN_CLASSIFY_EXACT;
	s->m.start = 1000;
	s->m.end = 1000 + 2500 * MS;
	s->m.session = values(1234578, 3000 * MS, 0, 1520 * MS, 0);
	make_info(s);
	make_functions(s);
	make_threads(s);
	make_tree(s);
}

/* Three instances: one has completed, one was cancelled. */
static void make_asyncs(struct sample *s)
{
	static struct gn_model_await awaits[] = {
		{.state = 0, .count = 3, .ns = 2400 * MS, .waiting = 1},
		{.state = 7, .count = 1, .ns = 999},
		{.state = -4, .count = 2, .ns = 12345678},
	};
	static struct gn_model_async async[] = {
		{.function = 2,
		 .starts = 3,
		 .completions = 2,
		 .faulted = 1,
		 .in_flight = 1,
		 .most = 2,
		 .elapsed = 2499999999,
		 .awaits = awaits,
		 .nawaits = 3},
	};

	s->m.asyncs = async;
	s->m.nasyncs = 1;
}

/* No part of a wait is one for a task, of gnomon's attaching or of a pool. */
#define NO_PARTS 0, 0, 0, 0, 0, 0, 0

static void make_waits(struct sample *s)
{
	static const struct gn_model_wait waits[] = {
		{-1, GN_CLASS_CHILD, 61, 5 * MS, 1, 5 * MS, 0, "", -1, 0, 0, 0,
		 false, false, NO_PARTS},
		{0, GN_CLASS_LOCK, 202, 900 * MS, 300, 12345678, 101,
		 "wor\tker", 2, 0, 0, 0, false, false, NO_PARTS},
		{0, GN_CLASS_IPC, 0, 60 * MS, 30, 9 * MS, 4711, "", -1, 0, 0, 0,
		 false, false, NO_PARTS},
		{0, GN_CLASS_LOCK, 202, 40 * MS, 7, 8 * MS, 0, "", -1, 0, 0, 0,
		 false, true, NO_PARTS},
		{0, GN_CLASS_OTHER, 999, 1, 1, 1, 0, "", -1, 0, 0,
		 GN_HALT_SIGNAL, false, false, NO_PARTS},
		{0, GN_CLASS_POLL, 7, 1, 1, 1, 101, "wor\tker", 2,
		 GN_POLLED_PIPE, GN_END_BY_READY, 0, false, false, NO_PARTS},
		{0, GN_CLASS_EVENT, 202, 1, 1, 1, 0, "", -1, 0, 0, 0, true,
		 false, NO_PARTS},
		/* more reasons than a table shows by default */
		{1, GN_CLASS_SLEEP, 230, 800 * MS, 8, 100 * MS, 0, "", -1, 0, 0,
		 0, false, false, NO_PARTS},
		{1, GN_CLASS_DISK, GN_NO_SYSCALL, 150 * MS, 3, 99 * MS, 0, "",
		 -1, 0, 0, 0, false, false, NO_PARTS},
		{1, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 30 * MS, 1000, 4 * MS, 0,
		 "", -1, 0, 0, 0, false, false, NO_PARTS},
		{1, GN_CLASS_NET, 45, 19 * MS, 2, 18 * MS, 101, "wor\tker", -1,
		 0, 0, 0, false, false, NO_PARTS},
		{1, GN_CLASS_FAULT, GN_NO_SYSCALL, 999999, 5, 500000, 0, "", -1,
		 0, 0, 0, false, false, NO_PARTS},
	};

	memcpy(s->waits, waits, sizeof(waits));
	s->m.waits = s->waits;
	s->m.nwaits = sizeof(waits) / sizeof(waits[0]);
}

void sample_os(struct sample *s)
{
	struct gn_model_thread *t = s->threads;

	make_waits(s);
	make_asyncs(s);
	s->info[s->m.ninfo++] = (struct gn_model_info){"syscalls", "0"};
	s->info[s->m.ninfo++] = (struct gn_model_info){"faults", "0"};
	s->m.probe_cost = 102300 * 1000;
	s->m.probe_cost_left = 12 * 1000;
	s->m.costs[GN_PROBE_EMULATED] =
		(struct gn_model_cost){1000, 380, 301, 5, 150000};
	s->m.costs[GN_PROBE_STEPPED] =
		(struct gn_model_cost){1000, 2000, 1500, 90, 0};
	s->m.costs[GN_PROBE_RETURN] =
		(struct gn_model_cost){500, 700, 540, 21, 3};
	s->m.costs[GN_PROBE_MANAGED] = (struct gn_model_cost){.hits = 17};
	for (int i = 0; i < 2; i++) {
		t[i].probe_cost = 51150 * 1000;
		t[i].kernel = (struct gn_kernel_account){
			.known = true,
			.cpu = 1200 * MS,
			.our_cpu = 1202 * MS,
			.switches = 1000,
			.cpu_switch = 2 * MS,
			.delay = 300 * MS,
			.our_delay = 300 * MS,
		};
	}
	t[0].kernel.delay = UINT64_MAX;
	/* 30 ms from one to the other: 2 % */
	t[1].kernel.stolen = 4 * MS;
	t[1].kernel.our_cpu = 1172 * MS;
	t[1].kernel.cpu_rest = -34 * MS;
	t[1].kernel.delay -= 30 * MS;
	t[1].kernel.delay_switch = -1 * MS;
	t[1].kernel.delay_rest = 31 * MS;
}

void sample_differ(struct sample *s)
{
	for (int i = 0; i < 2; i++)
		s->threads[i].kernel.cpu_rest = -100 * MS;
	s->m.checks.sched_errors = 2;
}

void sample_lose(struct sample *s)
{
	s->m.lost = 1234;
	s->m.counters[GN_COUNTER_RING_FULL] = 1200;
	s->m.counters[GN_COUNTER_MISSED] = 34;
	s->m.counters[GN_COUNTER_TORN] = 9;
	s->functions[1].v.gap = true;
	s->threads[0].gaps = 2;
	s->threads[0].v.gap = true;
	s->functions[1].v.unwound = 2;
	s->functions[1].v.finished = 1;
	s->m.checks.unwound_frames = 5;
	s->m.checks.unmatched_leaves = 1;
}

void sample_unprobed(struct sample *s)
{
	s->m.counters[GN_COUNTER_UNPROBED] = 1;
	s->m.counters[GN_COUNTER_UNPROBED_NS] = 12 * MS;
	s->m.by_path = "/opt/lib/libplug.so";
	for (int i = 0; i < 2; i++) {
		s->functions[i].v.unprobed = true;
		s->nodes[2 + i].v.unprobed = true;
		s->edges[i].v.unprobed = true;
	}
	s->modules[0].v.unprobed = true;
}

void sample_bare(struct sample *s)
{
	s->m.nfunctions = 0;
	s->m.nmodules = 0;
	s->m.nedges = 0;
	s->nodes[1].first_child = -1;
	s->m.nnodes = 2;
}

char *sample_print(const char *format, const struct gn_model *m,
		   const struct gn_output_opts *o)
{
	const struct gn_output *output = gn_output_find(format);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_non_null(output);
	assert_int_equal(output->write(m, o, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

void sample_golden(const char *name, const char *text)
{
	golden_compare("output", name, text);
}

void sample_table(const char *name, struct sample *s, struct gn_output_opts o)
{
	char *text = sample_print("table", &s->m, &o);

	sample_golden(name, text);
	free(text);
}
