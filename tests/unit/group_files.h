/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder with files of control groups, like that of the kernel. */
#ifndef GNOMON_TESTS_GROUP_FILES_H
#define GNOMON_TESTS_GROUP_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/stat.h>

static char root[] = "groups-XXXXXX"; /* in the build folder */

/* Writes a file, and makes its parent folders. */
static void put(const char *path, const char *text)
{
	char all[256];
	FILE *f;

	snprintf(all, sizeof(all), "%s/%s", root, path);
	for (char *c = all + strlen(root) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		mkdir(all, 0700);
		*c = '/';
	}
	f = fopen(all, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	return system(command);
}

#endif
