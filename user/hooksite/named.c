// SPDX-License-Identifier: BSD-2-Clause
#include "named.h"

#include <stdlib.h>
#include <string.h>

#include <gnomon/fnv.h>
#include "call_hooks.h"

#define FIRST_ROOM 1024 /* a power of two */

/* Kept forever. */
struct named {
	char *name, *module;
	uint64_t hash;
	uint32_t index;
};

static struct {
	const char *filter;
	gn_named_filter_fn asks;
	struct named *at;
	size_t room, n;
} named;

void gn_named_begin(const char *filter, gn_named_filter_fn asks)
{
	named.filter = filter;
	named.asks = asks;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	/* with its NUL, so that the two texts cannot be divided otherwise */
	return gn_fnv(hash, text, strlen(text) + 1);
}

static bool grow(void)
{
	size_t room = named.room ? named.room * 2 : FIRST_ROOM;
	struct named *at = calloc(room, sizeof(*at));

	if (!at)
		return false;
	for (size_t i = 0; i < named.room; i++) {
		const struct named *f = &named.at[i];
		size_t k = f->hash & (room - 1);

		if (!f->name)
			continue;
		while (at[k].name)
			k = (k + 1) & (room - 1);
		at[k] = *f;
	}
	free(named.at);
	named.at = at;
	named.room = room;
	return true;
}

static uint32_t add(struct named *f, const char *name, const char *module,
		    uint32_t line, uint64_t hash)
{
	char *own = strdup(name), *its = strdup(module);

	if (!own || !its) {
		free(own);
		free(its);
		return 0;
	}
	*f = (struct named){.name = own, .module = its, .hash = hash};
	named.n++;
	if (named.asks(named.filter, own, its))
		f->index = gn_call_new_index();
	if (f->index)
		gn_call_name(f->index, own, its, line);
	return f->index;
}

uint32_t gn_named_index(const char *name, const char *module, uint32_t line)
{
	uint64_t hash = hash_text(hash_text(GN_FNV, name), module);
	struct named *f;
	size_t i;

	if (named.n * 2 >= named.room && !grow())
		return 0;
	i = hash & (named.room - 1);
	while ((f = &named.at[i])->name) {
		if (f->hash == hash && !strcmp(f->name, name) &&
		    !strcmp(f->module, module))
			return f->index;
		i = (i + 1) & (named.room - 1);
	}
	return add(f, name, module, line, hash);
}
