/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bare.h"
#include "java.h"
#include "series.h"

struct result {
	struct series elapsed, cpu; /* nanoseconds per operation */
	size_t lossy;		    /* runs that lost records */
};

static int sites_of(const struct bench *b, const char *function,
		    struct bare_sites *sites)
{
	if (!strcmp(function, "java"))
		return java_sites(sites);
	snprintf(sites->path, sizeof(sites->path), "%s", b->work);
	sites->count = 1;
	return site_of(b, function, &sites->offset[0]);
}

static int with_bare(const struct bench *b, const char *function, args_t work,
		     struct run *run)
{
	struct bare_sites sites;
	uint64_t records = 0;
	struct bare *bare;
	int err, stopped;

	err = sites_of(b, function, &sites);
	if (!err)
		err = bare_start(&sites, &bare);
	if (err)
		return err;
	err = run_work(b, NULL, work, run);
	stopped = bare_stop(bare, &records);
	run->lost = stopped == -ENOBUFS;
	/* a wrong count means that something else was compared; a runtime makes
	 * its own calls */
	if (!err && !run->lost &&
	    (sites.count == 1 ? records != 2 * run->calls
			      : records < 2 * run->calls)) {
		fprintf(stderr,
			"bench: %" PRIu64 " records of %" PRIu64 " calls\n",
			records, run->calls);
		err = -EPROTO;
	}
	return err;
}

static int run_variant(const struct bench *b, const struct comparison *c,
		       const struct variant *v, struct run *run)
{
	args_t work = v->work ? v->work : c->work;
	struct beside beside;
	int err, stopped;

	if (v->bare)
		return with_bare(b, v->bare, work, run);
	if (!v->beside)
		return run_work(b, v->gnomon, work, run);
	err = beside_start(b, v->beside_gnomon, v->beside, &beside);
	if (err)
		return err;
	err = run_work(b, v->gnomon, work, run);
	stopped = beside_stop(&beside);
	return err ? err : stopped;
}

static int one_round(const struct bench *b, const struct comparison *c,
		     struct result *results)
{
	double elapsed[COMPARE_MAX] = {0}, cpu[COMPARE_MAX] = {0};
	double no_elapsed = 0, no_cpu = 0;

	for (size_t i = 0; i < c->nvariants; i++) {
		struct run run;
		int err;

		err = run_variant(b, c, &c->variants[i], &run);
		if (err) {
			fprintf(stderr, "bench: %s: cannot be measured (%s)\n",
				c->variants[i].name, strerror(-err));
			return err;
		}
		elapsed[i] = (double)run.elapsed / (double)run.ops;
		cpu[i] = (double)run.cpu / (double)run.ops;
		results[i].lossy += run.lost;
	}
	if (c->base != NO_BASE) {
		no_elapsed = elapsed[c->base];
		no_cpu = cpu[c->base];
	}
	for (size_t i = 0; i < c->nvariants; i++) {
		bool is_base = i == c->base;

		series_add(&results[i].elapsed,
			   elapsed[i] - (is_base ? 0 : no_elapsed));
		series_add(&results[i].cpu, cpu[i] - (is_base ? 0 : no_cpu));
	}
	return 0;
}

static void print_variant(const struct variant *v, const struct result *r)
{
	printf("  %-46s %8.0f  %6.0f -%6.0f %8.0f", v->name,
	       series_median(&r->cpu), series_at(&r->cpu, 0.25),
	       series_at(&r->cpu, 0.75), series_median(&r->elapsed));
	if (r->lossy)
		printf("  (records lost in %zu of %zu runs)", r->lossy,
		       r->cpu.n);
	putchar('\n');
}

static struct series ratios_of(const struct series *of, const struct series *to)
{
	struct series ratios = {0};

	for (size_t i = 0; i < of->n && i < to->n; i++)
		if (to->value[i] > 0)
			series_add(&ratios, of->value[i] / to->value[i]);
	return ratios;
}

static void print_ratio(const struct ratio *r, const struct result *results)
{
	const struct result *of = &results[r->of], *to = &results[r->to];
	struct series cpu = ratios_of(&of->cpu, &to->cpu);
	struct series elapsed = ratios_of(&of->elapsed, &to->elapsed);
	double median = series_median(&cpu);

	if (!cpu.n) {
		printf("  %-46s cannot be told\n", r->name);
		return;
	}
	printf("  %-46s %8.3f  %6.3f -%6.3f %8.3f", r->name, median,
	       series_at(&cpu, 0.25), series_at(&cpu, 0.75),
	       series_median(&elapsed));
	if (r->goal > 0)
		printf("  goal: at most %.2f, %s", r->goal,
		       median <= r->goal ? "met" : "NOT met");
	putchar('\n');
}

int compare(const struct bench *b, const struct comparison *c)
{
	struct result results[COMPARE_MAX];

	if (c->nvariants > COMPARE_MAX)
		return -E2BIG;
	memset(results, 0, sizeof(results));
	for (unsigned int i = 0; i < b->rounds; i++) {
		int err = one_round(b, c, results);

		if (err)
			return err;
	}
	printf("%s; %u rounds\n", c->title, b->rounds);
	printf("  %-46s %8s  %15s %8s\n", c->unit, "CPU", "quartiles", "clock");
	for (size_t i = 0; i < c->nvariants; i++)
		print_variant(&c->variants[i], &results[i]);
	for (size_t i = 0; i < c->nratios; i++)
		print_ratio(&c->ratios[i], results);
	return 0;
}
