/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/parent.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
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

bool gn_process_or_above(uint32_t pid,
			 bool (*is_it)(uint32_t pid, const void *what),
			 const void *what)
{
	uint32_t at = pid, parent;

	for (int i = 0; i < ANCESTORS && at > 1; i++, at = parent) {
		if (is_it(at, what))
			return true;
		gn_process_and_parent(at, &parent);
	}
	return false;
}

static bool is_any_ancestor(bool (*is_it)(uint32_t pid, const void *what),
			    const void *what)
{
	return gn_process_or_above((uint32_t)getppid(), is_it, what);
}

static bool is_pid(uint32_t pid, const void *wanted)
{
	return pid == *(const uint32_t *)wanted;
}

bool gn_is_ancestor(uint32_t pid)
{
	return is_any_ancestor(is_pid, &pid);
}

/* The kernel keeps 15 bytes of a name. */
static void read_name(uint32_t pid, char name[16])
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pid);
	f = fopen(path, "re");
	if (!f || !fgets(name, 16, f))
		*name = '\0';
	if (f)
		fclose(f);
	name[strcspn(name, "\n")] = '\0';
}

static bool has_name(uint32_t pid, const void *name)
{
	char own[16];

	read_name(pid, own);
	return *own && !strncmp(own, name, sizeof(own) - 1);
}

uint32_t gn_process_like_parent(uint32_t pid)
{
	uint32_t parent;
	char name[16];

	gn_process_and_parent(pid, &parent);
	read_name(pid, name);
	return parent > 2 && has_name(parent, name) ? parent : 0;
}

/* Others that trace, such as strace, place no breakpoints. */
bool gn_process_is_debugged(uint32_t pid, char name[GN_DEBUGGER_NAME])
{
	static const char *const debuggers[] = {"gdb", "lldb", "rr", "dlv"};
	char path[64], line[256];
	uint32_t by = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	f = fopen(path, "re");
	while (f && !by && fgets(line, sizeof(line), f))
		sscanf(line, "TracerPid:%" SCNu32, &by);
	if (f)
		fclose(f);
	if (!by)
		return false;
	read_name(by, name);
	for (size_t i = 0; i < sizeof(debuggers) / sizeof(debuggers[0]); i++)
		if (!strncmp(name, debuggers[i], strlen(debuggers[i])))
			return true;
	return false;
}

bool gn_is_below_its_like(void)
{
	return is_any_ancestor(has_name, program_invocation_short_name);
}
