/* SPDX-License-Identifier: BSD-2-Clause */
/* Async methods that count their own instances, suspensions and times. */
#include "clr.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N PRIu64

/* How far the program's stamps and gnomon's may differ for each measured
 * instance or await: a probe and a stamp. */
#define EACH_NS 5000
/* Where a trap takes longer than usual, its effects take longer, too. */
#define TRAPS 4

/* A method without a machine has its parameters, which the program leaves
 * out. */
static bool is_named(const char *own, const char *name, size_t len)
{
	return !strncmp(own, name, len) && (!own[len] || own[len] == '(');
}

/* Where the number of an await begins, which is behind the name; NULL: none. F#
 * has another @ in the names of types. */
static const char *number_of(const char *name)
{
	const char *at = strrchr(name, '@');

	return at && at[1] && !at[1 + strspn(at + 1, "0123456789")] ? at : NULL;
}

static const json_t *find_method(const json_t *report, const char *name,
				 size_t len)
{
	const json_t *a;
	size_t i;

	json_array_foreach(json_object_get(report, "async"), i, a)
	{
		const char *own = json_string_value(json_object_get(a, "name"));

		if (is_named(own, name, len))
			return a;
	}
	return NULL;
}

static const json_t *by_short(const json_t *report, const char *name)
{
	const json_t *a;
	size_t i;

	json_array_foreach(json_object_get(report, "async"), i, a)
	{
		const json_t *own = json_object_get(a, "short");

		if (own && is_named(json_string_value(own), name, strlen(name)))
			return a;
	}
	return NULL;
}

static const json_t *find_await(const json_t *method, int state)
{
	const json_t *at;
	size_t i;

	json_array_foreach(json_object_get(method, "awaits"), i, at)
	{
		if (json_integer_value(json_object_get(at, "state")) == state)
			return at;
	}
	return NULL;
}

/* The time that the host took from the program's threads while they were on a
 * CPU, by the kernel's count. */
static uint64_t stolen(struct live *t, const json_t *report)
{
	const json_t *thread, *kernel;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach(json_object_get(report, "threads"), i, thread)
	{
		kernel = json_object_get(thread, "kernel");
		if (json_is_object(kernel))
			sum += live_number(t, kernel, "stolen_ns");
	}
	return sum;
}

/* How long a method's threads were ready without a CPU: that may have been
 * between the program's stamp and gnomon's. */
static uint64_t without_cpu(struct live *t, const json_t *report,
			    const json_t *method)
{
	const char *name = json_string_value(json_object_get(method, "name"));

	return live_function(t, report, NULL, name,
			     "classes_inclusive.runqueue", NULL) +
	       stolen(t, report);
}

/* The cost of a hit of a site on this machine, as gnomon has measured it. */
static uint64_t cost_of_hit(struct live *t, const json_t *report,
			    const char *kind)
{
	const json_t *cost = json_object_get(report, "probe_cost"), *class;
	size_t i;

	json_array_foreach(json_object_get(cost, "classes"), i, class)
	{
		if (!strcmp(json_string_value(json_object_get(class, "name")),
			    kind))
			return live_number(t, class, "before_ns") +
			       live_number(t, class, "after_ns");
	}
	return 0;
}

/*
 * These captures leave the cost of probes in: for the sites at an instance's
 * begin and end, around each await, and for an exception. An exception has a
 * throw and a search, and unwinds two functions, with a begin and an end
 * each.
 */
#define EXCEPTION_HITS 8

static uint64_t cost_in(struct live *t, const json_t *report,
			const json_t *method)
{
	uint64_t hits = 2 * live_number(t, method, "starts") +
			EXCEPTION_HITS * live_number(t, method, "faulted");
	const json_t *await;
	size_t i;

	json_array_foreach(json_object_get(method, "awaits"), i, await) hits +=
		2 * live_number(t, await, "count");
	return hits * cost_of_hit(t, report, "managed");
}

/*
 * NULL, or how far the time is off. gnomon's stamps are outside the program's
 * for an instance and inside them for an await, so no doubt is allowed on that
 * side. On the other side a thread can lose its CPU between the two stamps.
 * Only gnomon knows how long it was on the run queue then, so this does not
 * prove that such a stretch is right.
 */
static char *same_time(struct live *t, const struct live_truth *truth,
		       uint64_t ns, uint64_t each, uint64_t doubt, bool around,
		       const json_t *report)
{
	uint64_t traps = TRAPS * cost_of_hit(t, report, "emulated");
	uint64_t most = traps > EACH_NS ? traps : EACH_NS;
	uint64_t off =
		ns > truth->value ? ns - truth->value : truth->value - ns;
	uint64_t clock = each * LIVE_CLOCK_NS;

	CHECK(t,
	      around ? ns + clock >= truth->value : ns <= truth->value + clock,
	      "%s %s: %" N " ns, which cannot be %s than %" N, truth->word,
	      truth->name, ns, around ? "less" : "more", truth->value);
	if (off <= truth->value / 100 + doubt || off <= each * most + doubt)
		return NULL;
	return live_text(t, "%s %s: %" N " ns, not %" N ", %" N " in doubt",
			 truth->word, truth->name, ns, truth->value, doubt);
}

static void same_count(struct live *t, const struct live_truth *truth,
		       uint64_t n)
{
	CHECK(t, n == truth->value, "%s %s: %" N ", not %" N, truth->word,
	      truth->name, n, truth->value);
}

/* The lines are those that the compiler gave to the program. */
static void same_line(struct live *t, const struct live_truth *truth,
		      const json_t *row, const json_t *method)
{
	bool fsharp = !strncmp(truth->name, "Tasks+", 6);
	const char *source = fsharp ? "/Tasks.fs" : "/Awaits.cs";
	const char *file = json_string_value(json_object_get(method, "file"));
	size_t len = file ? strlen(file) : 0;

	CHECK(t,
	      len >= strlen(source) &&
		      !strcmp(file + len - strlen(source), source),
	      "%s is of the file %s", truth->name, file ? file : "(none)");
	CHECK(t, live_number(t, row, "line") == truth->value,
	      "%s %s: %" N ", not %" N, truth->word, truth->name,
	      live_number(t, row, "line"), truth->value);
}

/* How long before the program heard that the runtime had suspended the method,
 * gnomon can have been told: it is told in between. 0: it has a machine. */
static uint64_t saved(const struct live_truths *truths, const char *name)
{
	for (size_t i = 0; i < truths->n; i++)
		if (!strcmp(truths->line[i].word, "await-saved-ns") &&
		    !strcmp(truths->line[i].name, name))
			return truths->line[i].value;
	return 0;
}

/* Counts are exact. NULL, or how far a time is off. */
static char *same(struct live *t, const struct live_truths *truths,
		  const struct live_truth *truth, const json_t *report)
{
	const char *at = number_of(truth->name), *word = truth->word;
	size_t len = at ? (size_t)(at - truth->name) : strlen(truth->name);
	const json_t *method = find_method(report, truth->name, len);
	const json_t *await = at ? find_await(method, atoi(at + 1)) : NULL;

	CHECK(t, method && (!at || await), "the report has no %s", truth->name);
	if (!strcmp(word, "await-ns"))
		return same_time(t, truth, live_number(t, await, "awaited_ns"),
				 live_number(t, await, "count"),
				 without_cpu(t, report, method) +
					 saved(truths, truth->name),
				 false, report);
	if (!strcmp(word, "async-ns"))
		return same_time(t, truth, live_number(t, method, "elapsed_ns"),
				 live_number(t, method, "starts"),
				 without_cpu(t, report, method) +
					 cost_in(t, report, method),
				 true, report);
	if (!strcmp(word, "await-saved-ns"))
		return NULL;
	if (strstr(word, "-line"))
		same_line(t, truth, at ? await : method, method);
	else if (!strcmp(word, "async-starts"))
		same_count(t, truth, live_number(t, method, "starts"));
	else if (!strcmp(word, "async-older") || !strcmp(word, "await-older"))
		same_count(t, truth,
			   live_number(t, at ? await : method, "older"));
	else if (!strcmp(word, "async-ends"))
		same_count(t, truth, live_number(t, method, "completions"));
	else if (!strcmp(word, "async-faults"))
		same_count(t, truth, live_number(t, method, "faulted"));
	else
		same_count(t, truth, live_number(t, await, "count"));
	return NULL;
}

size_t clr_async_same(struct live *t, const char *out, const json_t *report,
		      char **off)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	size_t n = 0;

	*off = NULL;

	CHECK(t, truths, "no memory");
	live_truths(t, out, truths);
	for (size_t i = 0; i < truths->n; i++) {
		const struct live_truth *truth = &truths->line[i];
		char *more;

		if (strncmp(truth->word, "async-", 6) != 0 &&
		    strncmp(truth->word, "await-", 6) != 0)
			continue;
		more = same(t, truths, truth, report);
		*off = *off ? *off : more;
		n++;
	}
	free(truths);
	return n;
}

/* Other users of the machine take CPUs between two stamps. */
#define ATTEMPTS 3

void test_async(struct live *t)
{
	struct live_args command = {.n = 0};
	struct clr_pair pair;
	const json_t *never;

	clr_need(t);
	clr_demo(t, &command, "awaits");
	for (int i = 0; i < ATTEMPTS; i++) {
		char *off;

		clr_pair(t, "--raw --clr-hooks rejit -f Demo.Awaits*", &command,
			 &pair);
		never = by_short(pair.report, "Awaits.Never");
		CHECK(t, never && live_number(t, never, "in_flight") == 5,
		      "those that never end are not in flight");
		CHECK(t,
		      clr_async_same(t, pair.traced.out, pair.report, &off) >
			      100,
		      "the program says little of itself");
		if (!off)
			return;
		live_again(t, i, ATTEMPTS, off);
	}
}

/* Tasks of F#: they have other state machines. */
void test_async_fsharp(struct live *t)
{
	struct live_args command = {.n = 0};
	struct clr_pair pair;

	clr_need(t);
	live_add(t, &command, getenv("DOTNET"),
		 live_fixture(t, "languages/tasks.dll"), NULL);
	for (int i = 0; i < ATTEMPTS; i++) {
		char *off;

		clr_pair(t, "--raw --clr-hooks rejit -f Tasks+*@*", &command,
			 &pair);
		CHECK(t,
		      clr_async_same(t, pair.traced.out, pair.report, &off) >
			      100,
		      "the program says little of itself");
		CHECK(t,
		      live_number(t, pair.report, "code.selected.async_left") ==
			      0,
		      "async methods are left");
		if (!off)
			return;
		live_again(t, i, ATTEMPTS, off);
	}
}

/* One session on the process; `killed`: gnomon is killed. NULL: the report and
 * the program agree. */
static char *attached(struct live *t, const struct live_talk *served,
		      const char *filter, bool killed)
{
	char *path = live_text(t, "%s/report.json", t->dir), *said, *off;
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	int code;

	unlink(path);
	live_add(t, &a, t->gnomon, "run", "--raw", "--format", "json", "-o",
		 path, "-f", filter, "-p", live_text(t, "%d", (int)served->pid),
		 NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	said = clr_serve(t, served, "run");
	CHECK(t, kill(gnomon.pid, killed ? SIGKILL : SIGINT) == 0, "no gnomon");
	code = live_wait(t, &gnomon);
	if (killed)
		return NULL;
	CHECK(t, code == 0, "gnomon ended with %d", code);
	CHECK(t, clr_async_same(t, said, live_load(t, path), &off) > 60,
	      "the program says little of itself");
	return off;
}

/*
 * A running process. State machines that began before the session go on in it,
 * and those of the session go on after it. Of each session, some are suspended
 * until the next one has begun, and some until all are over.
 */
static void check_attached(struct live *t, const struct live_args *command,
			   const char *filter)
{
	struct live_talk served;
	char *off = NULL;
	int good = 0;

	live_talk(t, command, &served);
	free(live_await(t, served.out, "ready"));
	clr_serve(t, &served, "hold 4");
	for (int i = 0; i < 2 * ATTEMPTS && good < 2; i++) {
		bool killed = i == 1;

		off = attached(t, &served, filter, killed);
		good += !off && !killed;
		if (off && i + 1 < 2 * ATTEMPTS)
			live_again(t, i, 2 * ATTEMPTS, off);
	}
	CHECK(t, good == 2, "%s", off);
	/* without gnomon, tagged machines go on as usual */
	clr_serve(t, &served, "release");
	clr_serve(t, &served, "run");
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

void test_async_attached(struct live *t)
{
	struct live_args a = {.n = 0};

	clr_need(t);
	clr_demo(t, &a, "awaits-served");
	check_attached(t, &a, "Demo.Awaits*");
}

void test_async_fsharp_attached(struct live *t)
{
	struct live_args a = {.n = 0};

	clr_need(t);
	live_add(t, &a, getenv("DOTNET"),
		 live_fixture(t, "languages/tasks.dll"), "served", NULL);
	check_attached(t, &a, "Tasks+*@*");
}

/* Lines are those of the compiler, also if hooks are probes. Only this reads
 * the files of a process then. */
void test_lines_probes(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;
	size_t n = 0;

	clr_need(t);
	clr_demo(t, &command, "awaits");
	clr_trace(t, "--hooks uprobe -f Demo.Awaits*", NULL, &command, &end,
		  &report);
	CHECK(t, truths && end.code == 0 && report, "ended with %d: %s",
	      end.code, end.err);
	live_truths(t, end.out, truths);
	for (size_t i = 0; i < truths->n; i++) {
		if (!strstr(truths->line[i].word, "-line"))
			continue;
		same(t, truths, &truths->line[i], report);
		n++;
	}
	CHECK(t, n > 10, "the program says %zu lines", n);
	free(truths);
}

/* A PDB of another build is refused, and that is reported once. Its lines would
 * be wrong. */
void test_lines_other_build(struct live *t)
{
	static const char told[] =
		"/demo.pdb is from another build than its module; its "
		"functions have no source lines\n";
	struct live_args command = {.n = 0};
	const json_t *function;
	const char *line;
	struct live_end end;
	json_t *report;
	size_t i;

	clr_need(t);
	live_add(t, &command, getenv("DOTNET"), clr_copy_demo(t), "recursion",
		 NULL);
	live_copy(t, live_fixture(t, "lines/lines.pdb"),
		  live_text(t, "%s/demo.pdb", t->dir));
	clr_trace(t, "-f Demo.Recursion.*", NULL, &command, &end, &report);
	CHECK(t, end.code == 0 && report, "ended with %d: %s", end.code,
	      end.err);
	line = strstr(end.err, told);
	CHECK(t, line && !strstr(line + 1, told), "it is not told once: %s",
	      end.err);
	json_array_foreach(json_object_get(report, "functions"), i, function)
	{
		CHECK(t, !json_object_get(function, "file"), "%s has lines",
		      json_string_value(json_object_get(function, "name")));
	}
}
