// SPDX-License-Identifier: BSD-2-Clause
/* Finds the names that are still used after programs have ended. */
#include "model/live/names_left.h"

#include <errno.h>
#include <stdlib.h>

#include <gnomon/event.h>
#include "model/mem.h"

static uint32_t *none(size_t n)
{
	uint32_t *map = malloc((n + 1) * sizeof(*map));

	if (map)
		memset(map, 0xff, (n + 1) * sizeof(*map)); /* GN_NONE */
	return map;
}

int gn_names_left_new(const struct gn_names *n, struct gn_names_left *l)
{
	*l = (struct gn_names_left){.fn = none(n->nfns),
				    .program = none(n->nprograms)};
	if (l->fn && l->program) {
		l->program[0] = 0; /* native functions are kept */
		return 0;
	}
	gn_names_left_free(l);
	return -ENOMEM;
}

void gn_names_left_free(struct gn_names_left *l)
{
	free(l->fn);
	free(l->program);
	free(l->muted);
	gn_table_free(&l->by_func);
	gn_table_free(&l->by_muted);
	*l = (struct gn_names_left){0};
}

/* A process also uses the functions of the processes it was forked from. */
static void mark_ancestors(const struct gn_names *n, struct gn_names_left *l)
{
	uint32_t i, up, k;

	for (i = 1; i < n->nprograms; i++) {
		if (l->program[i])
			continue;
		up = n->forked[i];
		for (k = 0; k < GN_FORKS_MAX && up; k++, up = n->forked[up])
			if (l->program[up])
				l->program[up] = 1;
	}
}

/* Returns the next key of a program that is still used. */
static bool next_left(const struct gn_table *t, const struct gn_names_left *l,
		      size_t *at, struct gn_table_slot *out)
{
	while (*at < t->size) {
		*out = t->slots[(*at)++];
		if (out->value != GN_NONE && !out->gone &&
		    l->program[out->key >> 32] != GN_NONE)
			return true;
	}
	return false;
}

static void mark_functions(const struct gn_names *n, struct gn_names_left *l)
{
	struct gn_table_slot s;
	size_t at = 0;

	while (next_left(&n->by_func, l, &at, &s))
		l->fn[s.value] = 0;
	at = 0;
	while (next_left(&n->by_muted, l, &at, &s))
		l->fn[n->muted[s.value]] = 0;
}

/* Numbers the marked entries in their order. */
static uint32_t count_up(uint32_t *map, uint32_t n)
{
	uint32_t i, next = 0;

	for (i = 0; i < n; i++)
		if (map[i] != GN_NONE)
			map[i] = next++;
	return next;
}

static uint64_t new_key(const struct gn_names_left *l, uint64_t key)
{
	return (uint64_t)l->program[key >> 32] << 32 | (uint32_t)key;
}

int gn_names_left_plan(const struct gn_names *n, struct gn_names_left *l)
{
	struct gn_table_slot s;
	size_t at = 0;
	int err = 0;

	mark_ancestors(n, l);
	mark_functions(n, l);
	l->nfns = count_up(l->fn, n->nfns);
	l->nprograms = count_up(l->program, n->nprograms);
	while (!err && next_left(&n->by_func, l, &at, &s))
		err = gn_table_put(&l->by_func, new_key(l, s.key),
				   l->fn[s.value]);
	at = 0;
	while (!err && next_left(&n->by_muted, l, &at, &s)) {
		err = gn_grow(&l->muted, &l->muted_cap, (size_t)l->nmuted + 1,
			      sizeof(*l->muted));
		if (err)
			break;
		l->muted[l->nmuted] = l->fn[n->muted[s.value]];
		err = gn_table_put(&l->by_muted, new_key(l, s.key),
				   l->nmuted++);
	}
	return err;
}

static void move_functions(struct gn_names *n, const struct gn_names_left *l)
{
	uint32_t i;

	for (i = 0; i < n->nfns; i++) {
		struct gn_fn f = n->fns[i];

		if (l->fn[i] == GN_NONE)
			continue;
		/* a function can still be used after its program ended */
		if (f.program != GN_NONE)
			f.program = l->program[f.program];
		n->fns[l->fn[i]] = f;
	}
	n->nfns = l->nfns;
	gn_shrink(&n->fns, &n->fns_cap, n->nfns, sizeof(*n->fns));
}

static void move_programs(struct gn_names *n, const struct gn_names_left *l)
{
	uint32_t i, up;

	for (i = 0; i < n->nprograms; i++) {
		if (l->program[i] == GN_NONE)
			continue;
		up = l->program[n->forked[i]];
		n->forked[l->program[i]] = up == GN_NONE ? 0 : up;
		n->late[l->program[i]] = n->late[i];
	}
	n->nprograms = l->nprograms;
	gn_shrink(&n->forked, &n->forked_cap, n->nprograms, sizeof(*n->forked));
	gn_shrink(&n->late, &n->late_cap, n->nprograms, sizeof(*n->late));
}

void gn_names_left_apply(struct gn_names *n, struct gn_names_left *l)
{
	move_functions(n, l);
	move_programs(n, l);
	free(n->muted);
	gn_table_free(&n->by_func);
	gn_table_free(&n->by_muted);
	n->by_func = l->by_func;
	n->last_fn = GN_NONE;
	n->epoch++;
	n->by_muted = l->by_muted;
	n->muted = l->muted;
	n->nmuted = l->nmuted;
	n->muted_cap = l->muted_cap;
	l->muted = NULL;
	l->by_func = l->by_muted = (struct gn_table){0};
}
