/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files and processes are probed: one file is one, whatever it is called;
 * what runs and not what its path shows; and nobody who is not traced. */
#include "live.h"

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

/* A copy of a fixture in the test's folder: a file of its own. */
static char *copy(struct live *t, const char *fixture, const char *name)
{
	char *path = live_text(t, "%s/%s", t->dir, name);

	live_copy(t, live_fixture(t, fixture), path);
	return path;
}

static pid_t start(struct live *t, const char *path, struct live_talk *talk)
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

static void expect(struct live *t, const json_t *report, const char *module,
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

/* Whether a function says that calls of it are missing. */
static bool unprobed(const json_t *report, const char *name)
{
	const json_t *function;
	size_t i;

	json_array_foreach(json_object_get(report, "functions"), i, function) if (
		!strcmp(json_string_value(json_object_get(function, "name")),
			name)) return json_is_true(json_object_get(function,
								   "unprobed"));
	return false;
}

/* A function of that name has a module that is called as its processes call
 * it. */
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

/* Two names of one file, and a program of another: each call once. */
void test_files_names(struct live *t)
{
	struct live_talk one, two, three, gnomon;
	char *first = copy(t, "serve", "first"), *second, *path;
	pid_t a, b, c;
	json_t *report;

	second = live_text(t, "%s/second", t->dir);
	CHECK(t, link(first, second) == 0, "link: %s", strerror(errno));
	a = start(t, first, &one);
	b = start(t, second, &two);
	c = start(t, copy(t, "serve", "third"), &three);
	path = live_attach(t, "-f work", live_text(t, "%d,%d,%d", a, b, c),
			   &gnomon);
	live_ask(t, &one, "work 100");
	live_ask(t, &two, "work 20");
	live_ask(t, &three, "work 3");
	report = live_detach(t, &gnomon, path);
	expect(t, report, NULL, "work", 123);
	expect(t, report, "/third", "work", 3);
	expect_clean(t, report);
	expect_module(t, report, "work", first);
	expect_module(t, report, "work", live_text(t, "%s/third", t->dir));
}

/* An upgrade while the program runs. */
void test_files_replaced(struct live *t)
{
	char *path = copy(t, "serve", "program"), *out;
	struct live_talk serve, gnomon;
	pid_t pid = start(t, path, &serve);
	json_t *report;

	CHECK(t, rename(copy(t, "fib", "newer"), path) == 0, "rename: %s",
	      strerror(errno));
	out = live_attach(t, "-f work", live_text(t, "%d", pid), &gnomon);
	live_ask(t, &serve, "work 77");
	report = live_detach(t, &gnomon, out);
	expect(t, report, NULL, "work", 77);
	expect_module(t, report, "work", path);
}

/* A library is written into while a process has it mapped, which sees what is
 * written; then its bytes are gone. */
void test_files_written(struct live *t)
{
	char *path = copy(t, "visited", "program"), *out;
	char *library = copy(t, "libplugin.so", "libplugin.so");
	struct live_talk visited, gnomon;
	char bytes[64];
	json_t *report;
	int fd, code;
	pid_t pid;

	/* what it is linked with is where it looks first */
	copy(t, "libfixture.so", "libfixture.so");
	pid = start(t, path, &visited);
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
	expect(t, report, "libplugin.so", "plugin_work", 77);
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

/* Another program is mounted over it. */
void test_files_mounted(struct live *t)
{
	char *path = copy(t, "serve", "program"), *out;
	char *other = copy(t, "fib", "other");
	struct live_talk serve, gnomon;
	json_t *report;
	pid_t pid;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		live_skip(t, "no mount namespace: %s", strerror(errno));
	pid = start(t, path, &serve);
	CHECK(t, mount(other, path, NULL, MS_BIND, NULL) == 0, "mount: %s",
	      strerror(errno));
	out = live_attach(t, "-f work", live_text(t, "%d", pid), &gnomon);
	live_ask(t, &serve, "work 77");
	report = live_detach(t, &gnomon, out);
	umount(path);
	expect(t, report, NULL, "work", 77);
	expect_module(t, report, "work", path);
}

static char *bytes_of(struct live *t, struct live_talk *serve)
{
	char *line;

	live_tell(t, serve, "bytes");
	line = live_await(t, serve->out, "bytes ");
	live_await(t, serve->out, "done");
	return line;
}

/* A path that is another program's file every other moment: the other one's
 * text is never changed. */
void test_files_swapped(struct live *t)
{
	char *mine = copy(t, "serve", "mine");
	char *theirs = copy(t, "serve", "theirs"), *before, *out;
	struct live_talk a, b, gnomon;
	pid_t pid = start(t, mine, &a), swapper;
	json_t *report;

	start(t, theirs, &b);
	before = bytes_of(t, &b);
	swapper = live_exchange(t, mine, theirs);
	for (int i = 0; i < 5; i++) {
		out = live_attach(t, "-f work --leave ret",
				  live_text(t, "%d", pid), &gnomon);
		live_ask(t, &a, "work 10");
		CHECK(t, strcmp(bytes_of(t, &b), before) == 0,
		      "the text of a program that is not traced was changed");
		report = live_detach(t, &gnomon, out);
		expect(t, report, NULL, "work", 10);
	}
	live_exchange_end(swapper);
}

/* One function that no kernel probes: the others are there. */
void test_files_refused(struct live *t)
{
	struct live_talk visited, gnomon;
	pid_t pid = start(t, live_fixture(t, "visited"), &visited);
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *report;
	char *out;

	out = live_attach(t, "-v -f work -f entry_*", live_text(t, "%d", pid),
			  &gnomon);
	live_ask(t, &visited, "work 50");
	report = live_detach(t, &gnomon, out);
	expect(t, report, NULL, "work", 50);
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

/* Nanoseconds of what `visited` is told to call. */
static uint64_t ask_elapsed(struct live *t, const struct live_talk *talk,
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

#define TIMES 20

/* The least of some times: a probe makes each of them long, and what else goes
 * on here only some. */
static uint64_t ask_least(struct live *t, const struct live_talk *talk,
			  const char *what)
{
	uint64_t least = UINT64_MAX, ns;

	for (int i = 0; i < TIMES; i++) {
		ns = ask_elapsed(t, talk, what);
		least = ns < least ? ns : least;
	}
	return least;
}

/* Ten thousand calls into libc. */
#define LIBC "libc 10000"

/* Who maps the same library and is not traced pays nothing. */
void test_bystander(struct live *t)
{
	const char *path = live_fixture(t, "visited");
	struct live_talk traced, other, gnomon;
	pid_t pid = start(t, path, &traced);
	uint64_t before, beside, own;
	json_t *report;
	char *out;

	start(t, path, &other);
	before = ask_least(t, &other, LIBC);
	out = live_attach(t, "-f libc.so.6:rand_r -f work",
			  live_text(t, "%d", pid), &gnomon);
	beside = ask_least(t, &other, LIBC);
	own = ask_elapsed(t, &traced, LIBC);
	live_ask(t, &traced, "work 10");
	live_ask(t, &other, "work 1000");
	report = live_detach(t, &gnomon, out);
	expect(t, report, NULL, "rand_r", 10000);
	expect(t, report, NULL, "work", 10);
	CHECK(t, !unprobed(report, "rand_r") && !unprobed(report, "work"),
	      "what was probed is marked");
	/* a probe in such a function makes it 100 times as long and more */
	CHECK(t, beside < 10 * before,
	      "a loop beside took %" N " ns, not %" N "; the traced one %" N,
	      beside, before, own);
	CHECK(t, own > 10 * before, "probes cost nothing: is any there?");
}

/* A child gets links of its own, and what it did before is told. */
void test_bystander_child(struct live *t)
{
	const char *path = live_fixture(t, "visited");
	struct live_talk traced, gnomon;
	pid_t pid = start(t, path, &traced);
	uint64_t made, seen;
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
	CHECK(t, seen && seen <= made, "%" N " calls reported, %" N " made",
	      seen, made);
	CHECK(t,
	      live_number(t, report, "counters.unprobed") == 1 &&
		      live_number(t, report, "counters.unprobed-ns") > 0 &&
		      unprobed(report, "rand_r"),
	      "it is not told that calls of a child were not seen");
}

/* The test maps a fixture's code, as a bystander does. */
static void map_code(struct live *t, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	CHECK(t,
	      fd >= 0 && mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			      fd, 0) != MAP_FAILED,
	      "%s: %s", path, strerror(errno));
	close(fd);
}

/* Calls that a child made before it got its links end after that, in the midst
 * of few others: they explain themselves, and are no failure. */
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
		      unprobed(report, name),
	      "it is not told that calls before the probes were not seen");
}

/* The program is one that the command becomes, and that it becomes again. */
void test_executed(struct live *t)
{
	static const char *const wrappers[] = {"env", "sh -c exec\t$0"};

	for (size_t i = 0; i < 2; i++) {
		char *path, *command = live_text(t, "%s %s", wrappers[i],
						 live_fixture(t, "visited"));
		struct live_talk talk;
		json_t *report;

		talk = run_talk(t, "-f work", command, &path);
		live_await(t, talk.err, "gnomon: attached: process");
		live_ask(t, &talk, "work 123");
		live_tell(t, &talk, "exec");
		live_await(t, talk.out, "ready");
		live_ask(t, &talk, "work 1000");
		CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
		report = live_load(t, path);
		live_clean(t, report);
		expect(t, report, "/visited", "work", 1123);
		expect_late(t, report, "work");
	}
}

/* What processes ran without their probes is no more than they ran, whatever
 * number of programs and files each had. */
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

/* Of many that run one program at once, each is seen or told of. */
void test_executed_many(struct live *t)
{
	const uint64_t many = 40;
	char *path;
	struct live_talk talk =
		run_talk(t, "-f main",
			 live_text(t,
				   "sh -c i=0;while\t[\t$i\t-lt\t%" N
				   "\t];do\t$0\t12&\ti=$((i+1));done;wait %s",
				   many, live_fixture(t, "fib")),
			 &path);
	uint64_t seen, late;
	json_t *report;

	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	report = live_load(t, path);
	late = live_number(t, report, "counters.unprobed");
	seen = live_function(t, report, NULL, "main", "calls", NULL);
	CHECK(t, late && seen + late >= many,
	      "%" N " calls seen, %" N " told of, of %" N, seen, late, many);
}

/* A shell that executes the program when it is told a line. */
static pid_t start_shell(struct live *t, const char *path, struct live_talk *sh)
{
	struct live_args a = {.n = 0};
	int pid;

	live_add(t, &a, "/bin/sh", "-c", "echo ready $$; read line; exec $0",
		 path, NULL);
	live_talk(t, &a, sh);
	CHECK(t,
	      sscanf(live_await(t, sh->out, "ready "), "ready %d", &pid) == 1,
	      "sh is not ready");
	return pid;
}

/* Attached to such a shell until it is the program, which is ready. */
static char *attach_executed(struct live *t, const char *path,
			     struct live_talk *sh, struct live_talk *gnomon)
{
	pid_t pid = start_shell(t, path, sh);
	char *out = live_attach(t, "-f work -f libc.so.6:getpid",
				live_text(t, "%d", pid), gnomon);

	live_tell(t, sh, "go");
	live_await(t, gnomon->err, "gnomon: attached: process");
	live_await(t, sh->out, "ready ");
	return out;
}

/* A process that is attached to becomes another program. */
void test_executed_attached(struct live *t)
{
	char *path = copy(t, "serve", "serve"), *out;
	struct live_talk sh, gnomon;
	json_t *report;

	out = attach_executed(t, path, &sh, &gnomon);
	live_ask(t, &sh, "work 40");
	report = live_detach(t, &gnomon, out);
	expect(t, report, path, "work", 40);
	expect_late(t, report, "work");
}

/* The same by a path that is one program's file or the other's: what runs is
 * probed, and of the other one nothing is changed. */
void test_executed_swapped(struct live *t)
{
	char *mine = copy(t, "serve", "mine"), *before, *out;
	char *theirs = copy(t, "serve", "theirs");
	struct live_talk sh, other, gnomon;
	json_t *report;
	pid_t swapper;

	start(t, theirs, &other);
	before = bytes_of(t, &other);
	swapper = live_exchange(t, mine, theirs);
	for (int i = 0; i < 5; i++) {
		out = attach_executed(t, mine, &sh, &gnomon);
		live_ask(t, &sh, "work 10");
		CHECK(t, strcmp(bytes_of(t, &other), before) == 0,
		      "the text of a program that is not traced was changed");
		report = live_detach(t, &gnomon, out);
		expect(t, report, NULL, "work", 10);
		live_tell(t, &sh, "quit");
		live_finish(t, &sh);
	}
	live_exchange_end(swapper);
}

/* A library that only the later program maps. */
void test_executed_library(struct live *t)
{
	char *path,
		*command = live_text(t, "env %s", live_fixture(t, "visited"));
	struct live_talk talk =
		run_talk(t, "-f libfixture.so:library_work -f libc.so.6:rand_r",
			 command, &path);
	json_t *report;

	live_await(t, talk.err, "gnomon: attached: process");
	live_ask(t, &talk, "library 50");
	ask_elapsed(t, &talk, LIBC);
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
	report = live_load(t, path);
	live_clean(t, report);
	expect(t, report, "libfixture.so", "library_work", 50);
	expect(t, report, NULL, "rand_r", 10000);
	expect_late(t, report, "library_work");
	CHECK(t, !unprobed(report, "rand_r"), "what was probed is marked");
}

/* A library that no process maps when gnomon starts, by the name of its file.
 */
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
	expect(t, report, "libplugin.so", "plugin_work", 70);
	expect_late(t, report, "plugin_work");
}

/* The report of a program that loads the library when it runs; `late`: it has
 * its probes only then. */
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

/* The command that runs the copy of the program, and of what it needs, in a
 * folder that only its own mounts have. */
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

/* It is told how its probes can be there before it is mapped; not in a
 * container, where -f cannot name its path. */
void test_awaited_path(struct live *t)
{
	char *program = copy(t, "visited", "program"), *report;
	char *library = copy(t, "libplugin.so", "libplugin.so");
	char *remedy = live_text(t, "'%s:GLOB'", library);

	copy(t, "libfixture.so", "libfixture.so");
	report = load_plugin(t, "libplugin.so", program, true);
	CHECK(t, strstr(report, remedy), "without its path: %s", report);
	report = load_plugin(t, library, program, false);
	CHECK(t, !strstr(report, remedy), "with its path: %s", report);
	report = load_plugin(t, "libplugin.so", in_container(t), true);
	CHECK(t, strstr(report, "UNPROBED") && !strstr(report, "GLOB'"),
	      "in a container: %s", report);
}

/* One that nobody maps is told: a program can have the same functions itself.
 */
void test_awaited_vainly(struct live *t)
{
	char *library = copy(t, "libplugin.so", "libplugin.so"), *path, *line;
	struct live_talk talk =
		run_talk(t, live_text(t, "-f %s:plugin_work", library),
			 live_text(t, "%s 5", live_fixture(t, "fib")), &path);

	line = live_await_or_end(t, talk.err, "gnomon: no process");
	CHECK(t, line && strstr(line, library), "it is not told");
	CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
}

/* The same of a process that ends at once: its calls are seen, or it is told
 * that they are not. */
void test_awaited_short(struct live *t)
{
	char *command = live_text(t, "%s", live_fixture(t, "visited"));

	for (int i = 0; i < 5; i++) {
		char *path, *line;
		struct live_talk talk = run_talk(
			t, "-f libplugin.so:plugin_work", command, &path);

		free(live_await(t, talk.err, "gnomon: attached: "));
		live_tell(t, &talk, "load");
		live_tell(t, &talk, "plugin 3");
		live_tell(t, &talk, "quit");
		line = live_await_or_end(t, talk.err,
					 "gnomon: no function matched");
		CHECK(t, live_finish(t, &talk) == 0, "it ended otherwise");
		CHECK(t, !line || strstr(line, "before its probes were in"),
		      "it is told \"%s\"", line);
		CHECK(t,
		      live_number(t, live_load(t, path), "counters.unprobed") ==
			      1,
		      "it is not told that calls can be missing");
	}
}

/* A running process maps a library, of which another one runs functions: that
 * one pays nothing. */
void test_awaited_attached(struct live *t)
{
	const char *path = live_fixture(t, "visited");
	struct live_talk traced, other, gnomon;
	pid_t pid = start(t, path, &traced);
	uint64_t before, beside, own;
	json_t *report;
	char *out;

	start(t, path, &other);
	live_ask(t, &other, "load");
	before = ask_least(t, &other, "plugin 10000");
	out = live_attach(t, "-f libplugin.so:plugin_work",
			  live_text(t, "%d", pid), &gnomon);
	live_ask(t, &traced, "load");
	live_await(t, gnomon.err, "gnomon: attached: process");
	beside = ask_least(t, &other, "plugin 10000");
	own = ask_elapsed(t, &traced, "plugin 10000");
	report = live_detach(t, &gnomon, out);
	expect(t, report, "libplugin.so", "plugin_work", 10000);
	expect_late(t, report, "plugin_work");
	/* a probe in such a function makes it 100 times as long and more */
	CHECK(t, beside < 10 * before,
	      "a loop beside took %" N " ns, not %" N "; the traced one %" N,
	      beside, before, own);
	CHECK(t, own > 10 * before, "probes cost nothing: is any there?");
}

/* A shell starts many of a program at once, and one of them is the first that
 * shows its file: calls that the others are in then are of before, too. */
void test_late_copies(struct live *t)
{
	char *program =
		live_text(t, "%s nanosleep 40 20", live_fixture(t, "classes"));

	for (int i = 0; i < 4; i++) {
		struct live_args a = {.n = 0};
		struct live_end end;

		live_add(t, &a, t->gnomon, "run", "-f", "wait_*", "-f",
			 "surround", "-o", "/dev/null", "--", "/bin/sh", "-c",
			 live_text(t, "for i in $(seq 40); do %s & done; wait",
				   program),
			 NULL);
		live_run(t, &a, NULL, &end);
		CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code,
		      end.err);
	}
}
