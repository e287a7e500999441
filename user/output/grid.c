/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/grid.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include "model/table.h"
#include "output/busy.h"
#include "output/reason.h"
#include "output/short_name.h"
#include "output/text.h"

#define NAME_LEAST   24 /* shorter names are unreadable */
#define FIT_NAME     32 /* the room that gn_grid_fit() keeps for names */
#define FIT_MODULE   12 /* the same for modules */
#define NAME_PAD     56 /* modules are aligned after names up to this */
#define INDENT_LIMIT 16 /* deeper levels are shown as a number */

static void format_cell(char buf[GN_CELL], const struct gn_column *c,
			const struct gn_row *r, bool ns)
{
	uint64_t value = c->get(r, c->arg);
	char time[GN_CELL];

	buf[0] = '\0';
	if (c->empty && c->empty(r, c->arg))
		return;
	switch (c->show) {
	case GN_SHOW_COUNT:
		gn_format_count(buf, value);
		break;
	case GN_SHOW_ID:
		snprintf(buf, GN_CELL, "%" PRIu64, value);
		break;
	case GN_SHOW_TIME:
		gn_format_time(time, value, ns);
		if (value == UINT64_MAX)
			snprintf(buf, GN_CELL, "-");
		else
			snprintf(buf, GN_CELL, "%s%.*s",
				 c->uncertain && c->uncertain(r, c->arg) ? "~"
									 : "",
				 GN_CELL - 2, time);
		break;
	case GN_SHOW_SIGNED:
		gn_format_difference(buf, (int64_t)value, ns);
		if ((int64_t)value == INT64_MIN)
			snprintf(buf, GN_CELL, "-");
		break;
	case GN_SHOW_PCT:
		gn_format_pct(buf, value, c->whole);
		/* functions also have the time of idle threads */
		if (c->whole && value > c->whole)
			snprintf(buf, GN_CELL, ">100");
		if (c->busy && r->thread && gn_thread_idle(r->thread))
			snprintf(buf, GN_CELL, "idle");
		break;
	case GN_SHOW_TEXT:
		break;
	}
}

static int larger(int a, size_t b)
{
	return b > (size_t)a ? (int)b : a;
}

static int measure(struct gn_grid *g, const struct gn_rows *rows, bool ns)
{
	char buf[GN_CELL];
	int total = 0;

	for (int i = 0; i < g->n; i++) {
		struct gn_column *c = &g->column[i];

		c->width = larger((int)strlen(c->top), strlen(c->title));
		if (c->show == GN_SHOW_PCT)
			c->width = larger(c->width, strlen("100.0"));
		for (size_t k = 0; k < rows->n; k++) {
			format_cell(buf, c, &rows->row[k], ns);
			c->width = larger(c->width, strlen(buf));
		}
		total += c->gap + c->width;
	}
	return total;
}

/* The prefix of a name: the indentation of a tree, or the arrow of a caller. */
static void prefix(char buf[GN_CELL], const struct gn_row *r, bool kinds)
{
	buf[0] = '\0';
	if (kinds)
		snprintf(buf, GN_CELL, "%s",
			 r->kind == GN_ROW_CALLER   ? "  <- "
			 : r->kind == GN_ROW_CALLEE ? "  -> "
			 : r->kind == GN_ROW_REASON ? "  "
						    : "");
	else if (r->depth > INDENT_LIMIT)
		snprintf(buf, GN_CELL, "%*s[%" PRIu32 "] ", 2 * INDENT_LIMIT,
			 "", r->depth);
	else
		snprintf(buf, GN_CELL, "%*s", 2 * (int)r->depth, "");
}

#define ASSEMBLY ".dll"

/* Shortens a module to `width` cells. The last part of an assembly's name says
 * most; if that does not fit, its extension is left out. Takes `module`; the
 * caller frees the result. NULL: no memory. */
static char *short_module(char *module, size_t width)
{
	size_t len = strlen(module), end = sizeof(ASSEMBLY) - 1;
	char *text;

	if (len < end || strcmp(module + len - end, ASSEMBLY) != 0) {
		gn_text_shorten(module, width);
		return module;
	}
	text = gn_short_name(module, width);
	if (text && !strcmp(text, &ASSEMBLY[1])) {
		free(text);
		module[len - end] = '\0';
		text = gn_short_name(module, width);
	}
	free(module);
	return text;
}

static char *module_text(const struct gn_row *r, const struct gn_output_opts *o)
{
	return gn_escape(o->verbose ? r->module : gn_base_name(r->module),
			 o->utf8);
}

/* Prefix and name in `room` cells, 0 = no limit. A function keeps its own name;
 * its types are dropped first. */
static char *name_text(const struct gn_grid *g, const struct gn_row *r,
		       const struct gn_output_opts *o, size_t room)
{
	const char *shown = o->verbose ? r->name : gn_row_shown(r);
	char *name = gn_escape(shown, o->utf8), *all = NULL, *full = name;
	char before[GN_CELL];

	prefix(before, r, g->kinds);
	if (name && room && g->modules && r->kind != GN_ROW_REASON) {
		size_t n = strlen(before);

		name = gn_short_name(full, room > n ? room - n : 0);
		free(full);
	}
	if (!name || asprintf(&all, "%s%s", before, name) < 0)
		all = NULL;
	free(name);
	if (all && room)
		gn_text_shorten(all, room);
	return all;
}

/* Finds the widest name and module, each at most NAME_PAD. -ENOMEM. */
static int measure_texts(const struct gn_grid *g, const struct gn_rows *rows,
			 const struct gn_output_opts *o, int *names,
			 int *modules)
{
	*names = (int)strlen(g->title);
	*modules = (int)strlen("module");
	for (size_t i = 0; i < rows->n; i++) {
		char *name = name_text(g, &rows->row[i], o, 0);
		char *module = module_text(&rows->row[i], o);

		if (name && module) {
			*names = larger(*names, gn_text_width(name));
			*modules = larger(*modules, gn_text_width(module));
		}
		free(module);
		free(name);
		if (!name || !module)
			return -ENOMEM;
		if (*names >= NAME_PAD && *modules >= NAME_PAD)
			break;
	}
	*names = *names < NAME_PAD ? *names : NAME_PAD;
	*modules = *modules < NAME_PAD ? *modules : NAME_PAD;
	return 0;
}

/* How a row's texts are laid out, in cells; 0 = no limit. */
struct layout {
	bool own_line;
	int pad;
	size_t used;		 /* cells before the name */
	size_t room;		 /* for name, module and the gap between them */
	struct gn_table modules; /* a module's text -> its cells */
};

/* Prints the upper line of titles, if any column has one. */
static void print_tops(const struct gn_grid *g, FILE *f)
{
	int last = g->n - 1, blanks = 0;

	while (last >= 0 && !g->column[last].top[0])
		last--;
	for (int i = 0; i <= last; i++) {
		const struct gn_column *c = &g->column[i];

		blanks += c->gap + c->width;
		if (c->top[0]) {
			fprintf(f, "%*s", blanks, c->top);
			blanks = 0;
		}
	}
	if (last >= 0)
		fputc('\n', f);
}

static void print_titles(const struct gn_grid *g, const struct layout *l,
			 const struct gn_output_opts *o, FILE *f)
{
	size_t pad = (size_t)l->pad;

	fputs(o->color ? "\033[1m" : "", f);
	print_tops(g, f);
	for (int i = 0; i < g->n; i++)
		fprintf(f, "%*s%*s", g->column[i].gap, "", g->column[i].width,
			g->column[i].title);
	fprintf(f, "%s  %s", l->own_line ? "\n  " : "", g->marks ? "  " : "");
	if (l->room && pad + strlen("  module") > l->room)
		pad = 0;
	if (g->modules)
		fprintf(f, "%-*s  module", (int)pad, g->title);
	else
		fputs(g->title, f);
	fputs(o->color ? "\033[0m\n" : "\n", f);
}

static struct layout lay_out(const struct gn_grid *g, int numbers, int names,
			     int modules, const struct gn_output_opts *o)
{
	struct layout l = {.pad = names};
	int marks = g->marks ? 2 : 0, left = o->width - numbers - 2 - marks;

	if (o->width <= 0)
		return l;
	if (left < NAME_LEAST &&
	    left < names + (g->modules ? 2 + modules : 0)) {
		l.own_line = true;
		left = o->width - 4 - marks;
		if (left < NAME_LEAST)
			left = NAME_LEAST;
	}
	l.used = (size_t)((l.own_line ? 4 : numbers + 2) + marks);
	l.room = (size_t)left;
	/* align modules only if names are short enough */
	if (modules > (int)l.room / 3)
		modules = (int)l.room / 3;
	if (g->modules && l.pad > (int)l.room - 2 - modules)
		l.pad = (int)l.room - 2 - modules;
	return l;
}

/* The cells of a module beside its name in `room`: a third, or more if the name
 * needs less. */
static size_t module_cells(const char *name, const char *module, size_t room)
{
	size_t n = gn_text_width(name), m = gn_text_width(module);
	size_t third = room / 3 < 8 ? 8 : room / 3;

	if (n + 2 + third <= room)
		third = room - n - 2;
	return third < m ? third : m;
}

static uint64_t module_key(const char *module)
{
	return gn_hash_text(GN_HASH_TEXT, module, strlen(module));
}

/* Finds a width for each module, so that it is written the same way in all
 * rows: the width of the row with the least room for it. 0 or -ENOMEM. */
static int measure_modules(const struct gn_grid *g, const struct gn_rows *rows,
			   const struct gn_output_opts *o, struct layout *l)
{
	int err = 0;

	for (size_t i = 0; i < rows->n && !err; i++) {
		char *name = name_text(g, &rows->row[i], o, 0);
		char *module = module_text(&rows->row[i], o);

		if (name && module) {
			uint64_t key = module_key(module);
			size_t cells = module_cells(name, module, l->room);

			if (cells < gn_table_get(&l->modules, key))
				err = gn_table_put(&l->modules, key,
						   (uint32_t)cells);
		} else {
			err = -ENOMEM;
		}
		free(module);
		free(name);
	}
	return err;
}

/* Shortens a module to its width. Returns the cells for the name. */
static size_t fit(const char *name, char **module, const struct layout *l)
{
	size_t m = gn_text_width(*module);
	size_t cells = gn_table_get(&l->modules, module_key(*module));

	if (m > cells) {
		*module = short_module(*module, cells);
		m = *module ? gn_text_width(*module) : 0;
	}
	if (!m || gn_text_width(name) + 2 + m <= l->room)
		return l->room;
	return l->room > m + 2 ? l->room - m - 2 : 8;
}

/* `!` wins over `<`: with it, calls and times are missing. */
static void print_mark(const struct gn_values *v,
		       const struct gn_output_opts *o, FILE *f)
{
	char mark = v->gap ? '!' : gn_calls_missing(v) ? '<' : ' ';

	if (o->color && mark != ' ')
		fprintf(f, "\033[31m%c\033[0m ", mark);
	else
		fprintf(f, "%c ", mark);
}

/* Prints name and module, which may be shortened. 0 or -ENOMEM. */
static int print_texts(const struct gn_grid *g, const struct gn_row *r,
		       const struct layout *l, char *name, char *module,
		       FILE *f)
{
	size_t width = gn_text_width(name);
	int pad = l->pad > (int)width ? l->pad - (int)width : 0;

	if (r->kind == GN_ROW_REASON && l->room && width > l->room)
		return gn_reason_print(f, name, l->used, l->room);
	fputs(name, f);
	if (g->modules && module[0]) {
		/* drop the padding if the module would not fit */
		if (l->room &&
		    width + (size_t)pad + 2 + gn_text_width(module) > l->room)
			pad = 0;
		fprintf(f, "%*s%s", pad + 2, "", module);
	}
	fputc('\n', f);
	return 0;
}

static int print_row(const struct gn_grid *g, const struct gn_row *r,
		     const struct layout *l, const struct gn_output_opts *o,
		     FILE *f)
{
	char *name = name_text(g, r, o, 0), *module = module_text(r, o);
	char buf[GN_CELL];
	int err = -ENOMEM;
	size_t room;

	if (!name || !module)
		goto out;
	if (l->room) {
		if (!g->modules)
			module[0] = '\0';
		room = fit(name, &module, l);
		free(name);
		/* a reason takes more lines */
		name = name_text(g, r, o, r->kind == GN_ROW_REASON ? 0 : room);
		if (!name || !module)
			goto out;
	}
	for (int i = 0; i < g->n; i++) {
		format_cell(buf, &g->column[i], r, o->ns);
		fprintf(f, "%*s%*s", g->column[i].gap, "", g->column[i].width,
			buf);
	}
	fputs(l->own_line ? "\n    " : "  ", f);
	if (g->marks)
		print_mark(r->v, o, f);
	err = print_texts(g, r, l, name, module, f);
	if (!err)
		err = gn_stream_status(f);
out:
	free(module);
	free(name);
	return err;
}

/* The least important column that may be left out, -1 = none. */
static int lightest(const struct gn_grid *g)
{
	int least = -1;

	for (int i = 0; i < g->n; i++) {
		const struct gn_column *c = &g->column[i];

		if (c->fits &&
		    (least < 0 || c->weight <= g->column[least].weight))
			least = i;
	}
	return least;
}

/* The next column to leave out if the numbers alone are too wide: times go
 * first, but one of them stays. -1 = none. */
static int last_resort(const struct gn_grid *g)
{
	int keep = g->n - 1, other = -1;

	while (keep >= 0 &&
	       !(g->column[keep].usual && g->column[keep].show == GN_SHOW_TIME))
		keep--;
	for (int i = 0; i < keep; i++) {
		if (!g->column[i].usual)
			continue;
		if (g->column[i].show == GN_SHOW_TIME)
			return i;
		other = i;
	}
	return other;
}

static void drop(struct gn_grid *g, int i)
{
	g->left_out[g->nleft_out++] = g->column[i].word;
	g->n--;
	memmove(&g->column[i], &g->column[i + 1],
		(size_t)(g->n - i) * sizeof(g->column[0]));
}

int gn_grid_fit(struct gn_grid *g, const struct gn_rows *rows,
		const struct gn_output_opts *o, int width)
{
	int numbers = measure(g, rows, o->ns), names, modules, i;
	int err = measure_texts(g, rows, o, &names, &modules);

	if (err)
		return err;
	/* names and modules are readable at these widths */
	names = names < FIT_NAME ? names : FIT_NAME;
	modules = modules < FIT_MODULE ? modules : FIT_MODULE;
	names += 2 + (g->marks ? 2 : 0) + (g->modules ? 2 + modules : 0);
	while (numbers + names > width && (i = lightest(g)) >= 0) {
		drop(g, i);
		numbers = measure(g, rows, o->ns);
	}
	while (o->width && numbers > width && (i = last_resort(g)) >= 0) {
		drop(g, i);
		numbers = measure(g, rows, o->ns);
	}
	return 0;
}

int gn_grid_print(struct gn_grid *g, const struct gn_rows *rows,
		  const struct gn_output_opts *o, FILE *f)
{
	int numbers = measure(g, rows, o->ns), names, modules;
	struct layout l;
	int err = measure_texts(g, rows, o, &names, &modules);

	if (err)
		return err;
	l = lay_out(g, numbers, names, modules, o);
	if (l.room && g->modules)
		err = measure_modules(g, rows, o, &l);
	print_titles(g, &l, o, f);
	for (size_t i = 0; i < rows->n && !err; i++) {
		const struct gn_row *r = &rows->row[i];

		/* a new block begins after a callee, a reason or a function */
		if (g->kinds && i && r->kind != GN_ROW_CALLEE &&
		    r->kind != GN_ROW_REASON &&
		    rows->row[i - 1].kind != GN_ROW_CALLER)
			fputc('\n', f);
		err = print_row(g, r, &l, o, f);
	}
	gn_table_free(&l.modules);
	return err;
}
