/* SPDX-License-Identifier: BSD-2-Clause */
/* Ruby programs with and without gnomon. */
#include "live_ruby.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

char *live_ruby(struct live *t)
{
	char *path = getenv("RUBY");

	if (!path || !*path)
		live_skip(t, "no Ruby; run tools/setup test");
	return path;
}

char *live_ruby_known(struct live *t, const char *what)
{
	struct live_args a = {.n = 0};
	char *path = live_ruby(t);
	struct live_end end;

	live_add(t, &a, path, "-e", "print RUBY_VERSION", NULL);
	live_run(t, &a, NULL, &end);
	if (!strncmp(end.out, "3.", 2) && strchr("123", end.out[2]))
		return path;
	live_skip(t, "gnomon sees %s of Ruby 3.1 to 3.3 only, this is %s", what,
		  end.out);
}

static void demo(struct live *t, struct live_args *a, const char *topic)
{
	live_add(t, a, live_ruby(t), live_text(t, "%s/demo.rb", t->fixtures),
		 topic, NULL);
}

void live_run_row(struct live *t, const struct live_row *row)
{
	struct live_args command = {.n = 0};

	demo(t, &command, row->command);
	live_pair_compare(t, &command, row->options, row->flags);
}

/* Threads that run Ruby code wait for the interpreter's lock; one that waits
 * for another thread does not. */
void ruby_lock(struct live *t)
{
	static const char *const options[] = {"", "-f race", "--hooks uprobe"};

	live_ruby_known(t, "the interpreter's lock");
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;

		demo(t, &command, "contend");
		live_traced(t, &command, options[i], &end, &report);
		live_interpreter_lock(t, end.out, report, "Object#race");
		if (i == 1)
			continue;
		CHECK(t,
		      live_function(t, report, NULL, "Object#hold",
				    "classes_inclusive.event", NULL) > 20000000,
		      "it did not wait for an event");
	}
}

/* The same in a program that runs already, whose methods are not seen. */
void ruby_lock_attach(struct live *t)
{
	struct live_args command = {.n = 0}, a = {.n = 0};
	struct live_truths *truths = calloc(1, sizeof(*truths));
	char *path = live_path(t, "report"), *out = "", *line;
	const json_t *classes;
	struct live_talk ruby, gnomon;
	uint64_t off, known;

	CHECK(t, truths, "no memory");
	live_add(t, &command, live_ruby_known(t, "the interpreter's lock"),
		 "-e",
		 "$stdout.sync = true; puts 'runs'; $stdin.gets; load ARGV.pop",
		 "contend", live_text(t, "%s/demo.rb", t->fixtures), NULL);
	live_talk(t, &command, &ruby);
	free(live_await(t, ruby.out, "runs"));
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "-p",
		 live_text(t, "%d", (int)ruby.pid), NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	live_tell(t, &ruby, "go");
	while ((line = live_await_or_end(t, ruby.out, "")))
		out = live_text(t, "%s%s\n", out, line);
	CHECK(t, !live_finish(t, &ruby), "Ruby failed: %s", out);
	CHECK(t, !live_wait(t, &gnomon), "gnomon failed");
	live_truths(t, out, truths);
	off = live_truth(truths, "inner", "Object#race") -
	      live_truth(truths, "cpu", "Object#race");
	free(truths);
	classes = json_object_get(
		json_object_get(live_load(t, path), "session"), "classes");
	known = live_number(t, classes, "lock") +
		live_number(t, classes, "runqueue");
	CHECK(t, known >= off / 10 * 9 - 10000000,
	      "%" N " ns in locks and queued, %" N " ns not on a CPU", known,
	      off);
	CHECK(t, live_number(t, classes, "event") > 20000000,
	      "no thread waited for another");
}

/* Only methods that -f names are recorded, by their whole name, without Object,
 * or by their file. */
void ruby_filter(struct live *t)
{
	static const char *const filters[] = {
		"-f count_down",
		"-f Object#count_down",
		"-f demo.rb:count_*",
		"-f demo:Object#count_down",
		"-f Object#* -f !*plain -f !*n -f Object#count_*",
		NULL};
	struct live_args command = {.n = 0};

	demo(t, &command, "recursion");
	live_filters(t, &command, filters, "Object#count_down", "Object#plain");
}

/* Of calls in Ractors, the report says that it has none, whatever -f names. */
void ruby_ractors_told(struct live *t)
{
	static const char *const code[] = {
		"def leaf; 7; end; leaf; r = Ractor.new { leaf }; "
		"Ractor.new { }.take; print r.take",
		"def leaf; 7; end; class Ractor; def self.new; 1; end; end; "
		"Ractor.new; print leaf"};
	struct live_end end;
	json_t *report;

	for (size_t i = 0; i < 2; i++) {
		struct live_args command = {.n = 0};

		live_add(t, &command, live_ruby(t), "-W0", "-e", code[i], NULL);
		live_traced(t, &command, "-f leaf", &end, &report);
		CHECK(t, end.code == 0 && !strcmp(end.out, "7"),
		      "it ended with %d: %s%s", end.code, end.out, end.err);
		CHECK(t,
		      live_function(t, report, NULL, "Object#leaf", "calls",
				    NULL) == 1,
		      "the call in the main Ractor is not seen");
		CHECK(t, live_number(t, report, "code.selected.ractors") == !i,
		      "it is told wrongly");
	}
}

/* The report says where a method begins. */
void ruby_lines(struct live *t)
{
	struct live_args command = {.n = 0};

	demo(t, &command, "recursion");
	live_begins(t, &command, "demo.rb", "def count_down(",
		    "Object#count_down");
}

/* Ways to start a program: a script, code, a script by its first line, with
 * options that change the interpreter. */
void ruby_started(struct live *t)
{
	static const char code[] = "def f() = nil\n7.times { f }\n"
				   "puts __method__.inspect\n";
	char *script = live_path(t, "script");
	char *const ways[][LIVE_WAY] = {
		{live_ruby(t), "-e", (char *)code},
		{live_ruby(t), script},
		{live_ruby(t), "--disable=gems", script},
		{live_ruby(t), "--yjit", script},
		{live_ruby(t), "-w", "-ruri", script},
		{script},
	};

	live_ways(t, ways, sizeof(ways) / sizeof(ways[0]), script,
		  live_text(t, "#!%s\n%s", live_ruby(t), code), "Object#f");
}

/* Nothing attaches to a running interpreter, which gnomon says. */
void ruby_attach(struct live *t)
{
	struct live_args command = {.n = 0};
	struct live_talk program, gnomon;
	struct live_args a = {.n = 0};

	live_add(t, &command, live_ruby(t), "-e",
		 "puts 'runs'; $stdout.flush; $stdin.read", NULL);
	live_talk(t, &command, &program);
	free(live_await(t, program.out, "runs"));
	live_add(t, &a, t->gnomon, "run", "--duration", "1s", "-f", "*", "-o",
		 live_path(t, "report"), "-p",
		 live_text(t, "%d", (int)program.pid), NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err,
			live_text(t, "gnomon: process %d (Ruby) was ",
				  (int)program.pid)));
	live_wait(t, &gnomon);
	live_finish(t, &program);
}

/* Ruby says how many hooks it has: none any more once gnomon was killed and a
 * method was called, even if another gnomon has probes there. `before`: Ruby
 * code that goes first. */
static void outlives(struct live *t, const char *options, const char *before)
{
	static const char *const script =
		"$stdout.sync = true; def hooks = "
		"puts(\"hooks #{TracePoint.stat.values.flatten.sum}\"); "
		"def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2); "
		"hooks; $stdin.gets; puts \"fib #{fib(15)}\"; hooks";
	struct live_args command = {.n = 0};
	struct live_talk talk, other;
	char *line;

	live_beside(t, "", &other);
	live_add(t, &command, live_ruby(t), "-e",
		 live_text(t, "%s %s", before, script), NULL);
	line = live_orphan(t, &command, options, "hooks ", &talk);
	CHECK(t, strcmp(line, "hooks 0"), "there was no hook: %s", line);
	free(line);
	line = live_await(t, talk.out, "fib ");
	live_same(t, "the result", line, "fib 610");
	free(line);
	line = live_await(t, talk.out, "hooks ");
	live_same(t, "what is left", line, "hooks 0");
	free(line);
	CHECK(t, !live_await_or_end(t, talk.out, ""), "more output");
	live_finish(t, &other);
}

void ruby_killed(struct live *t)
{
	outlives(t, "", "");
	outlives(t, "--hooks uprobe", "");
}

/* The threads of the children of children(), with one of a grandchild. */
#define FORKED 12

void ruby_children_fast(struct live *t)
{
	struct live_args command = {.n = 0};

	demo(t, &command, "children");
	live_forked(t, &command, FORKED);
}

/* The same in a forked child. */
void ruby_children_killed(struct live *t)
{
	outlives(t, "", "(Process.wait; exit) if fork;");
}
