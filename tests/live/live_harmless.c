/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that return probes would break: see docs/sites.md. */
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SWITCHES 50

/* Arguments of Go are not where -a looks, and a function may begin twice. */
static void check_go_values(struct live *t)
{
	static struct live_truths truths;
	struct live_end end;
	json_t *report;

	live_reported(t, "-a main.*:arg1,ret", "collect 10", &end, &report);
	CHECK(t,
	      strstr(end.err, " is a Go function: its calls are reported, but "
			      "its values are not"),
	      "nothing is said of the values: %s", end.err);
	live_truths(t, end.out, &truths);
	live_compare(t, &truths, report, LIVE_UNMATCHED | LIVE_UNWOUND);
}

/* It counts its calls and ends as ever, with these options of gnomon. */
static void check_go(struct live *t, const char *options,
		     const struct live_end *plain)
{
	static struct live_truths truths;
	struct live_end traced;
	json_t *report;

	live_reported(t, options, "collect 10", &traced, &report);
	CHECK(t,
	      traced.code == 0 ||
		      live_number(t, report, "checks.doubtful_threads") > 0,
	      "gnomon ended with %d: %s", traced.code, traced.err);
	live_same(t, "the program's output", live_counts(t, traced.out),
		  live_counts(t, plain->out));
	live_truths(t, traced.out, &truths);
	live_compare(t, &truths, report, LIVE_UNMATCHED | LIVE_UNWOUND);
}

/* Its stacks move and its goroutines change threads. Calls are counted, but a
 * leave cannot be attributed to its call. gnomon's exit status says so. Its
 * runtime reads return addresses, so it gets no return probes. */
void test_go(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end plain;

	if (access(live_fixture(t, "collect"), X_OK))
		live_skip(t, "there is no Go compiler");
	live_command(t, &a, "collect 10");
	live_run(t, &a, NULL, &plain);
	CHECK(t, plain.code == 0, "the program failed");
	check_go(t, "-f main.*", &plain);
	check_go(t, "--leave return -f main.*", &plain);
	check_go_values(t);
}

/* A library without a path: the program opens /proc/self/fd/N. */
static int as_memfd(struct live *t, const char *path)
{
	size_t size;
	char *bytes = live_read(t, path, &size);
	int fd = memfd_create("hop", 0); /* the program inherits it */

	CHECK(t, fd >= 0 && write(fd, bytes, size) == (ssize_t)size,
	      "memfd: %s", strerror(errno));
	return fd;
}

/* The library that switches stacks is no longer at its path, or never had
 * one. */
void test_stack_library(struct live *t)
{
	char *program = live_text(t, "%s/hop_library", t->dir);
	char *library = live_text(t, "%s/libhop.so", t->dir);
	char *env[] = {NULL, NULL};
	struct live_talk hop, gnomon;
	struct live_args a = {.n = 0};
	json_t *report;
	uint64_t calls;
	char *path, *sum;
	int pid, code;

	live_copy(t, live_fixture(t, "hop_library"), program);
	if (strstr(t->name, "memfd")) {
		env[0] = live_text(t, "LD_PRELOAD=/proc/self/fd/%d",
				   as_memfd(t, live_fixture(t, "libhop.so")));
	} else {
		live_copy(t, live_fixture(t, "libhop.so"), library);
	}
	live_add(t, &a, "/bin/env", NULL);
	if (env[0])
		live_add(t, &a, env[0], NULL);
	live_add(t, &a, program, NULL);
	live_talk(t, &a, &hop);
	CHECK(t,
	      sscanf(live_await(t, hop.out, "ready "), "ready %d", &pid) == 1,
	      "the program is not ready");
	if (strstr(t->name, "deleted") || strstr(t->name, "replaced"))
		CHECK(t, unlink(library) == 0, "%s: %s", library,
		      strerror(errno));
	if (strstr(t->name, "replaced"))
		live_copy(t, live_fixture(t, "libfixture.so"), library);

	path = live_attach(t, "-f *", live_text(t, "%d", pid), &gnomon);
	live_tell(t, &hop, live_text(t, "switch %d", SWITCHES));
	sum = live_await_or_end(t, hop.out, "sum ");
	CHECK(t, sum, "the program died");
	/* in round i, back() returns i and there() returns i + i */
	CHECK(t,
	      strcmp(sum, live_text(t, "sum %d", SWITCHES * (SWITCHES - 1))) ==
		      0,
	      "\"%s\" is wrong", sum);
	report = live_detach(t, &gnomon, path);
	calls = live_function(t, report, NULL, "there", "calls", NULL);
	CHECK(t, calls == SWITCHES, "%d calls of there() reported, %d made",
	      (int)calls, SWITCHES);
	live_tell(t, &hop, "quit");
	code = live_finish(t, &hop);
	CHECK(t, code == 0, "the program ended with %d", code);
}

/* With return probes in a program that switches stacks, gnomon says that they
 * are the reason for the mismatches. They can also end the program. */
void test_return_told(struct live *t)
{
	struct live_end end;

	live_gnomon(t, "run", "--leave return -f fiber_*", "fibers own 30 300",
		    &end, NULL);
	CHECK(t,
	      strstr(end.err, "a self-check failed") &&
		      strstr(end.err, "likely because of --leave return") &&
		      !strstr(end.err, "report it"),
	      "the cause is not told: %s", end.err);
}

/* A program that throws ends with return probes. gnomon says why, and otherwise
 * does not recommend them for it. */
void test_return_thrown(struct live *t)
{
	struct live_end end;

	live_gnomon(t, "run", "-f *", "throw 5", &end, NULL);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.out, "single-stepped probe: ") &&
		      strstr(end.out, "return probes") &&
		      !strstr(end.out, "--leave return"),
	      "--leave return is recommended: %s", end.out);
	live_gnomon(t, "run", "--leave return -f *", "throw 5", &end, NULL);
	CHECK(t, end.code == 128 + SIGABRT, "gnomon ended with %d: %s",
	      end.code, end.err);
	CHECK(t, strstr(end.err, "likely because of --leave return"),
	      "the cause is not told: %s", end.err);
	CHECK(t, !strstr(end.out, "has not been looked at"),
	      "the header judges what it did not look at: %s", end.out);
}

/* gnomon reports what single-stepped leaves cost, and how to avoid them. */
void test_stepped_told(struct live *t)
{
	struct live_end end;

	live_gnomon(t, "run", "-f *", "cancel 4 5", &end, NULL);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.out, "single-stepped probe: ") &&
		      strstr(end.out, " times the cost of another probe") &&
		      strstr(end.out, "--leave return avoids that"),
	      "the header does not tell of stepped leaves: %s", end.out);
	CHECK(t, strstr(end.err, " single-stepped"), "attached in silence: %s",
	      end.err);
	/* fast hooks are used instead */
	live_gnomon(t, "run", "-f work", "fork_xray fork 10", &end, NULL);
	CHECK(t, end.code == 0 && strstr(end.out, " 40 "),
	      "gnomon ended with %d: %s", end.code, end.out);
	CHECK(t, !strstr(end.out, "single-stepped"),
	      "the header tells of leaves that no probe is on: %s", end.out);
}
