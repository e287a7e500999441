/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the preloaded library takes out of the environment of its program. An
 * input is the entries, with a NUL after each.
 */
#include <stdlib.h>
#include <string.h>

#include <gnomon/hooksite.h>
#include <gnomon/preload.h>
#include "fuzz.h"
#include "hooksite/preload/environment.h"

#define MOST	64
#define PRELOAD "LD_PRELOAD="

struct entries {
	char *before[MOST]; /* copies */
	char *text[MOST];   /* what the library changes in place */
	char *envp[MOST + 1];
	size_t n;
};

static void take_entries(struct gn_fuzz_in *in, struct entries *e)
{
	while (in->left && e->n < MOST) {
		size_t i = e->n++;

		e->before[i] = gn_fuzz_take_text(in, '\0', NULL);
		e->envp[i] = e->text[i] = strdup(e->before[i]);
		must(e->text[i], "there is memory");
	}
}

static void free_entries(struct entries *e)
{
	for (size_t i = 0; i < e->n; i++) {
		free(e->before[i]);
		free(e->text[i]);
	}
}

/* The first entry of this variable; MOST: none. */
static size_t find(const struct entries *e, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < e->n; i++)
		if (!strncmp(e->before[i], name, len) &&
		    e->before[i][len] == '=')
			return i;
	return MOST;
}

static const char *value(const struct entries *e, const char *name)
{
	size_t i = find(e, name);

	return i == MOST ? NULL : strchr(e->before[i], '=') + 1;
}

/* The list without the first path of the library; NULL: it was all. */
static char *without_library(const char *list, char *to)
{
	char *copy = strdup(list), *rest = copy, *path;
	bool found = false, any = false;

	must(copy, "there is memory");
	*to = '\0';
	while ((path = strsep(&rest, ":"))) {
		const char *slash = strrchr(path, '/');

		if (!found &&
		    !strcmp(slash ? slash + 1 : path, GN_PRELOAD_LIBRARY)) {
			found = true;
			continue;
		}
		if (any)
			strcat(to, ":");
		strcat(to, path);
		any = true;
	}
	free(copy);
	return any ? to : NULL;
}

/* The text of an entry, whose first `n` bytes are still used. */
static void check_cleared(const struct entries *e, size_t i, size_t n)
{
	for (size_t k = n; k < strlen(e->before[i]); k++)
		must(!e->text[i][k], "what was taken is nowhere");
}

/* Returns whether the entry is still there. */
static bool check_list(const struct entries *e, size_t i)
{
	char *to = malloc(strlen(e->before[i]) + 1), *want;

	must(to, "there is memory");
	want = without_library(e->before[i] + strlen(PRELOAD), to);
	if (want) {
		must(!strncmp(e->text[i], PRELOAD, strlen(PRELOAD)) &&
			     !strcmp(e->text[i] + strlen(PRELOAD), want),
		     "the other libraries stay");
		check_cleared(e, i, strlen(PRELOAD) + strlen(want));
	}
	free(to);
	return want;
}

static void check_entries(const struct entries *e)
{
	const size_t list = find(e, "LD_PRELOAD");
	const char *const names[] = {GN_PRELOAD_ENV, GN_PRELOAD_ENV_FILTER,
				     GN_PRELOAD_ENV_EVENTS,
				     GN_PRELOAD_ENV_GATE};
	bool taken[MOST + 1] = {false};
	size_t left = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		taken[find(e, names[i])] = true;
	for (size_t i = 0; i < e->n; i++) {
		bool stays = !taken[i];

		if (i == list)
			stays = check_list(e, i);
		else if (stays)
			must(!strcmp(e->text[i], e->before[i]),
			     "other variables stay");
		if (stays)
			must(e->envp[left++] == e->text[i],
			     "they keep their order");
		else
			check_cleared(e, i, 0);
	}
	must(!e->envp[left], "the list has an end");
}

static bool is_fast(const char *hooks)
{
	const size_t len = strlen(GN_PRELOAD_FAST);

	return !strncmp(hooks, GN_PRELOAD_FAST, len) &&
	       (!hooks[len] || hooks[len] == *GN_PRELOAD_OWN);
}

static void check_taken(const struct entries *e, const struct gn_preloaded *p)
{
	const char *hooks = value(e, GN_PRELOAD_ENV);
	const char *filter = value(e, GN_PRELOAD_ENV_FILTER);

	must(p->fast == (hooks && is_fast(hooks)), "the kind of hooks is read");
	must(!hooks || gn_environment_own(hooks) <= GN_SITE_OWN_MOST,
	     "there is a site with this number, or it has none");
	must(!p->filter == !filter && (!filter || !strcmp(p->filter, filter)),
	     "the filter is read");
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	struct entries e = {.n = 0};
	struct gn_preloaded p;

	take_entries(&in, &e);
	p = gn_environment_take(e.envp);
	check_taken(&e, &p);
	check_entries(&e);
	free(p.filter);
	free_entries(&e);
}
