/* SPDX-License-Identifier: BSD-2-Clause */
/* A command of a runtime, with and without gnomon. */
#include "live.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

void live_traced(struct live *t, const struct live_args *command,
		 const char *options, struct live_end *end, json_t **report)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "run", "-q", "--raw", "--format", "json",
		 "-o", path, NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	for (size_t i = 0; i < command->n; i++)
		live_add(t, &a, command->word[i], NULL);
	live_run(t, &a, NULL, end);
	*report = live_load(t, path);
}

void live_filters(struct live *t, const struct live_args *demo,
		  const char *const *options, const char *traced,
		  const char *left)
{
	for (; *options; options++) {
		struct live_end end;
		json_t *report;
		uint64_t calls;

		live_traced(t, demo, *options, &end, &report);
		calls = live_function(t, report, NULL, traced, "calls", NULL);
		CHECK(t, calls == 101, "%s: %" PRIu64 " calls", *options,
		      calls);
		CHECK(t, !live_function(t, report, NULL, left, "calls", NULL),
		      "%s: %s is recorded", *options, left);
	}
}

void live_begins(struct live *t, const struct live_args *command,
		 const char *source, const char *text, const char *function)
{
	char *all =
		live_read(t, live_text(t, "%s/%s", t->fixtures, source), NULL);
	const char *at = strstr(all, live_text(t, "\n%s", text));
	struct live_end end;
	uint64_t line = 2;
	json_t *report;

	CHECK(t, at, "no such function");
	for (const char *c = all; c < at; c++)
		line += *c == '\n';
	live_traced(t, command, "", &end, &report);
	CHECK(t,
	      live_function(t, report, source, function, "line", NULL) == line,
	      "%s begins in line %" PRIu64, function, line);
}

void live_pair(struct live *t, const struct live_args *command,
	       const char *options, struct live_end *traced, json_t **report)
{
	struct live_end plain;

	live_run(t, command, NULL, &plain);
	live_traced(t, command, options, traced, report);
	CHECK(t, traced->code == plain.code,
	      "%s: ended with %d under gnomon, with %d without: %s",
	      command->word[0], traced->code, plain.code, traced->err);
	live_same(t, "the program's output", live_counts(t, traced->out),
		  live_counts(t, plain.out));
	/* of a command that a signal ended, gnomon itself says so */
	if (!strstr(traced->err, "gnomon: the command was killed by signal"))
		live_same(t, "the program's errors", traced->err, plain.err);
	live_clean(t, *report);
}

char *live_orphan(struct live *t, const struct live_args *command,
		  const char *options, const char *first,
		  struct live_talk *talk)
{
	struct live_args a = {.n = 0};
	char *line;

	live_add(t, &a, t->gnomon, "run", "-o", live_path(t, "report"), NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", NULL);
	for (size_t i = 0; i < command->n; i++)
		live_add(t, &a, command->word[i], NULL);
	live_talk(t, &a, talk);
	line = live_await(t, talk->out, first);
	CHECK(t, kill(talk->pid, SIGKILL) == 0, "kill: %s", strerror(errno));
	waitpid(talk->pid, NULL, 0);
	live_tell(t, talk, "go on");
	return line;
}

void live_ways(struct live *t, char *const ways[][LIVE_WAY], size_t n,
	       const char *path, const char *script, const char *function)
{
	FILE *f = fopen(path, "w");

	CHECK(t, f && fputs(script, f) >= 0, "no script");
	CHECK(t, !fclose(f) && !chmod(path, 0755), "no script");
	for (size_t i = 0; i < n; i++) {
		struct live_args command = {.n = 0};
		struct live_end end;
		json_t *report;
		uint64_t calls;

		for (size_t k = 0; k < LIVE_WAY && ways[i][k]; k++)
			live_add(t, &command, ways[i][k], NULL);
		live_pair(t, &command, "", &end, &report);
		calls = live_function(t, report, NULL, function, "calls", NULL);
		CHECK(t, calls == 7, "way %zu: %" PRIu64 " calls", i, calls);
	}
}

void live_pair_compare(struct live *t, const struct live_args *command,
		       const char *options, unsigned int flags)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_end end;
	json_t *report;

	CHECK(t, truths, "no memory");
	live_pair(t, command, options, &end, &report);
	live_truths(t, end.out, truths);
	CHECK(t, truths->n, "the program said nothing");
	live_compare(t, truths, report, flags);
	free(truths);
}
