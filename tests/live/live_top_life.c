/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens to the target and to gnomon while gnomon watches it. */
#include "live_top.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N PRIu64

#define PATIENCE 100
#define MANY	 1000

/* A sanitizer keeps freed memory. */
#ifdef LIVE_SANITIZED
#define MEASURED false
#else
#define MEASURED true
#endif

static const json_t *target(const json_t *period)
{
	return json_object_get(period, "target");
}

static json_t *last_of(const json_t *periods)
{
	return json_array_get(periods, json_array_size(periods) - 1);
}

/* In all periods but the last one the target runs. */
static void check_states(struct live *t, const json_t *periods,
			 const char *state, const char *number, uint64_t value)
{
	const json_t *period, *last = last_of(periods);
	size_t i;

	CHECK(t, last, "there is no period");
	json_array_foreach(periods, i, period) CHECK(
		t, period == last || top_is(target(period), "state", "running"),
		"period %zu: the target is %s", i + 1,
		json_string_value(json_object_get(target(period), "state")));
	CHECK(t, top_is(target(last), "state", state),
	      "at the end the target is %s, not %s",
	      json_string_value(json_object_get(target(last), "state")), state);
	CHECK(t, live_number(t, target(last), number) == value,
	      "its %s is %" N ", not %" N, number,
	      live_number(t, target(last), number), value);
}

void test_top_ends(struct live *t)
{
	struct live_end end;

	check_states(
		t,
		top_run(t, "-d 50ms -f hot_*", "hot 100 1000\nexit 7\n", &end),
		"ended", "status", 7);
	CHECK(t, end.code == 7, "gnomon ended with %d", end.code);
}

/* The last records are in a period, and gnomon reports who killed it. */
void test_top_killed(struct live *t)
{
	char *path = live_path(t, "periods"), *complaint;
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	char err[4096];
	ssize_t n;
	int pid, code;

	live_add(t, &a, t->gnomon, "top", "-b", "--format", "json", "-d",
		 "50ms", "-o", path, "-f", "hot_*", "--",
		 live_fixture(t, "top"), NULL);
	live_talk(t, &a, &gnomon);
	CHECK(t,
	      sscanf(live_await(t, gnomon.out, "ready "), "ready %d", &pid) ==
		      1,
	      "the fixture is not ready");
	live_ask(t, &gnomon, "hot 10 10");
	CHECK(t, kill(pid, SIGKILL) == 0, "the fixture has ended by itself");
	code = live_finish(t, &gnomon);
	CHECK(t, code == 128 + SIGKILL, "gnomon ended with %d", code);
	check_states(t, top_parse(t, live_read(t, path, NULL)), "killed",
		     "signal", SIGKILL);
	n = read(gnomon.err, err, sizeof(err) - 1);
	err[n > 0 ? n : 0] = '\0';
	CHECK(t, live_complaints(t, err, &complaint) <= 1,
	      "gnomon says more than one thing: %s", err);
}

/* A process that was not started by gnomon. */
void test_top_killed_attached(struct live *t)
{
	json_t *periods = json_array(), *period;
	struct live_talk top;
	struct top_view v;
	pid_t pid = top_start(t, &top);
	int code;

	top_attach(t, "-d 50ms -f hot_*", pid, &v);
	json_array_append_new(periods, top_fresh(t, &v));
	CHECK(t, kill(pid, SIGKILL) == 0, "the fixture has ended by itself");
	while ((period = top_period(t, &v)))
		json_array_append_new(periods, period);
	code = live_finish(t, &v.talk);
	top_code(t, code, 0, "");
	period = last_of(periods);
	CHECK(t, !top_is(target(period), "state", "running"),
	      "at the end the target is running");
	CHECK(t, !json_object_get(target(period), "status"),
	      "its status, which only its parent can know, is told");
	CHECK(t, live_finish(t, &top) == 128 + SIGKILL,
	      "the fixture was not killed");
}

/* The same process executes another program: its functions are seen again. */
void test_top_exec(struct live *t)
{
	struct live_talk top;
	struct top_view v;
	json_t *period;
	pid_t pid = top_start(t, &top);
	uint64_t calls = 0;
	int i, again;

	top_attach(t, "-d 50ms -f hot_*", pid, &v);
	live_ask(t, &top, "threads 5");
	live_ask(t, &top, "hot 10 10");
	live_tell(t, &top, "exec");
	CHECK(t,
	      sscanf(live_await(t, top.out, "ready "), "ready %d", &again) ==
			      1 &&
		      again == pid,
	      "the program is not there again");
	period = top_fresh(t, &v);
	CHECK(t,
	      json_array_size(json_object_get(period, "threads")) == 1 &&
		      top_thread(period, pid),
	      "%zu threads, not the one that is left",
	      json_array_size(json_object_get(period, "threads")));
	live_ask(t, &top, "hot 20 30");
	for (i = 0; i < PATIENCE && calls < 600; i++)
		calls += top_of(t, top_next(t, &v), "hot_tiny", "calls");
	CHECK(t, calls == 600, "hot_tiny: %" N " calls after the exec, not 600",
	      calls);
	top_detach(t, &v);
	top_quit(t, &top);
}

/* Waits until the child is in a period, or is not: it may begin and end
 * late. */
static json_t *await_child(struct live *t, struct top_view *v, pid_t child,
			   bool there)
{
	json_t *period = NULL;
	uint64_t calls = 0;
	size_t n = !there;
	int i;

	for (i = 0; i < PATIENCE; i++) {
		period = top_next(t, v);
		n = top_count(period, "forked", child);
		calls = top_of(t, period, "hot_batch", "calls");
		if (there ? n == 1 && calls : !n)
			return period;
		json_decref(period);
	}
	live_fail(t, "%zu threads of the child are there, with %" N " calls", n,
		  calls);
}

void test_top_fork(struct live *t)
{
	struct live_talk top;
	struct top_view v;
	json_t *period;
	pid_t pid = top_start(t, &top);
	char *line;
	int child;

	top_attach(t, "-d 100ms -f hot_*", pid, &v);
	live_tell(t, &top, "fork");
	line = live_await(t, top.out, "child ");
	CHECK(t, sscanf(line, "child %d", &child) == 1, "no child: %s", line);
	period = await_child(t, &v, child, true);
	CHECK(t, top_count(period, "top", pid) == 1, "its parent is not there");
	CHECK(t, json_array_size(json_object_get(period, "processes")) == 2,
	      "%zu processes, not 2",
	      json_array_size(json_object_get(period, "processes")));
	CHECK(t, kill(child, SIGKILL) == 0, "the child has ended by itself");
	live_ask(t, &top, "hot 1 1");
	period = await_child(t, &v, child, false);
	CHECK(t, top_count(period, "top", pid) == 1, "its parent is not there");
	top_detach(t, &v);
	top_quit(t, &top);
}

/* Waits until there are that many. Returns the size of gnomon then. */
static uint64_t await_many(struct live *t, struct top_view *v, size_t want)
{
	json_t *period;
	size_t n = 0;
	uint64_t rss;
	int i;

	for (i = 0; i < PATIENCE; i++) {
		period = top_next(t, v);
		n = top_count(period, "many", 0);
		rss = live_number(t, period, "self.rss_bytes");
		json_decref(period);
		if (n == want)
			return rss;
	}
	live_fail(t, "%zu threads are there, not %zu", n, want);
}

/* No thread is lost, and its resources are reused for the next ones. A leak
 * grows in each round; a late reader grows the size only once. */
void test_top_many(struct live *t)
{
	uint64_t before, size = 0;
	struct live_talk top;
	struct top_view v;
	pid_t pid = top_start(t, &top);
	int i = 0;

	top_attach(t, "-d 200ms --no-functions", pid, &v);
	do {
		before = size;
		live_ask(t, &top, live_text(t, "threads %d", MANY));
		await_many(t, &v, MANY);
		live_ask(t, &top, "join");
		size = await_many(t, &v, 0);
	} while (++i < 3 || (i < 10 && size > before));
	if (MEASURED) {
		CHECK(t, size < (64u << 20), "gnomon has grown to %" N " bytes",
		      size);
		CHECK(t, size <= before,
		      "gnomon grew in each of %d rounds of %d threads, from "
		      "%" N " to %" N " bytes in the last",
		      i, MANY, before, size);
	}
	top_detach(t, &v);
	top_quit(t, &top);
}

/* A process that ends at any time while gnomon attaches. */
void test_top_dies_early(struct live *t)
{
	struct live_args a;
	struct live_talk top, gnomon;
	char err[4096], *complaint;
	int i, k, code;
	size_t lines;
	ssize_t n;
	pid_t pid;

	for (i = 0; i < 6; i++) {
		pid = top_start(t, &top);
		a.n = 0;
		live_add(t, &a, t->gnomon, "top", "-b", "-d", "50ms", "-f",
			 "hot_*", "-p", live_text(t, "%d", pid), NULL);
		live_talk(t, &a, &gnomon);
		for (k = 0; k < 8 * i; k++)
			live_pause(5);
		kill(pid, SIGKILL);
		code = live_finish(t, &gnomon);
		n = read(gnomon.err, err, sizeof(err) - 1);
		err[n > 0 ? n : 0] = '\0';
		lines = live_complaints(t, err, &complaint);
		CHECK(t, code == 0 || code == 1, "gnomon ended with %d: %s",
		      code, err);
		/* A traced process that is killed is reported, and is no
		 * failure of gnomon. */
		CHECK(t,
		      lines == (size_t)code ||
			      (lines == 1 && strstr(complaint, "was killed")),
		      "%zu complaints for %d: %s", lines, code, err);
		live_finish(t, &top);
	}
}

/* Reads the first bytes of hot_tiny from memory. */
static void read_code(struct live *t, struct live_talk *top, pid_t pid,
		      unsigned char *bytes, size_t size)
{
	char *line;
	unsigned long at;
	int fd;

	live_tell(t, top, "where");
	line = live_await(t, top->out, "where ");
	live_await(t, top->out, "done");
	CHECK(t, sscanf(line, "where %lx", &at) == 1, "no address: %s", line);
	fd = open(live_text(t, "/proc/%d/mem", pid), O_RDONLY | O_CLOEXEC);
	CHECK(t, fd >= 0 && pread(fd, bytes, size, (off_t)at) == (ssize_t)size,
	      "its memory cannot be read: %s", strerror(errno));
	close(fd);
}

/* gnomon ends properly, its probes are gone, and the process goes on. */
static void signal_gnomon(struct live *t, int sig)
{
	unsigned char before[16], with[16], after[16];
	struct live_talk top;
	struct top_view v;
	pid_t pid = top_start(t, &top);
	int i, code;

	live_ask(t, &top, "hot 1 1");
	read_code(t, &top, pid, before, sizeof(before));
	top_attach(t, "-d 50ms -f hot_*", pid, &v);
	read_code(t, &top, pid, with, sizeof(with));
	CHECK(t, memcmp(before, with, sizeof(with)), "there are no probes");
	top_fresh(t, &v);
	CHECK(t, kill(v.talk.pid, sig) == 0, "gnomon has ended by itself");
	while (top_period(t, &v))
		;
	code = live_finish(t, &v.talk);
	CHECK(t, code == 0, "gnomon ended with %d after signal %d", code, sig);
	for (i = 0; i < 1000; i++) {
		read_code(t, &top, pid, after, sizeof(after));
		if (!memcmp(before, after, sizeof(after)))
			break;
		live_pause(5);
	}
	CHECK(t, i < 1000, "probes are left behind after signal %d", sig);
	live_ask(t, &top, "hot 10 10");
	CHECK(t, strstr(top_quit(t, &top), "calls hot_tiny 101\n"),
	      "the process has not gone on");
}

void test_top_signals(struct live *t)
{
	signal_gnomon(t, SIGTERM);
	signal_gnomon(t, SIGINT);
	signal_gnomon(t, SIGHUP);
}

/* With a command: it receives the signal, and its end is seen. */
void test_top_signal_command(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	char *path = live_path(t, "periods");
	int code;

	live_add(t, &a, t->gnomon, "top", "-b", "--format", "json", "-d",
		 "50ms", "-o", path, "-f", "hot_*", "--",
		 live_fixture(t, "top"), NULL);
	live_talk(t, &a, &gnomon);
	live_await(t, gnomon.out, "ready ");
	live_ask(t, &gnomon, "hot 10 10");
	CHECK(t, kill(gnomon.pid, SIGTERM) == 0, "gnomon has ended by itself");
	code = live_wait(t, &gnomon);
	CHECK(t, code == 128 + SIGTERM, "gnomon ended with %d", code);
	check_states(t, top_parse(t, live_read(t, path, NULL)), "killed",
		     "signal", SIGTERM);
}

/* Processes that do not exist. */
void test_top_no_target(struct live *t)
{
	struct live_end end;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	CHECK(t, pid > 0 && waitpid(pid, NULL, 0) == pid, "fork");
	top_words(t, live_text(t, "top -b -p %d", pid), &end);
	live_expect_line(t, &end, 1, live_text(t, "%d", pid));
	top_words(t, "top -b", &end);
	live_expect_line(t, &end, 2, "nothing to trace");
	top_words(t, "top -b -- /no/such/program", &end);
	live_expect_line(t, &end, 127, "/no/such/program");
	top_words(t, live_text(t, "top -b -- %s", t->dir), &end);
	live_expect_line(t, &end, 126, t->dir);
	top_words(t, live_text(t, "top -b -p %d -- true", getpid()), &end);
	live_expect_line(t, &end, 2, "both");
}
