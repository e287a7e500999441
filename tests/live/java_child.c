/* SPDX-License-Identifier: BSD-2-Clause */
/* Java virtual machines that gnomon does not start itself. */
#include "java.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The topic's own counts must equal those of the report. */
static void compare(struct live *t, const char *out, const json_t *report)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));

	CHECK(t, truths, "no memory");
	live_truths(t, out, truths);
	CHECK(t, truths->n, "the program said nothing: '%s'", out);
	live_compare(t, truths, report, 0);
	free(truths);
}

/* Another program starts it, without gnomon's settings in its environment. */
static void run_child(struct live *t, const char *options)
{
	struct live_args command = {.n = 0};
	struct java_pair pair;

	live_add(t, &command, "/bin/sh", "-c", "env -i \"$@\"; exit $?", "sh",
		 NULL);
	java_demo(t, &command, options, "recursion");
	java_pair(t, &command, &pair);
	compare(t, pair.traced.out, pair.report);
}

void java_child(struct live *t)
{
	java_need(t);
	run_child(t, "");
	run_child(t, "-Xint");
	run_child(t, "-XX:TieredStopAtLevel=1");
}

/* Without multi links, the probes of all runtimes that may be started share
 * perf events. */
void java_child_single(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	java_need(t);
	live_add(t, &command, "/bin/sh", "-c", "env -i \"$@\"; exit $?", "sh",
		 NULL);
	java_demo(t, &command, "", "recursion");
	live_traced(t, &command, "--attach single", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "ended with %d: %s", end.code,
	      end.err);
	live_clean(t, report);
	compare(t, end.out, report);
}

/* gnomon reports that its methods have no values. */
void java_child_values(struct live *t)
{
	static const char told[] =
		"HotSpot JVM: -a records only the calls of its methods";
	struct live_args a = {.n = 0};
	struct live_end end;

	java_need(t);
	live_add(t, &a, t->gnomon, "run", "-a", "Demo.main:arg1", "--",
		 "/usr/bin/env", NULL);
	java_demo(t, &a, "", "options");
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0 && strstr(end.out, " Demo.main"),
	      "it ended with %d, and its call is not seen: %s", end.code,
	      end.out);
	CHECK(t, strstr(end.err, told), "it is not told: %s", end.err);
}

/* The program's own view of its options has nothing of gnomon. */
void java_child_options(struct live *t)
{
	struct live_args command = {.n = 0};
	struct java_pair pair;

	java_need(t);
	live_add(t, &command, "/usr/bin/env", NULL);
	java_demo(t, &command, "", "options");
	java_pair(t, &command, &pair);
	CHECK(t, strstr(pair.traced.out, "options []"),
	      "the machine has options: %s", pair.traced.out);
}

/* A process that is not traced maps the same file. So each traced process gets
 * its own probes, and all functions are traced. */
void java_child_beside(struct live *t)
{
	struct live_args java = {.n = 0}, command = {.n = 0};
	struct live_talk served;
	struct live_end end;
	json_t *report;

	java_need(t);
	java_demo(t, &java, "", "served");
	live_talk(t, &java, &served);
	free(live_await(t, served.out, "ready"));
	live_add(t, &command, "/bin/sh", "-c", "\"$@\"; exit $?", "sh", NULL);
	java_demo(t, &command, "", "recursion");
	live_traced(t, &command, "", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "ended with %d: %s", end.code,
	      end.err);
	live_clean(t, report);
	compare(t, end.out, report);
	CHECK(t, live_finish(t, &served) == 0, "the other one failed");
}

/* The same, but the shell's children are no Java programs: no calls of them can
 * be missing. */
void java_child_none(struct live *t)
{
	struct live_args java = {.n = 0}, a = {.n = 0};
	char *path = live_path(t, "report.json");
	struct live_talk served;
	struct live_end end;
	uint64_t late;

	java_need(t);
	java_demo(t, &java, "", "served");
	live_talk(t, &java, &served);
	free(live_await(t, served.out, "ready"));
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "--",
		 "/bin/sh", "-c", "(:); (:); exit 0", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "ended with %d: %s", end.code, end.err);
	late = live_number(t, live_load(t, path), "counters.unprobed");
	CHECK(t, !late, "%d children are told to have run unprobed", (int)late);
	CHECK(t, live_finish(t, &served) == 0, "the other one failed");
}

/* The same if threads other than the first execute programs, which end soon:
 * each program removes the links of its process. */
void java_child_handed(struct live *t)
{
	char *path = live_path(t, "report.json");
	struct live_args java = {.n = 0}, a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	json_t *report;
	uint64_t late;

	java_need(t);
	java_demo(t, &java, "", "served");
	live_talk(t, &java, &served);
	free(live_await(t, served.out, "ready"));
	live_add(t, &a, t->gnomon, "run", "-f", "step", "--format", "json",
		 "-o", path, "--", live_fixture(t, "../native/handed"), "20",
		 NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	CHECK(t,
	      live_function(t, report, NULL, "step", "calls", NULL) ==
		      21 * 1000,
	      "not all calls were seen");
	late = live_number(t, report, "counters.unprobed");
	CHECK(t, !late, "%d programs are told to have run unprobed", (int)late);
	CHECK(t, live_finish(t, &served) == 0, "the other one failed");
}

/* gnomon attaches to a shell, which then starts one. */
void java_child_attach(struct live *t)
{
	char *path = live_path(t, "report.json"), *out = live_path(t, "out");
	struct live_args shell = {.n = 0}, a = {.n = 0};
	struct live_talk served, gnomon;
	char *line;
	size_t size;
	int code;

	java_need(t);
	live_add(t, &shell, "/bin/sh", "-c",
		 live_text(t, "echo ready; read go; \"$@\" > '%s'; exit $?",
			   out),
		 "sh", NULL);
	java_demo(t, &shell, "", "recursion");
	live_talk(t, &shell, &served);
	free(live_await(t, served.out, "ready"));
	live_add(t, &a, t->gnomon, "run", "--raw", "-f", "Recursion.*",
		 "--format", "json", "-o", path, "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err,
			"gnomon: no function matches 'Recursion.*'"));
	line = live_await(t, gnomon.err, "gnomon: attached");
	CHECK(t, strstr(line, "managed functions if a runtime starts"),
	      "a shell is told to have managed functions: %s", line);
	free(line);
	live_tell(t, &served, "go");
	CHECK(t, live_wait(t, &served) == 0, "the program failed");
	code = live_wait(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	compare(t, live_read(t, out, &size), live_load(t, path));
}

static void copy(struct live *t, const char *from, const char *to)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, "/bin/cp", "-L", from, to, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "%s was not copied: %s", from, end.err);
}

void java_home(struct live *t, const char *home)
{
	struct live_args a = {.n = 0};
	char real[PATH_MAX];
	struct live_end end;

	CHECK(t, realpath(getenv("JAVA"), real), "no java");
	real[strlen(real) - strlen("/bin/java")] = '\0';
	live_add(t, &a, "/bin/cp", "-rs", real, home, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "%s was not copied: %s", real, end.err);
	a.n = 0;
	live_add(t, &a, "/bin/rm", live_text(t, "%s/bin/java", home),
		 live_text(t, "%s/lib/server/libjvm.so", home), NULL);
	live_run(t, &a, NULL, &end);
	copy(t, live_text(t, "%s/bin/java", real),
	     live_text(t, "%s/bin/java", home));
	copy(t, live_text(t, "%s/lib/server/libjvm.so", real),
	     live_text(t, "%s/lib/server/libjvm.so", home));
}

static void add_unknown(struct live *t, struct live_args *a, const char *home)
{
	live_add(t, a, "/usr/bin/env", "-i", live_text(t, "%s/bin/java", home),
		 "-cp", t->fixtures, "Demo", "recursion", NULL);
}

/* A JVM that gnomon does not know has no methods, and gnomon reports that,
 * unless -f names them: then they have hooks. With JAVA_HOME, gnomon knows
 * it. */
void java_child_unknown(struct live *t)
{
	static const char untold[] =
		"(java) ran the HotSpot JVM, but its methods were not traced";
	char *home = live_path(t, "home"), *path = live_path(t, "report.json");
	struct live_args command = {.n = 0}, a = {.n = 0};
	struct live_end end;
	json_t *report;
	const char *told;

	java_need(t);
	java_home(t, home);
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "--",
		 NULL);
	add_unknown(t, &a, home);
	add_unknown(t, &command, home);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.err, untold) && strstr(end.err, "set JAVA_HOME"),
	      "it does not say that methods were not traced: %s", end.err);
	told = json_string_value(json_object_get(
		json_object_get(live_load(t, path), "code"), "unhooked"));
	CHECK(t, told && strstr(told, "HotSpot"), "nor does the report");
	live_traced(t, &command, "-f Recursion.*", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "ended with %d: %s", end.code,
	      end.err);
	compare(t, end.out, report);
	setenv("JAVA_HOME", home, 1);
	live_traced(t, &command, "", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "ended with %d: %s", end.code,
	      end.err);
	compare(t, end.out, report);
}

/* A JVM that was built without USDT probes, as those of many vendors are. */
static void make_siteless(struct live *t, const char *home)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	java_home(t, home);
	live_add(t, &a, "/usr/bin/objcopy", "-R", ".note.stapsdt",
		 live_text(t, "%s/lib/server/libjvm.so", home), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "its probes were not removed: %s", end.err);
}

static void run_siteless(struct live *t, const char *home, const char *glob,
			 const char *starter, const char *told)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, NULL);
	if (glob)
		live_add(t, &a, "-f", glob, NULL);
	live_add(t, &a, "--", NULL);
	if (starter)
		live_add(t, &a, starter, NULL);
	live_add(t, &a, live_text(t, "%s/bin/java", home), "-cp", t->fixtures,
		 "Demo", "recursion", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.err, told), "%s is not told: %s", told, end.err);
	CHECK(t, !strstr(end.err, "as they are compiled"),
	      "it tells of hooks that a JVM does not have: %s", end.err);
	if (glob && !starter)
		compare(t, end.out, live_load(t, path));
}

/* A launcher whose JVM is not where that of a JDK is: gnomon does not know it.
 * This one finds none either. */
static void run_elsewhere(struct live *t)
{
	struct live_args run = {.n = 0}, list = {.n = 0};
	char *launcher = live_path(t, "launcher");
	struct live_end end;

	copy(t, getenv("JAVA"), launcher);
	live_add(t, &run, t->gnomon, "run", "-f", "Recursion.*", "--", launcher,
		 NULL);
	live_run(t, &run, NULL, &end);
	CHECK(t, strstr(end.err, "managed functions if a runtime starts"),
	      "it is said to have some: %s", end.err);
	live_add(t, &list, t->gnomon, "list", launcher, NULL);
	live_run(t, &list, NULL, &end);
	CHECK(t, strstr(end.out, "libjvm.so not found"),
	      "another path is shown: %s%s", end.out, end.err);
}

/* Methods that -f names have hooks in it. gnomon says what is not seen, and if
 * there are no hooks either, why. */
void java_siteless(struct live *t)
{
	char *home = live_path(t, "home");

	java_need(t);
	run_elsewhere(t);
	make_siteless(t, home);
	run_siteless(t, home, "Recursion.*", NULL,
		     "methods that -f names are seen, but no collections");
	run_siteless(t, home, NULL, NULL, "name methods with -f");
	run_siteless(t, home, "Recursion.*", "/usr/bin/env",
		     "managed functions if a runtime starts");
	run_siteless(t, home, "Recursion.*", "/usr/bin/env",
		     "java ran the HotSpot JVM without its own probes");
	run_siteless(t, home, "Recursion.*",
		     live_fixture(t, "../native/starts_static"),
		     "so its methods were not traced (it or what started it "
		     "is static");
}

/* Without multi links, files of runtimes that may be started share links: if
 * one is written before, all lose their probes, and gnomon says so. */
void java_child_written(struct live *t)
{
	char *home = live_path(t, "home"), *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	json_t *report;
	const char *told;
	int fd;

	java_need(t);
	java_home(t, home);
	setenv("JAVA_HOME", home, 1);
	live_add(t, &a, t->gnomon, "run", "--attach", "single", "--format",
		 "json", "-o", path, "--", "/bin/sh", "-c",
		 "echo ready; read line; \"$@\"; exit", "sh",
		 live_text(t, "%s/bin/java", home), "-cp", t->fixtures, "Demo",
		 "recursion", NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.out, "ready"));
	/* this waits until the probes are gone */
	fd = open(live_text(t, "%s/lib/server/libjvm.so", home),
		  O_WRONLY | O_CLOEXEC);
	CHECK(t, fd >= 0, "the JVM cannot be written: %s", strerror(errno));
	close(fd);
	told = live_await(t, gnomon.err, "gnomon: '");
	CHECK(t, strstr(told, "was opened for writing"), "%s", told);
	/* other JVMs are in /usr/lib/jvm */
	if (!strncmp(getenv("JAVA"), "/usr/", strlen("/usr/"))) {
		told = live_await(t, gnomon.err, "gnomon: '");
		CHECK(t, strstr(told, "shares links with that file"), "%s",
		      told);
	}
	live_tell(t, &gnomon, "go");
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon ended otherwise");
	report = live_load(t, path);
	told = json_string_value(
		json_object_get(json_object_get(report, "code"), "unhooked"));
	CHECK(t, told && strstr(told, "HotSpot"),
	      "the report does not say that methods were not traced");
}

/* A build starts many of them, one after the other. Each has the names of all
 * methods that it calls. */
void java_child_many(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	java_need(t);
	live_add(t, &command, "/bin/sh", "-c",
		 "for i in 1 2 3 4 5 6 7 8; do for k in 1 2 3 4 5 6 7 8; do "
		 "\"$@\" > /dev/null & done; wait; done",
		 "sh", NULL);
	java_demo(t, &command, "", "lambdas");
	live_traced(t, &command, "-f Lambdas.*", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "ended with %d: %s", end.code,
	      end.err);
	live_clean(t, report);
	CHECK(t,
	      live_function(t, report, NULL, "Lambdas.apply(int)", "calls",
			    NULL) == 64 * 5000,
	      "not all calls were seen");
}
