/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals to gnomon at good and at bad moments; and gnomon's end when the
 * machine or its reader does not keep up. */
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 4000 /* number of pauses */
#define MANY	 2048 /* functions of the fixture `many` */
#define TRIES	 5    /* of what says nothing where the test stands still */
#define LATE_MS	 700  /* attempts, if the test itself stalls */
#define AFTER_MS 2000 /* longer than one signal can be later than another */
/* a short trace is over by then */
#define TOGETHER_NS 50000000u

static char *record(struct live *t, const char *options, const char *command,
		    struct live_talk *gnomon, pid_t *pid)
{
	char *path = live_path(t, "trace");
	struct live_args a = {.n = 0};
	int ready;

	live_add(t, &a, t->gnomon, "record", "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	live_command(t, &a, command);
	live_talk(t, &a, gnomon);
	CHECK(t,
	      sscanf(live_await(t, gnomon->out, "ready "), "ready %d",
		     &ready) == 1,
	      "%s is not ready", command);
	*pid = ready;
	return path;
}

static void send(struct live *t, pid_t pid, int sig)
{
	CHECK(t, kill(pid, sig) == 0, "kill: %s", strerror(errno));
}

static json_t *report_of(struct live *t, const char *trace)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *report;

	live_add(t, &a, t->gnomon, "report", "-i", trace, "--format", "json",
		 "-o", path, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon report ended with %d: %s", end.code,
	      end.err);
	report = live_load(t, path);
	live_clean(t, report);
	return report;
}

/* Two signals count as one if they arrive within this time. */
void test_signal_passed_on(struct live *t)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
	struct live_talk gnomon;
	char *path, *line;
	pid_t pid;
	size_t i;
	int code;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int sig = signals[i], want = sig == SIGTERM ? 0 : 128 + sig;

		path = record(t, "-f work", "serve", &gnomon, &pid);
		live_ask(t, &gnomon, "work 150");
		send(t, gnomon.pid, sig);
		if (sig == SIGTERM) {
			line = live_await(t, gnomon.out, "calls work");
			CHECK(t, !strcmp(line, "calls work 150"), "%s", line);
		}
		code = live_wait(t, &gnomon);
		CHECK(t, code == want, "signal %d: gnomon ended with %d", sig,
		      code);
		CHECK(t,
		      live_function(t, report_of(t, path), NULL, "work",
				    "calls", NULL) == 150,
		      "signal %d: not all calls are told", sig);
	}
}

/* A signal to gnomon alone: the command receives it, and its end is in the
 * trace. */
static void quit_with_one(struct live *t, struct live_talk *command)
{
	char *line;

	live_tell(t, command, "quit");
	line = live_await(t, command->out, "result signals");
	CHECK(t, !strcmp(line, "result signals 1"), "the command says \"%s\"",
	      line);
}

/* Ends the command, which must have received exactly one signal. */
static void outlive(struct live *t, bool group)
{
	struct live_talk gnomon;
	char *line;
	pid_t pid;
	int code;

	record(t, "", "outlive", &gnomon, &pid);
	signal(SIGTERM, SIG_IGN);
	send(t, group ? 0 : gnomon.pid, SIGTERM);
	live_await(t, gnomon.out, "got 1");
	/* The command receives the signal once, whoever else receives it. A
	 * second one ends the capture, and gnomon reports what it leaves
	 * behind. */
	live_await(t, gnomon.err, "gnomon: the command got SIGTERM");
	CHECK(t, waitpid(gnomon.pid, NULL, WNOHANG) == 0,
	      "gnomon has ended before the command");
	send(t, gnomon.pid, SIGTERM);
	line = live_await(t, gnomon.err, "gnomon: ended by SIGTERM");
	CHECK(t, strstr(line, live_text(t, "process %d", pid)),
	      "it does not say what it leaves: %s", line);
	code = live_wait(t, &gnomon);
	CHECK(t, code == 128 + SIGTERM, "gnomon ended with %d", code);
	send(t, pid, 0);
	quit_with_one(t, &gnomon);
}

void test_signal_twice(struct live *t)
{
	outlive(t, false);
}

void test_signal_group(struct live *t)
{
	outlive(t, true);
}

/* by then gnomon has decided */
void test_signal_after(struct live *t)
{
	struct live_talk gnomon;
	pid_t pid;
	int code;

	record(t, "-d 100ms", "outlive", &gnomon, &pid);
	signal(SIGTERM, SIG_IGN);
	live_pause(AFTER_MS);
	send(t, 0, SIGTERM);
	live_await(t, gnomon.out, "got 1");
	/* The same after the trace, when gnomon only waits for the command. */
	live_await(t, gnomon.err, "gnomon: the command got SIGTERM");
	quit_with_one(t, &gnomon);
	code = live_wait(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
}

/* by then gnomon has decided */
void test_killed_after(struct live *t)
{
	struct live_talk gnomon;
	char *line;
	pid_t pid;
	int code;

	record(t, "-d 100ms", "serve", &gnomon, &pid);
	live_await(t, gnomon.err, "gnomon: the command continues untraced");
	send(t, pid, SIGTRAP);
	line = live_await(t, gnomon.err, "gnomon: the command was killed");
	CHECK(t,
	      strstr(line, "by signal 5 (") &&
		      !strcmp(strchr(line, ')'), ") after tracing had ended"),
	      "it says \"%s\"", line);
	code = live_wait(t, &gnomon);
	CHECK(t, code == 128 + SIGTRAP, "gnomon ended with %d", code);
}

/* A signal that kills the command then did not end the trace, and probes are
 * not the cause. */
void test_signal_late(struct live *t)
{
	struct live_talk gnomon;
	int code, status;
	pid_t pid;

	record(t, "", "outlive", &gnomon, &pid);
	signal(SIGTERM, SIG_IGN);
	send(t, gnomon.pid, SIGSTOP);
	CHECK(t,
	      waitpid(gnomon.pid, &status, WUNTRACED) == gnomon.pid &&
		      WIFSTOPPED(status),
	      "gnomon does not stop");
	send(t, 0, SIGTERM);
	live_await(t, gnomon.out, "got 1");
	live_pause(LATE_MS);
	send(t, gnomon.pid, SIGCONT);
	live_await(t, gnomon.err, "gnomon: the command got SIGTERM");
	quit_with_one(t, &gnomon);
	code = live_wait(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
}

/* gnomon reads a signal to its group late, as on a busy machine: the command
 * still receives it once. */
static bool signal_both(struct live *t)
{
	struct live_talk gnomon;
	uint64_t begin;
	pid_t pid;
	int code;

	record(t, "", "outlive", &gnomon, &pid);
	begin = live_now();
	send(t, gnomon.pid, SIGTERM);
	send(t, 0, SIGTERM);
	if (live_now() - begin > TOGETHER_NS) {
		send(t, pid, SIGKILL);
		live_wait(t, &gnomon);
		return false;
	}
	live_await(t, gnomon.err, "gnomon: the command got SIGTERM");
	quit_with_one(t, &gnomon);
	code = live_wait(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	return true;
}

/* False: we sent the second one so late that it counts separately. */
void test_signal_timeout(struct live *t)
{
	int i = 0;

	signal(SIGTERM, SIG_IGN);
	while (!signal_both(t))
		live_again(t, i++, TRIES, "the test stood still");
}

/* timeout(1) signals us and then our group: gnomon counts that as one
 * signal. */
void test_signal_again(struct live *t)
{
	siginfo_t info = {.si_pid = 0};
	struct live_talk gnomon;
	pid_t pid;
	int i, code;

	record(t, "", "outlive", &gnomon, &pid);
	for (i = 0; i < 20 && !info.si_pid; i++) {
		send(t, gnomon.pid, SIGTERM);
		live_pause(300);
		waitid(P_PID, (id_t)gnomon.pid, &info,
		       WEXITED | WNOHANG | WNOWAIT);
	}
	send(t, gnomon.pid, SIGKILL);
	code = live_wait(t, &gnomon);
	CHECK(t, code == 128 + SIGTERM, "gnomon ended with %d", code);
	quit_with_one(t, &gnomon);
}

/* A signal every 0.3 s, as from an impatient user: those within half a second
 * of each other count once, but only for half a second. */
void test_signal_nohup(struct live *t)
{
	struct live_talk gnomon;
	pid_t pid;
	int code;

	signal(SIGHUP, SIG_IGN);
	record(t, "", "serve", &gnomon, &pid);
	send(t, gnomon.pid, SIGHUP);
	live_ask(t, &gnomon, "sleep 300");
	live_tell(t, &gnomon, "quit");
	code = live_wait(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
}

/* What nohup(1) sets. */
void test_signal_pipe(struct live *t)
{
	char *path = live_path(t, "trace");
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	int code;

	live_add(t, &a, t->gnomon, "record", "-o", path, "-f", "work", "--",
		 live_fixture(t, "serve"), NULL);
	live_talk(t, &a, &gnomon);
	close(gnomon.err);
	live_await(t, gnomon.out, "ready ");
	live_ask(t, &gnomon, "work 50");
	live_tell(t, &gnomon, "quit");
	code = live_wait(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	CHECK(t,
	      live_function(t, report_of(t, path), NULL, "work", "calls",
			    NULL) == 50,
	      "not all calls are told");
}

static pid_t start_many(struct live *t, struct live_talk *many)
{
	struct live_args a = {.n = 0};
	int pid;

	live_command(t, &a, "many");
	live_talk(t, &a, many);
	CHECK(t,
	      sscanf(live_await(t, many->out, "ready "), "ready %d", &pid) == 1,
	      "many is not ready");
	return pid;
}

static int changed(struct live *t, struct live_talk *many)
{
	char *line;
	int n = -1;

	live_tell(t, many, "changed");
	line = live_await(t, many->out, "changed ");
	live_await(t, many->out, "done");
	CHECK(t, sscanf(line, "changed %d", &n) == 1, "%s", line);
	return n;
}

/* The kernel removes one event's probes after another's, which can take long on
 * a busy machine. */
static void await_unchanged(struct live *t, struct live_talk *many)
{
	while (changed(t, many))
		live_pause(5);
}

/* gnomon has told that it has attached. */
static void expect_all_changed(struct live *t, struct live_talk *many)
{
	int n = changed(t, many);

	CHECK(t, n == MANY, "%d functions have probes, not %d", n, MANY);
}

/* A reader of stderr that ends: no signal, no orphan. */
static char *trace_named(struct live *t, pid_t pid, const char *glob,
			 const char *option, struct live_talk *gnomon)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path,
		 "--attach", "single", "-f", glob, "-p",
		 live_text(t, "%d", pid), option, NULL);
	live_talk(t, &a, gnomon);
	return path;
}

static char *trace_many(struct live *t, pid_t pid, struct live_talk *gnomon)
{
	return trace_named(t, pid, "m_???", NULL, gnomon);
}

struct moment {
	uint64_t ns, pressed_ns;
};

/* A moment, and how long some process of the machine had waited for a CPU until
 * then; 0 if the kernel does not tell. */
static struct moment now(void)
{
	struct moment m = {.ns = live_now()};
	FILE *f = fopen("/proc/pressure/cpu", "re");
	uint64_t us;

	if (f && fscanf(f, "some %*s %*s %*s total=%" SCNu64, &us) == 1)
		m.pressed_ns = us * 1000;
	if (f)
		fclose(f);
	return m;
}

/* Checks that not more time has passed since `begin` than users accept, on a
 * machine that is not busy. Time in which any process waited for a CPU does not
 * count: gnomon and the kernel may have waited, too. */
static void soon(struct live *t, const struct moment *begin,
		 unsigned int seconds, const char *what)
{
	struct moment end = now();
	/* below 0 if what is taken off took longer */
	double took = (double)(int64_t)(end.ns - begin->ns) / 1e9;
	double pressed = (double)(end.pressed_ns - begin->pressed_ns) / 1e9;

	CHECK(t, took - pressed <= seconds * t->slow,
	      "%s took %.1f s, without a CPU for somebody in %.1f s of them",
	      what, took, pressed);
}

/* to attach to all functions of `many`; or to detach, more than from one */
#define MANY_S	 6
#define SIGNAL_S 2
/* to remove the probes of all runtimes that are installed */
#define UNMAPPED_S 2

/* Starts the end of a session of one function, and waits for it. */
static struct moment end_one(struct live *t, pid_t pid, const char *option)
{
	struct live_talk gnomon;
	char *path = trace_named(t, pid, "m_000", option, &gnomon);
	struct moment begin;

	live_await(t, gnomon.err, "gnomon: attached");
	begin = now();
	live_interrupt(t, &gnomon);
	live_attached(t, &gnomon, path);
	return begin;
}

/* How long a session of one function takes to end. The probes of the runtimes
 * that are installed are part of it, unless `option` leaves them out. */
static uint64_t end_of_one(struct live *t, pid_t pid, const char *option)
{
	struct moment begin = end_one(t, pid, option);

	return live_now() - begin.ns;
}

/* Without multi links, the probes of runtimes that the program could start but
 * never does take no time worth mentioning. */
void test_runtimes_unmapped(struct live *t)
{
	struct live_talk many;
	pid_t pid = start_many(t, &many);
	uint64_t without = end_of_one(t, pid, "--no-follow");
	struct moment begin = end_one(t, pid, NULL);

	begin.ns += without;
	soon(t, &begin, UNMAPPED_S, "the end, more than without runtimes,");
	live_tell(t, &many, "quit");
	CHECK(t, live_finish(t, &many) == 0, "many ended otherwise");
}

/* Thousands of functions on a kernel without multi links. If each probe waited
 * for the kernel separately, attaching and detaching would take minutes. */
void test_many_functions(struct live *t)
{
	struct live_talk many, gnomon;
	json_t *report, *row;
	pid_t pid = start_many(t, &many);
	uint64_t one = end_of_one(t, pid, NULL);
	struct moment begin;
	char *path;
	size_t i;

	begin = now();
	path = trace_many(t, pid, &gnomon);
	live_await(t, gnomon.err, "gnomon: attached");
	soon(t, &begin, MANY_S, "attaching");
	expect_all_changed(t, &many);
	live_ask(t, &many, "call 3");
	begin = now();
	live_interrupt(t, &gnomon);
	report = live_attached(t, &gnomon, path);
	begin.ns += one;
	soon(t, &begin, MANY_S, "the end, more than that of one function,");
	live_clean(t, report);
	CHECK(t, json_array_size(json_object_get(report, "functions")) == MANY,
	      "not all functions are told");
	json_array_foreach(json_object_get(report, "functions"), i, row) CHECK(
		t, live_number(t, row, "calls") == 3, "a function has %d calls",
		(int)live_number(t, row, "calls"));
	CHECK(t, changed(t, &many) == 0, "probes are left behind");
	live_tell(t, &many, "quit");
	CHECK(t, live_finish(t, &many) == 0, "many ended otherwise");
}

/* Whatever happens to gnomon, its probes are removed. */
void test_many_killed(struct live *t)
{
	struct live_talk many, gnomon;
	pid_t pid = start_many(t, &many);

	trace_many(t, pid, &gnomon);
	live_await(t, gnomon.err, "gnomon: attached");
	expect_all_changed(t, &many);
	send(t, gnomon.pid, SIGKILL);
	live_wait(t, &gnomon);
	await_unchanged(t, &many);
	live_tell(t, &many, "quit");
	CHECK(t, live_finish(t, &many) == 0, "many ended otherwise");
}

/* False: gnomon had attached before it received the signal. */
static bool came_early(struct live *t, const struct live_talk *gnomon,
		       const char *ended)
{
	char *line;

	do
		line = live_await(t, gnomon->err, "gnomon: ");
	while (strncmp(line, ended, strlen(ended)) &&
	       strncmp(line, "gnomon: attached", 16));
	return !strncmp(line, ended, strlen(ended));
}

/* A signal during the attach: nothing was traced, nothing stays behind. */
static bool signal_attaching(struct live *t, struct live_talk *many, pid_t pid,
			     int sig, const char *name)
{
	struct live_talk gnomon;
	struct moment begin;
	bool early;
	int code;

	trace_many(t, pid, &gnomon);
	while (!changed(t, many))
		;
	begin = now();
	send(t, gnomon.pid, sig);
	early = came_early(t, &gnomon,
			   live_text(t, "gnomon: ended by SIG%s before", name));
	code = live_wait(t, &gnomon);
	if (early) {
		soon(t, &begin, SIGNAL_S, name);
		CHECK(t, code == 128 + sig, "gnomon ended with %d", code);
	}
	await_unchanged(t, many);
	return early;
}

void test_signal_attaching(struct live *t)
{
	static const int signals[] = {SIGINT, SIGTERM};
	struct live_talk many;
	pid_t pid = start_many(t, &many);

	for (size_t i = 0; i < 2; i++) {
		int tries = 0;

		while (!signal_attaching(t, &many, pid, signals[i],
					 sigabbrev_np(signals[i])))
			live_again(t, tries++, TRIES,
				   "it had attached before the signal came");
	}
	live_tell(t, &many, "quit");
	CHECK(t, live_finish(t, &many) == 0, "many ended otherwise");
}

/* Waits until gnomon reads the signal instead of being ended by it. */
static void await_blocked(struct live *t, pid_t pid, int sig)
{
	char *path = live_text(t, "/proc/%d/status", pid), line[256];
	unsigned long blocked = 0;
	FILE *f;
	int i;

	for (i = 0; i < PATIENCE && !(blocked >> (sig - 1) & 1); i++) {
		f = fopen(path, "re");
		CHECK(t, f, "%s: %s", path, strerror(errno));
		while (fgets(line, sizeof(line), f))
			sscanf(line, "SigBlk: %lx", &blocked);
		fclose(f);
	}
	CHECK(t, i < PATIENCE, "gnomon does not read signals");
}

/* False: the command was started before gnomon received the signal. */
static bool signal_early(struct live *t)
{
	char *path = live_path(t, "trace");
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	bool early;
	int code;

	live_add(t, &a, t->gnomon, "record", "--attach", "single", "-o", path,
		 "-f", "m_???", "--", live_fixture(t, "many"), NULL);
	live_talk(t, &a, &gnomon);
	/* gnomon reads signals as soon as it has parsed its arguments */
	await_blocked(t, gnomon.pid, SIGTERM);
	send(t, gnomon.pid, SIGTERM);
	early = came_early(t, &gnomon,
			   "gnomon: ended by SIGTERM before tracing began; "
			   "the command was not run");
	code = live_wait(t, &gnomon);
	CHECK(t, code == 128 + SIGTERM, "gnomon ended with %d", code);
	if (!early)
		return false;
	CHECK(t, !live_await_or_end(t, gnomon.out, "ready"),
	      "the command was run all the same");
	CHECK(t, access(path, F_OK), "a file is left behind");
	return true;
}

/* A signal before the command was started: it is not started. */
void test_signal_early(struct live *t)
{
	int i = 0;

	while (!signal_early(t))
		live_again(t, i++, TRIES,
			   "the command was started before the signal came");
}

/* Makes a report that is larger than a pipe. */
static void make_large(struct live *t, struct live_talk *gnomon)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-f", "m_???",
		 "--", live_fixture(t, "many"), NULL);
	live_talk(t, &a, gnomon);
	live_await(t, gnomon->out, "ready ");
	live_ask(t, gnomon, "call 1");
}

/* After a signal gnomon waits for a reader as long as for anything else, and
 * ends. */
void test_report_unread(struct live *t)
{
	struct live_talk gnomon;
	struct moment begin;
	char *line;
	int code;

	make_large(t, &gnomon);
	begin = now();
	send(t, gnomon.pid, SIGTERM);
	line = live_await(t, gnomon.err, "gnomon: nobody reads");
	CHECK(t, strstr(line, " bytes"), "%s", line);
	code = live_wait(t, &gnomon);
	soon(t, &begin, 2 * SIGNAL_S, "the end");
	CHECK(t, code == 1, "gnomon ended with %d", code);
}

/* Without a signal gnomon waits as long as its reader wants, as after the first
 * page of a pager: longer than after a signal. */
void test_report_late(struct live *t)
{
	const struct timespec page = {.tv_sec = SIGNAL_S + 1};
	size_t size = 16 << 20, n = 0;
	char *all = malloc(size), *begin;
	struct live_talk gnomon;
	json_error_t e;
	json_t *report;
	ssize_t got;

	CHECK(t, all, "no memory");
	make_large(t, &gnomon);
	live_tell(t, &gnomon, "quit");
	nanosleep(&page, NULL);
	while ((got = read(gnomon.out, all + n, size - n)) > 0)
		n += (size_t)got;
	begin = memchr(all, '{', n);
	CHECK(t, begin, "no report in %zu bytes", n);
	report = json_loadb(begin, n - (size_t)(begin - all), 0, &e);
	CHECK(t, report, "%s in line %d", e.text, e.line);
	json_decref(report);
	free(all);
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon failed");
}

/* Calls go into a FIFO that nobody reads. gnomon waits for a reader. A signal
 * ends that wait, and also the command. */
void test_calls_unread(struct live *t)
{
	char *path = live_path(t, "fifo");
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	struct moment begin;
	char *line;
	int code, fifo;

	CHECK(t, mkfifo(path, 0600) == 0, "mkfifo: %s", strerror(errno));
	fifo = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	CHECK(t, fifo >= 0, "%s: %s", path, strerror(errno));
	live_add(t, &a, t->gnomon, "run", "--by", "calls", "-o", path, "-f",
		 "m_???", "--", live_fixture(t, "many"), NULL);
	live_talk(t, &a, &gnomon);
	live_await(t, gnomon.out, "ready ");
	live_ask(t, &gnomon, "call 1");
	begin = now();
	send(t, gnomon.pid, SIGTERM);
	line = live_await(t, gnomon.err,
			  "gnomon: the records cannot be written");
	CHECK(t, strstr(line, "nobody reads them"), "%s", line);
	code = live_wait(t, &gnomon);
	soon(t, &begin, 2 * SIGNAL_S, "the end");
	CHECK(t, code == 1, "gnomon ended with %d", code);
	close(fifo);
}
