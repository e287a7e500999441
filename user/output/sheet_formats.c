// SPDX-License-Identifier: BSD-2-Clause
/* A sheet in the formats that are not fitted to a width. */
#include <inttypes.h>
#include <string.h>

#include "output/markup.h"
#include "output/sheet_parts.h"

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
			gn_sheet_unit(&s->kind->column[c]));
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
		gn_sheet_format(buf, kind, cell, o->ns);
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
		fputs(gn_sheet_is_text(s, c) ? "|---" : "|---:", f);
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

	snprintf(key, sizeof(key), "%s%s", c->key, gn_sheet_unit(c));
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
