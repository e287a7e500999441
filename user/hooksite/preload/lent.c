// SPDX-License-Identifier: BSD-2-Clause
#include "hooksite/preload/lent.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/preload.h>
#include "hooksite/preload/environment.h"

#define PREFIX	  (sizeof(GN_PRELOAD_LENT) - 1)
#define NAME_ROOM 64

enum state { KEPT, GIVEN, TAKEN_BACK };

static struct {
	size_t n;
	char *entry[GN_LENT_MOST];
	char *before[GN_LENT_MOST]; /* the program's own; NULL: none */
	atomic_int state;
} lent;

extern char **environ;

static bool is_lent(const char *entry)
{
	return !strncmp(entry, GN_PRELOAD_LENT, PREFIX);
}

/* The entry as a runtime reads it. */
static char *plain(size_t i)
{
	return lent.entry[i] + PREFIX;
}

/* Whether both entries are of the same variable. */
static bool are_same(const char *a, const char *b)
{
	size_t len = strcspn(a, "=") + 1;

	return !strncmp(a, b, len);
}

void gn_lent_take(char **envp)
{
	while (envp && *envp) {
		char *copy;

		if (!is_lent(*envp)) {
			envp++;
			continue;
		}
		copy = lent.n < GN_LENT_MOST ? strdup(*envp) : NULL;
		if (copy)
			lent.entry[lent.n++] = copy;
		gn_environment_drop_at(envp);
	}
}

size_t gn_lent_count(void)
{
	return lent.n;
}

char *gn_lent_entry(size_t i)
{
	return lent.entry[i];
}

/* The entry's name. The longest is one of ours. */
static const char *name_of(const char *entry, char name[NAME_ROOM])
{
	size_t len = strcspn(entry, "=");

	if (len >= NAME_ROOM)
		len = NAME_ROOM - 1;
	memcpy(name, entry, len);
	name[len] = '\0';
	return name;
}

/* Whether a runtime with this environment loads no library of gnomon: it takes
 * only one profiler, and none if its diagnostics are off. */
static bool is_refused(char *const *envp)
{
	static const char *const off[] = {
		"DOTNET_EnableDiagnostics=0",
		"DOTNET_EnableDiagnostics_Profiler=0",
		"COMPlus_EnableDiagnostics=0",
		"COMPlus_EnableDiagnostics_Profiler=0",
	};
	static const char *const other[] = {"CORECLR_ENABLE_PROFILING=",
					    "DOTNET_ENABLE_PROFILING="};

	for (; envp && *envp; envp++) {
		for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++)
			if (!strcmp(*envp, off[i]))
				return true;
		for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
			size_t len = strlen(other[i]);

			if (!strncmp(*envp, other[i], len) && (*envp)[len] &&
			    strcmp(*envp + len, "0") != 0)
				return true;
		}
	}
	return false;
}

static bool is_replaced(const char *entry)
{
	for (size_t i = 0; i < lent.n; i++)
		if (are_same(plain(i), entry))
			return true;
	return false;
}

void gn_lent_merge(char **all, char *const *envp, size_t n)
{
	bool other = is_refused(envp);

	for (size_t i = 0; i < n; i++)
		if (other || !is_replaced(envp[i]))
			*all++ = envp[i];
	for (size_t i = 0; i < lent.n && !other; i++)
		*all++ = plain(i);
	*all = NULL;
}

static char *find(const char *entry)
{
	for (char **at = environ; at && *at; at++)
		if (are_same(entry, *at))
			return *at;
	return NULL;
}

void gn_lent_give(void)
{
	int kept = KEPT;

	if (!lent.n || is_refused(environ) ||
	    !atomic_compare_exchange_strong(&lent.state, &kept, GIVEN))
		return;
	for (size_t i = 0; i < lent.n; i++) {
		lent.before[i] = find(plain(i));
		putenv(plain(i));
	}
}

void gn_lent_take_back(gn_lent_back_fn back, void *ctx)
{
	char name[NAME_ROOM];
	int given = GIVEN;

	if (!atomic_compare_exchange_strong(&lent.state, &given, TAKEN_BACK))
		return;
	for (size_t i = 0; i < lent.n; i++) {
		char *own = lent.before[i];

		name_of(plain(i), name);
		back(ctx, name, own ? own + strlen(name) + 1 : NULL);
		if (own)
			putenv(own);
		else
			unsetenv(name);
	}
}
