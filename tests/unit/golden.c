// SPDX-License-Identifier: BSD-2-Clause
#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!f)
		return NULL;
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

void golden_compare(const char *folder, const char *name, const char *text)
{
	char path[512], *wanted;

	snprintf(path, sizeof(path), "%s/golden/%s/%s", GN_TESTS_DIR, folder,
		 name);
	if (getenv("GN_UPDATE_GOLDEN")) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(text, f);
		assert_int_equal(fclose(f), 0);
		return;
	}
	wanted = read_file(path);
	if (!wanted)
		fail_msg("cannot read %s", path);
	if (strcmp(wanted, text) != 0)
		fail_msg("%s differs; got:\n%s", path, text);
	free(wanted);
}
