// SPDX-License-Identifier: BSD-2-Clause
#include "output/paths.h"

#include <errno.h>
#include <stdlib.h>

static bool can_be_summed(int column)
{
	switch (column) {
	case GN_COLUMN_CALLS:
	case GN_COLUMN_EE:
	case GN_COLUMN_AE:
		return true;
	default:
		return gn_column_class(column) >= 0 &&
		       column < GN_COLUMN_CLASS_INCL;
	}
}

static int pick(const char *list, const char *usual, struct gn_picks *picks)
{
	int err = gn_picks_parse(list, usual, false, GN_BY_TREE, picks);

	for (int i = 0; i < picks->n && !err; i++)
		if (!can_be_summed(picks->pick[i].column))
			err = -EINVAL;
	return err;
}

int gn_paths_check(const char *list)
{
	struct gn_picks picks;

	return pick(list, "ae", &picks);
}

/* Drops classes that were not named and are 0 everywhere. The session's row has
 * the inclusive sum of each class. */
static void drop_empty(struct gn_paths *p)
{
	const struct gn_values *all = p->rows.row[0].v;
	int n = 0;

	for (int i = 0; i < p->picks.n; i++) {
		struct gn_pick one = p->picks.pick[i];
		int class = gn_column_class(one.column);

		if (one.how == GN_PICKED_NAMED || class < 0 ||
		    all->class_incl[class])
			p->picks.pick[n++] = one;
	}
	p->picks.n = n;
}

int gn_paths_make(const struct gn_model *m, const struct gn_output_opts *o,
		  const char *usual, struct gn_paths *p)
{
	struct gn_output_opts tree = *o;
	int err;

	*p = (struct gn_paths){0};
	tree.by = GN_BY_TREE;
	tree.limit = 0;
	err = pick(o->columns, usual, &p->picks);
	if (!err)
		err = gn_rows_make(m, &tree, &p->rows);
	if (err)
		return err;
	p->steps = o->steps;
	gn_steps_more(p->steps, p->rows.n);
	p->path = calloc(p->rows.n + 1, sizeof(*p->path));
	if (!p->path)
		return -ENOMEM;
	if (p->rows.n)
		drop_empty(p);
	return 0;
}

void gn_paths_clear(struct gn_paths *p)
{
	gn_rows_clear(&p->rows);
	free(p->path);
}

const struct gn_row *gn_paths_next(struct gn_paths *p)
{
	while (p->at < p->rows.n) {
		const struct gn_row *r = &p->rows.row[p->at++];

		gn_steps_done(p->steps, 1);
		p->path[r->depth] = r;
		if (r->depth)
			return r;
	}
	return NULL;
}

bool gn_paths_has(const struct gn_paths *p, const struct gn_row *r)
{
	for (int i = 0; i < p->picks.n; i++)
		if (gn_paths_value(r, p->picks.pick[i].column))
			return true;
	return false;
}
