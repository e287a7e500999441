// SPDX-License-Identifier: BSD-2-Clause
#include "model/waits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/mem.h"

static bool same(const struct gn_wait *a, const struct gn_wait *b)
{
	return a->fn == b->fn && a->class == b->class &&
	       a->reason == b->reason && a->polled == b->polled &&
	       a->end == b->end && a->idle == b->idle && a->halt == b->halt &&
	       a->interpreter == b->interpreter && a->waker == b->waker &&
	       a->waker_fn == b->waker_fn && a->waker_name == b->waker_name;
}

/* Hashes the text of the name, as its address can change. */
static uint64_t hash(const struct gn_wait *r)
{
	uint64_t h = (uint64_t)r->fn << 32 | r->waker_fn;

	h = gn_table_hash(h) ^
	    ((uint64_t)r->waker << 32 | (uint32_t)r->reason << 8 | r->class);
	h = gn_table_hash(h) ^
	    (uint64_t)(r->polled | r->end << 8 | r->idle << 16 |
		       r->interpreter << 17 | r->halt << 18);
	h = gn_table_hash(h) ^ GN_HASH_TEXT;
	return r->waker_name
		       ? gn_hash_text(h, r->waker_name, strlen(r->waker_name))
		       : h;
}

static void merge(struct gn_wait *into, const struct gn_wait *row)
{
	into->ns += row->ns;
	into->count += row->count;
	into->task_ns += row->task_ns;
	into->tasks += row->tasks;
	into->starved += row->starved;
	into->taken_ns += row->taken_ns;
	into->attach_ns += row->attach_ns;
	into->attaches += row->attaches;
	if (row->later_longest > into->later_longest)
		into->later_longest = row->later_longest;
	if (row->longest > into->longest)
		into->longest = row->longest;
}

void gn_wait_rows_attach(struct gn_wait *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		rows[i].attach_ns = rows[i].ns;
		rows[i].attaches = rows[i].count;
		rows[i].later_longest = 0;
	}
}

static void forget_waker(struct gn_wait *row)
{
	row->waker = 0;
	row->waker_fn = GN_NONE;
	row->waker_name = NULL;
}

static void forget_reason(struct gn_wait *row)
{
	row->reason = GN_NO_SYSCALL;
	row->polled = GN_POLLED_UNKNOWN;
	row->end = GN_END_BY_UNKNOWN;
	row->halt = GN_HALT_NONE;
	row->idle = false;
	row->interpreter = false;
}

void gn_waits_free(struct gn_waits *w)
{
	free(w->rows);
	gn_table_free(&w->by_hash);
	*w = (struct gn_waits){0};
}

/* Finds the row. GN_NONE: there is none, and *key is free for it. */
static uint32_t find(const struct gn_waits *w, const struct gn_wait *row,
		     uint64_t *key)
{
	uint32_t i;

	/* rows with the same hash take the next keys */
	for (*key = hash(row);; ++*key) {
		i = gn_table_get(&w->by_hash, *key);
		if (i == GN_NONE || same(&w->rows[i], row))
			return i;
	}
}

int gn_waits_add(struct gn_waits *w, const struct gn_wait *row)
{
	struct gn_wait r = *row;
	uint64_t key;
	uint32_t i = find(w, &r, &key);

	if (i == GN_NONE && w->n >= GN_WAITS_MAX) {
		forget_waker(&r);
		i = find(w, &r, &key);
	}
	if (i == GN_NONE && w->n >= GN_REASONS_MAX) {
		forget_reason(&r);
		i = find(w, &r, &key);
	}
	if (i != GN_NONE) {
		merge(&w->rows[i], row);
		return 0;
	}
	if (gn_grow(&w->rows, &w->cap, (size_t)w->n + 1, sizeof(*w->rows)) ||
	    gn_table_put(&w->by_hash, key, w->n))
		return -ENOMEM;
	w->rows[w->n++] = r;
	return 0;
}

/* Moves the row found to the end, as it is the most likely next one. */
static struct gn_wait *find_open(struct gn_wait_list *l,
				 const struct gn_wait *row)
{
	uint32_t i = l->n;
	struct gn_wait found;

	while (i > 0 && !same(&l->rows[i - 1], row))
		i--;
	if (!i)
		return NULL;
	found = l->rows[i - 1];
	l->rows[i - 1] = l->rows[l->n - 1];
	l->rows[l->n - 1] = found;
	return &l->rows[l->n - 1];
}

int gn_wait_list_add(struct gn_wait_list *l, const struct gn_wait *row)
{
	struct gn_wait r = *row, *at;

	r.fn = GN_NONE;
	at = find_open(l, &r);
	if (!at && l->n >= GN_WAIT_OPEN_MAX) {
		forget_waker(&r);
		forget_reason(&r);
		at = find_open(l, &r);
	}
	if (at) {
		merge(at, &r);
		return 0;
	}
	if (gn_grow(&l->rows, &l->cap, (size_t)l->n + 1, sizeof(*l->rows)))
		return -ENOMEM;
	l->rows[l->n++] = r;
	return 0;
}

int gn_wait_list_flush(struct gn_wait_list *l, struct gn_waits *w, uint32_t fn)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < l->n && !err; i++) {
		l->rows[i].fn = fn;
		err = gn_waits_add(w, &l->rows[i]);
	}
	l->n = 0;
	return err;
}

void gn_wait_list_free(struct gn_wait_list *l)
{
	free(l->rows);
	*l = (struct gn_wait_list){0};
}

static int32_t function_at(const uint32_t *function_of, uint32_t fn)
{
	return fn == GN_NONE ? -1 : (int32_t)function_of[fn];
}

int gn_waits_build(const struct gn_waits *w, const uint32_t *function_of,
		   struct gn_model *m)
{
	uint32_t i;

	m->waits = calloc((size_t)w->n + 1, sizeof(*m->waits));
	if (!m->waits)
		return -ENOMEM;
	for (i = 0; i < w->n; i++) {
		const struct gn_wait *r = &w->rows[i];

		m->waits[i] = (struct gn_model_wait){
			.function = function_at(function_of, r->fn),
			.class = r->class,
			.reason = r->reason,
			.polled = r->polled,
			.end = r->end,
			.halt = r->halt,
			.idle = r->idle,
			.interpreter = r->interpreter,
			.ns = r->ns,
			.count = r->count,
			.longest = r->longest,
			.task_ns = r->task_ns,
			.tasks = r->tasks,
			.starved = r->starved,
			.taken_ns = r->taken_ns,
			.attach_ns = r->attach_ns,
			.attaches = r->attaches,
			.later_longest = r->later_longest,
			.waker = r->waker,
			.waker_name = r->waker_name ? r->waker_name : "",
			.waker_function = function_at(function_of, r->waker_fn),
		};
	}
	m->nwaits = w->n;
	return 0;
}

static int compare_kind(const struct gn_model_wait *x,
			const struct gn_model_wait *y)
{
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->reason != y->reason)
		return x->reason < y->reason ? -1 : 1;
	if (x->polled != y->polled)
		return x->polled < y->polled ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->halt != y->halt)
		return x->halt < y->halt ? -1 : 1;
	if (x->idle != y->idle)
		return y->idle ? -1 : 1;
	if (x->interpreter != y->interpreter)
		return y->interpreter ? -1 : 1;
	if (x->waker != y->waker)
		return x->waker < y->waker ? -1 : 1;
	if (x->waker_function != y->waker_function)
		return x->waker_function < y->waker_function ? -1 : 1;
	return strcmp(x->waker_name, y->waker_name);
}

static int by_kind(const void *a, const void *b)
{
	return compare_kind(a, b);
}

static int by_time(const void *a, const void *b)
{
	const struct gn_model_wait *x = a, *y = b;

	if (x->function == y->function && x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return compare_kind(x, y);
}

void gn_waits_order(struct gn_model *m)
{
	struct gn_model_wait *w = m->waits;
	size_t i, n = 0;

	if (!m->nwaits)
		return;
	qsort(w, m->nwaits, sizeof(*w), by_kind);
	for (i = 1; i < m->nwaits; i++) {
		if (compare_kind(&w[n], &w[i])) {
			w[++n] = w[i];
			continue;
		}
		w[n].ns += w[i].ns;
		w[n].count += w[i].count;
		w[n].task_ns += w[i].task_ns;
		w[n].tasks += w[i].tasks;
		w[n].starved += w[i].starved;
		w[n].taken_ns += w[i].taken_ns;
		w[n].attach_ns += w[i].attach_ns;
		w[n].attaches += w[i].attaches;
		if (w[i].later_longest > w[n].later_longest)
			w[n].later_longest = w[i].later_longest;
		if (w[i].longest > w[n].longest)
			w[n].longest = w[i].longest;
	}
	m->nwaits = n + 1;
	qsort(w, m->nwaits, sizeof(*w), by_time);
}
