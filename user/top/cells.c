// SPDX-License-Identifier: BSD-2-Clause
#include "top/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"

/* Characters that choose how emoji look. Terminals disagree on the width
 * then. */
#define IS_VARIATION(c) ((c) >= 0xfe00 && (c) <= 0xfe0f)

int gn_cells_resize(struct gn_cells *g, int rows, int cols)
{
	struct gn_cell *cell;

	if (rows < 1 || cols < 1 || rows > GN_CELLS_MAX || cols > GN_CELLS_MAX)
		return -EINVAL;
	if (rows != g->rows || cols != g->cols) {
		cell = calloc((size_t)rows * (size_t)cols, sizeof(*cell));
		if (!cell)
			return -ENOMEM;
		free(g->cell);
		g->cell = cell;
		g->rows = rows;
		g->cols = cols;
	}
	gn_cells_clear(g);
	return 0;
}

void gn_cells_free(struct gn_cells *g)
{
	free(g->cell);
	g->cell = NULL;
	g->rows = g->cols = 0;
}

void gn_cells_clear(struct gn_cells *g)
{
	const struct gn_cell blank = {.c = ' ', .width = 1};
	size_t n = (size_t)g->rows * (size_t)g->cols;

	for (size_t i = 0; i < n; i++)
		g->cell[i] = blank;
	g->cursor_row = -1;
	g->cursor_col = 0;
}

struct gn_cell *gn_cells_at(const struct gn_cells *g, int row, int col)
{
	if (row < 0 || col < 0 || row >= g->rows || col >= g->cols)
		return NULL;
	return &g->cell[(size_t)row * (size_t)g->cols + (size_t)col];
}

static void blank(struct gn_cell *cell)
{
	cell->c = ' ';
	cell->width = 1;
	memset(cell->marks, 0, sizeof(cell->marks));
}

/* Removes a wide character when one of its halves at `col` is overwritten. */
static void untie(struct gn_cells *g, int row, int col)
{
	struct gn_cell *cell = gn_cells_at(g, row, col);
	struct gn_cell *other;

	if (cell->width == 1)
		return;
	other = gn_cells_at(g, row, cell->width ? col + 1 : col - 1);
	if (other)
		blank(other);
	blank(cell);
}

static void set(struct gn_cells *g, int row, int col, enum gn_ink ink,
		uint32_t c, int width)
{
	for (int i = 0; i < width; i++) {
		struct gn_cell *cell = gn_cells_at(g, row, col + i);

		untie(g, row, col + i);
		blank(cell);
		cell->c = i ? 0 : c;
		cell->width = i ? 0 : (uint8_t)width;
		cell->ink = (uint8_t)ink;
		cell->selected = false;
	}
}

static void add_mark(struct gn_cell *cell, uint32_t c)
{
	for (int i = 0; cell && i < GN_CELL_MARKS; i++) {
		if (!cell->marks[i]) {
			cell->marks[i] = c;
			return;
		}
	}
}

int gn_cells_put(struct gn_cells *g, int row, int col, int end, enum gn_ink ink,
		 const char *text)
{
	struct gn_cell *last = NULL; /* the character that a mark belongs to */
	size_t len;

	if (end > g->cols)
		end = g->cols;
	if (row < 0 || row >= g->rows || col < 0)
		return col;
	for (; *text; text += len) {
		int32_t c = gn_utf8_next(text, &len);
		int width;

		if (c < 0 || !gn_printable(c) || (!g->utf8 && c >= 0x80))
			c = '?';
		width = gn_cells(c);
		if (!width) {
			if (!IS_VARIATION(c))
				add_mark(last, (uint32_t)c);
			continue;
		}
		if (col + width > end)
			break;
		set(g, row, col, ink, (uint32_t)c, width);
		last = gn_cells_at(g, row, col);
		col += width;
	}
	return col;
}

void gn_cells_fill(struct gn_cells *g, int row, int col, int end,
		   enum gn_ink ink, uint32_t c)
{
	if (row < 0 || row >= g->rows)
		return;
	if (end > g->cols)
		end = g->cols;
	for (col = col < 0 ? 0 : col; col < end; col++)
		set(g, row, col, ink, c, 1);
}

void gn_cells_select(struct gn_cells *g, int row, int col, int end)
{
	for (; col < end && col < g->cols; col++) {
		struct gn_cell *cell = gn_cells_at(g, row, col);

		if (cell)
			cell->selected = true;
	}
}
