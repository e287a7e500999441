/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/preload.h>
#include "runtime/runtime.h"

static int add(char ***list, size_t *n, char *text)
{
	char **grown =
		text ? reallocarray(*list, *n + 2, sizeof(*grown)) : NULL;

	if (!grown) {
		free(text);
		return -ENOMEM;
	}
	*list = grown;
	grown[(*n)++] = text;
	grown[*n] = NULL;
	return 0;
}

int gn_launch_env(struct gn_launch *l, const char *name, const char *value)
{
	char *text;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	return add(&l->env, &l->nenv, text);
}

int gn_launch_lend(struct gn_launch *l, const char *name, const char *value)
{
	char *lent;
	int err;

	if (!l->lends)
		return gn_launch_env(l, name, value);
	if (asprintf(&lent, GN_PRELOAD_LENT "%s", name) < 0)
		return -ENOMEM;
	err = gn_launch_env(l, lent, value);
	free(lent);
	return err;
}

#define PRELOAD "LD_PRELOAD="

/* The entry that the launch has already, or NULL. */
static char **preloaded(struct gn_launch *l)
{
	for (size_t i = 0; i < l->nenv; i++)
		if (!strncmp(l->env[i], PRELOAD, strlen(PRELOAD)))
			return &l->env[i];
	return NULL;
}

int gn_launch_preload(struct gn_launch *l, const char *library)
{
	char **before = preloaded(l), *all;
	const char *others =
		before ? *before + strlen(PRELOAD) : getenv("LD_PRELOAD");

	if (asprintf(&all, PRELOAD "%s%s%s", others ?: "", others ? ":" : "",
		     library) < 0)
		return -ENOMEM;
	if (!before)
		return add(&l->env, &l->nenv, all);
	free(*before);
	*before = all;
	return 0;
}

/* What the library is asked for: the kind of hooks, or nothing. */
static int add_kind(struct gn_launch *l, const char *kind)
{
	char *text;

	if (asprintf(&text, GN_PRELOAD_ENV "=%s" GN_PRELOAD_OWN "%u", kind,
		     gn_runtime_own_site()) < 0)
		return -ENOMEM;
	return add(&l->env, &l->nenv, text);
}

int gn_launch_hooked(struct gn_launch *l, const char *library)
{
	int err = gn_launch_preload(l, library)
			  ?: add_kind(l, l->fast ? GN_PRELOAD_FAST
						 : GN_PRELOAD_PROBES);

	if (!err && (*l->filter || getenv(GN_PRELOAD_ENV_FILTER)))
		err = gn_launch_env(l, GN_PRELOAD_ENV_FILTER, l->filter);
	if (!err)
		err = gn_launch_env(l, GN_PRELOAD_ENV_EVENTS, l->families);
	if (!err && l->jvm)
		err = gn_launch_env(l, GN_PRELOAD_ENV_JVM, "1");
	return err;
}

int gn_launch_lender(struct gn_launch *l, const char *library)
{
	return gn_launch_preload(l, library) ?: add_kind(l, GN_PRELOAD_NONE);
}

int gn_launch_arg(struct gn_launch *l, const char *arg)
{
	return add(&l->arg, &l->nargs, strdup(arg));
}

char **gn_launch_command(const struct gn_launch *l, char *const *command)
{
	size_t n = 1, had = 0;
	char **all;

	while (command[had])
		had++;
	all = calloc(had + l->nargs + 1, sizeof(*all));
	if (!all)
		return NULL;
	all[0] = command[0];
	for (size_t i = 0; i < l->nargs; i++)
		all[n++] = l->arg[i];
	for (size_t i = 1; i < had; i++)
		all[n++] = command[i];
	return all;
}

static void clear(char **list)
{
	for (char **t = list; t && *t; t++)
		free(*t);
	free(list);
}

void gn_launch_clear(struct gn_launch *l)
{
	clear(l->env);
	clear(l->arg);
	if (l->keep > 0)
		close(l->keep);
	memset(l, 0, sizeof(*l));
}
