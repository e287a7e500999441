/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_sampled.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N	PRIu64
#define OPTIONS "--snapshot 997 --by samples"

uint64_t live_sampled_counter(struct live *t, const struct live_sampled *s,
			      const json_t *report, const char *name)
{
	return live_number(t, report,
			   live_text(t, "counters.%s-%s", s->word, name));
}

uint64_t live_samples_of(struct live *t, const json_t *report, const char *name,
			 const char *field)
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

/* Within five standard deviations of random draws. */
static void check_shares(struct live *t, const struct live_sampled *s,
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
		all += (double)live_samples_of(t, report, l->name, "total");
	}
	/* 997 a second; a machine that is late takes fewer */
	CHECK(t, all_ns > 0 && all > all_ns * 997e-9 / 2,
	      "%s: %.0f samples for %.0f ms", s->path, all, all_ns / 1e6);
	for (size_t i = 0; i < truths->n; i++) {
		const struct live_truth *l = &truths->line[i];
		double share = (double)l->value / all_ns;
		double wide = 5 * sqrt(all * share * (1 - share)) + 1;
		uint64_t is = live_samples_of(t, report, l->name, "total");

		if (!is_cpu(l))
			continue;
		CHECK(t, fabs((double)is - share * all) <= wide,
		      "%s: %s: %" N " of %.0f samples, for %.1f +- %.1f",
		      s->path, l->name, is, all, share * all, wide);
		CHECK(t,
		      live_samples_of(t, report, l->name, "line") ==
			      live_truth(truths, "line", l->name),
		      "%s: %s is in line %" N, s->path, l->name,
		      live_samples_of(t, report, l->name, "line"));
	}
	printf("%s: %s: %.0f samples in %zu functions\n", t->name, s->path, all,
	       truths->n / 2);
	free(truths);
}

static void check_counts(struct live *t, const struct live_sampled *s,
			 const json_t *report)
{
	static const char *const wrong[] = {"unread", "strange", "unknown",
					    "names"};
	uint64_t stacks = live_sampled_counter(t, s, report, "stacks");
	uint64_t bad = 0;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		bad += live_sampled_counter(t, s, report, wrong[i]);
	CHECK(t, stacks, "%s: no sample has functions", s->path);
	/* memory that was not touched yet, and structures that are just being
	 * changed */
	CHECK(t, bad <= 2 + stacks / 100, "%s: %" N " of %" N " are wrong",
	      s->path, bad, stacks);
}

void live_sampled_check(struct live *t, const struct live_sampled *s,
			const json_t *report, const char *out)
{
	check_shares(t, s, report, out);
	check_counts(t, s, report);
}

static void add_program(struct live *t, const struct live_sampled *s,
			struct live_args *a, const char *topic)
{
	live_add(t, a, (char *)s->path,
		 live_text(t, "%s/%s", t->fixtures, s->script), topic,
		 LIVE_BURNT_MS, NULL);
}

/* Attaches gnomon to the program before it begins its work. Returns what the
 * program says of it. */
static char *capture(struct live *t, const struct live_sampled *s,
		     const char *topic, const char *options)
{
	struct live_args a = {.n = 0};
	struct live_talk program, gnomon;
	char *line, *out = live_text(t, "%s", "");
	struct live_args g = {.n = 0};

	add_program(t, s, &a, topic);
	live_talk(t, &a, &program);
	free(live_await(t, program.out, "runs"));
	live_add(t, &g, t->gnomon, NULL);
	live_split(t, &g, options);
	live_add(t, &g, "-p", live_text(t, "%d", (int)program.pid), NULL);
	live_talk(t, &g, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	live_tell(t, &program, "go");
	while ((line = live_await_or_end(t, program.out, "")))
		out = live_text(t, "%s%s\n", out, line);
	CHECK(t, !live_finish(t, &program), "%s failed", s->path);
	CHECK(t, !live_wait(t, &gnomon), "gnomon failed");
	return out;
}

static json_t *attach(struct live *t, const struct live_sampled *s,
		      const char *topic, char **out)
{
	char *path = live_path(t, "report.json");
	json_t *report;

	*out = capture(t, s, topic,
		       live_text(t, "run --format json -o %s " OPTIONS, path));
	report = live_load(t, path);
	live_clean(t, report);
	return report;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The CPU time that the program says it had in its functions. */
static uint64_t cpu_of(struct live *t, const char *out)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	uint64_t sum = 0;

	CHECK(t, truths, "no memory");
	live_truths(t, out, truths);
	for (size_t i = 0; i < truths->n; i++)
		if (is_cpu(&truths->line[i]))
			sum += truths->line[i].value;
	free(truths);
	return sum;
}

void live_sampled_suggested(struct live *t, const struct live_sampled *s,
			    const char *language)
{
	char *path = live_path(t, "trace");
	uint64_t since = now_ns(), wall, cpu;
	struct live_args a = {.n = 0};
	struct live_end end;

	cpu = cpu_of(
		t, capture(t, s, "shares", live_text(t, "record -o %s", path)));
	wall = now_ns() - since;
	live_add(t, &a, t->gnomon, "explain", "-v", "-i", path, NULL);
	live_run(t, &a, NULL, &end);
	/* the finding needs a twentieth of a CPU */
	if (cpu <= wall / 20)
		live_skip(t, "the program had %" N " of %" N " ns on a CPU",
			  cpu, wall);
	CHECK(t, !end.code, "gnomon explain ended with %d: %s", end.code,
	      end.err);
	CHECK(t,
	      strstr(end.out, live_text(t, "calls in %s are", language)) &&
		      strstr(end.out, " --snapshot 499\n"),
	      "samples are not suggested: %s", end.out);
}

void live_sampled_attached(struct live *t, const struct live_sampled *s,
			   const char *topic)
{
	char *out;
	json_t *report = attach(t, s, topic, &out);
	uint64_t early = live_sampled_counter(t, s, report, "early");

	live_sampled_check(t, s, report, out);
	CHECK(t, !early, "%s: %" N " samples came too early", s->path, early);
	json_decref(report);
}

/* In the share of the time that the program is so deep, which is told. */
static void check_cut(struct live *t, const struct live_sampled *s,
		      const json_t *report, double share, const char *first)
{
	double all = (double)live_samples_of(t, report, first, "total");
	double cut = (double)live_sampled_counter(t, s, report, "cut");

	CHECK(t,
	      all > 100 && fabs(cut - share * all) <=
				   5 * sqrt(all * share * (1 - share)) + 1,
	      "%s: %.0f of %.0f were cut, for %.1f", s->path, cut, all,
	      share * all);
	CHECK(t,
	      (double)live_samples_of(t, report, "[more callers]", "total") ==
		      cut,
	      "%s: %" N " of %.0f say so", s->path,
	      live_samples_of(t, report, "[more callers]", "total"), cut);
}

void live_sampled_deep(struct live *t, const struct live_sampled *s,
		       const char *down, const char *first)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	char *out;
	json_t *report = attach(t, s, "deep", &out);

	CHECK(t, truths, "no memory");
	live_truths(t, out, truths);
	check_counts(t, s, report);
	check_cut(t, s, report,
		  (double)live_truth(truths, "cpu", down) /
			  (double)live_truth(truths, "cpu", first),
		  first);
	json_decref(report);
	free(truths);
}

json_t *live_sampled_start(struct live *t, const struct live_args *command,
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

void live_sampled_started(struct live *t, const struct live_sampled *s)
{
	for (int by_shell = 0; by_shell < 2; by_shell++) {
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;

		if (by_shell)
			live_add(t, &command, "/bin/sh", "-c",
				 "\"$0\" \"$@\"; exit $?", NULL);
		add_program(t, s, &command, "shares");
		report = live_sampled_start(t, &command, NULL, &end);
		live_sampled_check(t, s, report, end.out);
		json_decref(report);
	}
}

void live_sampled_stacks(struct live *t, const struct live_sampled *s,
			 const char *path)
{
	char *trace = live_path(t, "trace");
	const struct live_start how = {.input = "go\n"};
	struct live_args a = {.n = 0}, r = {.n = 0};
	struct live_end end;
	const char *at;

	live_add(t, &a, t->gnomon, "record", "-o", trace, "--snapshot", "997",
		 "-f", "none", "--", NULL);
	add_program(t, s, &a, "shares");
	live_run(t, &a, &how, &end);
	CHECK(t, !end.code, "%s: ended with %d: %s", s->path, end.code,
	      end.err);
	live_add(t, &r, t->gnomon, "report", "-i", trace, "--by", "samples",
		 "--format", "collapsed", NULL);
	live_run(t, &r, NULL, &end);
	at = strstr(end.out, path);
	CHECK(t, at && atoi(at + strlen(path)) > 50, "%s: no such stack:\n%s",
	      s->path, end.out);
}

static void check_trap(struct live *t, const struct live_sampled *s,
		       const struct live_sampled_trap *trap)
{
	struct live_args command = {.n = 0};
	struct live_end end;
	json_t *report;
	uint64_t n, stacks;

	live_add(t, &command, (char *)s->path, trap->name, "250", NULL);
	report = live_sampled_start(t, &command, NULL, &end);
	n = live_sampled_counter(t, s, report, trap->counter);
	stacks = live_sampled_counter(t, s, report, "stacks");
	printf("%s: %s: %" N " samples\n", t->name, trap->name, n);
	CHECK(t, n > 100, "%s: %" N " %s", trap->name, n, trap->counter);
	CHECK(t, (stacks > 0) == trap->stacks, "%s: %" N " have functions",
	      trap->name, stacks);
	CHECK(t,
	      !trap->function ||
		      live_samples_of(t, report, trap->function, "total") > 100,
	      "%s: %s is missing", trap->name, trap->function);
	json_decref(report);
}

void live_sampled_hostile(struct live *t, const struct live_sampled *s,
			  const struct live_sampled_trap *traps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_trap(t, s, &traps[i]);
}
