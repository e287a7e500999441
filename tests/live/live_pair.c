/* SPDX-License-Identifier: BSD-2-Clause */
/* A command of a runtime, with and without gnomon. */
#include "live.h"

#include <string.h>

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
