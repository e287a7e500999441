/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_left.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 512

const char *live_left_reason(const struct live_left *left, const char *name)
{
	size_t i;

	for (i = 0; i < left->n; i++)
		if (strcmp(left->row[i].name, name) == 0)
			return left->row[i].reason;
	return NULL;
}

/* NULL, or what is wrong with the line. Comments begin with #. */
static const char *take_line(struct live_left *l, char *line)
{
	char *name, *reason;

	line[strcspn(line, "\n")] = '\0';
	if (!*line || *line == '#')
		return NULL;
	name = strtok_r(line, " \t", &reason);
	reason += strspn(reason, " \t");
	if (!name || !*reason)
		return "a test without a reason";
	if (live_left_reason(l, name))
		return "a test twice";
	if (l->n == LIVE_LEFT_MAX)
		return "too many tests";
	l->row[l->n].name = strdup(name);
	l->row[l->n].reason = strdup(reason);
	if (!l->row[l->n].name || !l->row[l->n].reason)
		return "no memory";
	l->n++;
	return NULL;
}

int live_left_read(struct live_left *left, const char *path)
{
	const char *wrong = NULL;
	unsigned int number = 0;
	char line[LINE_SIZE];
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
	while (!wrong && fgets(line, sizeof(line), f)) {
		number++;
		wrong = take_line(left, line);
	}
	fclose(f);
	if (wrong)
		fprintf(stderr, "%s:%u: %s\n", path, number, wrong);
	return wrong ? -EINVAL : 0;
}
