// SPDX-License-Identifier: BSD-2-Clause
#include "hooksite/preload/environment.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/hooksite.h>
#include <gnomon/preload.h>

#define PRELOAD "LD_PRELOAD"

/* The entry of this name, or NULL. */
static char **find(char **envp, const char *name)
{
	size_t len = strlen(name);

	for (; envp && *envp; envp++)
		if (!strncmp(*envp, name, len) && (*envp)[len] == '=')
			return envp;
	return NULL;
}

/* Clears the text, too: other processes can read it as our environment. */
void gn_environment_drop_at(char **at)
{
	memset(*at, 0, strlen(*at));
	for (; *at; at++)
		at[0] = at[1];
}

const char *gn_environment_get(char **envp, const char *name)
{
	char **at = find(envp, name);

	return at ? *at + strlen(name) + 1 : NULL;
}

bool gn_environment_is_kind(const char *hooks, const char *kind)
{
	size_t len = strcspn(hooks, GN_PRELOAD_OWN);

	return len == strlen(kind) && !memcmp(hooks, kind, len);
}

unsigned int gn_environment_own(const char *hooks)
{
	const char *at = hooks + strcspn(hooks, GN_PRELOAD_OWN);
	unsigned long n;
	char *end;

	if (!*at || at[1] < '0' || at[1] > '9')
		return GN_SITE_OWN_MOST;
	n = strtoul(at + 1, &end, 10);
	return *end || n > GN_SITE_OWN_MOST ? GN_SITE_OWN_MOST
					    : (unsigned int)n;
}

void gn_environment_drop(char **envp, const char *name)
{
	char **at = find(envp, name);

	if (at)
		gn_environment_drop_at(at);
}

static bool is_library(const char *entry, size_t len, const char *library)
{
	size_t n = strlen(library);

	return len >= n && !memcmp(entry + len - n, library, n) &&
	       (len == n || entry[len - n - 1] == '/');
}

/* The entry of the list with this library, or NULL. */
static const char *find_entry(const char *list, const char *library)
{
	for (;;) {
		size_t len = strcspn(list, ":");

		if (is_library(list, len, library))
			return list;
		if (!list[len])
			return NULL;
		list += len + 1;
	}
}

bool gn_environment_has_library(const char *list, const char *library)
{
	return find_entry(list, library);
}

void gn_environment_drop_library(char **envp, const char *library)
{
	char **at = find(envp, PRELOAD);
	char *entry =
		at ? (char *)find_entry(*at + sizeof(PRELOAD), library) : NULL;
	size_t len, left;

	if (!entry)
		return;
	len = strcspn(entry, ":");
	if (!entry[len] && entry == *at + sizeof(PRELOAD)) {
		gn_environment_drop_at(at);
		return;
	}
	if (entry[len])
		len++;
	else
		entry--, len++;
	left = strlen(entry + len);
	memmove(entry, entry + len, left);
	memset(entry + left, 0, len);
}

struct gn_preloaded gn_environment_take(char **envp)
{
	const char *kind = gn_environment_get(envp, GN_PRELOAD_ENV);
	const char *globs = gn_environment_get(envp, GN_PRELOAD_ENV_FILTER);
	const char *events = gn_environment_get(envp, GN_PRELOAD_ENV_EVENTS);
	struct gn_preloaded p = {
		.filter = globs ? strdup(globs) : NULL,
		.fast = kind && gn_environment_is_kind(kind, GN_PRELOAD_FAST),
		.families = events ? (uint32_t)strtoul(events, NULL, 16) : 0,
	};

	gn_environment_drop(envp, GN_PRELOAD_ENV_EVENTS);
	gn_environment_drop(envp, GN_PRELOAD_ENV_FILTER);
	gn_environment_drop(envp, GN_PRELOAD_ENV_GATE);
	gn_environment_drop(envp, GN_PRELOAD_ENV);
	gn_environment_drop_library(envp, GN_PRELOAD_LIBRARY);
	return p;
}
