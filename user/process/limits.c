/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rlim_t value_of(const char *text)
{
	return *text == 'u' ? RLIM_INFINITY : strtoull(text, NULL, 10);
}

int gn_process_limit(pid_t pid, const char *name, struct rlimit *limit)
{
	char path[32], line[128], soft[32], hard[32];
	size_t n = strlen(name);
	int err = -ENOENT;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/limits", (int)pid);
	f = fopen(path, "re");
	while (f && err && fgets(line, sizeof(line), f)) {
		if (strncmp(line, name, n) ||
		    sscanf(line + n, "%31s %31s", soft, hard) != 2)
			continue;
		limit->rlim_cur = value_of(soft);
		limit->rlim_max = value_of(hard);
		err = 0;
	}
	if (f)
		fclose(f);
	return err;
}
