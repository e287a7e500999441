// SPDX-License-Identifier: BSD-2-Clause
#include "output/sheet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include "output/markup.h"
#include "output/short_name.h"
#include "output/text.h"

/* The least cells of a text column, and of names as long as other columns can
 * be left out for them. */
#define LEAST_TEXT 20
#define NAME_TEXT  32

struct gn_cell *gn_sheet_row(struct gn_sheet *s)
{
	size_t room = s->room ? s->room * 2 : 64;
	struct gn_cell *cell;

	if (s->n == s->room) {
		cell = reallocarray(s->cell, room,
				    s->kind->ncolumns * sizeof(*s->cell));
		if (!cell)
			return NULL;
		s->cell = cell;
		s->room = room;
	}
	cell = &s->cell[s->n++ * s->kind->ncolumns];
	memset(cell, 0, s->kind->ncolumns * sizeof(*cell));
	return cell;
}

bool gn_sheet_aot(const struct gn_model *m)
{
	return gn_model_info(m, "native.aot") != NULL;
}

void gn_cell_text(struct gn_cell *c, const char *text)
{
	*c = (struct gn_cell){.known = text[0], .text = text};
}

/* The name of a loaded module is its path. */
void gn_cell_name(struct gn_cell *c, const struct gn_model_named *of)
{
	gn_cell_text(c, of->name);
	c->shown = of->shown	      ? of->shown
		   : *of->name == '/' ? gn_base_name(of->name)
				      : NULL;
}

void gn_cell_module(struct gn_cell *c, const char *path)
{
	gn_cell_text(c, path);
	c->shown = gn_base_name(path);
}

void gn_cell_number(struct gn_cell *c, uint64_t n)
{
	*c = (struct gn_cell){.known = true, .n = n};
}

const char *gn_sheet_own(struct gn_sheet *s, char *text)
{
	size_t room = s->own_room ? s->own_room * 2 : 64;
	char **own;

	if (text && s->nown == s->own_room) {
		own = reallocarray(s->own, room, sizeof(*own));
		if (!own) {
			free(text);
			return NULL;
		}
		s->own = own;
		s->own_room = room;
	}
	if (text)
		s->own[s->nown++] = text;
	return text;
}

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

static const struct gn_sheet_kind *kind_of(enum gn_by by)
{
	static const struct gn_sheet_kind *const kinds[GN_BY_COUNT] = {
		[GN_BY_GC] = &gn_sheet_gc,
		[GN_BY_JIT] = &gn_sheet_jit,
		[GN_BY_EXCEPTIONS] = &gn_sheet_exceptions,
		[GN_BY_LOADS] = &gn_sheet_loads,
		[GN_BY_ALLOCATIONS] = &gn_sheet_allocations,
		[GN_BY_EVENTS] = &gn_sheet_events,
		[GN_BY_SAMPLES] = &gn_sheet_samples,
		[GN_BY_SYSCALLS] = &gn_sheet_syscalls,
		[GN_BY_THREAD_SYSCALLS] = &gn_sheet_thread_syscalls,
	};

	return kinds[by];
}

/* Skips percents: they sort as their values do. */
const char *gn_sheet_sort_word(enum gn_by by, size_t i)
{
	const struct gn_sheet_kind *kind = kind_of(by);

	for (size_t c = 0; c < kind->ncolumns; c++)
		if (kind->column[c].kind != GN_CELL_PCT && i-- == 0)
			return kind->column[c].key;
	return NULL;
}

static const char *unit_of(const struct gn_sheet_column *c)
{
	return c->kind == GN_CELL_TIME ? "_ns" : "";
}

int gn_sheet_column(enum gn_by by, const char *word)
{
	const struct gn_sheet_kind *kind = kind_of(by);

	for (size_t i = 0; i < kind->ncolumns; i++) {
		const struct gn_sheet_column *c = &kind->column[i];
		size_t len = strlen(c->key);

		if (!strcmp(c->title, word) ||
		    (!strncmp(c->key, word, len) &&
		     (!word[len] || !strcmp(word + len, unit_of(c)))))
			return (int)i;
	}
	/* "time" means a duration, as elsewhere, not the column "at" */
	for (size_t i = 0; !strcmp(word, "time") && i < kind->ncolumns; i++)
		if (kind->column[i].kind == GN_CELL_TIME &&
		    strcmp(kind->column[i].key, "at") != 0)
			return (int)i;
	return -1;
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

	*out = (struct gn_sheet){.kind = kind_of(o->by)};
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

static void format(char buf[GN_CELL], enum gn_cell_kind kind,
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
		format(buf, kind, c, o->ns);
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

static bool is_text(const struct gn_sheet *s, size_t column)
{
	return s->kind->column[column].kind == GN_CELL_TEXT ||
	       s->kind->column[column].kind == GN_CELL_FLAG;
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
			put_cell(text[i], width[c], is_text(s, c), c + 1 == n,
				 f);
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

static void put_pct(const struct gn_cell *cell, FILE *f)
{
	char buf[GN_CELL];

	gn_format_fixed(buf, gn_pct(cell->n, cell->whole), 6);
	fputs(buf, f);
}

int gn_sheet_csv(const struct gn_sheet *s, FILE *f)
{
	int err = 0;

	for (size_t c = 0; c < s->kind->ncolumns; c++)
		fprintf(f, "%s%s%s", c ? "," : "", s->kind->column[c].key,
			unit_of(&s->kind->column[c]));
	fputs("\r\n", f);
	for (size_t i = 0; i < s->n * s->kind->ncolumns && !err; i++) {
		const struct gn_cell *cell = &s->cell[i];
		size_t c = i % s->kind->ncolumns;

		if (c)
			fputc(',', f);
		if (cell->known && s->kind->column[c].kind == GN_CELL_TEXT)
			err = gn_csv_text(f, cell->text);
		else if (cell->known && s->kind->column[c].kind == GN_CELL_PCT)
			put_pct(cell, f);
		else if (cell->known)
			fprintf(f, "%" PRIu64, cell->n);
		if (c + 1 == s->kind->ncolumns) {
			fputs("\r\n", f);
			err = err ? err : gn_stream_status(f);
		}
	}
	return err ? err : gn_stream_status(f);
}

static int put_markdown(const struct gn_sheet *s, size_t i,
			const struct gn_output_opts *o, FILE *f)
{
	const struct gn_cell *cell = &s->cell[i];
	enum gn_cell_kind kind = s->kind->column[i % s->kind->ncolumns].kind;
	char buf[GN_CELL] = "";

	if (cell->known && kind == GN_CELL_TEXT)
		return gn_markdown_text(f, cell->shown && !o->verbose
						   ? cell->shown
						   : cell->text);
	if (cell->known)
		format(buf, kind, cell, o->ns);
	fputs(!cell->known && cell->shown ? cell->shown : buf, f);
	return 0;
}

int gn_sheet_markdown(const struct gn_sheet *s, const struct gn_output_opts *o,
		      FILE *f)
{
	int err = 0;

	if (!s->n) {
		fprintf(f, "%s\n", s->nothing);
		return gn_stream_status(f);
	}
	for (size_t c = 0; c < s->kind->ncolumns; c++)
		fprintf(f, "| %s ", s->kind->column[c].title);
	fputs("|\n", f);
	for (size_t c = 0; c < s->kind->ncolumns; c++)
		fputs(is_text(s, c) ? "|---" : "|---:", f);
	fputs("|\n", f);
	for (size_t i = 0; i < s->n * s->kind->ncolumns && !err; i++) {
		fputs("| ", f);
		err = put_markdown(s, i, o, f);
		fputs((i + 1) % s->kind->ncolumns ? " " : " |\n", f);
		err = err ? err : gn_stream_status(f);
	}
	if (!err && s->limited)
		fprintf(f, "\n%zu more %s not shown.\n", s->limited,
			gn_word(s->limited, "is", "are"));
	return err ? err : gn_stream_status(f);
}

/* Writes the full text, and the short form of a name. */
static void put_json_text(struct gn_emit *e, const char *key,
			  const struct gn_cell *cell)
{
	gn_emit_text(e, key, cell->text);
	if (cell->shown && !strcmp(key, "name"))
		gn_emit_text(e, "short", cell->shown);
}

static void put_json_number(struct gn_emit *e, const struct gn_sheet_column *c,
			    uint64_t n)
{
	char key[GN_CELL];

	snprintf(key, sizeof(key), "%s%s", c->key, unit_of(c));
	gn_emit_u64(e, key, n);
}

int gn_sheet_json(const struct gn_sheet *s, struct gn_emit *e)
{
	int err = 0;

	gn_emit_line(e);
	gn_emit_open(e, s->kind->json, '[');
	for (size_t i = 0; i < s->n * s->kind->ncolumns && !err; i++) {
		const struct gn_cell *cell = &s->cell[i];
		const struct gn_sheet_column *c =
			&s->kind->column[i % s->kind->ncolumns];

		if (c == s->kind->column) {
			gn_emit_line(e);
			gn_emit_open(e, NULL, '{');
		}
		if (cell->known && c->kind == GN_CELL_TEXT)
			put_json_text(e, c->key, cell);
		else if (cell->known && c->kind == GN_CELL_FLAG)
			gn_emit_bool(e, c->key, cell->n);
		else if (cell->known && c->kind == GN_CELL_PCT)
			gn_emit_pct(e, c->key, gn_pct(cell->n, cell->whole));
		else if (cell->known)
			put_json_number(e, c, cell->n);
		if ((i + 1) % s->kind->ncolumns)
			continue;
		gn_emit_close(e, '}');
		err = gn_stream_status(e->f);
	}
	gn_emit_close(e, ']');
	return err;
}
