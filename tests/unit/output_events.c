// SPDX-License-Identifier: BSD-2-Clause
/* Handmade events of runtimes. */
#include "output_model.h"

#define MS 1000000ull
#define US 1000ull

/* A thread of one process. */
#define BY(number, name) .pid = 100, .tid = (number), .thread = (name)

/* Two collections, the second one concurrent and with two suspensions; four
 * threads stop for the first, one of them after all had stopped. */
static struct gn_model_event events[] = {
	{.event = GN_RT_STARTED,
	 .start = 1 * MS,
	 .end = 1 * MS,
	 BY(100, "app")},
	{.event = GN_RT_ASSEMBLY_LOAD,
	 .start = 2 * MS,
	 .end = 3 * MS,
	 .of = {"System.Runtime", "", NULL},
	 BY(100, "app")},
	{.event = GN_RT_COMPILE,
	 .start = 4 * MS,
	 .end = 6 * MS,
	 .cpu = 1 * MS,
	 .value = {1234, 1},
	 .of = {"App.Main(string[])", "app.dll", NULL},
	 BY(100, "app")},
	{.event = GN_RT_THREAD_NAME,
	 .start = 7 * MS,
	 .end = 7 * MS,
	 .value = {0x1000},
	 .of = {HOSTILE, "", NULL},
	 BY(100, "app")},
	{.event = GN_RT_SUSPEND,
	 .start = 10 * MS,
	 .end = 14 * MS,
	 .value = {1},
	 BY(100, "app")},
	{.event = GN_RT_STOP,
	 .start = 10 * MS + 100 * US,
	 .end = 14 * MS,
	 BY(101, "early")},
	{.event = GN_RT_STOP,
	 .start = 10 * MS + 900 * US,
	 .end = 14 * MS,
	 BY(102, "late")},
	{.event = GN_RT_STOPPED,
	 .start = 11 * MS,
	 .end = 11 * MS,
	 BY(100, "app")},
	{.event = GN_RT_COLLECT,
	 .start = 11 * MS + 1,
	 .end = 13 * MS,
	 .cpu = 1900 * US,
	 .value = {1, 3},
	 BY(100, "app")},
	{.event = GN_RT_STOP,
	 .start = 12 * MS,
	 .end = 14 * MS,
	 BY(103, "after")},
	{.event = GN_RT_SUSPEND,
	 .start = 20 * MS,
	 .end = 21 * MS,
	 .value = {1},
	 BY(104, "gc")},
	{.event = GN_RT_COLLECT,
	 .start = 20 * MS + 500 * US,
	 .end = 50 * MS,
	 .cpu = 25 * MS,
	 .value = {3, 2},
	 BY(104, "gc")},
	{.event = GN_RT_SUSPEND,
	 .start = 40 * MS,
	 .end = 42 * MS,
	 .value = {7},
	 BY(104, "gc")},
	{.event = GN_RT_COMPILE,
	 .start = 1500 * MS,
	 .end = 1506 * MS,
	 .cpu = 6 * MS,
	 .value = {0, 2},
	 .of = {"App.Main(string[])", "app.dll", NULL},
	 BY(105, ".NET Tiered Com")},
	{.event = GN_RT_CATCH,
	 .start = 1600 * MS,
	 .end = 1601 * MS,
	 .of = {"App.Catches()", "app.dll", NULL},
	 .other = {"App.Oops", "app.dll", NULL},
	 BY(100, "app")},
	{.event = GN_RT_MODULE_LOAD,
	 .start = 1700 * MS,
	 .end = 1701 * MS,
	 .value = {0x80131509},
	 BY(100, "app")},
	/* a system call of which nothing is known */
	{.event = GN_RT_COLLECT,
	 .start = 1750 * MS,
	 .end = 1750 * MS,
	 .no_end = true,
	 .no_cpu = true,
	 BY(106, "")},
	{.event = GN_RT_COMPILE,
	 .start = 1770 * MS,
	 .end = 1770 * MS,
	 .no_end = true,
	 BY(106, "")},
	{.event = GN_RT_DOMAIN_LOAD,
	 .start = 1780 * MS,
	 .end = 1780 * MS,
	 .no_end = true,
	 BY(106, "")},
	{.event = GN_RT_CLASS_LOAD,
	 .start = 1790 * MS,
	 .end = 1791 * MS,
	 .of = {"App.Oops", "app.dll", NULL},
	 BY(100, "app")},
	{.event = GN_RT_SHUTDOWN,
	 .start = 1800 * MS,
	 .end = 1800 * MS,
	 BY(100, "app")},
};

static struct gn_model_exception exceptions[] = {
	{.class = {"App.Oops", "app.dll", NULL},
	 .thrown_in = {"App.Throws()", "app.dll", NULL},
	 .caught_in = {"App.Catches()", "app.dll", NULL},
	 .caught = true,
	 .count = 3,
	 .ns = 30 * US},
	{.class = {HOSTILE, "app.dll", NULL},
	 .thrown_in = {"App.Throws()", "app.dll", NULL},
	 .caught_in = {"", "", NULL},
	 .count = 1},
	{.class = {"", "", NULL},
	 .thrown_in = {"", "", NULL},
	 .caught_in = {"", "", NULL},
	 .count = 1},
};

static struct gn_model_allocation allocations[] = {
	{.class = {"string", "lib.dll", NULL},
	 .function = {"App.Main(string[])", "app.dll", NULL},
	 .count = 1000,
	 .bytes = 123456789},
	{.class = {"App.Oops", "app.dll", NULL},
	 .function = {"", "", NULL},
	 .count = 1,
	 .bytes = 144},
	{.class = {"", "", NULL},
	 .function = {"", "", NULL},
	 .count = 1,
	 .bytes = 24},
};

static struct gn_model_sample samples[] = {
	{.of = {"App.Program::Leaf [void (int32)]", "/app/app.dll",
		"Program.Leaf(int)"},
	 .self = 90,
	 .total = 100},
	{.of = {"memcpy", "/lib/libc.so.6", NULL}, .self = 50, .total = 50},
	{.of = {"[unknown]", "", NULL}, .self = 10, .total = 10},
	{.of = {"app.Orders.total", "/app/app.py", NULL},
	 .line = 12,
	 .total = 20},
	{.of = {"main", "/app/demo", NULL}, .total = 150},
};

static struct gn_model_syscall syscalls[] = {
	{.nr = 202, /* futex */
	 .begun = 13,
	 .calls = 12,
	 .failed = 3,
	 .cpu = 40 * US,
	 .off = 1234 * MS,
	 .shortest = 7 * US,
	 .longest = 1000 * MS},
	{.nr = 1, /* write */
	 .begun = 1000000,
	 .calls = 1000000,
	 .cpu = 300 * MS,
	 .shortest = 200,
	 .longest = 20 * US},
	{.nr = 60000,
	 .begun = 2,
	 .calls = 2,
	 .failed = 2,
	 .cpu = 1 * US,
	 .shortest = 499,
	 .longest = 501},
	{.nr = 231, .begun = 1}, /* exit_group */
};

static struct gn_model_syscall thread_syscalls[] = {
	{.thread = 1,
	 .nr = 202, /* futex */
	 .begun = 13,
	 .calls = 12,
	 .failed = 3,
	 .cpu = 40 * US,
	 .off = 1234 * MS,
	 .shortest = 7 * US,
	 .longest = 1000 * MS},
	{.nr = 1, /* write */
	 .begun = 600000,
	 .calls = 600000,
	 .cpu = 200 * MS,
	 .shortest = 210,
	 .longest = 20 * US},
	{.thread = 1,
	 .nr = 1,
	 .begun = 400000,
	 .calls = 400000,
	 .cpu = 100 * MS,
	 .shortest = 200,
	 .longest = 19 * US},
	{.nr = 231, .begun = 1}, /* exit_group */
};

void sample_events(struct sample *s)
{
	s->m.start = 0;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct gn_model_named *of[] = {&events[i].of, &events[i].other};

		for (int k = 0; k < 2; k++)
			if (!of[k]->name)
				*of[k] = (struct gn_model_named){"", "", NULL};
	}
	s->m.events = events;
	s->m.nevents = sizeof(events) / sizeof(events[0]);
	s->m.exceptions = exceptions;
	s->m.nexceptions = 3;
	s->m.allocations = allocations;
	s->m.nallocations = 3;
	s->m.samples = samples;
	s->m.nsamples = sizeof(samples) / sizeof(samples[0]);
	s->m.sampled = 150;
	s->m.syscalls = syscalls;
	s->m.nsyscalls = sizeof(syscalls) / sizeof(syscalls[0]);
	s->m.thread_syscalls = thread_syscalls;
	s->m.nthread_syscalls =
		sizeof(thread_syscalls) / sizeof(thread_syscalls[0]);
}
