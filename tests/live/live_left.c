/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_left.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *live_left_reason(const struct live_left *left, const char *name)
{
	size_t i;

	for (i = 0; i < left->n; i++)
		if (strcmp(left->row[i].name, name) == 0)
			return left->row[i].reason;
	return NULL;
}

/* Parses the line after the last row into a new row. NULL, or what is wrong.
 * Comments begin with #. */
static const char *take_line(struct live_left *l)
{
	char *line = l->row[l->n].line, *name, *reason;

	line[strcspn(line, "\n")] = '\0';
	if (!*line || *line == '#')
		return NULL;
	name = strtok_r(line, " \t", &reason);
	reason += strspn(reason, " \t");
	if (!name || !*reason)
		return "a test without a reason";
	if (live_left_reason(l, name))
		return "a test twice";
	l->row[l->n].name = name;
	l->row[l->n].reason = reason;
	l->n++;
	return NULL;
}

int live_left_read(struct live_left *left, const char *path)
{
	const char *wrong = NULL;
	unsigned int number = 0;
	FILE *f;

	left->n = 0;
	left->path = path;
	if (!path)
		return 0;
	f = fopen(path, "re");
	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -EINVAL;
	}
	while (!wrong && left->n < LIVE_LEFT_MAX &&
	       fgets(left->row[left->n].line, LIVE_LEFT_LINE, f)) {
		number++;
		wrong = take_line(left);
	}
	if (!wrong && left->n == LIVE_LEFT_MAX && fgetc(f) != EOF)
		wrong = "too many tests";
	fclose(f);
	if (wrong)
		fprintf(stderr, "%s:%u: %s\n", path, number, wrong);
	return wrong ? -EINVAL : 0;
}
