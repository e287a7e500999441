// SPDX-License-Identifier: BSD-2-Clause
/* A sheet as a table for people, which fits the width of a terminal. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/sheet_parts.h"
#include "output/short_name.h"

/* The least cells of a text column, and of names as long as other columns can
 * be left out for them. */
#define LEAST_TEXT 20
#define NAME_TEXT  32

void gn_sheet_format(char buf[GN_CELL], enum gn_cell_kind kind,
		     const struct gn_cell *c, bool exact)
{
	switch (kind) {
	case GN_CELL_COUNT:
		gn_format_count(buf, c->n);
		break;
	case GN_CELL_TIME:
		gn_format_time(buf, c->n, exact);
		break;
	case GN_CELL_FLAG:
		snprintf(buf, GN_CELL, "%s", c->n ? "yes" : "");
		break;
	case GN_CELL_PCT:
		gn_format_fixed(buf, gn_pct(c->n, c->whole), 2);
		break;
	default:
		snprintf(buf, GN_CELL, "%" PRIu64, c->n);
	}
}

/* Formats a cell for people. The caller frees it. NULL: no memory. */
static char *cell_text(const struct gn_cell *c, enum gn_cell_kind kind,
		       const struct gn_output_opts *o)
{
	char buf[GN_CELL] = "";

	if (kind == GN_CELL_TEXT)
		return gn_escape(!c->known		   ? ""
				 : c->shown && !o->verbose ? c->shown
							   : c->text,
				 o->utf8);
	if (c->known)
		gn_sheet_format(buf, kind, c, o->ns);
	return strdup(!c->known && c->shown ? c->shown : buf);
}

/* Aligns texts to the left, numbers to the right. */
static void put_cell(const char *text, size_t width, bool left, bool last,
		     FILE *f)
{
	size_t cells = gn_text_width(text);
	int pad = cells < width ? (int)(width - cells) : 0;

	if (left)
		fprintf(f, "%s%*s", text, last ? 0 : pad, "");
	else
		fprintf(f, "%*s%s", pad, "", text);
	if (!last)
		fputs("  ", f);
}

/* Measures each column; an empty one has width 0. Returns the width of a
 * line. */
static size_t measure(const struct gn_sheet *s, char *const *text,
		      size_t width[GN_SHEET_COLUMNS])
{
	size_t all = 0;

	for (size_t c = 0; c < s->kind->ncolumns; c++)
		width[c] = 0;
	for (size_t i = 0; i < (s->n + 1) * s->kind->ncolumns; i++) {
		size_t cells = gn_text_width(text[i]);

		if (cells > width[i % s->kind->ncolumns])
			width[i % s->kind->ncolumns] = cells;
	}
	for (size_t c = 0; c < s->kind->ncolumns; c++)
		all += width[c] ? width[c] + 2 : 0;
	return all - 2;
}

/* The widest column of texts that can still be narrowed. ncolumns: none. */
static size_t widest(const struct gn_sheet *s, const size_t *width)
{
	size_t at = s->kind->ncolumns, most = LEAST_TEXT;

	for (size_t c = 0; c < s->kind->ncolumns; c++)
		if (s->kind->column[c].kind == GN_CELL_TEXT &&
		    width[c] > most) {
			most = width[c];
			at = c;
		}
	return at;
}

/* Drops the titles of columns in which no row has a value. */
static void drop_empty(const struct gn_sheet *s, char **text, bool *empty)
{
	size_t n = s->kind->ncolumns;

	for (size_t c = 0; c < n; c++) {
		empty[c] = true;
		for (size_t i = 1; i <= s->n && empty[c]; i++)
			empty[c] = !*text[i * n + c];
		if (empty[c])
			*text[c] = '\0';
	}
}

/* Takes the next column off the list of spare ones. ncolumns: no more. */
static size_t next_spare(const struct gn_sheet_kind *kind, const char **list)
{
	size_t len = *list ? strcspn(*list, ",") : 0, c = kind->ncolumns;

	if (!len)
		return c;
	while (c-- > 0)
		if (strlen(kind->column[c].key) == len &&
		    !strncmp(kind->column[c].key, *list, len))
			break;
	*list += len + ((*list)[len] == ',');
	return c;
}

/* Leaves out spare columns until a line with short texts has `room` cells. */
static void leave_out(const struct gn_sheet *s, char **text, size_t room)
{
	size_t width[GN_SHEET_COLUMNS], all = measure(s, text, width), c;
	const char *list = s->kind->spare;

	for (c = 0; c < s->kind->ncolumns; c++) {
		size_t least = strcmp(s->kind->column[c].key, "name") != 0
				       ? LEAST_TEXT
				       : NAME_TEXT;

		if (s->kind->column[c].kind != GN_CELL_TEXT ||
		    width[c] <= least)
			continue;
		all -= width[c] - least;
		width[c] = least;
	}
	while (all > room &&
	       (c = next_spare(s->kind, &list)) < s->kind->ncolumns) {
		all -= width[c] ? width[c] + 2 : 0;
		for (size_t i = 0; i <= s->n; i++)
			text[i * s->kind->ncolumns + c][0] = '\0';
	}
}

/* Names the columns that are left out. */
static void put_left_out(const struct gn_sheet *s, char *const *text,
			 const bool *empty, FILE *f)
{
	bool any = false;

	for (size_t c = 0; c < s->kind->ncolumns; c++) {
		if (*text[c] || empty[c] || !*s->kind->column[c].title)
			continue;
		fprintf(f, "%s%s", any ? ", " : "# no room for: ",
			s->kind->column[c].title);
		any = true;
	}
	if (any)
		fputs("; --columns all shows them\n", f);
}

/* Shortens texts, the widest column first, until a line has `room` cells or no
 * column can be narrowed. */
static int fit(const struct gn_sheet *s, char **text, size_t room)
{
	size_t width[GN_SHEET_COLUMNS], all = measure(s, text, width), c;

	for (; all > room && (c = widest(s, width)) < s->kind->ncolumns; all--)
		width[c]--;
	for (size_t i = s->kind->ncolumns; i < (s->n + 1) * s->kind->ncolumns;
	     i++) {
		char *shorter;

		c = i % s->kind->ncolumns;
		if (gn_text_width(text[i]) <= width[c])
			continue;
		if (!strcmp(s->kind->column[c].key, "module")) {
			gn_text_shorten(text[i], width[c]);
			continue;
		}
		shorter = gn_short_name(text[i], width[c]);
		if (!shorter)
			return -ENOMEM;
		free(text[i]);
		text[i] = shorter;
	}
	return 0;
}

static int put_lines(const struct gn_sheet *s, char *const *text, FILE *f)
{
	size_t width[GN_SHEET_COLUMNS], n = s->kind->ncolumns;

	measure(s, text, width);
	while (n > 1 && !width[n - 1])
		n--;
	for (size_t i = 0; i < (s->n + 1) * s->kind->ncolumns; i++) {
		size_t c = i % s->kind->ncolumns;

		if (width[c])
			put_cell(text[i], width[c], gn_sheet_is_text(s, c),
				 c + 1 == n, f);
		if (c + 1 == s->kind->ncolumns) {
			fputc('\n', f);
			if (gn_stream_status(f))
				return gn_stream_status(f);
		}
	}
	return 0;
}

/* Formats titles and cells for people. *complete: memory sufficed. Freed with
 * free_texts(). */
static char **make_texts(const struct gn_sheet *s,
			 const struct gn_output_opts *o, bool *complete)
{
	size_t n = (s->n + 1) * s->kind->ncolumns;
	char **text = calloc(n, sizeof(*text));

	*complete = text;
	for (size_t i = 0; text && i < n; i++) {
		size_t c = i % s->kind->ncolumns;

		text[i] = i < s->kind->ncolumns
				  ? strdup(s->kind->column[c].title)
				  : cell_text(&s->cell[i - s->kind->ncolumns],
					      s->kind->column[c].kind, o);
		*complete &= text[i] != NULL;
	}
	return text;
}

static void free_texts(const struct gn_sheet *s, char **text)
{
	for (size_t i = 0; text && i < (s->n + 1) * s->kind->ncolumns; i++)
		free(text[i]);
	free(text);
}

int gn_sheet_table(const struct gn_sheet *s, const struct gn_output_opts *o,
		   FILE *f)
{
	bool complete, empty[GN_SHEET_COLUMNS] = {0};
	char count[GN_CELL];
	char **text;
	int err;

	if (s->note && !o->bare)
		fprintf(f, "# %s\n", s->note);
	if (!s->n) {
		fprintf(f, "# %s\n", s->nothing);
		return 0;
	}
	text = make_texts(s, o, &complete);
	err = complete ? 0 : -ENOMEM;
	if (!err && o->width > 0) {
		if (!o->verbose && !o->columns)
			drop_empty(s, text, empty);
		if (!o->verbose)
			leave_out(s, text, (size_t)o->width);
		err = fit(s, text, (size_t)o->width);
	}
	if (!err)
		err = put_lines(s, text, f);
	if (!err)
		put_left_out(s, text, empty, f);
	free_texts(s, text);
	if (!err && s->limited) {
		gn_format_count(count, s->limited);
		fprintf(f, "# %s more %s\n", count,
			gn_word(s->limited, "row; --limit 0 shows it",
				"rows; --limit 0 shows them"));
	}
	return err;
}
