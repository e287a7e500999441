/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of short functions after the cost of probes was subtracted, compared
 * block by block with the time of the same work in the same program without a
 * call. */
#include "live_told.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N      PRIu64
#define BLOCKS 1000 /* in the fixture */
#define LEAST  5    /* runs */
#define MOST   11

/*
 * The calls of each body, as in the fixture, and its bound. `recursive` also
 * has only half a microsecond between two hits. Besides, enters in a row cost
 * some 50 ns less than the measured hits, so that this body does not show
 * whether those are right.
 */
static const struct {
	unsigned int calls; /* in a block */
	double may;	    /* bound in percent */
} shapes[LIVE_BODIES] = {{20, 10}, {20, 5}, {4, 5}, {4, 5}, {1, 10}};

/* One body of the fixture. */
struct body {
	uint64_t own[BLOCKS], told[BLOCKS]; /* of one run */
	size_t blocks, calls;
	double part[MOST * BLOCKS]; /* reported time in percent of the true
				       time, of all blocks */
	size_t parts;
};

static size_t body_named(const char *const names[LIVE_BODIES], const char *name)
{
	size_t i = 0;

	while (i < LIVE_BODIES && (!name || strcmp(names[i], name)))
		i++;
	return i;
}

static void take_own(struct live *t, const char *const names[LIVE_BODIES],
		     char *out, struct body *bodies)
{
	char *line, name[64];
	uint64_t ns;
	size_t i;

	while ((line = strsep(&out, "\n"))) {
		if (sscanf(line, "block %63s %" SCNu64, name, &ns) != 2)
			continue;
		i = body_named(names, name);
		if (i == LIVE_BODIES)
			continue;
		CHECK(t, bodies[i].blocks < BLOCKS, "%s: too many blocks",
		      name);
		bodies[i].own[bodies[i].blocks++] = ns;
	}
}

/* Takes a call of a body that is in no other call. All of these have the same
 * depth. */
static void take_call(struct live *t, const char *const names[LIVE_BODIES],
		      const json_t *row, uint64_t *depth, struct body *bodies)
{
	const char *name = json_string_value(json_object_get(row, "name"));
	size_t i = body_named(names, name), block;

	if (i == LIVE_BODIES)
		return;
	if (!*depth)
		*depth = live_number(t, row, "depth");
	if (live_number(t, row, "depth") != *depth)
		return;
	block = bodies[i].calls++ / shapes[i].calls;
	CHECK(t, block < BLOCKS, "%s: too many calls", name);
	bodies[i].told[block] += live_number(t, row, "application_ns");
}

static void take_calls(struct live *t, const char *const names[LIVE_BODIES],
		       const char *path, struct body *bodies)
{
	FILE *f = fopen(path, "re");
	uint64_t depth = 0;
	char *line = NULL;
	size_t size = 0;

	CHECK(t, f, "%s: %s", path, strerror(errno));
	while (getline(&line, &size, f) > 0) {
		json_t *row = json_loads(line, 0, NULL);

		CHECK(t, row, "a row is no JSON: %s", line);
		take_call(t, names, row, &depth, bodies);
		json_decref(row);
	}
	free(line);
	fclose(f);
}

static void play(struct live *t, const char *const names[LIVE_BODIES],
		 const char *options, const struct live_args *command,
		 struct body *bodies)
{
	char *path = live_path(t, "calls.ndjson");
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "run", "-q", "--by", "calls", "--format",
		 "ndjson", "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	for (size_t i = 0; i < command->n; i++)
		live_add(t, &a, command->word[i], NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0 || end.code == 4, "gnomon ended with %d: %s",
	      end.code, end.err);
	for (size_t i = 0; i < LIVE_BODIES; i++) {
		bodies[i].blocks = bodies[i].calls = 0;
		memset(bodies[i].told, 0, sizeof(bodies[i].told));
	}
	take_own(t, names, end.out, bodies);
	take_calls(t, names, path, bodies);
	unlink(path);
}

/* Adds the blocks of one run to those of all runs. */
static void keep(struct live *t, const char *name, unsigned int calls,
		 struct body *b)
{
	CHECK(t, b->blocks == BLOCKS && b->calls == (size_t)BLOCKS * calls,
	      "%s: %zu calls in %zu blocks", name, b->calls, b->blocks);
	for (size_t k = 0; k < BLOCKS; k++)
		if (b->own[k])
			b->part[b->parts++] =
				100 * (double)b->told[k] / (double)b->own[k];
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * If hits differ a lot, no average is as exact as the bounds, and gnomon
 * reports how far its times can be off. Raises the bounds to the largest error
 * that it reports for a body in a few runs.
 */
static void ask_errors(struct live *t, const char *const names[LIVE_BODIES],
		       const char *options, const struct live_args *command,
		       double may[LIVE_BODIES])
{
	for (int run = 0; run < 3; run++) {
		char *path = live_path(t, "errors.json");
		struct live_args a = {.n = 0};
		struct live_end end;
		json_t *report;

		live_add(t, &a, t->gnomon, "run", "-q", "--format", "json",
			 "-o", path, NULL);
		live_split(t, &a, options);
		live_add(t, &a, "--", NULL);
		for (size_t i = 0; i < command->n; i++)
			live_add(t, &a, command->word[i], NULL);
		live_run(t, &a, NULL, &end);
		report = live_load(t, path);
		for (size_t i = 0; i < LIVE_BODIES; i++) {
			uint64_t ns =
				live_function(t, report, NULL, names[i],
					      "application_inclusive_ns", NULL);
			double error = 100 *
				       (double)live_function(
					       t, report, NULL, names[i],
					       "error_inclusive_ns", NULL) /
				       (double)(ns ? ns : 1);

			may[i] = error > may[i] ? error : may[i];
		}
		json_decref(report);
		unlink(path);
	}
}

/* NULL if all are within the bounds; otherwise all reported times. */
static char *off_truth(struct live *t, const char *const names[LIVE_BODIES],
		       const double may[LIVE_BODIES], struct body *bodies)
{
	char *all = live_text(t, "told as, in percent:");
	bool off = false;

	for (size_t i = 0; i < LIVE_BODIES; i++) {
		struct body *b = &bodies[i];
		double middle;

		CHECK(t, b->parts, "%s: no block without a loss of the CPU",
		      names[i]);
		qsort(b->part, b->parts, sizeof(*b->part), compare);
		middle = b->part[b->parts / 2];
		all = live_text(t, "%s %s %.1f", all, names[i], middle);
		off = off || middle < 100 - may[i] || middle > 100 + may[i];
	}
	t->tried = live_text(t, "; %s", all);
	return off ? all : NULL;
}

bool live_traps_dear(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end end;
	unsigned int ns = 0;
	const char *at;

	live_add(t, &a, t->gnomon, "doctor", NULL);
	live_run(t, &a, NULL, &end);
	at = strstr(end.out, "a hit costs ");
	if (!at || sscanf(at, "a hit costs %u ns on a nop", &ns) != 1 ||
	    ns < 2500)
		return false;
	printf("%s: a trap takes %u ns here, so bounds beside traps are not "
	       "held\n",
	       t->name, ns);
	return true;
}

void live_told(struct live *t, const char *const names[LIVE_BODIES],
	       const char *options, const struct live_args *command)
{
	struct body *bodies = calloc(LIVE_BODIES, sizeof(*bodies));
	double may[LIVE_BODIES];
	bool dear = false;
	char *off = NULL;

	CHECK(t, bodies, "no memory");
	for (size_t i = 0; i < LIVE_BODIES; i++)
		may[i] = shapes[i].may;
	for (unsigned int run = 1; run <= MOST; run++) {
		play(t, names, options, command, bodies);
		for (size_t i = 0; i < LIVE_BODIES; i++)
			keep(t, names[i], shapes[i].calls, &bodies[i]);
		if (run < LEAST)
			continue;
		off = off_truth(t, names, may, bodies);
		dear = off && run == LEAST && live_traps_dear(t);
		if (!off || dear)
			break;
	}
	if (off && !dear) {
		ask_errors(t, names, options, command, may);
		off = off_truth(t, names, may, bodies);
		if (!off)
			printf("%s: hits differ too much here for the bounds: "
			       "held to what gnomon says of its error, up to "
			       "%.0f %% of the shortest body\n",
			       t->name, may[0]);
	}
	free(bodies);
	CHECK(t, !off || dear, "%s", off);
}
