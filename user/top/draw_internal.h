/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the parts of the drawing. */
#ifndef GNOMON_TOP_DRAW_INTERNAL_H
#define GNOMON_TOP_DRAW_INTERNAL_H

#include "output/text.h"
#include "top/draw.h"
#include "top/view_columns.h"
#include "top/view_rows.h"
#include "top/view_thread.h"

/* One drawing. */
struct gn_draw {
	const struct gn_top_period *p; /* has a model; NULL in the beginning */
	struct gn_top_view *v;
	struct gn_cells *g;
	int err; /* the first error */
};

/* Texts (draw_text.c). Each returns the column after its text. */

/* A trusted text, cut at `end`. */
__attribute__((format(printf, 6, 7))) int gn_draw_text(struct gn_draw *d,
						       int row, int col,
						       int end, enum gn_ink ink,
						       const char *format, ...);
/* A text that was escaped, cut at `end`. */
int gn_draw_escaped(struct gn_draw *d, int row, int col, int end,
		    enum gn_ink ink, const char *text);
/* A name, which is hostile: it is escaped, and shortened in the middle to
 * `width`. */
int gn_draw_name(struct gn_draw *d, int row, int col, int width,
		 enum gn_ink ink, const char *name);
/* The same for a function's name: parameters are cut first. */
int gn_draw_function(struct gn_draw *d, int row, int col, int width,
		     enum gn_ink ink, const char *name);
/* Aligned to the right; a text that does not fit is shown as ###. */
void gn_draw_right(struct gn_draw *d, int row, int col, int width,
		   enum gn_ink ink, const char *text);
/* Zeros are dim. */
void gn_draw_pct(struct gn_draw *d, int row, int col, int width, uint64_t part,
		 uint64_t whole);
/* A bar of the classes of a time. */
void gn_draw_classes(struct gn_draw *d, int row, int col, int width,
		     const uint64_t classes[GN_CLASS_COUNT], uint64_t whole);
/* [||||   text]: a part of a whole. */
int gn_draw_meter(struct gn_draw *d, int row, int col, int width, double pct,
		  enum gn_ink ink, const char *text);

/* 12.3, 12.3k, 12.3M ..: at most 6 columns, with a blank in the place of a
 * missing unit. */
void gn_draw_rate(char buf[GN_CELL], double rate);
/* 12.3k calls/s */
void gn_draw_rate_text(char buf[GN_CELL], uint64_t calls, uint64_t length);
/* 24.5M, of 1024 x 1024 bytes */
void gn_draw_size(char buf[GN_CELL], uint64_t bytes);
/* 1:02:03 */
void gn_draw_clock(char buf[GN_CELL], uint64_t ns);
/* 1 s, 100 ms */
void gn_draw_period(char buf[GN_CELL], uint64_t ns);

/* The ink of a class. */
static inline enum gn_ink gn_draw_ink(int class)
{
	return (enum gn_ink)(GN_INK_CLASS + class);
}

/* Columns (draw_layout.c). */
struct gn_layout {
	int n;
	struct {
		int column; /* enum gn_column_id */
		int x, width;
	} at[GN_COLUMN_COUNT];
};

/* Chooses the columns that fit in the terminal, for a table or an opened
 * thread. */
void gn_layout_table(const struct gn_draw *d, struct gn_layout *out);
void gn_layout_thread(const struct gn_draw *d, struct gn_layout *out);
/* The line of titles; sort < 0: none is marked. */
void gn_layout_titles(struct gn_draw *d, const struct gn_layout *l, int row,
		      enum gn_ink ink, int sort, bool inverted);

/* One row of values, with the values that are 100 % for its percents. */
struct gn_draw_values {
	struct gn_row r;
	const struct gn_values *all; /* 100 % */
	uint64_t length;	     /* of the period */
	bool muted;
	const struct gn_top_row *node; /* of the tree */
};

void gn_draw_values(struct gn_draw *d, const struct gn_layout *l, int row,
		    const struct gn_draw_values *values);

/* The parts of the screen. */

/* Lines from `row` on, at most `room` of them; returns how many. */
int gn_draw_header(struct gn_draw *d, int row, int room);
/* Rows [row, end). */
void gn_draw_table(struct gn_draw *d, int row, int end);
void gn_draw_thread(struct gn_draw *d, int row, int end);
void gn_draw_help(struct gn_draw *d);
void gn_draw_chooser(struct gn_draw *d, int row, int end);

#endif
