/* SPDX-License-Identifier: BSD-2-Clause */
/* What the JVM does besides calls: monitors, compilations, collections; and
 * JVMs that gnomon did not start. */
#include "java.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

/* The time that the five threads which the program let wait were in locks. */
static uint64_t waiters(struct live *t, const json_t *report)
{
	const json_t *thread;
	uint64_t ns = 0;
	size_t i, n = 0;

	json_array_foreach(json_object_get(report, "threads"), i, thread)
	{
		if (strcmp(json_string_value(json_object_get(thread, "name")),
			   "waiter") != 0)
			continue;
		ns += live_number(t, thread, "classes.lock");
		n++;
	}
	CHECK(t, n == 5, "%zu threads waited", n);
	return ns;
}

/* A thread holds a monitor while others wait for it: all of that time is
 * lock. */
static void expect_monitors(struct live *t, const struct live_truths *truths,
			    const json_t *report)
{
	static const char name[] = "monitor of Monitors$Lock";
	uint64_t held = live_truth(truths, "held", "lock");
	uint64_t lock = live_function(t, report, NULL, name,
				      "classes_exclusive.lock", NULL);
	uint64_t all = live_function(t, report, NULL, name,
				     "elapsed_exclusive_ns", NULL);
	/* It looks again after at least a millisecond, and may wait for a CPU
	 * each time on a busy machine. */
	uint64_t queued = live_function(t, report, NULL, name,
					"classes_exclusive.runqueue", NULL);

	/* the thread is blocked a little before it prints so */
	CHECK(t, lock + queued >= held / 10 * 9,
	      "%" N " ns lock and %" N " in the run queue, held for %" N, lock,
	      queued, held);
	CHECK(t, waiters(t, report) >= lock, "other threads waited, too");
	for (size_t i = 0; i < 3; i++) {
		static const char *const classes[] = {"sleep", "event",
						      "unclassified"};
		uint64_t ns = live_function(
			t, report, NULL, name,
			live_text(t, "classes_exclusive.%s", classes[i]), NULL);

		CHECK(t, !ns, "%" N " of %" N " ns are %s", ns, all,
		      classes[i]);
	}
}

void java_monitors(struct live *t)
{
	struct live_truths truths;
	struct java_pair pair;

	java_run(t, "", "monitors", 0, &pair);
	live_truths(t, pair.traced.out, &truths);
	expect_monitors(t, &truths, pair.report);
}

/* The number of activities of a category that began. */
static size_t begun(struct live *t, const char *path, const char *category)
{
	json_t *timeline = json_load_file(path, 0, NULL);
	const json_t *event;
	size_t i, n = 0;

	CHECK(t, timeline, "%s is no JSON", path);
	json_array_foreach(json_object_get(timeline, "traceEvents"), i, event)
	{
		const char *cat =
			json_string_value(json_object_get(event, "cat"));
		const char *ph =
			json_string_value(json_object_get(event, "ph"));

		n += cat && ph && !strcmp(cat, category) && !strcmp(ph, "B");
	}
	return n;
}

/* The number that follows `text`. */
static uint64_t number_behind(struct live *t, const char *out, const char *text)
{
	const char *at = strstr(out, text);

	CHECK(t, at, "no '%s' in '%s'", text, out);
	at += strlen(text);
	return strtoull(at + strspn(at, " :"), NULL, 10);
}

/* Every compilation and collection is a slice of the timeline. */
static void expect_counts(struct live *t, const struct live_args *command)
{
	char *path = live_path(t, "timeline.json");
	struct live_args a = {.n = 0};
	size_t jit, gc, suspended;
	struct live_end end;
	uint64_t compiled, collected;

	live_add(t, &a, t->gnomon, "run", "-q", "-f", "Collect.*", "--format",
		 "chrome", "-o", path, "--", NULL);
	for (size_t i = 0; i < command->n; i++)
		live_add(t, &a, command->word[i], NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "ended with %d: %s", end.code, end.err);
	compiled = number_behind(t, end.out, "Total compiled methods");
	collected = number_behind(t, end.out, "collections all");
	jit = begun(t, path, "JIT");
	gc = begun(t, path, "GC");
	suspended = begun(t, path, "suspension");
	CHECK(t, compiled && jit == compiled,
	      "%zu compilations seen, %" N " were", jit, compiled);
	CHECK(t, gc == collected, "%zu collections seen, %" N " were", gc,
	      collected);
	CHECK(t, suspended >= gc, "%zu suspensions for %zu collections",
	      suspended, gc);
}

/* No compilation is running when the JVM counts them at its end. */
#define COUNTED "-Xbatch -XX:+CITime -XX:+UseSerialGC"

void java_counts(struct live *t)
{
	struct live_args command = {.n = 0};

	java_need(t);
	java_demo(t, &command, COUNTED, "collect");
	expect_counts(t, &command);
}

/* A thread's time on a CPU by the kernel's account, and the parts of each
 * switch and interrupt that only gnomon counts: with many short runs that
 * matters. */
static uint64_t cpu_of(struct live *t, const json_t *thread)
{
	static const char *const parts[] = {"switching_ns", "irq_ns",
					    "stolen_ns"};
	const json_t *kernel = json_object_get(thread, "kernel");
	int64_t ns = (int64_t)live_number(t, kernel, "cpu_ns");

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		ns += json_integer_value(json_object_get(kernel, parts[i]));
	return (uint64_t)ns;
}

/* Threads that only collect: their CPU time has class gc. */
void java_collectors(struct live *t)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	const json_t *threads, *row;
	size_t i, collectors = 0;
	struct live_end end;

	java_need(t);
	live_add(t, &a, t->gnomon, "run", "-q", "--by", "thread", "-f",
		 "Collect.*", "--format", "json", "-o", path, "--", NULL);
	java_demo(t, &a, "-XX:+UseParallelGC -XX:ParallelGCThreads=2",
		  "collect");
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "ended with %d: %s", end.code, end.err);
	threads = json_object_get(live_load(t, path), "threads");
	json_array_foreach(threads, i, row)
	{
		const json_t *classes = json_object_get(row, "classes");
		uint64_t gc = live_number(t, classes, "gc"), cpu;

		if (strncmp(json_string_value(json_object_get(row, "name")),
			    "GC Thread#", 10))
			continue;
		collectors++;
		cpu = cpu_of(t, row);
		CHECK(t, live_number(t, classes, "app") == 0,
		      "a collector has time of the program's own");
		gc += live_number(t, classes, "fault");
		CHECK(t, gc * 20 >= cpu * 19 && gc * 20 <= cpu * 21,
		      "%" N " ns collecting, %" N " on CPUs", gc, cpu);
	}
	CHECK(t, collectors == 2, "%zu collectors", collectors);
}

/* Each compilation has the name of its method, even if no methods are
 * traced. */
void java_compiled(struct live *t)
{
	static const char fib[] = "Recursion.fib(int)";
	struct live_args command = {.n = 0};
	size_t i, found = 0;
	struct live_end end;
	const json_t *row;
	json_t *report;

	java_need(t);
	java_demo(t, &command, "", "recursion");
	live_traced(t, &command, "--clr light --by jit", &end, &report);
	CHECK(t, end.code == 0, "ended with %d: %s", end.code, end.err);
	live_clean(t, report);
	json_array_foreach(json_object_get(report, "jit"), i, row)
	{
		const char *name =
			json_string_value(json_object_get(row, "name"));

		CHECK(t, name && strchr(name, '('), "row %zu has no name", i);
		found += !strcmp(name, fib);
	}
	CHECK(t, found, "%s is not in %zu rows", fib, i);
}

/* How long threads named "stopped" waited in this class. */
static uint64_t stopped_for(struct live *t, const json_t *report,
			    const char *class)
{
	const json_t *row;
	uint64_t ns = 0;
	size_t i;

	json_array_foreach(json_object_get(report, "threads"), i, row)
	{
		const char *name =
			json_string_value(json_object_get(row, "name"));

		if (!strcmp(name, "stopped"))
			ns += live_number(t, json_object_get(row, "classes"),
					  class);
	}
	return ns;
}

static void expect_stopped(struct live *t, const json_t *report)
{
	uint64_t suspend = stopped_for(t, report, "suspend");
	uint64_t event = stopped_for(t, report, "event");

	CHECK(t, suspend > event,
	      "%" N " ns suspended, %" N " ns of events that it waits for",
	      suspend, event);
}

/* A stop for a collection is reported even if no function is traced. */
void java_stopped(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	java_need(t);
	java_demo(t, &command, "-XX:+UseSerialGC", "stopped");
	live_traced(t, &command, "--clr light --by thread", &end, &report);
	CHECK(t, end.code == 0, "ended with %d: %s", end.code, end.err);
	expect_stopped(t, report);
}

static size_t lines_of(struct live *t, const char *path)
{
	size_t size, n = 0;
	const char *text = live_read(t, path, &size);

	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	return n;
}

static size_t loads(const json_t *report, const char *event)
{
	const json_t *row;
	size_t i, n = 0;

	json_array_foreach(json_object_get(report, "loads"), i, row) n +=
		!strcmp(json_string_value(json_object_get(row, "event")),
			event);
	return n;
}

/* Every class that the JVM logs, also those that it unloads. */
void java_classes(struct live *t)
{
	char *in = live_path(t, "in"), *out = live_path(t, "out");
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	struct live_end end;
	json_t *report;

	java_need(t);
	live_add(t, &a, t->gnomon, "run", "-q", "--events", "classes", "--by",
		 "loads", "-f", "Unload.*", "--format", "json", "-o", path,
		 "--", NULL);
	java_demo(t, &a,
		  live_text(t,
			    "-Xlog:class+load:file=%s "
			    "-Xlog:class+unload:file=%s -XX:+UseSerialGC",
			    in, out),
		  "unload");
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	CHECK(t, loads(report, "class-loaded") == lines_of(t, in),
	      "%zu classes loaded, the machine logged %zu",
	      loads(report, "class-loaded"), lines_of(t, in));
	CHECK(t, loads(report, "class-unloaded") == 6 && lines_of(t, out) == 6,
	      "%zu classes unloaded, the machine logged %zu",
	      loads(report, "class-unloaded"), lines_of(t, out));
}

/* A running program, and gnomon attached to it. */
struct attached {
	struct live_talk served, gnomon;
	char *path;
	char *said;	/* by gnomon, before it had attached */
	char *attached; /* what gnomon attached to */
};

static void attach(struct live *t, const char *flag, const char *before,
		   const char *glob, const char *format, struct attached *at)
{
	struct live_args java = {.n = 0}, a = {.n = 0};
	char *line;

	java_need(t);
	java_demo(t, &java, flag, "served");
	live_talk(t, &java, &at->served);
	free(live_await(t, at->served.out, "ready"));
	live_ask(t, &at->served, before);
	at->path = live_path(t, "report.json");
	live_add(t, &a, t->gnomon, "run", "--format", format, "-o", at->path,
		 "-p", live_text(t, "%d", (int)at->served.pid),
		 glob ? "-f" : NULL, glob, NULL);
	live_talk(t, &a, &at->gnomon);
	at->said = NULL;
	for (line = live_await(t, at->gnomon.err, "gnomon: ");
	     strncmp(line, "gnomon: attached", strlen("gnomon: attached"));
	     line = live_await(t, at->gnomon.err, "gnomon: "))
		at->said = line;
	at->attached = line;
}

static void detach(struct live *t, struct attached *at)
{
	int code;

	CHECK(t, !kill(at->gnomon.pid, SIGINT), "kill failed");
	code = live_wait(t, &at->gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	live_ask(t, &at->served, "run 500");
	CHECK(t, live_finish(t, &at->served) == 0, "the program failed");
}

/* Methods are seen if the program was started with their probes. */
void java_attach(struct live *t)
{
	struct attached at;
	json_t *report;
	uint64_t calls;

	attach(t, "-XX:+DTraceMethodProbes", "run 500", NULL, "json", &at);
	CHECK(t, !at.said, "gnomon warns: %s", at.said);
	live_ask(t, &at.served, "run 12345");
	detach(t, &at);
	report = live_load(t, at.path);
	calls = live_function(t, report, NULL, "Served.work(int)", "calls",
			      NULL);
	CHECK(t, calls == 12345, "%" N " calls seen, 12345 were made", calls);
}

/* What the program prints until it is done. */
static char *told(struct live *t, const struct live_talk *served,
		  const char *command)
{
	char *all = live_text(t, "%s", ""), *line;

	live_tell(t, served, command);
	while (strcmp(line = live_await(t, served->out, ""), "done") != 0)
		all = live_text(t, "%s%s\n", all, line);
	return all;
}

/* The JVM's option that says whether monitors have their probes is as before
 * when gnomon has gone. */
void java_attach_monitors(struct live *t)
{
	static const char name[] = "monitor of Monitors$Lock";
	struct live_truths truths;
	struct attached at;
	json_t *report;

	attach(t, "-XX:+UseSerialGC", "run 500", "Monitors.*", "json", &at);
	live_truths(t, told(t, &at.served, "monitors 1"), &truths);
	live_same(t, "while it is traced", "true\n",
		  told(t, &at.served, "probes 1"));
	CHECK(t, !kill(at.gnomon.pid, SIGINT), "kill failed");
	CHECK(t, live_wait(t, &at.gnomon) == 0, "gnomon failed");
	live_same(t, "afterwards", "false\n", told(t, &at.served, "probes 1"));
	CHECK(t, live_finish(t, &at.served) == 0, "the program failed");
	report = live_load(t, at.path);
	expect_monitors(t, &truths, report);
	CHECK(t,
	      live_function(t, report, NULL, name, "calls", NULL) ==
		      live_truth(&truths, "calls", name),
	      "other waits were seen");
}

void java_attach_monitors_later(struct live *t)
{
	java_need_later(t);
	java_attach_monitors(t);
}

/* Everything else is always seen. */
void java_attach_plain(struct live *t)
{
	struct attached at;
	size_t gc;

	attach(t, "-XX:+UseSerialGC", "collect 3", NULL, "chrome", &at);
	CHECK(t, at.said && strstr(at.said, "its methods are not seen"),
	      "that methods are not seen is not told: %s", at.said);
	CHECK(t, !strstr(at.attached, "managed functions"),
	      "no method is seen, and it says: %s", at.attached);
	live_ask(t, &at.served, "collect 7");
	detach(t, &at);
	gc = begun(t, at.path, "GC");
	CHECK(t, gc == 7, "%zu collections seen, 7 were", gc);
}

/* The same for a running program. */
void java_attach_stopped(struct live *t)
{
	struct attached at;

	attach(t, "-XX:+UseSerialGC", "run 500", NULL, "json", &at);
	live_ask(t, &at.served, "stop 10");
	detach(t, &at);
	expect_stopped(t, live_load(t, at.path));
}

/* Functions in the launcher's file do not explain why a method was not seen. */
void java_attach_missing(struct live *t)
{
	static const char untraced[] = "managed functions were not traced";
	static const char *const flags[] = {"-XX:+UseSerialGC",
					    "-XX:+DTraceMethodProbes"};

	for (size_t i = 0; i < 2; i++) {
		struct attached at;
		char *told;

		attach(t, flags[i], "run 500", "Missing.*", "json", &at);
		CHECK(t, !strstr(at.attached, "as they are called") == (i == 0),
		      "%s: %s", flags[i], at.attached);
		live_ask(t, &at.served, "run 500");
		detach(t, &at);
		told = live_await(t, at.gnomon.err,
				  "gnomon: no function matched 'Missing.*'");
		CHECK(t, !strstr(told, untraced), "%s: '%s'", flags[i], told);
		free(told);
	}
}

struct sampled {
	uint64_t method, interpreter; /* samples */
	uint64_t cpu_ns, slices; /* of the burns, as printed by the program */
};

static uint64_t samples_of(struct live *t, const json_t *rows, const char *name)
{
	const json_t *row;
	uint64_t n = 0;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (!strcmp(json_string_value(json_object_get(row, "name")),
			    name))
			n += live_number(t, row, "self");
	}
	return n;
}

static struct sampled sampled(struct live *t, const char *options,
			      const char *topic)
{
	char *path = live_path(t, live_text(t, "samples%s.json", options));
	struct live_args a = {.n = 0};
	struct sampled s = {0};
	struct live_end end;
	const json_t *rows;

	java_need(t);
	live_add(t, &a, t->gnomon, "run", "--snapshot", "997", "--by",
		 "samples", "--format", "json", "-o", path, "-f", "Nothing.*",
		 "--", NULL);
	java_demo(t, &a, options, topic);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      sscanf(end.out, "cpu %" SCNu64 " slices %" SCNu64, &s.cpu_ns,
		     &s.slices) == 2,
	      "the program says '%s'", end.out);
	rows = json_object_get(live_load(t, path), "samples");
	s.method = samples_of(t, rows, "Sampled.burn(int)");
	s.interpreter = samples_of(t, rows, "[interpreted]");
	return s;
}

/* A compiled method is known by its address; the rest belongs to the
 * interpreter. */
void java_samples(struct live *t)
{
	struct sampled compiled = sampled(t, "", "sampled 2000");
	struct sampled interpreted = sampled(t, "-Xint", "sampled 100");
	uint64_t some = compiled.cpu_ns / 1000000;

	/* each CPU has its own timer: a slice can have one sample more */
	CHECK(t,
	      compiled.method >= some / 2 &&
		      compiled.method <= some + compiled.slices,
	      "%" N " samples of the compiled method in %" N " ns, %" N
	      " slices",
	      compiled.method, compiled.cpu_ns, compiled.slices);
	CHECK(t,
	      !interpreted.method &&
		      interpreted.interpreter >= interpreted.cpu_ns / 2000000,
	      "interpreted for %" N " ns: %" N " samples of the method, %" N
	      " of the interpreter",
	      interpreted.cpu_ns, interpreted.method, interpreted.interpreter);
}
