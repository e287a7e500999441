// SPDX-License-Identifier: BSD-2-Clause
/* Texts, numbers and bars of the live view. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/classes.h"
#include "top/draw_internal.h"

#define BLOCK		0x2588 /* a full block */
#define DOTTED_CIRCLE	"\xe2\x97\x8c"
#define COLOURS_TO_TELL 16 /* classes apart */

int gn_draw_text(struct gn_draw *d, int row, int col, int end, enum gn_ink ink,
		 const char *format, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(buf, sizeof(buf), format, ap);
	va_end(ap);
	return gn_cells_put(d->g, row, col, end, ink, buf);
}

/* name(int, char) -> name(..): drops the text in the last brackets. */
static void drop_parameters(char *text)
{
	static const char instead[] = "(..)";
	size_t len = strlen(text), at = len, depth = 0;

	if (!len || text[len - 1] != ')')
		return;
	do {
		at--;
		depth += text[at] == ')';
		depth -= text[at] == '(';
	} while (at > 0 && depth > 0);
	if (at > 0 && len - at > sizeof(instead))
		memcpy(text + at, instead, sizeof(instead));
}

int gn_draw_escaped(struct gn_draw *d, int row, int col, int end,
		    enum gn_ink ink, const char *text)
{
	size_t len;

	/* a mark at the start needs a character to be on */
	if (*text && !gn_cells(gn_utf8_next(text, &len)))
		col = gn_cells_put(d->g, row, col, end, ink, DOTTED_CIRCLE);
	return gn_cells_put(d->g, row, col, end, ink, text);
}

static int draw_name(struct gn_draw *d, int row, int col, int width,
		     enum gn_ink ink, const char *name, bool function)
{
	int end = col + width;
	char *text;

	if (width <= 0)
		return col;
	text = gn_escape(name, d->g->utf8);
	if (!text) {
		d->err = -ENOMEM;
		return col;
	}
	if (function && gn_text_width(text) > (size_t)width)
		drop_parameters(text);
	gn_text_shorten(text, (size_t)width);
	col = gn_draw_escaped(d, row, col, end, ink, text);
	free(text);
	return col;
}

int gn_draw_name(struct gn_draw *d, int row, int col, int width,
		 enum gn_ink ink, const char *name)
{
	return draw_name(d, row, col, width, ink, name, false);
}

int gn_draw_function(struct gn_draw *d, int row, int col, int width,
		     enum gn_ink ink, const char *name)
{
	return draw_name(d, row, col, width, ink, name, true);
}

void gn_draw_right(struct gn_draw *d, int row, int col, int width,
		   enum gn_ink ink, const char *text)
{
	int len = (int)gn_text_width(text);

	if (len > width)
		gn_cells_fill(d->g, row, col, col + width, ink, '#');
	else
		gn_cells_put(d->g, row, col + width - len, col + width, ink,
			     text);
}

void gn_draw_pct(struct gn_draw *d, int row, int col, int width, uint64_t part,
		 uint64_t whole)
{
	char buf[GN_CELL];

	gn_format_pct(buf, part, whole);
	gn_draw_right(d, row, col, width, part ? GN_INK_PLAIN : GN_INK_DIM,
		      buf);
}

/* The class that the middle of the i-th of `width` cells lies in, -1 = none. */
static int class_of_cell(const uint64_t classes[GN_CLASS_COUNT], uint64_t whole,
			 int i, int width)
{
	double at = ((double)i + 0.5) / width * (double)whole, sum = 0;

	for (int k = 0; k < GN_CLASS_COUNT; k++) {
		sum += (double)classes[gn_class_at(k)];
		if (at < sum)
			return gn_class_at(k);
	}
	return -1;
}

void gn_draw_classes(struct gn_draw *d, int row, int col, int width,
		     const uint64_t classes[GN_CLASS_COUNT], uint64_t whole)
{
	bool blocks = d->g->utf8 && d->g->colours >= COLOURS_TO_TELL;

	for (int i = 0; whole && i < width; i++) {
		int class = class_of_cell(classes, whole, i, width);

		if (class < 0)
			continue;
		gn_cells_fill(
			d->g, row, col + i, col + i + 1, gn_draw_ink(class),
			blocks ? BLOCK : (uint32_t)gn_class_letter(class));
	}
}

int gn_draw_meter(struct gn_draw *d, int row, int col, int width, double pct,
		  enum gn_ink ink, const char *text)
{
	int inside = width - 2, len = (int)strlen(text);
	int full = (int)(pct / 100 * inside + 0.5);

	if (inside < len || col + width > d->g->cols)
		return col;
	full = full < 0 ? 0 : full > inside ? inside : full;
	gn_draw_text(d, row, col, col + 1, GN_INK_STRONG, "[");
	gn_cells_fill(d->g, row, col + 1, col + 1 + full, ink, '|');
	gn_draw_text(d, row, col + 1 + inside - len, col + 1 + inside,
		     GN_INK_PLAIN, "%s", text);
	return gn_draw_text(d, row, col + 1 + inside, col + width,
			    GN_INK_STRONG, "]");
}

void gn_draw_rate(char buf[GN_CELL], double rate)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;

	/* what would round to 1000.0 gets the next unit */
	while (rate >= 999.95 && units[unit + 1]) {
		rate /= 1000;
		unit++;
	}
	snprintf(buf, GN_CELL, "%.1f%c", rate, units[unit]);
}

void gn_draw_rate_text(char buf[GN_CELL], uint64_t calls, uint64_t length)
{
	char rate[GN_CELL];
	int len;

	gn_draw_rate(rate, gn_top_rate(calls, length));
	len = (int)strlen(rate);
	len -= rate[len - 1] == ' ';
	snprintf(buf, GN_CELL, "%.*s calls/s", len < 32 ? len : 32, rate);
}

void gn_draw_size(char buf[GN_CELL], uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	double n = (double)bytes / 1024;
	size_t unit = 0;

	while (n >= 1023.95 && units[unit + 1]) {
		n /= 1024;
		unit++;
	}
	snprintf(buf, GN_CELL, "%.1f%c", n, units[unit]);
}

void gn_draw_clock(char buf[GN_CELL], uint64_t ns)
{
	uint64_t s = ns / 1000000000;

	snprintf(buf, GN_CELL, "%" PRIu64 ":%02u:%02u", s / 3600,
		 (unsigned int)(s / 60 % 60), (unsigned int)(s % 60));
}

void gn_draw_period(char buf[GN_CELL], uint64_t ns)
{
	if (ns < 1000000000)
		snprintf(buf, GN_CELL, "%" PRIu64 " ms",
			 (ns + 500000) / 1000000);
	else if (ns % 1000000000 < 50000000)
		snprintf(buf, GN_CELL, "%" PRIu64 " s", ns / 1000000000);
	else
		snprintf(buf, GN_CELL, "%.1f s", (double)ns / 1e9);
}
