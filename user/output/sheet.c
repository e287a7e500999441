// SPDX-License-Identifier: BSD-2-Clause
#include "output/sheet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void gn_sheet_clear(struct gn_sheet *s)
{
	for (size_t i = 0; i < s->nown; i++)
		free(s->own[i]);
	free(s->own);
	free(s->cell);
	free(s->note);
}

uint32_t gn_sheet_families(enum gn_by by)
{
	switch (by) {
	case GN_BY_GC:
		return GN_FAMILY_GC | GN_FAMILY_SUSPENSION;
	case GN_BY_JIT:
		return GN_FAMILY_JIT | GN_FAMILY_LIFE;
	case GN_BY_LOADS:
		return GN_FAMILY_LOADS | GN_FAMILY_CLASSES;
	case GN_BY_EVENTS:
		return GN_FAMILIES_ALL;
	default:
		return 0; /* sums need no events */
	}
}

static int sort(struct gn_sheet *s, const struct gn_output_opts *o)
{
	int column = gn_sheet_column(o->by, o->sort);

	return column < 0 ? -EINVAL : gn_sheet_sort(s, (size_t)column);
}

int gn_sheet_make(const struct gn_model *m, const struct gn_output_opts *o,
		  struct gn_sheet *out)
{
	int err;

	*out = (struct gn_sheet){.kind = gn_sheet_kind(o->by)};
	err = out->kind->fill(m, out);
	if (!err && o->sort)
		err = sort(out, o);
	if (!err && o->limit && out->n > o->limit) {
		out->limited = out->n - o->limit;
		out->n = o->limit;
	}
	if (!err && o->columns)
		err = gn_sheet_choose(out, o->by, o->columns);
	return err;
}
