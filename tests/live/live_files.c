/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files and processes are probed: a file is probed once under all its
 * names; the running file counts, not the one now at its path; and processes
 * that are not traced are left alone. */
#include "live_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define N PRIu64

char *files_copy(struct live *t, const char *fixture, const char *name)
{
	char *path = live_text(t, "%s/%s", t->dir, name);

	live_copy(t, live_fixture(t, fixture), path);
	return path;
}

pid_t files_start(struct live *t, const char *path, struct live_talk *talk)
{
	struct live_args a = {.n = 0};
	int pid;

	live_add(t, &a, path, NULL);
	live_talk(t, &a, talk);
	CHECK(t,
	      sscanf(live_await(t, talk->out, "ready "), "ready %d", &pid) == 1,
	      "%s is not ready", path);
	return pid;
}

void files_expect(struct live *t, const json_t *report, const char *module,
		  const char *name, uint64_t want)
{
	uint64_t calls = live_function(t, report, module, name, "calls", NULL);

	CHECK(t, calls == want, "%s: %" N " calls reported, %" N " made", name,
	      calls, want);
}

static void expect_clean(struct live *t, const json_t *report)
{
	CHECK(t, live_number(t, report, "checks.unwound_frames") == 0,
	      "frames are unwound");
	CHECK(t, live_number(t, report, "checks.unmatched_leaves") == 0,
	      "leaves match no frame");
}

bool files_unprobed(const json_t *report, const char *name)
{
	const json_t *function;
	size_t i;

	json_array_foreach(json_object_get(report, "functions"), i, function) if (
		!strcmp(json_string_value(json_object_get(function, "name")),
			name)) return json_is_true(json_object_get(function,
								   "unprobed"));
	return false;
}

/* Checks that a function of that name has a module with this path. */
static void expect_module(struct live *t, const json_t *report,
			  const char *name, const char *path)
{
	const char *module = "of no function";
	const json_t *function;
	size_t i;

	json_array_foreach(json_object_get(report, "functions"), i, function)
	{
		if (strcmp(json_string_value(json_object_get(function, "name")),
			   name))
			continue;
		module = json_string_value(json_object_get(function, "module"));
		if (strcmp(module, path) == 0)
			return;
	}
	live_fail(t, "the module of %s is '%s', not '%s'", name, module, path);
}

/* Two names of one file, and another program: each call counts once. */
void test_files_names(struct live *t)
{
	struct live_talk one, two, three, gnomon;
	char *first = files_copy(t, "serve", "first"), *second, *path;
	pid_t a, b, c;
	json_t *report;

	second = live_text(t, "%s/second", t->dir);
	CHECK(t, link(first, second) == 0, "link: %s", strerror(errno));
	a = files_start(t, first, &one);
	b = files_start(t, second, &two);
	c = files_start(t, files_copy(t, "serve", "third"), &three);
	path = live_attach(t, "-f work", live_text(t, "%d,%d,%d", a, b, c),
			   &gnomon);
	live_ask(t, &one, "work 100");
	live_ask(t, &two, "work 20");
	live_ask(t, &three, "work 3");
	report = live_detach(t, &gnomon, path);
	files_expect(t, report, NULL, "work", 123);
	files_expect(t, report, "/third", "work", 3);
	expect_clean(t, report);
	expect_module(t, report, "work", first);
	expect_module(t, report, "work", live_text(t, "%s/third", t->dir));
}

/* What was started is a link. That its name is not the file's is told. */
void test_files_linked(struct live *t)
{
	char *file = files_copy(t, "serve", "serves-all"), *path;
	struct live_args a = {.n = 0};
	struct live_talk talk;
	struct live_end end;
	pid_t pid;

	path = live_text(t, "%s/serve-one", t->dir);
	CHECK(t, symlink(file, path) == 0, "symlink: %s", strerror(errno));
	pid = files_start(t, path, &talk);
	live_add(t, &a, t->gnomon, "run", "-d", "10ms", "-f", "serve-one:work",
		 "-p", live_text(t, "%d", pid), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d", end.code);
	CHECK(t,
	      strstr(end.err, live_text(t, "the program itself: %s\n", file)),
	      "the program's file is not named: %s", end.err);
}

/* The program's file is upgraded while it runs. */
void test_files_replaced(struct live *t)
{
	char *path = files_copy(t, "serve", "program"), *out;
	struct live_talk serve, gnomon;
	pid_t pid = files_start(t, path, &serve);
	json_t *report;

	CHECK(t, rename(files_copy(t, "fib", "newer"), path) == 0, "rename: %s",
	      strerror(errno));
	out = live_attach(t, "-f work", live_text(t, "%d", pid), &gnomon);
	live_ask(t, &serve, "work 77");
	report = live_detach(t, &gnomon, out);
	files_expect(t, report, NULL, "work", 77);
	expect_module(t, report, "work", path);
}

/* A library is overwritten while a process has it mapped and sees the new
 * bytes; then the file is truncated. */
void test_files_written(struct live *t)
{
	char *path = files_copy(t, "visited", "program"), *out;
	char *library = files_copy(t, "libplugin.so", "libplugin.so");
	struct live_talk visited, gnomon;
	char bytes[64];
	json_t *report;
	int fd, code;
	pid_t pid;

	/* the program looks here first for the library */
	files_copy(t, "libfixture.so", "libfixture.so");
	pid = files_start(t, path, &visited);
	live_ask(t, &visited, "load");
	fd = open(library, O_RDWR | O_CLOEXEC);
	CHECK(t,
	      fd >= 0 && pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes) &&
		      pwrite(fd, bytes, sizeof(bytes), 0) == sizeof(bytes),
	      "%s: %s", library, strerror(errno));
	out = live_attach(t, "-f libplugin.so:plugin_work",
			  live_text(t, "%d", pid), &gnomon);
	live_ask(t, &visited, "plugin 77");
	report = live_detach(t, &gnomon, out);
	files_expect(t, report, "libplugin.so", "plugin_work", 77);
	expect_module(t, report, "plugin_work", library);
	CHECK(t, ftruncate(fd, 0) == 0, "ftruncate: %s", strerror(errno));
	close(fd);
	live_attach(t, "-f libplugin.so:plugin_work", live_text(t, "%d", pid),
		    &gnomon);
	live_interrupt(t, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: no function matched"));
	code = live_wait(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
}

/* The same while it is traced, and nothing is attached later: from then on its
 * calls are missing, and the report says so. */
void test_files_written_traced(struct live *t)
{
	char *path = files_copy(t, "visited", "program"), *out;
	char *library = files_copy(t, "libfixture.so", "libfixture.so");
	struct live_talk visited, gnomon;
	json_t *report;
	pid_t pid = files_start(t, path, &visited);
	int fd;

	out = live_attach(t, "--no-follow -f libfixture.so:library_work",
			  live_text(t, "%d", pid), &gnomon);
	live_ask(t, &visited, "library 50");
	/* this waits until the probes are gone */
	fd = open(library, O_WRONLY | O_CLOEXEC);
	CHECK(t, fd >= 0, "%s: %s", library, strerror(errno));
	close(fd);
	live_ask(t, &visited, "library 30");
	report = live_detach(t, &gnomon, out);
	files_expect(t, report, "libfixture.so", "library_work", 50);
	CHECK(t, files_unprobed(report, "library_work"), "it is not marked");
	CHECK(t,
	      json_integer_value(json_object_get(
		      json_object_get(report, "counters"), "unprobed")) == 1,
	      "it is not counted");
}

/* Another program is mounted over the file. */
void test_files_mounted(struct live *t)
{
	char *path = files_copy(t, "serve", "program"), *out;
	char *other = files_copy(t, "fib", "other");
	struct live_talk serve, gnomon;
	json_t *report;
	pid_t pid;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		live_skip(t, "no mount namespace: %s", strerror(errno));
	pid = files_start(t, path, &serve);
	CHECK(t, mount(other, path, NULL, MS_BIND, NULL) == 0, "mount: %s",
	      strerror(errno));
	out = live_attach(t, "-f work", live_text(t, "%d", pid), &gnomon);
	live_ask(t, &serve, "work 77");
	report = live_detach(t, &gnomon, out);
	umount(path);
	files_expect(t, report, NULL, "work", 77);
	expect_module(t, report, "work", path);
}

char *files_bytes(struct live *t, struct live_talk *serve)
{
	char *line;

	live_tell(t, serve, "bytes");
	line = live_await(t, serve->out, "bytes ");
	live_await(t, serve->out, "done");
	return line;
}

/* The path alternates between two programs: gnomon never changes the other
 * program's code. */
void test_files_swapped(struct live *t)
{
	char *mine = files_copy(t, "serve", "mine");
	char *theirs = files_copy(t, "serve", "theirs"), *before, *out;
	struct live_talk a, b, gnomon;
	pid_t pid = files_start(t, mine, &a), swapper;
	json_t *report;

	files_start(t, theirs, &b);
	before = files_bytes(t, &b);
	swapper = live_exchange(t, mine, theirs);
	for (int i = 0; i < 5; i++) {
		out = live_attach(t, "-f work --leave ret",
				  live_text(t, "%d", pid), &gnomon);
		live_ask(t, &a, "work 10");
		CHECK(t, strcmp(files_bytes(t, &b), before) == 0,
		      "the text of a program that is not traced was changed");
		report = live_detach(t, &gnomon, out);
		files_expect(t, report, NULL, "work", 10);
	}
	live_exchange_end(swapper);
}

/* No kernel can probe one of the functions: the others are traced. */
void test_files_refused(struct live *t)
{
	struct live_talk visited, gnomon;
	pid_t pid = files_start(t, live_fixture(t, "visited"), &visited);
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *report;
	char *out;

	out = live_attach(t, "-v -f work -f entry_*", live_text(t, "%d", pid),
			  &gnomon);
	live_ask(t, &visited, "work 50");
	report = live_detach(t, &gnomon, out);
	files_expect(t, report, NULL, "work", 50);
	live_add(t, &a, t->gnomon, "run", "-v", "-f", "work", "-f", "entry_*",
		 "--", live_fixture(t, "visited"), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.err, "left out: entry_fma4"),
	      "gnomon does not name what it leaves out: %s", end.err);
	a.n = 0;
	live_add(t, &a, t->gnomon, "list", "--format", "csv", "-f", "entry_*",
		 live_fixture(t, "visited"), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, strstr(end.out, "entry_fma4") && strstr(end.out, "refused"),
	      "gnomon list does not refuse it: %s", end.out);
}

uint64_t files_ask(struct live *t, const struct live_talk *talk,
		   const char *what)
{
	uint64_t ns;
	char *line;

	live_tell(t, talk, what);
	line = live_await(t, talk->out, "elapsed ");
	live_await(t, talk->out, "done");
	CHECK(t, sscanf(line, "elapsed %*s %" SCNu64, &ns) == 1,
	      "visited says \"%s\"", line);
	return ns;
}

#define TIMES	 20
#define CHILDREN 3 /* one of them lives until it has its links */

uint64_t files_least(struct live *t, const struct live_talk *talk,
		     const char *what)
{
	uint64_t least = UINT64_MAX, ns;

	for (int i = 0; i < TIMES; i++) {
		ns = files_ask(t, talk, what);
		least = ns < least ? ns : least;
	}
	return least;
}

/* A process that maps the same library but is not traced pays nothing. */
void test_bystander(struct live *t)
{
	const char *path = live_fixture(t, "visited");
	struct live_talk traced, other, gnomon;
	pid_t pid = files_start(t, path, &traced);
	uint64_t before, beside, own;
	json_t *report;
	char *out;

	files_start(t, path, &other);
	before = files_least(t, &other, FILES_LIBC);
	out = live_attach(t, "-f libc.so.6:rand_r -f work",
			  live_text(t, "%d", pid), &gnomon);
	beside = files_least(t, &other, FILES_LIBC);
	own = files_ask(t, &traced, FILES_LIBC);
	live_ask(t, &traced, "work 10");
	live_ask(t, &other, "work 1000");
	report = live_detach(t, &gnomon, out);
	files_expect(t, report, NULL, "rand_r", 10000);
	files_expect(t, report, NULL, "work", 10);
	CHECK(t,
	      !files_unprobed(report, "rand_r") &&
		      !files_unprobed(report, "work"),
	      "what was probed is marked");
	/* a probe in such a function makes it at least 100 times slower */
	CHECK(t, beside < 10 * before,
	      "a loop beside took %" N " ns, not %" N "; the traced one %" N,
	      beside, before, own);
	CHECK(t, own > 10 * before, "probes cost nothing: is any there?");
}

/* The report of a server that forks while a process that it did not start runs
 * its program, too. */
static char *beside_stranger(struct live *t)
{
	char *file = files_copy(t, "visited", "visited"), *out;
	struct live_talk traced, other, gnomon;
	pid_t pid = files_start(t, file, &traced);
	char *report = live_path(t, "report");
	struct live_args a = {.n = 0};
	pid_t stranger = files_start(t, file, &other);

	live_add(t, &a, t->gnomon, "run", "-f", "work", "-o", report, "-p",
		 live_text(t, "%d", (int)pid), NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	live_tell(t, &traced, "fork 500");
	free(live_await(t, traced.out, "done"));
	live_tell(t, &traced, "quit");
	CHECK(t, !live_finish(t, &traced), "the server failed");
	live_wait(t, &gnomon);
	out = live_text(t, "as visited (%d) does", (int)stranger);
	report = live_read(t, report, NULL);
	CHECK(t, !strstr(report, "UNPROBED") || strstr(report, out),
	      "the other process is not named: %s", report);
	CHECK(t, !strstr(report, "pgrep"), "children are named: %s", report);
	return report;
}

void test_bystander_named(struct live *t)
{
	for (int i = 0; !strstr(beside_stranger(t), "UNPROBED"); i++)
		live_again(t, i, 5, "the child had its probes at once");
}

/* A child gets its own links, and its calls from before are reported as
 * missing. False: it ended before it got them. */
static bool bystander_child(struct live *t)
{
	const char *path = live_fixture(t, "visited");
	struct live_talk traced, gnomon;
	pid_t pid = files_start(t, path, &traced);
	uint64_t made, seen, unwound;
	json_t *report;
	char *out, *line;

	out = live_attach(t, "-f libc.so.6:rand_r", live_text(t, "%d", pid),
			  &gnomon);
	live_tell(t, &traced, "fork 500");
	line = live_await(t, traced.out, "child ");
	live_await(t, traced.out, "done");
	CHECK(t, sscanf(line, "child %" SCNu64, &made) == 1,
	      "visited says \"%s\"", line);
	report = live_detach(t, &gnomon, out);
	seen = live_function(t, report, NULL, "rand_r", "calls", NULL);
	CHECK(t, seen <= made, "%" N " calls reported, %" N " made", seen,
	      made);
	/* the end of each call is seen, too, however long its probes took */
	unwound = live_function(t, report, NULL, "rand_r", "unwound", NULL);
	CHECK(t, !unwound, "%" N " calls are told to have been unwound",
	      unwound);
	CHECK(t,
	      live_number(t, report, "counters.unprobed") == 1 &&
		      live_number(t, report, "counters.unprobed-ns") > 0 &&
		      files_unprobed(report, "rand_r"),
	      "it is not told that calls of a child were not seen");
	live_tell(t, &traced, "quit");
	CHECK(t, live_finish(t, &traced) == 0, "visited ended otherwise");
	return seen;
}

void test_bystander_child(struct live *t)
{
	int i = 0;

	while (!bystander_child(t))
		live_again(t, i++, CHILDREN, "no call of the child was seen");
}

/* Maps a fixture's code into the test, as a bystander does. */
static void map_code(struct live *t, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	CHECK(t,
	      fd >= 0 && mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			      fd, 0) != MAP_FAILED,
	      "%s: %s", path, strerror(errno));
	close(fd);
}

/* Calls that a child began before it got its links end afterwards. They have
 * few other calls around them. This is a known case, not a failure. */
void test_bystander_children(struct live *t)
{
	struct live_end end;
	uint64_t late = 0;
	json_t *report;

	map_code(t, live_fixture(t, "fork"));
	for (int i = 0; i < 5; i++) {
		live_gnomon(t, "run", "-f *", "fork nest 300", &end, &report);
		CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code,
		      end.err);
		late += live_number(t, report, "counters.unprobed");
		json_decref(report);
	}
	CHECK(t, late, "no child got its links late");
}
