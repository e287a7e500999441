/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares what fixtures print about themselves (tests/fixtures/truth.h) with
 * reports. */
#include "live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N PRIu64

static struct live_truth *find(struct live_truths *truths, const char *word,
			       const char *name)
{
	size_t i;

	for (i = 0; i < truths->n; i++)
		if (strcmp(truths->line[i].word, word) == 0 &&
		    strcmp(truths->line[i].name, name) == 0)
			return &truths->line[i];
	return NULL;
}

/* Parses WORD NAME NUMBER, where only NAME may have blanks; ignores other
 * lines. */
static bool parse(char *line, char **word, char **name, uint64_t *value)
{
	char *first = strchr(line, ' '), *last = strrchr(line, ' '), *end;

	if (!first || first == last)
		return false;
	*value = strtoull(last + 1, &end, 10);
	if (*end || end == last + 1)
		return false;
	*first = *last = '\0';
	*word = line;
	*name = first + 1;
	return true;
}

void live_truths(struct live *t, const char *out, struct live_truths *truths)
{
	char *rest = live_text(t, "%s", out), *line, *word, *name;
	struct live_truth *known;
	uint64_t value;

	truths->n = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (!parse(line, &word, &name, &value))
			continue;
		known = find(truths, word, name);
		if (known) {
			known->value += value;
			continue;
		}
		CHECK(t,
		      truths->n <
			      sizeof(truths->line) / sizeof(truths->line[0]),
		      "too many lines");
		truths->line[truths->n++] = (struct live_truth){
			.word = word,
			.name = name,
			.value = value,
		};
	}
}

uint64_t live_truth(const struct live_truths *truths, const char *word,
		    const char *name)
{
	struct live_truth *known =
		find((struct live_truths *)truths, word, name);

	return known ? known->value : 0;
}

/* Whether a line differs in each run: a time, or an await that suspends only if
 * its task has not ended yet. */
static bool is_time(const char *line)
{
	static const char *const words[] = {
		"inner ",    "elapsed ",	"cpu ",		"slept ",
		"alive ",    "chunks ",		"level ",	"async-ns ",
		"await-ns ", "await-saved-ns ", "await-count ", "await-line "};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncmp(line, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

char *live_counts(struct live *t, const char *out)
{
	char *copy = live_text(t, "%s", out), *rest = copy, *line;
	char *counts = live_text(t, "%s", out), *to = counts;

	while ((line = strsep(&rest, "\n"))) {
		if (is_time(line))
			continue;
		memcpy(to, line, strlen(line));
		to += strlen(line);
		if (rest)
			*to++ = '\n';
	}
	*to = '\0';
	free(copy);
	return counts;
}

void live_same(struct live *t, const char *what, const char *traced,
	       const char *plain)
{
	char *a = live_text(t, "%s", traced), *b = live_text(t, "%s", plain);
	const char *got, *want;
	unsigned int line = 0;

	do {
		got = strsep(&a, "\n");
		want = strsep(&b, "\n");
		line++;
		CHECK(t, got && want ? strcmp(got, want) == 0 : got == want,
		      "%s, line %u: \"%s\" under gnomon, \"%s\" without", what,
		      line, got ? got : "(end)", want ? want : "(end)");
	} while (got);
}

static void compare_calls(struct live *t, const struct live_truth *truth,
			  const json_t *report, bool may_miss)
{
	const char *module = NULL;
	uint64_t calls;
	size_t found;

	if (strcmp(truth->word, "calls-library") == 0)
		module = ".so";
	else if (strcmp(truth->word, "calls-own") == 0)
		module = "shared";
	calls = live_function(t, report, module, truth->name, "calls", &found);
	if (!found && (may_miss || !truth->value))
		return;
	CHECK(t, found, "%s is not in the report", truth->name);
	CHECK(t, calls == truth->value,
	      "%s: %" N " calls reported, %" N " made", truth->name, calls,
	      truth->value);
}

static void compare_unwound(struct live *t, const struct live_truth *truth,
			    const json_t *report)
{
	uint64_t unwound =
		live_function(t, report, NULL, truth->name, "unwound", NULL);

	CHECK(t, unwound == truth->value,
	      "%s: %" N " unwound calls reported, %" N " were", truth->name,
	      unwound, truth->value);
}

/* The readings lie strictly inside (inner) or outside (elapsed) the calls. */
static void compare_bracket(struct live *t, const struct live_truth *truth,
			    const json_t *report)
{
	size_t found;
	uint64_t got = live_function(t, report, NULL, truth->name,
				     "elapsed_inclusive_ns", &found);

	if (!found)
		return;
	if (strcmp(truth->word, "inner") == 0)
		CHECK(t, got + LIVE_CLOCK_NS + t->guest_ns >= truth->value,
		      "%s: %" N " ns elapsed reported, %" N " measured inside",
		      truth->name, got, truth->value);
	else
		CHECK(t, got <= truth->value + LIVE_CLOCK_NS,
		      "%s: %" N " ns elapsed reported, %" N " measured outside",
		      truth->name, got, truth->value);
}

void live_interpreter_lock(struct live *t, const char *out,
			   const json_t *report, const char *name)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	uint64_t off, lock, queued, most, other;

	CHECK(t, truths, "no memory");
	live_truths(t, out, truths);
	off = live_truth(truths, "inner", name) -
	      live_truth(truths, "cpu", name);
	most = live_truth(truths, "queued", name);
	free(truths);
	lock = live_function(t, report, NULL, name, "classes_inclusive.lock",
			     NULL);
	queued = live_function(t, report, NULL, name,
			       "classes_inclusive.runqueue", NULL);
	other = live_function(t, report, NULL, name, "classes_inclusive.sleep",
			      NULL) +
		live_function(t, report, NULL, name, "classes_inclusive.event",
			      NULL);
	/* the kernel's time is that of the whole threads, which do little
	 * else; the rest is in locks */
	CHECK(t, queued <= most + off / 20 + 10000000,
	      "%" N " ns queued, by the kernel at most %" N, queued, most);
	CHECK(t,
	      lock + queued >= off / 10 * 9 - 10000000 &&
		      lock + queued <= off / 10 * 11 + 10000000,
	      "%" N " + %" N " ns in locks and queued, %" N " ns not on a CPU",
	      lock, queued, off);
	/* Ruby passes the lock on by an event, too */
	CHECK(t, other <= off / 5,
	      "%" N " ns of other waits, %" N " ns not on a CPU", other, off);
}

void live_compare(struct live *t, const struct live_truths *truths,
		  const json_t *report, unsigned int flags)
{
	size_t i;

	for (i = 0; i < truths->n; i++) {
		const struct live_truth *truth = &truths->line[i];

		if (strncmp(truth->word, "calls", 5) == 0)
			compare_calls(t, truth, report, flags & LIVE_SOME);
		else if (strcmp(truth->word, "maycalls") == 0)
			compare_calls(t, truth, report, true);
		else if (strcmp(truth->word, "unwound") == 0 &&
			 !(flags & LIVE_UNWOUND))
			compare_unwound(t, truth, report);
		else if (strcmp(truth->word, "inner") == 0 ||
			 strcmp(truth->word, "elapsed") == 0)
			compare_bracket(t, truth, report);
	}
	if (!(flags & LIVE_UNMATCHED))
		CHECK(t, live_number(t, report, "checks.unmatched_leaves") == 0,
		      "%" N " leaves match no frame",
		      live_number(t, report, "checks.unmatched_leaves"));
}
