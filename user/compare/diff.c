/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/classes.h"
#include "output/text.h"

static double change(const struct gn_diff_row *r)
{
	return r->of[GN_NEW].value - r->of[GN_BASE].value;
}

bool gn_diff_knows_noise(const struct gn_diff *d)
{
	return d->c->runs[GN_BASE] > 1 && d->c->runs[GN_NEW] > 1;
}

double gn_diff_noise(const struct gn_estimate *of)
{
	return fmax(2 * of->noise, of->error);
}

bool gn_diff_within_noise(const struct gn_diff *d, const struct gn_diff_row *r)
{
	return gn_diff_knows_noise(d) &&
	       fabs(change(r)) <= gn_diff_noise(&r->of[GN_BASE]) +
					  gn_diff_noise(&r->of[GN_NEW]);
}

bool gn_diff_incomplete(const struct gn_diff *d, const struct gn_diff_row *r)
{
	size_t n = d->c->runs[GN_BASE] + d->c->runs[GN_NEW];

	for (size_t i = 0; i < n; i++)
		if (r->item->runs[i].doubtful || r->item->runs[i].copied)
			return true;
	return false;
}

/* Threads and the total have time outside of functions' own, so they use the
 * inclusive metric. */
static int metric_of(enum gn_diff_kind kind, int metric)
{
	if (kind == GN_DIFF_FUNCTION || kind == GN_DIFF_MODULE)
		return metric;
	if (metric == GN_METRIC_elapsed_excl)
		return GN_METRIC_elapsed_incl;
	return metric == GN_METRIC_app_excl ? GN_METRIC_app_incl : metric;
}

static int by_effect(const void *a, const void *b)
{
	const struct gn_diff_row *x = a, *y = b;
	double dx = fabs(change(x)), dy = fabs(change(y));
	int order = (int)x->kind - (int)y->kind;

	if (!order && dx != dy)
		order = dx > dy ? -1 : 1;
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->item->module, y->item->module);
}

static bool is_there(const struct gn_diff_row *r)
{
	for (int side = 0; side < GN_SIDE_COUNT; side++)
		if (r->of[side].value > 0 || r->calls[side].value > 0)
			return true;
	return false;
}

static int add(struct gn_diff *d, enum gn_diff_kind kind,
	       const struct gn_item *item, const char *name, int metric)
{
	struct gn_diff_row *r = &d->rows[d->nrows];
	int err = 0;

	*r = (struct gn_diff_row){
		.kind = kind, .item = item, .name = name, .metric = metric};
	for (int i = 0; i < GN_SIDE_COUNT && !err; i++) {
		enum gn_side side = (enum gn_side)i;

		err = gn_estimate(d->c, item, side, metric, GN_READ_PLAIN, true,
				  &r->of[side]);
		if (!err && kind != GN_DIFF_CLASS)
			err = gn_estimate(d->c, item, side, GN_METRIC_calls,
					  GN_READ_PLAIN, true, &r->calls[side]);
	}
	d->nrows += is_there(r);
	return err;
}

static int add_total(struct gn_diff *d, const struct gn_item *item)
{
	int err =
		add(d, GN_DIFF_TOTAL, item, "application", GN_METRIC_app_incl);

	if (!err)
		err = add(d, GN_DIFF_TOTAL, item, "elapsed",
			  GN_METRIC_elapsed_incl);
	for (int i = 0; i < GN_CLASS_COUNT && !err; i++)
		err = add(d, GN_DIFF_CLASS, item, gn_class_text(i),
			  GN_METRIC_CLASS + i);
	return err;
}

static int add_item(struct gn_diff *d, const struct gn_item *item)
{
	static const enum gn_diff_kind kinds[] = {
		[GN_PART_THREAD] = GN_DIFF_THREAD,
		[GN_PART_MODULE] = GN_DIFF_MODULE,
		[GN_PART_FUNCTION] = GN_DIFF_FUNCTION,
	};
	enum gn_diff_kind kind;

	if (item->part == GN_PART_TOTAL)
		return add_total(d, item);
	kind = kinds[item->part];
	return add(d, kind, item, item->name, metric_of(kind, d->opts.metric));
}

/* Keeps the first rows of each kind. */
static void shorten(struct gn_diff *d)
{
	size_t seen[GN_DIFF_KIND_COUNT] = {0}, n = 0;

	for (size_t i = 0; i < d->nrows; i++) {
		enum gn_diff_kind kind = d->rows[i].kind;

		if (!d->opts.limit || seen[kind]++ < d->opts.limit)
			d->rows[n++] = d->rows[i];
		else
			d->hidden[kind]++;
	}
	d->nrows = n;
}

int gn_diff_make(const struct gn_comparison *c, const struct gn_diff_opts *o,
		 struct gn_diff *d)
{
	int err = 0;

	*d = (struct gn_diff){.c = c, .opts = *o};
	/* the total has two rows, and one for each class */
	d->rows = calloc(c->nitems + 2 + GN_CLASS_COUNT, sizeof(*d->rows));
	if (!d->rows)
		return -ENOMEM;
	for (size_t i = 0; i < c->nitems && !err; i++)
		err = add_item(d, c->items[i]);
	if (err)
		return err;
	qsort(d->rows, d->nrows, sizeof(*d->rows), by_effect);
	shorten(d);
	return 0;
}

void gn_diff_clear(struct gn_diff *d)
{
	free(d->rows);
	*d = (struct gn_diff){0};
}
