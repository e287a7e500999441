/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/parent.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define ANCESTORS 64

uint32_t gn_process_and_parent(uint32_t tid, uint32_t *parent)
{
	char path[64], line[256];
	uint32_t pid = 0;
	FILE *f;

	*parent = 0;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "Tgid:%" SCNu32, &pid);
		sscanf(line, "PPid:%" SCNu32, parent);
	}
	if (f)
		fclose(f);
	return pid;
}

bool gn_is_ancestor(uint32_t pid)
{
	uint32_t at = (uint32_t)getppid(), parent;

	for (int i = 0; i < ANCESTORS && at > 1; i++, at = parent) {
		if (at == pid)
			return true;
		gn_process_and_parent(at, &parent);
	}
	return false;
}
