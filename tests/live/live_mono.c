/* SPDX-License-Identifier: BSD-2-Clause */
/* Mono programs with and without gnomon. */
#include "live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define N PRIu64

static char *mono(struct live *t)
{
	char *path = getenv("MONO");

	if (!path || !*path)
		live_skip(t, "no Mono with a compiler; run tools/setup test");
	return path;
}

static char *demo(struct live *t)
{
	return live_text(t, "%s/demo.exe", t->fixtures);
}

static void run_demo(struct live *t, struct live_args *a, const char *topic)
{
	live_add(t, a, mono(t), demo(t), topic, NULL);
}

void live_run_row(struct live *t, const struct live_row *row)
{
	struct live_args command = {.n = 0};

	run_demo(t, &command, row->command);
	live_pair_compare(t, &command, row->options, row->flags);
}

static uint64_t calls(struct live *t, const json_t *report, const char *name)
{
	return live_function(t, report, "demo.exe", name, "calls", NULL);
}

/* Only methods that -f names are recorded: as recorded, as C# writes them, and
 * by their assembly. */
void mono_filter(struct live *t)
{
	static const char *const filters[] = {
		"-f Demo.CountDown",
		"-f CountDown -f Demo.CountDown(int)",
		"-f demo:*.CountDown",
		"-f demo.exe:Demo.C* -f !*.Catches",
		NULL,
	};
	struct live_args command = {.n = 0};

	run_demo(t, &command, "recursion");
	live_filters(t, &command, filters, "Demo.CountDown(int)",
		     "Demo.Tiny(int)");
}

/* Ways to start a program: with options, by a script, with options in the
 * environment, which stay as they are. */
void mono_started(struct live *t)
{
	static const char *const ways[] = {
		"",	     "--debug", "--optimize=inline",
		"--gc=sgen", "-O=all",	"--desktop",
	};
	char *script = live_path(t, "script");
	FILE *f = fopen(script, "w");
	struct live_args by_script = {.n = 0};
	struct live_end end;
	json_t *report;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct live_args command = {.n = 0};

		live_add(t, &command, mono(t), NULL);
		if (*ways[i])
			live_add(t, &command, ways[i], NULL);
		live_add(t, &command, demo(t), "recursion", NULL);
		live_pair(t, &command, "-f demo:*", &end, &report);
		CHECK(t, calls(t, report, "Demo.Tiny(int)") == 1000,
		      "%s: %" N " calls", ways[i],
		      calls(t, report, "Demo.Tiny(int)"));
	}
	CHECK(t, f, "no script");
	fprintf(f,
		"#!/bin/sh\nMONO_ENV_OPTIONS='-O=-inline --debug'\n"
		"export MONO_ENV_OPTIONS\nexec %s %s harmless\n",
		mono(t), demo(t));
	CHECK(t, !fclose(f) && !chmod(script, 0755), "no script");
	live_add(t, &by_script, script, NULL);
	live_pair(t, &by_script, "-f demo:*", &end, &report);
	CHECK(t, strstr(end.out, "-O=-inline --debug"), "no options: %s",
	      end.out);
	CHECK(t, calls(t, report, "Demo.Wraps(int)") == 1, "no calls");
}

/* A program that another one starts is traced like one that gnomon starts. */
void mono_between(struct live *t)
{
	struct live_args command = {.n = 0};

	live_add(t, &command, "/bin/sh", "-c",
		 live_text(t, "env -i %s %s recursion; true", mono(t), demo(t)),
		 NULL);
	live_pair_compare(t, &command, "", 0);
}

/* Mono's interpreter does not report all calls, which the report says. */
void mono_interpreted(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	live_add(t, &command, mono(t), "--interpreter", demo(t), "recursion",
		 NULL);
	live_pair(t, &command, "", &end, &report);
	CHECK(t, live_number(t, report, "code.selected.monos_left") == 1,
	      "it is not told");
	CHECK(t, !calls(t, report, "Demo.Even(int)"), "some calls are counted");
}

/* How many rows of the report have this value in a field. */
static size_t rows_with(const json_t *report, const char *array,
			const char *field, const json_t *value)
{
	const json_t *row;
	size_t i, n = 0;

	json_array_foreach(json_object_get(report, array), i, row) n +=
		json_equal(json_object_get(row, field), value);
	return n;
}

/* The program says how many collections there were of each generation. */
void mono_collections(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	CHECK(t, truths, "no memory");
	run_demo(t, &command, "collections");
	live_traced(t, &command, "--by gc -f demo:*", &end, &report);
	live_truths(t, end.out, truths);
	for (int i = 0; i < 2; i++) {
		uint64_t n = live_truth(truths, "collections",
					live_text(t, "of %d", i));

		CHECK(t, n, "there were none of %d", i);
		CHECK(t,
		      rows_with(report, "gc", "generation", json_integer(i)) ==
			      n,
		      "%zu of %d are reported, not %" N,
		      rows_with(report, "gc", "generation", json_integer(i)), i,
		      n);
	}
	CHECK(t, live_number(t, report, "session.classes.gc") > 0,
	      "no time of collections");
	free(truths);
}

static bool has(const json_t *row, const char *field, const char *text)
{
	const char *is = json_string_value(json_object_get(row, field));

	return is && !strcmp(is, text);
}

/* How often the method threw an exception of the class. */
static uint64_t thrown_in(struct live *t, const json_t *report,
			  const char *class, const char *method)
{
	const json_t *rows = json_object_get(report, "exceptions");
	uint64_t n = 0;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		if (has(row, "name", class) && has(row, "thrown_in", method))
			n += live_number(t, row, "count");
	}
	return n;
}

/* Exceptions have their class and the method that throws them; one that is
 * thrown again counts again. */
void mono_thrown(struct live *t)
{
	static const struct {
		const char *class, *in;
		uint64_t n;
	} thrown[] = {
		{"Failure", "Demo.Fails(int)", 100},
		{"Failure", "Demo.Rethrows(int)", 20},
		{"System.InvalidOperationException", "Demo.Wraps(int)", 20},
		{"System.NullReferenceException", "Demo.Null(string)", 20},
		{"System.DivideByZeroException", "Demo.Divide(int,int)", 20},
	};
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	run_demo(t, &command, "exceptions");
	live_traced(t, &command, "--by exceptions", &end, &report);
	for (size_t i = 0; i < sizeof(thrown) / sizeof(thrown[0]); i++) {
		uint64_t n =
			thrown_in(t, report, thrown[i].class, thrown[i].in);

		CHECK(t, n == thrown[i].n, "%s: %" N " thrown, not %" N,
		      thrown[i].class, n, thrown[i].n);
	}
}

/* Threads have the names that the program gave them; modules are loaded. */
void mono_events(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	run_demo(t, &command, "threads");
	live_traced(t, &command, "--by events -f demo:*", &end, &report);
	for (int i = 0; i < 6; i++)
		CHECK(t,
		      rows_with(report, "events", "name",
				json_string(live_text(t, "worker%d", i))) == 1,
		      "worker%d has no name", i);
	CHECK(t, rows_with(report, "events", "name", json_string(demo(t))) == 1,
	      "the program is not loaded once");
	CHECK(t,
	      rows_with(report, "events", "event",
			json_string("thread-create")) >= 8,
	      "%zu threads are created",
	      rows_with(report, "events", "event",
			json_string("thread-create")));
}

/* Samples of compiled code have the names of its methods. */
void mono_samples(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	const json_t *rows;
	uint64_t own = 0, nameless = 0;
	json_t *report;

	run_demo(t, &command, "busy");
	live_traced(t, &command, "--snapshot 499 --by samples -f demo:*Main",
		    &end, &report);
	rows = json_object_get(report, "samples");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		uint64_t self = live_number(t, row, "self");

		if (has(row, "name", "Demo.Computes(int)"))
			own += self;
		if (has(row, "name", "[unknown]") &&
		    !json_object_get(row, "module"))
			nameless += self;
	}
	CHECK(t, own > 100, "%" N " samples of Computes", own);
	CHECK(t, nameless * 10 < own,
	      "%" N " samples of compiled code have no name", nameless);
}

/* Each method that runs is compiled, and the report says how long that took. */
void mono_compilations(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;

	run_demo(t, &command, "recursion");
	live_traced(t, &command, "", &end, &report);
	CHECK(t, live_number(t, report, "session.classes.jit") > 0,
	      "no time of compilations");
	CHECK(t, live_number(t, report, "code.compilations") > 100,
	      "%" N " compilations",
	      live_number(t, report, "code.compilations"));
	CHECK(t, live_number(t, report, "code.compilations_thrown") == 0,
	      "%" N " compilations failed",
	      live_number(t, report, "code.compilations_thrown"));
}

#define COMPILER "/usr/lib/mono/4.5/mcs.exe"

/* A large program, which was precompiled: Mono's own compiler. What it makes is
 * the same. */
void mono_compiler(struct live *t)
{
	char *source = live_path(t, "hello.cs");
	char *made = live_path(t, "hello.exe");
	FILE *f = fopen(source, "w");
	struct live_args command = {.n = 0}, run = {.n = 0};
	struct live_end end;
	json_t *report;

	CHECK(t, f, "no source");
	fputs("class A { static void Main() "
	      "{ System.Console.WriteLine(\"hello\"); } }\n",
	      f);
	CHECK(t, !fclose(f), "no source");
	live_add(t, &command, mono(t), COMPILER, live_text(t, "-out:%s", made),
		 source, NULL);
	live_pair(t, &command, "", &end, &report);
	CHECK(t, live_number(t, report, "checks.unmatched_leaves") == 0,
	      "%" N " leaves match no frame",
	      live_number(t, report, "checks.unmatched_leaves"));
	CHECK(t,
	      live_function(t, report, "mcs.exe",
			    "Mono.CSharp.Driver.Main(string[])", "calls",
			    NULL) == 1,
	      "the compiler's Main is not in the report");
	live_add(t, &run, mono(t), made, NULL);
	live_run(t, &run, NULL, &end);
	live_same(t, "what it made", end.out, "hello\n");
}

/* gnomon does not trace only to find at the end that no method was seen. */
static void refuses_methods(struct live *t, const struct live_talk *program)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "run", "-f", "Demo.*", "-p",
		 live_text(t, "%d", (int)program->pid), NULL);
	live_run(t, &a, NULL, &end);
	live_expect_line(t, &end, 2, "(Mono runtime) was already running: ");
}

/* Nothing attaches to a running runtime, which gnomon says. */
void mono_attach(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_talk program, gnomon;
	struct live_args a = {.n = 0};

	run_demo(t, &command, "waits");
	live_talk(t, &command, &program);
	free(live_await(t, program.out, "ready"));
	live_add(t, &a, t->gnomon, "run", "--duration", "1s", "-f", "*", "-o",
		 live_path(t, "report"), "-p",
		 live_text(t, "%d", (int)program.pid), NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err,
			live_text(t, "gnomon: process %d (Mono runtime) was ",
				  (int)program.pid)));
	live_wait(t, &gnomon);
	refuses_methods(t, &program);
	live_tell(t, &program, "go on");
	live_finish(t, &program);
}

/* The program goes on without gnomon, to the same end. */
void mono_killed(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_talk talk;
	char *line;

	run_demo(t, &command, "waits");
	free(live_orphan(t, &command, "", "ready", &talk));
	line = live_await(t, talk.out, "calls Demo.CountDown(int)");
	live_same(t, "the result", line, "calls Demo.CountDown(int) 101");
	free(line);
	line = live_await(t, talk.out, "calls Demo.Tiny(int)");
	live_same(t, "the result", line, "calls Demo.Tiny(int) 1000");
	free(line);
	CHECK(t, !live_await_or_end(t, talk.out, ""), "more output");
}
