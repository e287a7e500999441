/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The main program of a random program: runs its steps, tells the result of
 * each and the calls of all functions, and ends as the table says.
 *
 *   PROGRAM N      N rounds of all steps
 *   PROGRAM serve  a round for each line of stdin, which ends it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

void say(const char *word, const char *name, long value)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%s %s %ld\n", word, name, value);

	if (write(STDOUT_FILENO, line, (size_t)n) != n)
		_exit(98);
}

static void tell_counts(void)
{
	void (*const *counts)(void);

	for (counts = module_counts; *counts; counts++)
		(*counts)();
	late_counts();
}

static void one_round(void)
{
	const struct step *s;

	for (s = module_steps; s->name; s++)
		say("result", s->name,
		    s->library ? late_run(s) : s->run(s->how));
}

static void serve(void)
{
	char line[16];

	while (fgets(line, sizeof(line), stdin)) {
		one_round();
		say("done", "round", 0);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "1";
	int i;

	if (strcmp(how, "serve") == 0)
		serve();
	for (i = 0; i < atoi(how); i++)
		one_round();
	tell_counts();
	module_ending();
	return 0;
}
