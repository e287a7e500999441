/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses --columns. */
#include <errno.h>
#include <string.h>

#include "output/columns.h"

static bool pickable(int column)
{
	return column < GN_COLUMN_NAME || column >= GN_COLUMN_CLASS;
}

static void pick(struct gn_picks *p, int column, enum gn_picked how,
		 enum gn_by by)
{
	if (gn_by_owns_all(by) && column >= GN_COLUMN_CLASS_INCL)
		column -= GN_CLASS_COUNT;
	for (int i = 0; i < p->n; i++) {
		if (p->pick[i].column != column)
			continue;
		if (how > p->pick[i].how)
			p->pick[i].how = how;
		return;
	}
	p->pick[p->n++] = (struct gn_pick){column, how};
}

static void pick_classes(struct gn_picks *p, bool incl, bool excl,
			 enum gn_picked how, enum gn_by by)
{
	for (int c = 0; c < GN_CLASS_COUNT; c++) {
		if (incl)
			pick(p, GN_COLUMN_CLASS_INCL + c, how, by);
		if (excl)
			pick(p, GN_COLUMN_CLASS + c, how, by);
	}
}

static bool same(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && strncmp(word, name, len) == 0;
}

/* Adds the column or the columns of one word. */
static int pick_word(struct gn_picks *p, const char *word, size_t len,
		     enum gn_picked group, enum gn_picked one, enum gn_by by)
{
	if (same(word, len, "classes")) {
		pick_classes(p, false, true, group, by);
		return 0;
	}
	if (same(word, len, "classes+")) {
		pick_classes(p, true, false, group, by);
		return 0;
	}
	if (same(word, len, "all")) {
		for (int c = 0; pickable(c); c++)
			pick(p, c, group, by);
		pick_classes(p, true, true, group, by);
		return 0;
	}
	for (int c = 0; c < GN_COLUMN_COUNT; c++) {
		if (pickable(c) && gn_column_is(c, word, len)) {
			pick(p, c, one, by);
			return 0;
		}
	}
	return -EINVAL;
}

static int pick_list(struct gn_picks *p, const char *list, const char *usual,
		     enum gn_picked usual_how, enum gn_by by)
{
	enum gn_picked group = usual ? GN_PICKED_GROUP : usual_how;
	enum gn_picked one = usual ? GN_PICKED_NAMED : usual_how;

	for (;;) {
		size_t len = strcspn(list, ",");
		int err;

		/* one level only: `usual` does not contain "default" */
		if (usual && same(list, len, "default"))
			err = pick_list(p, usual, NULL, usual_how, by);
		else
			err = pick_word(p, list, len, group, one, by);
		if (err || !list[len])
			return err;
		list += len + 1;
	}
}

int gn_picks_parse(const char *list, const char *usual, bool fits,
		   enum gn_by by, struct gn_picks *out)
{
	out->n = 0;
	return pick_list(out, list ? list : "default", usual,
			 fits ? GN_PICKED_FITS : GN_PICKED_GROUP, by);
}

int gn_columns_check(const char *list)
{
	struct gn_picks picks;

	return gn_picks_parse(list, "all", false, GN_BY_FUNCTION, &picks);
}
