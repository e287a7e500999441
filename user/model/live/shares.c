// SPDX-License-Identifier: BSD-2-Clause
#include "model/live/shares.h"

#include "model/mem.h"

static int find(struct gn_shares *s, uint32_t thread, uint32_t fn,
		struct gn_share **out)
{
	uint64_t key = (uint64_t)thread << 32 | fn;
	size_t at = (fn ^ thread) % GN_SHARES_RECENT;
	uint32_t i;

	if (s->recent[at].row && s->recent[at].key == key) {
		*out = &s->rows[s->recent[at].row - 1];
		return 0;
	}
	i = gn_table_get(&s->by_key, key);
	if (i == GN_NONE) {
		if (gn_grow(&s->rows, &s->cap, (size_t)s->n + 1,
			    sizeof(*s->rows)) ||
		    gn_table_put(&s->by_key, key, s->n))
			return -ENOMEM;
		i = s->n++;
		s->rows[i] = (struct gn_share){.thread = thread, .fn = fn};
	}
	s->recent[at].key = key;
	s->recent[at].row = i + 1;
	*out = &s->rows[i];
	return 0;
}

static int add_classes(struct gn_shares *s, struct gn_share *row,
		       const struct gn_interval *iv)
{
	uint32_t mask = iv->mask & ~(1u << GN_CLASS_APP);
	int c;

	if (!row->classes) {
		if (!s->nclasses)
			s->nclasses = 1;
		if (gn_grow(&s->classes, &s->classes_cap,
			    (size_t)s->nclasses + 1, sizeof(*s->classes)))
			return -ENOMEM;
		memset(s->classes[s->nclasses], 0, sizeof(*s->classes));
		row->classes = s->nclasses++;
	}
	for (; mask; mask &= mask - 1) {
		c = __builtin_ctz(mask);
		s->classes[row->classes][c] += iv->ns[c];
	}
	return 0;
}

int gn_shares_add(struct gn_shares *s, uint32_t thread, uint32_t fn,
		  const struct gn_interval *iv)
{
	struct gn_share *row;
	int err;

	err = find(s, thread, fn, &row);
	if (err)
		return err;
	row->elapsed += iv->elapsed;
	row->app += iv->app;
	if (iv->mask & ~(1u << GN_CLASS_APP))
		return add_classes(s, row, iv);
	return 0;
}

int gn_shares_call(struct gn_shares *s, uint32_t thread, uint32_t fn)
{
	struct gn_share *row;
	int err = find(s, thread, fn, &row);

	if (!err)
		row->calls++;
	return err;
}

void gn_shares_classes(const struct gn_shares *s, const struct gn_share *row,
		       uint64_t ns[GN_CLASS_COUNT])
{
	uint64_t rest = row->elapsed;
	int c;

	memset(ns, 0, sizeof(*s->classes));
	if (row->classes) {
		memcpy(ns, s->classes[row->classes], sizeof(*s->classes));
		for (c = 0; c < GN_CLASS_COUNT; c++)
			rest -= ns[c];
	}
	ns[GN_CLASS_APP] = rest;
}

void gn_shares_clear(struct gn_shares *s)
{
	/* free the room of a burst */
	if (s->n < s->cap / 8) {
		gn_shares_free(s);
		return;
	}
	s->n = s->nclasses = 0;
	memset(s->recent, 0, sizeof(s->recent));
	gn_table_clear(&s->by_key);
}

void gn_shares_free(struct gn_shares *s)
{
	free(s->rows);
	free(s->classes);
	gn_table_free(&s->by_key);
	*s = (struct gn_shares){0};
}
