// SPDX-License-Identifier: BSD-2-Clause
#include "hooksite/native/environment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/sleds.h>

#define PRELOAD "LD_PRELOAD="

/* The entry of this name, which ends with '='. */
static char **find(char **envp, const char *name)
{
	for (; *envp; envp++)
		if (!strncmp(*envp, name, strlen(name)))
			return envp;
	return NULL;
}

/* Clears the text, too: other processes can read it as our environment. */
static void drop(char **at)
{
	memset(*at, 0, strlen(*at));
	for (; *at; at++)
		at[0] = at[1];
}

/* Our library is the first in the list; the program's own follow a colon. */
static void restore_preload(char **at)
{
	char *value = *at + strlen(PRELOAD);
	char *own = strchr(value, ':');
	size_t all = strlen(value), kept;

	if (!own) {
		drop(at);
		return;
	}
	kept = strlen(own + 1);
	memmove(value, own + 1, kept);
	memset(value + kept, 0, all - kept);
}

int gn_environment_restore(char **envp)
{
	char **at = envp ? find(envp, GN_SLEDS_ENV "=") : NULL;
	unsigned long fd;
	char *end;

	if (!at)
		return -1;
	fd = strtoul(*at + sizeof(GN_SLEDS_ENV), &end, 10);
	if (*end || fd > INT_MAX)
		return -1;
	drop(at);
	at = find(envp, PRELOAD);
	if (at)
		restore_preload(at);
	return (int)fd;
}
