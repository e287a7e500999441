/* SPDX-License-Identifier: BSD-2-Clause */
/* Java programs with and without gnomon. */
#include "java.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void java_need(struct live *t)
{
	const char *java = getenv("JAVA");

	if (!java || !*java)
		live_skip(t, "no JDK; run tools/setup test, configure again");
}

void java_need_later(struct live *t)
{
	glob_t found;

	java_need(t);
	if (glob("/usr/lib/jvm/*25*/bin/java", 0, NULL, &found))
		live_skip(t, "no JDK 25");
	setenv("JAVA", found.gl_pathv[0], 1);
	globfree(&found);
}

void java_demo(struct live *t, struct live_args *a, const char *options,
	       const char *topic)
{
	live_add(t, a, getenv("JAVA"), NULL);
	live_split(t, a, options);
	live_add(t, a, "-cp", t->fixtures, "Demo", NULL);
	live_split(t, a, topic);
}

void java_pair(struct live *t, const struct live_args *command,
	       struct java_pair *pair)
{
	live_run(t, command, NULL, &pair->plain);
	live_traced(t, command, "", &pair->traced, &pair->report);
	CHECK(t, pair->traced.code == pair->plain.code,
	      "ended with %d under gnomon, with %d without: %s",
	      pair->traced.code, pair->plain.code, pair->traced.err);
	live_same(t, "the program's output", pair->traced.out, pair->plain.out);
	live_same(t, "the program's errors", pair->traced.err, pair->plain.err);
	live_clean(t, pair->report);
	CHECK(t, live_number(t, pair->report, "checks.unmatched_leaves") == 0,
	      "leaves match no frame");
}

void java_run(struct live *t, const char *options, const char *topic,
	      unsigned int flags, struct java_pair *pair)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args command = {.n = 0};

	java_need(t);
	CHECK(t, truths, "no memory");
	java_demo(t, &command, options, topic);
	java_pair(t, &command, pair);
	live_truths(t, pair->traced.out, truths);
	CHECK(t, truths->n, "the program said nothing");
	live_compare(t, truths, pair->report, flags);
	free(truths);
}

void live_run_row(struct live *t, const struct live_row *row)
{
	struct java_pair pair;

	java_run(t, row->options, row->command, row->flags, &pair);
}

/* A script takes the options of the JVM from a variable, which already has some
 * of the user's. The program prints the same, and its methods are seen. */
void java_script(struct live *t)
{
	struct live_args command = {.n = 0};
	char *path = live_path(t, "script");
	struct live_truths *truths = calloc(1, sizeof(*truths));
	char *home;
	struct java_pair pair;
	FILE *f;

	java_need(t);
	CHECK(t, truths, "no memory");
	home = live_text(t, "%s", getenv("JAVA"));
	home[strlen(home) - strlen("/bin/java")] = '\0';
	f = fopen(path, "w");
	CHECK(t, f, "no script");
	fprintf(f,
		"#!/bin/sh\necho \"$0\"\nexec '%s' $JAVA_OPTS -cp '%s' Demo "
		"\"$@\"\n",
		getenv("JAVA"), t->fixtures);
	CHECK(t, !fclose(f) && !chmod(path, 0755), "no script");
	setenv("JAVA_HOME", home, 1);
	setenv("JAVA_OPTS", "-Xint", 1);
	live_add(t, &command, path, "recursion", NULL);
	java_pair(t, &command, &pair);
	live_truths(t, pair.traced.out, truths);
	live_compare(t, truths, pair.report, 0);
	free(truths);
}

/* Each single call. */
void java_calls(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *calls;

	java_need(t);
	java_demo(t, &command, "", "lambdas");
	calls = live_calls(t, "--only Lambdas*", &command, &end);
	live_calls_compare(t, calls, end.out);
}

/* Native functions of the JVM, selected by the name of its library. */
void java_native(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	java_need(t);
	java_demo(t, &command, "", "collect");
	live_traced(t, &command, "-f libjvm.so:JVM_GC", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "it ended with %d: %s", end.code,
	      end.err);
	CHECK(t,
	      live_function(t, report, "libjvm.so", "JVM_GC", "calls", NULL) ==
		      5,
	      "it asks for 5 collections, and others are seen");
}

/* Checks gnomon's message about such options. */
static void run_told(struct live *t, const char *option, const char *word,
		     const char *value, struct live_end *end)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "run", option, word, value, NULL);
	live_add(t, &a, "--", NULL);
	java_demo(t, &a, "", "options");
	live_run(t, &a, NULL, end);
}

/* The launcher makes a thread for the program, which --no-follow excludes. The
 * program runs as without gnomon, and gnomon says why nothing of it is seen. */
void java_first_thread(struct live *t)
{
	static const char why[] = "leave --no-follow out";
	struct live_end end;

	java_need(t);
	run_told(t, "--no-follow", NULL, NULL, &end);
	CHECK(t, end.code == 0 && strstr(end.out, "options []"),
	      "it ended with %d, and the machine got options: %s", end.code,
	      end.out);
	CHECK(t, strstr(end.err, why) && !strstr(end.err, "managed functions"),
	      "it is not told: %s", end.err);
	run_told(t, "--no-follow", "-f", "Demo.*", &end);
	CHECK(t, end.code == 2 && !*end.out && strstr(end.err, why),
	      "it ended with %d, and not for what it was asked: %s", end.code,
	      end.err);
}

/* gnomon reports that it does not take a method's values; its calls are
 * seen. */
void java_no_values(struct live *t)
{
	struct live_end end;

	java_need(t);
	run_told(t, "-a", "Demo.main:arg1", NULL, &end);
	CHECK(t,
	      end.code == 0 &&
		      strstr(end.err,
			     "-a records only the calls of its methods"),
	      "it ended with %d, and is not told: %s", end.code, end.err);
	CHECK(t, strstr(end.out, " Demo.main"), "its call is not seen: %s",
	      end.out);
}

/* Features of .NET only: gnomon says that an option for its hooks has no
 * effect, and does not mention precompiled code or async methods. */
void java_not_of_net(struct live *t)
{
	static const char *const given[][2] = {
		{"--hooks", "fast"},
		{"--clr-hooks", "rejit"},
		{"--on-full", "drop"},
	};
	struct live_end end;

	java_need(t);
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		run_told(t, given[i][0], given[i][1], NULL, &end);
		CHECK(t,
		      end.code == 0 &&
			      strstr(end.err, "changes nothing for a JVM"),
		      "%s: %d, %s", given[i][0], end.code, end.err);
	}
	run_told(t, "--clr", "full", NULL, &end);
	CHECK(t, end.code == 0 && !strstr(end.out, "precompiled"),
	      "it ended with %d: %s", end.code, end.out);
	run_told(t, "--by", "async", NULL, &end);
	CHECK(t, end.code == 0 && strstr(end.out, "only those of .NET"),
	      "it ended with %d: %s", end.code, end.out);
}

static void run_unstarted(struct live *t, const char *glob)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "run", "-f", glob, "--", NULL);
	java_demo(t, &a, "-XX:+NoSuch", "options");
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 1, "it ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.err, "did not start the HotSpot JVM") &&
		      !strstr(end.err, "stripped") &&
		      !strstr(end.err, "libjvm"),
	      "it is not told: %s", end.err);
	CHECK(t,
	      strstr(end.out, "did not start the HotSpot JVM") &&
		      !strstr(end.out, "stripped") &&
		      !strstr(end.out, "Name functions with -f"),
	      "the report has advice on native programs: %s", end.out);
	CHECK(t, !strstr(end.out, "in the bytecode"),
	      "it is said to have hooks: %s", end.out);
}

/* A JVM that does not start, because of a misspelt option, has no methods. */
void java_not_started(struct live *t)
{
	java_need(t);
	run_unstarted(t, "Demo.*");
	/* functions of the JVM itself match, too */
	run_unstarted(t, "Load*");
}

/* A glob that matches no called method. */
void java_not_called(struct live *t)
{
	struct live_end end;

	java_need(t);
	run_told(t, "-f", "Demo.noSuch", NULL, &end);
	CHECK(t, end.code == 0, "it ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.err, "no function matched 'Demo.noSuch'; gnomon knows "
			      "only functions that were called"),
	      "it is not told, or otherwise: %s", end.err);
}

/* Methods that were loaded before there can be hooks: the report says so. */
void java_early(struct live *t)
{
	static const char told[] = "were loaded before the JVM was initialized";
	struct live_end end;

	java_need(t);
	run_told(t, "-f", "java.util.HashMap.*", NULL, &end);
	CHECK(t, end.code == 0 && strstr(end.out, told), "%d, and it said: %s",
	      end.code, end.out);
	run_told(t, "-f", "Demo.*", NULL, &end);
	CHECK(t, end.code == 0 && !strstr(end.out, told), "%d, and it said: %s",
	      end.code, end.out);
}

/* Without -f, a program in a JVM becomes many times slower: gnomon says so at
 * once, and what costs less. */
void java_slow(struct live *t)
{
	static const char why[] = "many times slower: name methods with -f";
	struct live_end end;

	java_need(t);
	run_told(t, "--raw", NULL, NULL, &end);
	CHECK(t, end.code == 0 && strstr(end.err, why), "%d, and it said: %s",
	      end.code, end.err);
	run_told(t, "-f", "Demo.*", NULL, &end);
	CHECK(t, end.code == 0 && !strstr(end.err, why), "%d, and it said: %s",
	      end.code, end.err);
}

/* Methods have hooks, but also the probes that the program's user asks for. */
void java_twice(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	java_need(t);
	live_add(t, &a, t->gnomon, "run", "-f", "Demo.*", "--", NULL);
	java_demo(t, &a, "-XX:+DTraceMethodProbes", "options");
	live_run(t, &a, NULL, &end);
	CHECK(t,
	      end.code == 0 && strstr(end.err, "each call is counted twice") &&
		      !strstr(end.err, "without gnomon's"),
	      "%d, and it said: %s", end.code, end.err);
}

/* `list` shows the functions that `run` would trace. */
void java_native_list(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	java_need(t);
	live_add(t, &a, t->gnomon, "list", "-f", "libjvm.so:JVM_GC", "--",
		 getenv("JAVA"), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0 && strstr(end.out, " JVM_GC\n"),
	      "it ended with %d, and has no JVM_GC: %s", end.code, end.err);
	a.n = 0;
	live_add(t, &a, t->gnomon, "list", "-f", "Demo.*", "--", getenv("JAVA"),
		 NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0 && !strstr(end.err, "is left"),
	      "methods are not listed, and told as left out: %s", end.err);
}

/* The JVM that a process has loaded is listed, whoever started it. */
void java_list_running(struct live *t)
{
	struct live_args java = {.n = 0}, a = {.n = 0};
	struct live_talk served;
	struct live_end end;

	java_need(t);
	java_demo(t, &java, "", "served");
	live_talk(t, &java, &served);
	free(live_await(t, served.out, "ready"));
	live_add(t, &a, t->gnomon, "list", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t,
	      end.code == 0 && strstr(end.out, "HotSpot JVM (loaded): /") &&
		      strstr(end.out, "  method__entry\n"),
	      "it ended with %d: %s%s", end.code, end.out, end.err);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* The runtime's threads for finalizers and cleaners are idle, and do not wait
 * for work of others. */
static void idle_queues(struct live *t, const json_t *report)
{
	static const char name[] = "java.lang.Object.wait";
	const json_t *f, *w;
	size_t i, k, idle = 0;

	json_array_foreach(json_object_get(report, "functions"), i, f)
	{
		const char *of = json_string_value(json_object_get(f, "name"));

		if (strncmp(of, name, sizeof(name) - 1) != 0)
			continue;
		json_array_foreach(json_object_get(f, "waits"), k, w) idle +=
			json_is_true(json_object_get(w, "idle_worker"));
	}
	CHECK(t, idle, "no thread was idle in %s", name);
}

/* A program from a package: it writes the same file, and the account of each of
 * its threads adds up. */
void java_tool(struct live *t)
{
	struct live_args plain = {.n = 0}, traced = {.n = 0};
	char *one = live_text(t, "%s/one.jar", t->dir);
	char *two = live_text(t, "%s/two.jar", t->dir);
	char *jar = live_text(t, "%s", getenv("JAVA"));
	size_t size, other_size;
	struct live_end end;
	json_t *report;
	char *a, *b;

	java_need(t);
	jar = live_text(t, "%.*sjar", (int)(strlen(jar) - 4), jar);
	if (access(jar, X_OK))
		live_skip(t, "there is no %s", jar);
	live_add(t, &plain, jar, "--create", "--date=2020-01-01T00:00:00Z",
		 "--file", one, "-C", t->fixtures, ".", NULL);
	live_add(t, &traced, jar, "--create", "--date=2020-01-01T00:00:00Z",
		 "--file", two, "-C", t->fixtures, ".", NULL);
	live_run(t, &plain, NULL, &end);
	CHECK(t, end.code == 0, "jar ended with %d: %s", end.code, end.err);
	live_traced(t, &traced, "", &end, &report);
	CHECK(t, end.code == 0 && !*end.err, "jar ended with %d: %s", end.code,
	      end.err);
	live_clean(t, report);
	idle_queues(t, report);
	a = live_read(t, one, &size);
	b = live_read(t, two, &other_size);
	CHECK(t, size == other_size && !memcmp(a, b, size),
	      "jar wrote another file under gnomon");
	CHECK(t,
	      live_function(t, report, NULL,
			    "sun.tools.jar.Main.main(java.lang.String[])",
			    "calls", NULL) == 1,
	      "the main method was not called once");
}
