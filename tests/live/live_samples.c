/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples compared with what the program knows about its CPU time. */
#include "live.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

static const char *text(const json_t *row, const char *key)
{
	const char *value = json_string_value(json_object_get(row, key));

	return value ? value : "";
}

/* A field of the function's row; 0: there is no row. */
static uint64_t samples_of(struct live *t, const json_t *report,
			   const char *name, const char *field)
{
	const json_t *rows = json_object_get(report, "samples"), *row;
	uint64_t sum = 0;
	size_t i;

	CHECK(t, json_is_array(rows), "the report has no samples");
	json_array_foreach(rows, i, row) if (!strcmp(text(row, "name"), name))
		sum += live_number(t, row, field);
	return sum;
}

static uint64_t all_samples(struct live *t, const json_t *report)
{
	const json_t *rows = json_object_get(report, "samples"), *row;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach(rows, i, row) sum += live_number(t, row, "self");
	return sum;
}

static uint64_t lost_samples(struct live *t, const json_t *report)
{
	return live_number(t, report, "counters.samples-full") +
	       live_number(t, report, "counters.samples-busy") +
	       live_number(t, report, "counters.samples-empty") +
	       live_number(t, report, "counters.samples-late");
}

/* Five standard deviations of this many independent samples. Samples of a timer
 * vary less. */
static double bound(double samples)
{
	return 5 * sqrt(samples) + 1;
}

/* The timer fires so often per second of CPU time of all threads. It does not
 * fire while a host has the CPU. The kernel's account excludes that time,
 * gnomon's own account does not. */
static void check_count(struct live *t, const json_t *report, double rate,
			uint64_t n)
{
	const json_t *threads = json_object_get(report, "threads"), *thread;
	double least = 0, most = 0;
	size_t i;

	json_array_foreach(threads, i, thread)
	{
		least += (double)live_number(t, thread, "kernel.cpu_ns");
		most += (double)live_number(t, thread, "kernel.our_cpu_ns");
	}
	least *= rate / 1e9;
	most *= rate / 1e9;
	if (most < least)
		most = least;
	CHECK(t,
	      (double)n >= least - bound(least) &&
		      (double)n <= most + bound(most),
	      "%" N " samples, for %.0f to %.0f by the kernel's account", n,
	      least, most);
}

static json_t *sample(struct live *t, const char *options, const char *command,
		      struct live_truths *truths, struct live_end *end)
{
	char *path = live_path(t, "samples.json");
	struct live_args a = {.n = 0};
	json_t *report;

	live_add(t, &a, t->gnomon, "run", "--by", "samples", "--format", "json",
		 "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	live_command(t, &a, command);
	live_run(t, &a, NULL, end);
	CHECK(t, end->code == 0, "gnomon ended with %d: %s", end->code,
	      end->err);
	live_truths(t, end->out, truths);
	report = live_load(t, path);
	return report;
}

/* The share of the samples is that of the CPU time, within the bound of random
 * draws. */
static void check_share(struct live *t, const json_t *report,
			const struct live_truths *truths, const char *name,
			uint64_t n)
{
	double share = (double)live_truth(truths, "cpu", name) /
		       (double)live_truth(truths, "cpu", "main");
	uint64_t self = samples_of(t, report, name, "self");
	double wide = 5 * sqrt((double)n * share * (1 - share)) + 1;

	CHECK(t, fabs((double)self - share * (double)n) <= wide,
	      "%s: %" N " of %" N " samples, for %.1f +- %.1f", name, self, n,
	      share * (double)n, wide);
}

/* Two functions that the user did not name, and their callers. Another process
 * runs all the time. */
void test_samples(struct live *t)
{
	const double rate = 997;
	struct live_args other = {.n = 0};
	struct live_truths truths;
	struct live_talk bystander;
	struct live_end end;
	const json_t *report, *rows, *row;
	uint64_t n, inner;
	size_t i;

	live_command(t, &other, "spin 60000");
	live_talk(t, &other, &bystander);
	report = sample(t, "--snapshot 997 -f main", "sampled 600 400", &truths,
			&end);
	kill(bystander.pid, SIGKILL);
	live_wait(t, &bystander);
	live_clean(t, report);
	n = all_samples(t, report);
	CHECK(t,
	      !live_number(t, report, "counters.samples-full") &&
		      !live_number(t, report, "counters.samples-busy"),
	      "samples found no room");
	check_count(t, report, rate, n + lost_samples(t, report));
	check_share(t, report, &truths, "first", n);
	check_share(t, report, &truths, "second", n);
	inner = samples_of(t, report, "first", "total") +
		samples_of(t, report, "second", "total");
	CHECK(t, samples_of(t, report, "both", "total") >= inner - inner / 100,
	      "the caller is on %" N " stacks, its callees on %" N,
	      samples_of(t, report, "both", "total"), inner);
	CHECK(t, samples_of(t, report, "main", "total") >= inner - inner / 100,
	      "main is on %" N " stacks",
	      samples_of(t, report, "main", "total"));
	rows = json_object_get(report, "samples");
	json_array_foreach(rows, i, row)
		CHECK(t, !strstr(text(row, "module"), "/spin"),
		      "%s of another process was sampled", text(row, "name"));
}

/* Samples that do not fit into the ring are counted. No other sample is
 * missing, and this is no loss of records. */
void test_samples_lost(struct live *t)
{
	struct live_truths truths;
	struct live_end end;
	const json_t *report;
	double least, most;
	uint64_t lost, n;

	report = sample(t,
			"--snapshot 10000 --ring-size 4096 --allow-loss "
			"-f main",
			"sampled 300 200", &truths, &end);
	lost = lost_samples(t, report);
	CHECK(t, lost, "no sample was lost in a ring of a page");
	n = all_samples(t, report) + lost;
	/* such a ring may lose the kernel's account */
	least = 1e-5 * (double)live_truth(&truths, "cpu", "main");
	most = 1e-5 * (double)live_number(t, report, "session.wall_ns");
	CHECK(t,
	      (double)n >= least - bound(least) &&
		      (double)n <= most + bound(most),
	      "%" N " samples, taken or lost, for %.0f to %.0f", n, least,
	      most);
}

/* Without the option no samples are taken, and the report says how to get
 * some. */
void test_samples_none(struct live *t)
{
	struct live_truths truths;
	struct live_end end;
	const json_t *report =
		sample(t, "-f main", "sampled 20 20", &truths, &end);

	live_clean(t, report);
	CHECK(t, !json_array_size(json_object_get(report, "samples")),
	      "there are samples that nobody asked for");
}

void test_samples_bad(struct live *t)
{
	static const char *const rates[] = {"0", "10001", "x", "-1", "1.5"};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct live_args a = {.n = 0};
		struct live_end end;

		live_add(t, &a, t->gnomon, "run", "--snapshot", rates[i], "--",
			 NULL);
		live_command(t, &a, "sampled 1 1");
		live_run(t, &a, NULL, &end);
		CHECK(t, end.code == 2 && strstr(end.err, "from 1 to 10000"),
		      "--snapshot %s: ended with %d: %s", rates[i], end.code,
		      end.err);
		CHECK(t, !*end.out, "--snapshot %s: the command ran", rates[i]);
	}
}
