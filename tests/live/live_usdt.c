/* SPDX-License-Identifier: BSD-2-Clause */
/* USDT probes: gnomon counts the same hits as the program, and sets their
 * semaphores in the traced processes only, while it traces them. */
#include "live.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N     PRIu64
#define PROBE "usdt:gn_usdt:"

static pid_t start(struct live *t, struct live_talk *talk)
{
	struct live_args a = {.n = 0};
	int pid;

	live_command(t, &a, "usdt");
	live_talk(t, &a, talk);
	CHECK(t,
	      sscanf(live_await(t, talk->out, "ready "), "ready %d", &pid) == 1,
	      "usdt is not ready");
	return pid;
}

static int level(struct live *t, const struct live_talk *talk)
{
	int n = -1;

	live_tell(t, talk, "level");
	sscanf(live_await(t, talk->out, "level "), "level %d", &n);
	live_await(t, talk->out, "done");
	return n;
}

static void expect(struct live *t, const json_t *report, const char *name,
		   uint64_t want)
{
	uint64_t calls = live_function(t, report, NULL, name, "calls", NULL);

	CHECK(t, calls == want, "%s: %" N " calls reported, %" N " made", name,
	      calls, want);
}

/* What the program prints at its end must match these numbers. */
static void end(struct live *t, struct live_talk *talk, uint64_t plain,
		uint64_t guarded)
{
	uint64_t n[2] = {0};

	live_tell(t, talk, "quit");
	sscanf(live_await(t, talk->out, "calls " PROBE "plain "),
	       "calls " PROBE "plain %" SCNu64, &n[0]);
	sscanf(live_await(t, talk->out, "calls " PROBE "guarded "),
	       "calls " PROBE "guarded %" SCNu64, &n[1]);
	CHECK(t, n[0] == plain, "plain: %" N " hits, not %" N, n[0], plain);
	CHECK(t, n[1] == guarded, "guarded: %" N " hits, not %" N, n[1],
	      guarded);
	CHECK(t, live_finish(t, talk) == 0, "usdt failed");
}

static void started(struct live *t, const char *options)
{
	static const char work[] = "hit 100\nmany 7\nlevel\nquit\n";
	struct live_args a = {.n = 0};
	struct live_start how = {.input = work};
	struct live_truths truths = {.n = 0};
	struct live_end ended;
	char *path = live_path(t, "report");
	json_t *report;

	live_add(t, &a, t->gnomon, "run", "-q", "--format", "json", "-o", path,
		 NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	live_command(t, &a, "usdt");
	live_run(t, &a, &how, &ended);
	CHECK(t, ended.code == 0, "it ended with %d: %s", ended.code,
	      ended.err);
	CHECK(t, strstr(ended.out, "\nlevel 1\n"), "it says: %s", ended.out);
	live_truths(t, ended.out, &truths);
	CHECK(t, live_truth(&truths, "calls", PROBE "guarded") == 100,
	      "guarded was not passed 100 times");
	report = live_load(t, path);
	live_clean(t, report);
	live_compare(t, &truths, report, 0);
	json_decref(report);
}

/* Each way of attaching that this kernel has, with the probes of all sites. */
void test_usdt(struct live *t)
{
	started(t, "-f usdt::gn_usdt:*");
	started(t, "-f usdt:self:* -f hit");
	started(t, "-f usdt::gn_usdt:* --attach single");
}

/* A program that finds out what a probe on a nop5 does to it: see its
 * source. */
static json_t *on_nop5(struct live *t, const char *options,
		       struct live_end *ended, uint64_t *calls)
{
	struct live_args a = {.n = 0};
	char *path = live_path(t, "report");

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	live_command(t, &a, "nop5");
	live_run(t, &a, &(struct live_start){0}, ended);
	CHECK(t, ended->code == 0, "%s: it ended with %d: %s%s", options,
	      ended->code, ended->out, ended->err);
	CHECK(t,
	      sscanf(ended->out, "wrong 0\nbad 0\ncalls %" SCNu64, calls) == 1,
	      "%s: it says: %s", options, ended->out);
	return live_load(t, path);
}

void test_nop5(struct live *t)
{
	struct live_end ended;
	json_t *report;
	uint64_t calls;

	report = on_nop5(t, "-f work -a work:arg1", &ended, &calls);
	expect(t, report, "work", calls);
	CHECK(t, strstr(ended.err, "five-byte nop"),
	      "why there are no values is not told: %s", ended.err);
	json_decref(report);
	report = on_nop5(t, "-f usdt::nop5:*", &ended, &calls);
	expect(t, report, "usdt:nop5:behind", calls);
	CHECK(t,
	      strstr(ended.err, "left out: usdt:nop5:alone") &&
		      strstr(ended.err, "attached: 1 USDT probe;"),
	      "the probe that is left out is not told: %s", ended.err);
	json_decref(report);
}

void test_usdt_attached(struct live *t)
{
	struct live_talk traced, other, gnomon;
	pid_t pid = start(t, &traced);
	json_t *report;
	char *path;

	start(t, &other);
	live_ask(t, &traced, "hit 5");
	path = live_attach(t, "-f usdt:usdt:gn_usdt:*", live_text(t, "%d", pid),
			   &gnomon);
	CHECK(t, level(t, &traced) == 1, "the semaphore is not set");
	CHECK(t, level(t, &other) == 0, "that of another process is set");
	live_ask(t, &traced, "hit 40");
	live_ask(t, &traced, "many 3");
	live_ask(t, &other, "hit 7");
	report = live_detach(t, &gnomon, path);
	expect(t, report, PROBE "plain", 40);
	expect(t, report, PROBE "guarded", 40);
	expect(t, report, PROBE "many", 60);
	CHECK(t, level(t, &traced) == 0, "the semaphore is still set");
	live_ask(t, &traced, "hit 2");
	end(t, &traced, 47, 40);
	end(t, &other, 7, 0);
	json_decref(report);
}

void test_usdt_killed(struct live *t)
{
	struct live_talk traced, gnomon;
	pid_t pid = start(t, &traced);

	live_attach(t, "-f usdt:usdt:*", live_text(t, "%d", pid), &gnomon);
	live_ask(t, &traced, "hit 40");
	CHECK(t, level(t, &traced) == 1, "the semaphore is not set");
	CHECK(t, kill(gnomon.pid, SIGKILL) == 0, "gnomon has ended by itself");
	live_wait(t, &gnomon);
	/* the probes are removed when the last process that holds them ends */
	while (level(t, &traced))
		;
	live_ask(t, &traced, "hit 2");
	end(t, &traced, 42, 40);
}

/* Each `leaf` that an exception ends has thrown it. */
void test_usdt_library(struct live *t)
{
	struct live_truths truths;
	struct live_end ended;
	json_t *report;

	live_gnomon(t, "run", "-f usdt:libstdc++.so.6:libstdcxx:throw",
		    "throw 20", &ended, &report);
	CHECK(t, ended.code == 0, "it ended with %d: %s", ended.code,
	      ended.err);
	live_truths(t, ended.out, &truths);
	expect(t, report, "usdt:libstdcxx:throw",
	       live_truth(&truths, "unwound", "leaf(int)"));
	json_decref(report);
}

/* Python's own probes have semaphores. The two programs differ by ten
 * collections. */
static uint64_t collections(struct live *t, const char *code)
{
	struct live_args a = {.n = 0};
	char *path = live_path(t, "python");
	struct live_end ended;
	json_t *report;
	uint64_t n;

	live_add(t, &a, t->gnomon, "run", "-q", "--format", "json", "-o", path,
		 "-f", "usdt::python:gc__*", "--", "/usr/bin/python3", "-S",
		 "-c", code, NULL);
	live_run(t, &a, &(struct live_start){0}, &ended);
	if (ended.code == 2 && strstr(ended.err, "no USDT probe"))
		live_skip(t, "this python3 has no probes");
	CHECK(t, ended.code == 0, "it ended with %d: %s", ended.code,
	      ended.err);
	report = live_load(t, path);
	live_clean(t, report);
	n = live_function(t, report, NULL, "usdt:python:gc__start", "calls",
			  NULL);
	expect(t, report, "usdt:python:gc__done", n);
	json_decref(report);
	return n;
}

void test_usdt_python(struct live *t)
{
	uint64_t few, many;

	if (access("/usr/bin/python3", X_OK))
		live_skip(t, "there is no python3");
	few = collections(t, "import gc\nfor i in range(5): gc.collect()");
	many = collections(t, "import gc\nfor i in range(15): gc.collect()");
	CHECK(t, many == few + 10,
	      "%" N " and %" N " collections, which do not differ by ten", few,
	      many);
}

void test_usdt_bad(struct live *t)
{
	struct live_end ended;

	live_gnomon(t, "run", "-f usdt::gn_usdt:none", "fib 5", &ended, NULL);
	live_expect_line(t, &ended, 2, "no USDT probe matches");
	live_gnomon(t, "list", "-f usdt::gn_usdt:none", "usdt", &ended, NULL);
	live_expect_line(t, &ended, 2, "no USDT probe matches");
	live_gnomon(t, "list", "-f usdt::gn_usdt:plain", "usdt", &ended, NULL);
	CHECK(t,
	      ended.code == 0 && strstr(ended.out, "gn_usdt:plain ") &&
		      strstr(ended.out, " (unreadable)"),
	      "list says: %s%s", ended.out, ended.err);
}
