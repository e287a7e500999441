// SPDX-License-Identifier: BSD-2-Clause
#include "golden.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_as(const char *path, const char *text, size_t size)
{
	FILE *f = fopen(path, "r");
	char *golden = calloc(1, size + 2);
	size_t n = 0;
	bool same;

	if (f && golden)
		n = fread(golden, 1, size + 1, f);
	same = f && golden && n == size && !memcmp(golden, text, size);
	if (f)
		fclose(f);
	free(golden);
	return same;
}

bool golden_file(const char *path, const char *text, size_t size)
{
	const char *update = getenv("GN_UPDATE_GOLDEN");
	FILE *f;

	if (same_as(path, text, size))
		return true;
	if (update && !strcmp(update, "1")) {
		f = fopen(path, "w");
		if (f && fwrite(text, 1, size, f) == size && !fclose(f))
			return true;
		printf("%s: %s\n", path, strerror(errno));
		return false;
	}
	printf("%s differs from:\n%s", path, text);
	return false;
}
