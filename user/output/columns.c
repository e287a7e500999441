/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/columns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct info {
	const char *name, *alias, *top, *title, *csv;
	enum gn_show show;
	enum gn_whole whole;
};

static const struct info infos[] = {
#define INFO(id, name, alias, top, title, csv, show, whole, value)            \
	[GN_COLUMN_##id] = {name,	    alias,	     top, title, csv, \
			    GN_SHOW_##show, GN_WHOLE_##whole},
	GN_COLUMN_LIST(INFO)
#undef INFO
#define CLASS_INFO(id, value, text, group, meaning)                            \
	[GN_COLUMN_CLASS +                                                     \
		GN_CLASS_##id] = {text, text,	      "",	    text,      \
				  text, GN_SHOW_TIME, GN_WHOLE_NONE},          \
		[GN_COLUMN_CLASS_INCL + GN_CLASS_##                            \
			id] = {text "+", text "+",     "",	     text "+", \
			       text,	 GN_SHOW_TIME, GN_WHOLE_NONE},
		GN_CLASS_LIST(CLASS_INFO)
#undef CLASS_INFO
};

_Static_assert(sizeof(infos) / sizeof(infos[0]) == GN_COLUMN_COUNT, "columns");

/* Threads and processes: all their time is their own. */
static bool owns_all(enum gn_by by)
{
	return by == GN_BY_THREAD || by == GN_BY_PROCESS;
}

uint64_t gn_column_value(const struct gn_row *r, int column)
{
	switch (column) {
#define VALUE(id, name, alias, top, title, csv, show, whole, value) \
	case GN_COLUMN_##id:                                        \
		return value;
		GN_COLUMN_LIST(VALUE)
#undef VALUE
	default:
		return column < GN_COLUMN_CLASS_INCL
			       ? r->classes[column - GN_COLUMN_CLASS]
			       : r->v->class_incl[column -
						  GN_COLUMN_CLASS_INCL];
	}
}

bool gn_column_uncertain(const struct gn_row *r, int column)
{
	uint64_t error;

	switch (column) {
	case GN_COLUMN_EI:
	case GN_COLUMN_AI:
		error = r->v->error_incl;
		break;
	case GN_COLUMN_EE:
	case GN_COLUMN_AE:
		error = r->v->error_excl;
		break;
	default:
		return false;
	}
	return error > gn_column_value(r, column) / 10;
}

enum gn_show gn_column_show(int column)
{
	return infos[column].show;
}

uint64_t gn_column_whole(const struct gn_model *m, int column)
{
	switch (infos[column].whole) {
	case GN_WHOLE_ELAPSED:
		return m->session.elapsed_incl;
	case GN_WHOLE_APP:
		return m->session.app_incl;
	default:
		return 0;
	}
}

int gn_column_class(int column)
{
	if (column >= GN_COLUMN_CLASS_INCL)
		return column - GN_COLUMN_CLASS_INCL;
	return column >= GN_COLUMN_CLASS ? column - GN_COLUMN_CLASS : -1;
}

const char *gn_column_name(int column)
{
	return infos[column].name;
}

void gn_column_titles(int column, enum gn_by by, const char **top,
		      const char **title)
{
	*top = infos[column].top;
	*title = infos[column].title;
	if (owns_all(by) &&
	    (column == GN_COLUMN_EI || column == GN_COLUMN_AI)) {
		*title = *top;
		*top = "";
	}
}

void gn_column_csv(char buf[GN_CELL], int column, enum gn_by by)
{
	if (gn_column_class(column) < 0)
		snprintf(buf, GN_CELL, "%s", infos[column].csv);
	else
		snprintf(buf, GN_CELL, "%s%s_ns", infos[column].csv,
			 owns_all(by)			  ? ""
			 : column >= GN_COLUMN_CLASS_INCL ? "_inclusive"
							  : "_exclusive");
}

static void pick(struct gn_picks *p, int column, enum gn_picked how,
		 enum gn_by by)
{
	if (owns_all(by) && column >= GN_COLUMN_CLASS_INCL)
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

/* One word that stands for many or one. */
static int pick_word(struct gn_picks *p, const char *word, size_t len,
		     enum gn_picked group, enum gn_by by)
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
		for (int c = 0; c < GN_COLUMN_CLASS; c++)
			pick(p, c, group, by);
		pick_classes(p, true, true, group, by);
		return 0;
	}
	for (int c = 0; c < GN_COLUMN_COUNT; c++) {
		if (same(word, len, infos[c].name) ||
		    same(word, len, infos[c].alias)) {
			pick(p, c, GN_PICKED_NAMED, by);
			return 0;
		}
	}
	return -EINVAL;
}

static int pick_list(struct gn_picks *p, const char *list, const char *usual,
		     enum gn_picked usual_how, enum gn_by by)
{
	enum gn_picked group = usual ? GN_PICKED_GROUP : usual_how;

	for (;;) {
		size_t len = strcspn(list, ",");
		int err;

		/* one level: the usual list has no usual one */
		if (usual && same(list, len, "default"))
			err = pick_list(p, usual, NULL, usual_how, by);
		else
			err = pick_word(p, list, len, group, by);
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
