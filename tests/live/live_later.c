/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that gnomon finds during tracing: programs that a traced process
 * executes, and libraries that it loads. */
#include "live_files.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N PRIu64

static struct live_talk run_talk(struct live *t, const char *options,
				 const char *command, char **report)
{
	struct live_args a = {.n = 0};
	struct live_talk talk;

	*report = live_path(t, "report.json");
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", *report,
		 NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	live_split(t, &a, command);
	live_talk(t, &a, &talk);
	return talk;
}

static void expect_late(struct live *t, const json_t *report, const char *name)
{
	CHECK(t,
	      live_number(t, report, "counters.unprobed") > 0 &&
		      files_unprobed(report, name),
	      "it is not told that calls before the probes were not seen");
}

static void expect_in_time(struct live *t, const json_t *report)
{
	CHECK(t, !live_number(t, report, "counters.unprobed"),
	      "probes came late");
}

/* How often the program waited for what, by poll. */
static uint64_t polls(struct live *t, const json_t *report, const char *what)
{
	return live_waits(t, report, "polled", what, "count");
}

/* The command executes the program, which executes itself again. What env
 * starts is known from the command's words; a shell waits until the program has
 * its probes. */
void test_executed(struct live *t)
{
	static const char *const wrappers[] = {"sh -c exec\t$0", "env A=1"};

	for (size_t i = 0; i < 2; i++) {
		char *path, *command = live_text(t, "%s %s", wrappers[i],
						 live_fixture(t, "visited"));
		struct live_talk talk;
		json_t *report;

		talk = run_talk(t, "-f work", command, &path);
		live_await(t, talk.err,
			   i ? "gnomon: attached: 1 native function"
			     : "gnomon: attached: process");
		live_ask(t, &talk, "work 123");
		live_tell(t, &talk, "exec");
		live_await(t, talk.out, "ready");
		live_ask(t, &talk, "work 1000");
		CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
		report = live_load(t, path);
		live_clean(t, report);
		files_expect(t, report, "/visited", "work", 1123);
		expect_in_time(t, report);
	}
}

/* The reported time that processes ran without their probes is not longer than
 * they ran, however many programs and files each had. */
void test_executed_short(struct live *t)
{
	char *path;
	struct live_talk talk =
		run_talk(t, "-f libc.so.6:rand_r -f libfixture.so:* -f main",
			 live_text(t, "sh -c $0;$0;$0;$0;: %s",
				   live_fixture(t, "shared")),
			 &path);
	uint64_t told, ran;
	json_t *report;

	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	report = live_load(t, path);
	told = live_number(t, report, "counters.unprobed-ns");
	ran = live_number(t, report, "session.elapsed_ns");
	CHECK(t, told && told <= ran, "unprobed for %" N " ns of %" N, told,
	      ran);
}

/* Many processes that run one program at once; the first one runs longer. */
static char *many_runs(struct live *t, uint64_t many)
{
	return live_text(t,
			 "$0 35& i=1; while [ $i -lt %" N
			 " ]; do $0 12& i=$((i+1)); done; wait",
			 many);
}

/* Each is seen. */
void test_executed_many(struct live *t)
{
	const uint64_t many = 40;
	struct live_args a = {.n = 0};
	char *path = live_path(t, "report.json");
	struct live_talk talk;
	json_t *report;

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "-f",
		 "main", "--", "sh", "-c", many_runs(t, many),
		 live_fixture(t, "fib"), NULL);
	live_talk(t, &a, &talk);
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	report = live_load(t, path);
	expect_in_time(t, report);
	files_expect(t, report, "/fib", "main", many);
}

/* So is what a shell of another user starts: su and the like change it. */
void test_executed_user(struct live *t)
{
	char *program = files_copy(t, "fib", "program"), *path;
	struct live_talk talk;
	json_t *report;

	CHECK(t, chmod(t->dir, 0755) == 0, "chmod");
	talk = run_talk(t, "-f main",
			live_text(t,
				  "setpriv --reuid 65534 --clear-groups sh -c "
				  "$0\t12;$0\t12;: %s",
				  program),
			&path);
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	report = live_load(t, path);
	expect_in_time(t, report);
	files_expect(t, report, "/program", "main", 2);
}

/* The first child of the process; waits for it. */
static pid_t child_of(struct live *t, pid_t pid)
{
	char *path = live_text(t, "/proc/%d/task/%d/children", pid, pid);
	int child = 0;

	while (!child) {
		FILE *f = fopen(path, "re");

		CHECK(t, f, "%s: %s", path, strerror(errno));
		if (fscanf(f, "%d", &child) != 1)
			live_pause(2);
		fclose(f);
	}
	return child;
}

/* gnomon is stopped, so a shell's child waits for the program's probes. A
 * signal for the program ends it: the child does not take it as the shell
 * does. */
void test_executed_signalled(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk talk;
	pid_t child;
	int sh;

	live_add(t, &a, t->gnomon, "run", "-o", live_path(t, "report"), "-f",
		 "main", "--", "sh", "-c",
		 "trap : TERM; echo ready $$; read line; sleep 9; echo ends $?",
		 NULL);
	live_talk(t, &a, &talk);
	CHECK(t,
	      sscanf(live_await(t, talk.out, "ready "), "ready %d", &sh) == 1,
	      "sh is not ready");
	kill(talk.pid, SIGSTOP);
	live_tell(t, &talk, "go");
	child = child_of(t, sh);
	live_pause(200);
	kill(child, SIGTERM);
	CHECK(t, live_await(t, talk.out, "ends 143"), "it goes on");
	kill(talk.pid, SIGCONT);
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
}

/* A shell that runs this when it receives a line; $0 is the path. */
static pid_t start_script(struct live *t, const char *script, const char *path,
			  struct live_talk *sh)
{
	struct live_args a = {.n = 0};
	int pid;

	live_add(t, &a, "/bin/sh", "-c",
		 live_text(t, "echo ready $$; read line; %s", script), path,
		 NULL);
	live_talk(t, &a, sh);
	CHECK(t,
	      sscanf(live_await(t, sh->out, "ready "), "ready %d", &pid) == 1,
	      "sh is not ready");
	return pid;
}

/* Attaches to a shell, which then becomes the program; waits until the
 * program is ready. */
static char *attach_executed(struct live *t, const char *path,
			     struct live_talk *sh, struct live_talk *gnomon)
{
	pid_t pid = start_script(t, "exec $0", path, sh);
	char *out = live_attach(t, "-f work -f libc.so.6:getpid",
				live_text(t, "%d", pid), gnomon);

	live_tell(t, sh, "go");
	live_await(t, gnomon->err, "gnomon: attached: process");
	live_await(t, sh->out, "ready ");
	return out;
}

/* A shell waits for gnomon before it starts a program, which counts as that.
 * Such a program was seen, however soon it ends: if nothing has the function,
 * that is no reason. */
void test_executed_gate(struct live *t)
{
	struct live_args a = {.n = 0};
	char *path;
	struct live_talk talk = run_talk(
		t, "-f fib",
		live_text(t, "sh -c exec\t$0\t5 %s", live_fixture(t, "fib")),
		&path);
	struct live_end end;
	json_t *report;

	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	report = live_load(t, path);
	CHECK(t,
	      polls(t, report, "gnomon") == 1 && !polls(t, report, "several"),
	      "%" N " waits for gnomon, %" N " others",
	      polls(t, report, "gnomon"), polls(t, report, "several"));
	live_add(t, &a, t->gnomon, "run", "-f", "nothing_has_this", "--",
		 "/bin/sh", "-c", "for i in 1 2 3 4 5; do /bin/true; done",
		 NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.err, "nothing_has_this"), "no glob is told: %s",
	      end.err);
	CHECK(t, !strstr(end.err, "could look into"), "it says: %s", end.err);
}

/* Of processes that another process starts than those of a command, each is
 * seen or reported as missing. The first one runs until gnomon has read its
 * file: for a program that ended before that, gnomon does not know whether it
 * has the function. */
void test_executed_many_attached(struct live *t)
{
	const uint64_t many = 40;
	struct live_talk sh, gnomon;
	uint64_t seen, late;
	json_t *report;
	pid_t pid = start_script(t, many_runs(t, many), live_fixture(t, "fib"),
				 &sh);
	char *out = live_attach(t, "-f main -f libc.so.6:getpid",
				live_text(t, "%d", pid), &gnomon);

	live_tell(t, &sh, "go");
	CHECK(t, live_finish(t, &sh) == 0, "it ended otherwise");
	CHECK(t, live_finish(t, &gnomon) == 0, "gnomon ended otherwise");
	report = live_load(t, out);
	late = live_number(t, report, "counters.unprobed");
	seen = live_function(t, report, NULL, "main", "calls", NULL);
	CHECK(t, late && seen + late >= many,
	      "%" N " calls seen, %" N " told of, of %" N, seen, late, many);
}

/* A process that gnomon is attached to executes another program. */
void test_executed_attached(struct live *t)
{
	char *path = files_copy(t, "serve", "serve"), *out;
	struct live_talk sh, gnomon;
	json_t *report;

	out = attach_executed(t, path, &sh, &gnomon);
	live_ask(t, &sh, "work 40");
	report = live_detach(t, &gnomon, out);
	files_expect(t, report, path, "work", 40);
	expect_late(t, report, "work");
}

/* The same by a path that alternates between two programs: gnomon probes the
 * running one, and does not change the other. */
void test_executed_swapped(struct live *t)
{
	char *mine = files_copy(t, "serve", "mine"), *before, *out;
	char *theirs = files_copy(t, "serve", "theirs");
	struct live_talk sh, other, gnomon;
	json_t *report;
	pid_t swapper;

	files_start(t, theirs, &other);
	before = files_bytes(t, &other);
	swapper = live_exchange(t, mine, theirs);
	for (int i = 0; i < 5; i++) {
		out = attach_executed(t, mine, &sh, &gnomon);
		live_ask(t, &sh, "work 10");
		CHECK(t, strcmp(files_bytes(t, &other), before) == 0,
		      "the text of a program that is not traced was changed");
		report = live_detach(t, &gnomon, out);
		files_expect(t, report, NULL, "work", 10);
		live_tell(t, &sh, "quit");
		live_finish(t, &sh);
	}
	live_exchange_end(swapper);
}

/* Another program is written into the file of one that has run. The probes of
 * the first would be in the middle of instructions of the second. */
void test_executed_written(struct live *t)
{
	char *file = files_copy(t, "fib", "program"), *path;
	struct live_talk talk =
		run_talk(t, live_text(t, "-f %s:*", file),
			 live_text(t, "sh -c $0\t9&&cat\t$1>$0&&exec\t$0 %s %s",
				   file, live_fixture(t, "serve")),
			 &path);
	unsigned long fib;
	json_t *report;

	CHECK(t,
	      sscanf(live_await(t, talk.out, "calls fib "), "calls fib %lu",
		     &fib) == 1,
	      "the first program did not run");
	live_await(t, talk.out, "ready ");
	live_await(t, talk.err, "gnomon: attached: process");
	live_ask(t, &talk, "work 100");
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	report = live_load(t, path);
	live_clean(t, report);
	files_expect(t, report, "/program", "fib", fib);
	files_expect(t, report, "/program", "work", 100);
	CHECK(t, !files_unprobed(report, "work"),
	      "the second program's probes came late");
}

/* A thread other than the first executes a file that another process maps, too:
 * the probes of the process belonged to its first thread. */
void test_executed_thread(struct live *t)
{
	char *file = files_copy(t, "serve", "program"), *before, *out;
	struct live_talk other, serve, gnomon;
	json_t *report;
	pid_t pid;

	files_start(t, file, &other);
	before = files_bytes(t, &other);
	pid = files_start(t, file, &serve);
	out = live_attach(t, "-f work", live_text(t, "%d", pid), &gnomon);
	live_ask(t, &serve, "work 10");
	for (int i = 0; i < 2; i++) {
		live_tell(t, &serve, "exec");
		live_await(t, serve.out, "ready ");
		while (strcmp(files_bytes(t, &serve), before) == 0)
			live_pause(5);
		live_ask(t, &serve, "work 100");
	}
	report = live_detach(t, &gnomon, out);
	files_expect(t, report, NULL, "work", 210);
	expect_late(t, report, "work");
}

/* A library that only the later program maps. */
void test_executed_library(struct live *t)
{
	char *path, *command = live_text(t, "sh -c exec\t$0 %s",
					 live_fixture(t, "visited"));
	struct live_talk talk =
		run_talk(t, "-f libfixture.so:library_work -f libc.so.6:rand_r",
			 command, &path);
	json_t *report;

	live_await(t, talk.err, "gnomon: attached: process");
	live_ask(t, &talk, "library 50");
	files_ask(t, &talk, FILES_LIBC);
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	report = live_load(t, path);
	live_clean(t, report);
	files_expect(t, report, "libfixture.so", "library_work", 50);
	files_expect(t, report, NULL, "rand_r", 10000);
	expect_late(t, report, "library_work");
	CHECK(t, !files_unprobed(report, "rand_r"),
	      "what was probed is marked");
}

/* A library that no process maps when gnomon starts, by its file name. */
void test_awaited(struct live *t)
{
	char *path, *command = live_text(t, "%s", live_fixture(t, "visited"));
	struct live_talk talk =
		run_talk(t, "-f libplugin.so:plugin_work -f libnone.so:f",
			 command, &path);
	json_t *report;
	char *line = live_await(t, talk.err, "gnomon: attached: ");

	CHECK(t, strstr(line, "not mapped yet"), "it is not told: \"%s\"",
	      line);
	live_ask(t, &talk, "load");
	live_await(t, talk.err, "gnomon: attached: process");
	live_ask(t, &talk, "plugin 70");
	live_tell(t, &talk, "quit");
	line = live_await(t, talk.err, "gnomon: no function matched");
	CHECK(t, strstr(line, "'libnone.so:f'"), "it is told \"%s\"", line);
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	report = live_load(t, path);
	live_clean(t, report);
	files_expect(t, report, "libplugin.so", "plugin_work", 70);
	expect_late(t, report, "plugin_work");
}

/* gnomon cannot open more files when the library is loaded. It reports that,
 * and for how long calls are missing. */
void test_awaited_few_files(struct live *t)
{
	struct rlimit few, usual;
	uint64_t told, ns;
	struct live_talk talk;
	json_t *report;
	char *path;

	talk = run_talk(t, "-f libplugin.so:plugin_work",
			live_text(t, "%s", live_fixture(t, "visited")), &path);
	live_await(t, talk.err, "gnomon: attached: ");
	CHECK(t, !prlimit(talk.pid, RLIMIT_NOFILE, NULL, &usual), "prlimit: %s",
	      strerror(errno));
	few = (struct rlimit){8, usual.rlim_max};
	CHECK(t, !prlimit(talk.pid, RLIMIT_NOFILE, &few, NULL), "prlimit: %s",
	      strerror(errno));
	live_ask(t, &talk, "load");
	live_await(t, talk.err, "gnomon: not all libraries and programs");
	ns = live_now();
	prlimit(talk.pid, RLIMIT_NOFILE, &usual, NULL);
	live_ask(t, &talk, "plugin 70");
	ns = live_now() - ns;
	live_tell(t, &talk, "quit");
	CHECK(t, !live_await_or_end(t, talk.err, "gnomon: no function"),
	      "a wrong reason is told");
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	report = live_load(t, path);
	told = live_number(t, report, "counters.unprobed-ns");
	CHECK(t, told >= ns, "only %" N " ns are told of, of %" N, told, ns);
}

/* The report of a program that loads the library while it runs. `late`: the
 * library gets its probes only then. */
static char *load_plugin(struct live *t, const char *lib, const char *command,
			 bool late)
{
	char *path;
	struct live_talk talk = run_talk(
		t, live_text(t, "-f %s:plugin_work --format table", lib),
		command, &path);

	live_await(t, talk.err, "gnomon: attached: ");
	live_ask(t, &talk, "load");
	if (late)
		live_await(t, talk.err, "gnomon: attached: process");
	live_ask(t, &talk, "plugin 70");
	live_tell(t, &talk, "quit");
	CHECK(t, !live_await_or_end(t, talk.err, "gnomon: no process"),
	      "what is mapped is told not to be");
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	return live_read(t, path, NULL);
}

/* A command that runs copies of the program and its libraries, in a folder that
 * only its own mount namespace has. */
static char *in_container(struct live *t)
{
	char *script = live_path(t, "script");
	FILE *f = fopen(script, "w");

	CHECK(t, f, "%s: %s", script, strerror(errno));
	fprintf(f,
		"mkdir %s/in && mount -t tmpfs none %s/in &&\n"
		"cp %s/program %s/*.so %s/in && exec %s/in/program\n",
		t->dir, t->dir, t->dir, t->dir, t->dir, t->dir);
	CHECK(t, fclose(f) == 0, "%s: %s", script, strerror(errno));
	return live_text(t, "unshare -m sh %s", script);
}

/* gnomon says how the library can have probes before it is mapped; not in a
 * container, where -f cannot name its path. */
void test_awaited_path(struct live *t)
{
	char *program = files_copy(t, "visited", "program"), *report;
	char *library = files_copy(t, "libplugin.so", "libplugin.so");
	char *remedy = live_text(t, "'%s:GLOB'", library);

	files_copy(t, "libfixture.so", "libfixture.so");
	report = load_plugin(t, "libplugin.so", program, true);
	CHECK(t, strstr(report, remedy), "without its path: %s", report);
	report = load_plugin(t, library, program, false);
	CHECK(t, !strstr(report, remedy), "with its path: %s", report);
	report = load_plugin(t, "libplugin.so", in_container(t), true);
	CHECK(t, strstr(report, "UNPROBED") && !strstr(report, "GLOB'"),
	      "in a container: %s", report);
}

/* A script has no libraries. A library that -f names has probes before a
 * program that the script starts maps it. */
void test_awaited_script(struct live *t)
{
	char *script = live_path(t, "script"), *report;
	FILE *f = fopen(script, "w");

	CHECK(t, f, "%s: %s", script, strerror(errno));
	fprintf(f, "#!/bin/sh\nexec %s\n", live_fixture(t, "visited"));
	CHECK(t, fclose(f) == 0 && chmod(script, 0755) == 0, "%s: %s", script,
	      strerror(errno));
	report = load_plugin(t, live_fixture(t, "libplugin.so"), script, false);
	CHECK(t,
	      strstr(report, "plugin_work  libplugin.so") &&
		      !strstr(report, "UNPROBED"),
	      "its calls are not seen: %s", report);
}

/* A library that nobody maps is reported: the program itself may have functions
 * of these names. */
void test_awaited_vainly(struct live *t)
{
	char *library = files_copy(t, "libplugin.so", "libplugin.so"), *path,
	     *line;
	struct live_talk talk =
		run_talk(t, live_text(t, "-f %s:plugin_work", library),
			 live_text(t, "%s 5", live_fixture(t, "fib")), &path);

	line = live_await_or_end(t, talk.err, "gnomon: no process");
	CHECK(t, line && strstr(line, library), "it is not told");
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
}

/* The same with a process that ends at once: its calls are seen, or reported as
 * missing. */
void test_awaited_short(struct live *t)
{
	char *command = live_text(t, "%s", live_fixture(t, "visited"));

	for (int i = 0; i < 5; i++) {
		char *path, *line;
		struct live_talk talk = run_talk(
			t, "-f libplugin.so:plugin_work", command, &path);
		uint64_t late;

		free(live_await(t, talk.err, "gnomon: attached: "));
		live_tell(t, &talk, "load");
		live_tell(t, &talk, "plugin 3");
		live_tell(t, &talk, "quit");
		line = live_await_or_end(t, talk.err,
					 "gnomon: no function matched");
		CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
		CHECK(t, !line || strstr(line, "before its probes were in"),
		      "it is told \"%s\"", line);
		late = live_number(t, live_load(t, path), "counters.unprobed");
		CHECK(t, late == 1,
		      "that calls can be missing is told %" N " times", late);
	}
}

/* A running process maps a library. Another process runs functions of it and
 * pays nothing. */
void test_awaited_attached(struct live *t)
{
	const char *path = live_fixture(t, "visited");
	struct live_talk traced, other, gnomon;
	pid_t pid = files_start(t, path, &traced);
	uint64_t before, beside, own;
	json_t *report;
	char *out;

	files_start(t, path, &other);
	live_ask(t, &other, "load");
	before = files_least(t, &other, "plugin 10000");
	out = live_attach(t, "-f libplugin.so:plugin_work",
			  live_text(t, "%d", pid), &gnomon);
	live_ask(t, &traced, "load");
	live_await(t, gnomon.err, "gnomon: attached: process");
	beside = files_least(t, &other, "plugin 10000");
	own = files_ask(t, &traced, "plugin 10000");
	report = live_detach(t, &gnomon, out);
	files_expect(t, report, "libplugin.so", "plugin_work", 10000);
	expect_late(t, report, "plugin_work");
	/* a probe in such a function makes it at least 100 times slower */
	CHECK(t, beside < 10 * before,
	      "a loop beside took %" N " ns, not %" N "; the traced one %" N,
	      beside, before, own);
	CHECK(t, own > 10 * before, "probes cost nothing: is any there?");
}

/* Sleeps until it is killed; it is not traced. */
static void start_beside(struct live *t, struct live_talk *beside)
{
	struct live_args a = {.n = 0};

	live_command(t, &a, "classes nanosleep 40 1000000");
	live_talk(t, &a, beside);
	live_await_call(t, beside->pid, SYS_nanosleep, -1);
}

/*
 * A shell starts many copies of a program at once. One of them is the first
 * that shows its file. Calls that the others are in at that moment began before
 * their probes. If another process runs the program, each of them gets its own
 * probes.
 */
void test_late_copies(struct live *t)
{
	char *program =
		live_text(t, "%s nanosleep 40 20", live_fixture(t, "classes"));
	struct live_talk beside = {.pid = 0};

	for (int i = 0; i < 4; i++) {
		struct live_args a = {.n = 0};
		struct live_end end;

		if (i == 2)
			start_beside(t, &beside);
		live_add(t, &a, t->gnomon, "run", "-f", "wait_*", "-f",
			 "surround", "-o", "/dev/null", "--", "/bin/sh", "-c",
			 live_text(t, "for i in $(seq 40); do %s & done; wait",
				   program),
			 NULL);
		live_run(t, &a, NULL, &end);
		CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code,
		      end.err);
	}
	kill(beside.pid, SIGKILL);
	live_wait(t, &beside);
}
