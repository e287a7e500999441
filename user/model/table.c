// SPDX-License-Identifier: BSD-2-Clause
#include "model/table.h"

#include <errno.h>
#include <stdlib.h>

#include "model/mem.h"

static struct gn_table_slot *find_slot(const struct gn_table *t, uint64_t key)
{
	size_t i;

	for (i = gn_table_hash(key);; i++) {
		struct gn_table_slot *s = &t->slots[i & (t->size - 1)];

		if (s->value == GN_NONE || s->key == key)
			return s;
	}
}

static int resize(struct gn_table *t)
{
	struct gn_table bigger = {0};
	size_t i, live = 0;

	for (i = 0; i < t->size; i++)
		live += t->slots[i].value != GN_NONE && !t->slots[i].gone;
	/* if most keys were removed, free their slots instead of growing */
	bigger.size = live < t->size / 4 ? t->size : t->size * 2;
	if (!t->size)
		bigger.size = 64;
	bigger.slots = calloc(bigger.size, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	gn_use_large_pages(bigger.slots, bigger.size * sizeof(*bigger.slots));
	for (i = 0; i < bigger.size; i++)
		bigger.slots[i].value = GN_NONE;
	for (i = 0; i < t->size; i++) {
		if (t->slots[i].value == GN_NONE || t->slots[i].gone)
			continue;
		*find_slot(&bigger, t->slots[i].key) = t->slots[i];
		bigger.used++;
	}
	free(t->slots);
	*t = bigger;
	return 0;
}

int gn_table_put(struct gn_table *t, uint64_t key, uint32_t value)
{
	struct gn_table_slot *s;
	int err;

	if (t->used >= t->size / 4 * 3) {
		err = resize(t);
		if (err)
			return err;
	}
	s = find_slot(t, key);
	if (s->value == GN_NONE)
		t->used++;
	s->key = key;
	s->value = value;
	s->gone = 0;
	return 0;
}

void gn_table_change(struct gn_table *t, uint64_t key, uint32_t value)
{
	struct gn_table_slot *s;

	if (!t->size)
		return;
	s = find_slot(t, key);
	if (s->value != GN_NONE)
		s->value = value;
}

void gn_table_remove(struct gn_table *t, uint64_t key)
{
	struct gn_table_slot *s;

	if (!t->size)
		return;
	s = find_slot(t, key);
	if (s->value != GN_NONE)
		s->gone = 1;
}

void gn_table_clear(struct gn_table *t)
{
	size_t i;

	/* too large for what this period needed */
	if (t->used < t->size / 8) {
		gn_table_free(t);
		return;
	}
	for (i = 0; i < t->size; i++)
		t->slots[i] = (struct gn_table_slot){.value = GN_NONE};
	t->used = 0;
}

void gn_table_free(struct gn_table *t)
{
	free(t->slots);
	*t = (struct gn_table){0};
}
