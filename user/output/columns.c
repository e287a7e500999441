/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/columns.h"

#include <stdio.h>
#include <string.h>

#include "output/now.h"

static const struct info {
	const char *name, *full, *top, *title, *brief;
	enum gn_show show;
	enum gn_whole whole;
	int width;
} infos[] = {
#define INFO(id, name, full, top, title, brief, show, whole, width, value) \
	[GN_COLUMN_##id] = {name,                                          \
			    full,                                          \
			    top,                                           \
			    title,                                         \
			    brief,                                         \
			    GN_SHOW_##show,                                \
			    GN_WHOLE_##whole,                              \
			    width},
	GN_COLUMN_LIST(INFO)
#undef INFO
#define CLASS_INFO(id, value, text, brief, ...)                       \
	[GN_COLUMN_CLASS + GN_CLASS_##                                \
		id] = {text,	     text,	    "", text, brief,  \
		       GN_SHOW_TIME, GN_WHOLE_NONE, 5},               \
     [GN_COLUMN_CLASS_INCL + GN_CLASS_##                              \
	     id] = {text "+",	  text "+",	 "", text "+", brief, \
		    GN_SHOW_TIME, GN_WHOLE_NONE, 5},
		GN_CLASS_LIST(CLASS_INFO)
#undef CLASS_INFO
};

_Static_assert(sizeof(infos) / sizeof(infos[0]) == GN_COLUMN_COUNT, "columns");

#define NUMBER_COUNT(value) (value)
#define NUMBER_ID(value)    (value)
#define NUMBER_TIME(value)  (value)
#define NUMBER_PCT(value)   (value)
#define NUMBER_TEXT(value)  0

uint64_t gn_column_value(const struct gn_row *r, int column)
{
	switch (column) {
#define VALUE(id, name, full, top, title, brief, show, whole, width, value) \
	case GN_COLUMN_##id:                                                \
		return NUMBER_##show(value);
		GN_COLUMN_LIST(VALUE)
#undef VALUE
	default:
		return column < GN_COLUMN_CLASS_INCL
			       ? r->classes[column - GN_COLUMN_CLASS]
			       : r->v->class_incl[column -
						  GN_COLUMN_CLASS_INCL];
	}
}

#define TEXT_COUNT(value) NULL
#define TEXT_ID(value)	  NULL
#define TEXT_TIME(value)  NULL
#define TEXT_PCT(value)	  NULL
#define TEXT_TEXT(value)  (value)

const char *gn_column_text(const struct gn_model *m, const struct gn_row *r,
			   int column)
{
	const char *text = NULL;

	if (infos[column].show != GN_SHOW_TEXT)
		return NULL;
	switch (column) {
#define VALUE(id, name, full, top, title, brief, show, whole, width, value) \
	case GN_COLUMN_##id:                                                \
		text = TEXT_##show(value);                                  \
		break;
		GN_COLUMN_LIST(VALUE)
#undef VALUE
	}
	return text ? text : "";
}

bool gn_column_empty(const struct gn_row *r, int column)
{
	/* threads and processes have no calls of their own */
	if (column == GN_COLUMN_MIN || column == GN_COLUMN_AVG ||
	    column == GN_COLUMN_MAX)
		return !r->v->finished;
	return r->async.at && (column == GN_COLUMN_ASYNC_RUNS ||
			       column == GN_COLUMN_ASYNC_FAULTED ||
			       column == GN_COLUMN_ASYNC_MOST);
}

bool gn_column_zero(const struct gn_rows *rows, int column)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (gn_column_value(&rows->row[i], column))
			return false;
	}
	return rows->n > 0;
}

bool gn_ends_unknown(const struct gn_values *v)
{
	uint64_t open = v->calls > v->finished ? v->calls - v->finished : 0;

	/* a call whose end the runtime reported counts as finished */
	return (open < v->unwound ? open : v->unwound) > v->calls / 10;
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
	case GN_COLUMN_MIN:
	case GN_COLUMN_AVG:
	case GN_COLUMN_MAX:
		return *r->module && r->v->moved;
	default:
		return false;
	}
	return (*r->module && r->v->moved) ||
	       error > gn_column_value(r, column) / 10 ||
	       (*r->module && gn_ends_unknown(r->v));
}

enum gn_show gn_column_show(int column)
{
	return infos[column].show;
}

uint64_t gn_column_whole(const struct gn_values *all, int column)
{
	switch (infos[column].whole) {
	case GN_WHOLE_ELAPSED:
		return all->elapsed_incl;
	case GN_WHOLE_APP:
		return all->app_incl;
	default:
		return 0;
	}
}

bool gn_column_elapsed(int column)
{
	return infos[column].whole == GN_WHOLE_ELAPSED;
}

int gn_column_class(int column)
{
	if (column >= GN_COLUMN_CLASS_INCL)
		return column - GN_COLUMN_CLASS_INCL;
	return column >= GN_COLUMN_CLASS ? column - GN_COLUMN_CLASS : -1;
}

bool gn_column_is(int column, const char *word, size_t len)
{
	const struct info *i = &infos[column];

	return (strlen(i->name) == len && !strncmp(word, i->name, len)) ||
	       (strlen(i->full) == len && !strncmp(word, i->full, len));
}

const char *gn_column_name(int column)
{
	return infos[column].name;
}

const char *gn_column_long(int column)
{
	return infos[column].full;
}

const char *gn_column_brief(int column)
{
	return infos[column].brief;
}

int gn_column_width(int column)
{
	return infos[column].width;
}

void gn_column_titles(int column, enum gn_by by, const char **top,
		      const char **title)
{
	*top = infos[column].top;
	*title = infos[column].title;
	if (gn_by_owns_all(by) &&
	    (column == GN_COLUMN_EI || column == GN_COLUMN_AI)) {
		*title = *top;
		*top = "";
	}
}

static const char *unit(int column, enum gn_by by)
{
	switch (infos[column].show) {
	case GN_SHOW_PCT:
		return "_pct";
	case GN_SHOW_TIME:
		return gn_column_class(column) < 0 || gn_by_owns_all(by) ? "_ns"
		       : column < GN_COLUMN_CLASS_INCL ? "_exclusive_ns"
						       : "_inclusive_ns";
	default:
		return "";
	}
}

void gn_column_key(char buf[GN_CELL], int column, enum gn_by by)
{
	snprintf(buf, GN_CELL, "%s", infos[column].full);
	buf[strcspn(buf, "%+")] = '\0';
	for (char *c = buf; (c = strchr(c, '-'));)
		*c = '_';
	strcat(buf, unit(column, by));
}
