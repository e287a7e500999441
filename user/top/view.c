// SPDX-License-Identifier: BSD-2-Clause
#include "top/view.h"

#include <stdlib.h>
#include <string.h>

#include "top/view_columns.h"
#include "top/view_rows.h"
#include "top/view_thread.h"

void gn_top_view_init(struct gn_top_view *v, uint64_t period,
		      enum gn_classify classify)
{
	memset(v, 0, sizeof(*v));
	v->period = period;
	v->classify = classify;
	for (int i = 0; i < GN_TOP_MODES; i++)
		v->list[i].sort = gn_top_usual_sort((enum gn_top_mode)i);
	v->stale = true;
}

void gn_top_view_free(struct gn_top_view *v)
{
	gn_top_thread_close(v);
	free(v->rows);
	v->rows = NULL;
	v->nrows = v->rows_cap = 0;
}

const char *gn_top_mode_text(enum gn_top_mode mode)
{
	static const char *const texts[] = {
		[GN_TOP_THREADS] = "threads",
		[GN_TOP_FUNCTIONS] = "functions",
		[GN_TOP_MODULES] = "modules",
		[GN_TOP_TREE] = "call tree",
	};

	return texts[mode];
}

/* Finds where the selected row is now. If it is gone, selects the row in its
 * place, until it comes back. */
static void find_selected(struct gn_top_view *v)
{
	struct gn_top_list *l = &v->list[v->mode];

	if (!l->follow)
		l->selected = 0;
	for (size_t i = 0; l->follow && i < v->nrows; i++) {
		if (v->rows[i].id == l->id) {
			l->selected = i;
			return;
		}
	}
	if (l->selected >= v->nrows)
		l->selected = v->nrows ? v->nrows - 1 : 0;
}

/* Several functions can have one name. Within a period their indexes in the
 * model distinguish them. */
static bool find_same(struct gn_top_view *v, uint64_t id, uint32_t index)
{
	for (size_t i = 0; i < v->nrows; i++) {
		if (v->rows[i].id == id && v->rows[i].index == index) {
			v->list[v->mode].selected = i;
			return true;
		}
	}
	return false;
}

static void see_classes(struct gn_top_view *v, const struct gn_model *m)
{
	for (int c = 0; c < GN_CLASS_COUNT; c++) {
		v->seen[c] += m->session.class_incl[c];
		v->own[c] += m->session.class_excl[c];
	}
}

int gn_top_view_update(struct gn_top_view *v, const struct gn_top_period *p)
{
	struct gn_top_list *l = &v->list[v->mode];
	const struct gn_model *m = p ? p->m : NULL;
	struct gn_top_row before = {0};
	bool fresh, was = l->selected < v->nrows && l->follow;
	int err = 0;

	fresh = m != v->of || (p && p->number != v->number);
	if (!fresh && !v->stale)
		return 0;
	if (was)
		before = v->rows[l->selected];
	v->nrows = 0;
	v->of = m;
	v->number = p ? p->number : 0;
	v->stale = false;
	if (m && fresh) {
		see_classes(v, m);
		err = gn_top_thread_update(v, p);
	}
	if (m && !err)
		err = v->mode == GN_TOP_TREE ? gn_top_tree_make(v, p)
					     : gn_top_rows_make(v, p);
	if (err) {
		v->nrows = 0;
		v->stale = true;
		return err;
	}
	if (fresh || !was || before.id != l->id ||
	    !find_same(v, before.id, before.index))
		find_selected(v);
	return 0;
}
