/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of Python programs compared with what the programs know about their
 * CPU time. */
#include "live_python.h"

#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N	 PRIu64
#define OPTIONS	 "--snapshot 997 --by samples"
#define BURNT_MS "600"

static uint64_t counter(struct live *t, const json_t *report, const char *name)
{
	return live_number(t, report, live_text(t, "counters.python-%s", name));
}

/* A field of the rows of a function; 0: there is none. */
static uint64_t samples_of(struct live *t, const json_t *report,
			   const char *name, const char *field)
{
	const json_t *rows = json_object_get(report, "samples"), *row;
	uint64_t sum = 0;
	size_t i;

	CHECK(t, json_is_array(rows), "the report has no samples");
	json_array_foreach(rows, i, row)
	{
		const char *its =
			json_string_value(json_object_get(row, "name"));

		if (its && !strcmp(its, name) && json_object_get(row, field))
			sum += live_number(t, row, field);
	}
	return sum;
}

/* Whether a line of the truth is about this function's CPU time. */
static bool is_cpu(const struct live_truth *line)
{
	return !strcmp(line->word, "cpu");
}

/* The functions have the shares of the samples that they have of the CPU time,
 * within five standard deviations of random draws, and begin where the program
 * says. */
static void check_shares(struct live *t, const char *python,
			 const json_t *report, const char *out)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	double all_ns = 0, all = 0;

	CHECK(t, truths, "no memory");
	live_truths(t, out, truths);
	for (size_t i = 0; i < truths->n; i++) {
		const struct live_truth *l = &truths->line[i];

		if (!is_cpu(l))
			continue;
		all_ns += (double)l->value;
		all += (double)samples_of(t, report, l->name, "total");
	}
	/* 997 a second; a machine that is late takes fewer */
	CHECK(t, all_ns > 0 && all > all_ns * 997e-9 / 2,
	      "%s: %.0f samples for %.0f ms", python, all, all_ns / 1e6);
	for (size_t i = 0; i < truths->n; i++) {
		const struct live_truth *l = &truths->line[i];
		double share = (double)l->value / all_ns;
		double wide = 5 * sqrt(all * share * (1 - share)) + 1;
		uint64_t is = samples_of(t, report, l->name, "total");

		if (!is_cpu(l))
			continue;
		CHECK(t, fabs((double)is - share * all) <= wide,
		      "%s: %s: %" N " of %.0f samples, for %.1f +- %.1f",
		      python, l->name, is, all, share * all, wide);
		CHECK(t,
		      samples_of(t, report, l->name, "line") ==
			      live_truth(truths, "line", l->name),
		      "%s: %s is in line %" N, python, l->name,
		      samples_of(t, report, l->name, "line"));
	}
	printf("%s: %s: %.0f samples in %zu functions\n", t->name, python, all,
	       truths->n / 2);
	free(truths);
}

/* Nearly all samples have Python functions, and the rest is counted. */
static void check_counts(struct live *t, const char *python,
			 const json_t *report)
{
	uint64_t stacks = counter(t, report, "stacks");
	uint64_t bad =
		counter(t, report, "unread") + counter(t, report, "strange") +
		counter(t, report, "unknown") + counter(t, report, "names");

	CHECK(t, stacks, "%s: no sample has Python functions", python);
	/* memory that was not touched yet, and structures that are just being
	 * changed */
	CHECK(t, bad <= 2 + stacks / 100, "%s: %" N " of %" N " are wrong",
	      python, bad, stacks);
}

static void add_script(struct live *t, struct live_args *a, const char *topic)
{
	live_add(t, a, live_text(t, "%s/sampled.py", t->fixtures), topic,
		 BURNT_MS, NULL);
}

/* Attaches to the program before it begins its work. */
static json_t *attach(struct live *t, const char *python, const char *topic,
		      char **out)
{
	struct live_args a = {.n = 0};
	struct live_talk program, gnomon;
	json_t *report;
	char *path = live_path(t, "report.json"), *line;
	struct live_args g = {.n = 0};

	*out = live_text(t, "%s", "");
	live_add(t, &a, (char *)python, NULL);
	add_script(t, &a, topic);
	live_talk(t, &a, &program);
	free(live_await(t, program.out, "runs"));
	live_add(t, &g, t->gnomon, "run", "--format", "json", "-o", path, "-p",
		 live_text(t, "%d", (int)program.pid), NULL);
	live_split(t, &g, OPTIONS);
	live_talk(t, &g, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	live_tell(t, &program, "go");
	while ((line = live_await_or_end(t, program.out, "")))
		*out = live_text(t, "%s%s\n", *out, line);
	CHECK(t, !live_finish(t, &program), "%s failed", python);
	CHECK(t, !live_wait(t, &gnomon), "gnomon failed");
	report = live_load(t, path);
	live_clean(t, report);
	return report;
}

static void check_attached(struct live *t, const char *topic)
{
	for (char **p = live_pythons(t); *p; p++) {
		char *out;
		json_t *report = attach(t, *p, topic, &out);

		check_shares(t, *p, report, out);
		check_counts(t, *p, report);
		CHECK(t, !counter(t, report, "early"),
		      "%s: %" N " samples came too early", *p,
		      counter(t, report, "early"));
		json_decref(report);
	}
}

void python_samples_attached(struct live *t)
{
	check_attached(t, "shares");
}

void python_samples_threads(struct live *t)
{
	check_attached(t, "threads");
}

/* A child has the functions of its parent at once. */
void python_samples_fork(struct live *t)
{
	check_attached(t, "fork");
}

void python_samples_renewed(struct live *t)
{
	check_attached(t, "renewed");
}

/* Of a stack that is too deep the callers are missing, which is told: in the
 * share of the time that the program is so deep. */
static void check_cut(struct live *t, const char *python, const json_t *report,
		      const char *out)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	double all = (double)samples_of(t, report, "__main__.first", "total");
	double cut = (double)counter(t, report, "cut"), share;

	CHECK(t, truths, "no memory");
	live_truths(t, out, truths);
	share = (double)live_truth(truths, "cpu", "__main__.down") /
		(double)live_truth(truths, "cpu", "__main__.first");
	CHECK(t,
	      all > 100 && fabs(cut - share * all) <=
				   5 * sqrt(all * share * (1 - share)) + 1,
	      "%s: %.0f of %.0f were cut, for %.1f", python, cut, all,
	      share * all);
	CHECK(t,
	      (double)samples_of(t, report, "[more callers]", "total") == cut,
	      "%s: %" N " of %.0f say so", python,
	      samples_of(t, report, "[more callers]", "total"), cut);
	free(truths);
}

void python_samples_deep(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++) {
		char *out;
		json_t *report = attach(t, *p, "deep", &out);

		check_counts(t, *p, report);
		check_cut(t, *p, report, out);
		json_decref(report);
	}
}

static json_t *start(struct live *t, const struct live_args *command,
		     char *const *env, struct live_end *end)
{
	char *path = live_path(t, "report.json");
	const struct live_start how = {.input = "go\n", .env = env};
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, NULL);
	live_split(t, &a, OPTIONS);
	live_add(t, &a, "--", NULL);
	for (size_t i = 0; i < command->n; i++)
		live_add(t, &a, command->word[i], NULL);
	live_run(t, &a, &how, end);
	CHECK(t, !end->code, "ended with %d: %s", end->code, end->err);
	return live_load(t, path);
}

/* By gnomon itself, and by a program that gnomon starts. */
void python_samples_started(struct live *t)
{
	for (char **p = live_pythons(t); *p; p++)
		for (int by_shell = 0; by_shell < 2; by_shell++) {
			struct live_args command = {.n = 0};
			struct live_end end;
			json_t *report;

			if (by_shell)
				live_add(t, &command, "/bin/sh", "-c",
					 "\"$0\" \"$@\"; exit $?", NULL);
			live_add(t, &command, *p, NULL);
			add_script(t, &command, "shares");
			report = start(t, &command, NULL, &end);
			check_shares(t, *p, report, end.out);
			check_counts(t, *p, report);
			json_decref(report);
		}
}

/* The folder that an interpreter is installed in. */
static char *home_of(struct live *t, const char *python)
{
	char real[PATH_MAX];

	CHECK(t, realpath(python, real), "%s is not there", python);
	return live_text(t, "%s", dirname(dirname(real)));
}

/* The library of an interpreter; NULL: it has none. */
static char *library_of(struct live *t, const char *python)
{
	char *home = home_of(t, python), real[PATH_MAX], *path;

	CHECK(t, realpath(python, real), "%s is not there", python);
	path = live_text(t, "%s/lib/lib%s.so.1.0", home, basename(real));
	if (access(path, R_OK))
		path = live_text(t, "%s/lib/x86_64-linux-gnu/lib%s.so.1.0",
				 home, basename(real));
	return access(path, R_OK) ? NULL : path;
}

static const char *native(struct live *t, const char *name)
{
	return live_text(t, "%s/%s", getenv("NATIVE") ?: "", name);
}

/* A program that has CPython as a library. */
void python_samples_embedded(struct live *t)
{
	size_t n = 0;

	for (char **p = live_pythons(t); *p; p++) {
		char *library = library_of(t, *p), *code;
		char *const env[] = {
			live_text(t, "PYTHONHOME=%s", home_of(t, *p)), NULL};
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;

		if (!library)
			continue;
		code = live_text(t,
				 "import sys; p = '%s/sampled.py'\n"
				 "sys.argv = [p, 'shares', '" BURNT_MS "']\n"
				 "exec(compile(open(p, encoding='utf-8')"
				 ".read(), p, 'exec'))",
				 t->fixtures);
		live_add(t, &command, (char *)native(t, "embedded"), library,
			 code, NULL);
		report = start(t, &command, env, &end);
		check_shares(t, *p, report, end.out);
		check_counts(t, *p, report);
		json_decref(report);
		n++;
	}
	CHECK(t, n, "no Python has a library");
}

/* Frames nest as the functions call one another. */
void python_samples_stacks(struct live *t)
{
	static const char path[] = ";__main__.<module>;__main__.main;"
				   "__main__.shares;__main__.both;"
				   "__main__.first ";

	for (char **p = live_pythons(t); *p; p++) {
		char *trace = live_path(t, "trace");
		const struct live_start how = {.input = "go\n"};
		struct live_args a = {.n = 0}, r = {.n = 0};
		struct live_end end;
		const char *at;

		live_add(t, &a, t->gnomon, "record", "-o", trace, "--snapshot",
			 "997", "-f", "none", "--", *p, NULL);
		add_script(t, &a, "shares");
		live_run(t, &a, &how, &end);
		CHECK(t, !end.code, "%s: ended with %d: %s", *p, end.code,
		      end.err);
		live_add(t, &r, t->gnomon, "report", "-i", trace, "--by",
			 "samples", "--format", "collapsed", NULL);
		live_run(t, &r, NULL, &end);
		at = strstr(end.out, path);
		CHECK(t, at && atoi(at + strlen(path)) > 50,
		      "%s: no such stack:\n%s", *p, end.out);
	}
}

/* A program whose memory is full of traps is sampled all the same; what cannot
 * be read is counted, and the program's own functions are there. */
void python_samples_hostile(struct live *t)
{
	static const struct {
		const char *trap, *counter;
		bool stacks;
	} traps[] = {
		{"threads", "strange", false}, {"frames", "cut", true},
		{"wild", "unread", false},     {"kernel", "unread", false},
		{"type", "strange", false},    {"names", "stacks", true},
		{"long", "stacks", true},
	};

	for (size_t i = 0; i < sizeof(traps) / sizeof(*traps); i++) {
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;
		uint64_t n;

		live_add(t, &command, (char *)native(t, "fake_python"),
			 traps[i].trap, "400", NULL);
		report = start(t, &command, NULL, &end);
		n = counter(t, report, traps[i].counter);
		printf("%s: %s: %" N " samples\n", t->name, traps[i].trap, n);
		CHECK(t, n > 100, "%s: %" N " %s", traps[i].trap, n,
		      traps[i].counter);
		CHECK(t, (counter(t, report, "stacks") > 0) == traps[i].stacks,
		      "%s: %" N " have Python functions", traps[i].trap,
		      counter(t, report, "stacks"));
		CHECK(t,
		      traps[i].stacks ||
			      samples_of(t, report, "burn", "total") > 100,
		      "%s: its own functions are missing", traps[i].trap);
		json_decref(report);
	}
}
