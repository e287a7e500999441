/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the user looks at: which table, sorted and filtered by what, which row
 * is selected. It outlives periods: the selection is kept by what it is of (a
 * thread, a function's name and module, a call path), not by its place.
 *
 * A caller sets nothing here but by the functions, and reads `period`,
 * `classify` and `paused`.
 */
#ifndef GNOMON_TOP_VIEW_H
#define GNOMON_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "top/top.h"

/* The tables, in the order of the key `t`. */
enum gn_top_mode {
	GN_TOP_THREADS = 0,
	GN_TOP_FUNCTIONS,
	GN_TOP_MODULES,
	GN_TOP_TREE,
	GN_TOP_MODES
};

/* What takes keys. */
enum gn_top_focus {
	GN_TOP_ON_TABLE = 0,
	GN_TOP_ON_THREAD, /* one that was opened */
	GN_TOP_ON_CHOOSER,
	GN_TOP_ON_FILTER,
	GN_TOP_ON_HELP,
};

/* The parts of an opened thread. */
enum gn_top_part {
	GN_TOP_PART_FUNCTIONS = 0,
	GN_TOP_PART_STACK,
	GN_TOP_PART_EVENTS,
	GN_TOP_PARTS
};

/* Bytes of a filter; more cannot be typed. */
#define GN_TOP_FILTER 128

/* Nodes of the tree that the user opened or closed and that are remembered;
 * the oldest is forgotten then. */
#define GN_TOP_TOGGLES 1024

/* One table's state. */
struct gn_top_list {
	size_t selected, scroll; /* rows */
	bool follow; /* the row with `id` stays selected, wherever it moves */
	uint64_t id; /* of what is selected */
	int sort;    /* enum gn_column_id */
	bool inverted;
};

struct gn_top_toggle {
	uint64_t id;
	bool open;
};

struct gn_top_row;  /* view_rows.h */
struct gn_top_open; /* view_thread.h */

struct gn_top_view {
	/* for the caller */
	uint64_t period; /* nanoseconds that the user wants one to last */
	enum gn_classify classify;
	/* The period on show is to stay; tracing and the counting of periods go
	 * on, so that what comes after the pause is whole. */
	bool paused;

	enum gn_top_focus focus, before_help;
	enum gn_top_mode mode;
	struct gn_top_list list[GN_TOP_MODES];
	int chosen; /* row of the chooser of columns */
	size_t help_scroll;
	char filter[GN_TOP_FILTER];
	size_t cursor; /* byte in `filter` */
	struct gn_top_toggle toggle[GN_TOP_TOGGLES];
	size_t ntoggles;

	/* the opened thread: kept, as the thread can end */
	struct gn_top_open *open;
	enum gn_top_part part; /* that the arrows scroll */
	size_t part_scroll[GN_TOP_PARTS];

	/* time of the threads in all periods that were shown, and functions'
	 * own: which columns of classes there is room for does not change with
	 * every period */
	uint64_t seen[GN_CLASS_COUNT], own[GN_CLASS_COUNT];

	/* heights of the last drawing, in rows: what a page is */
	size_t page, part_page[GN_TOP_PARTS];

	/* the rows of the table: of this model, of the period with this number;
	 * stale: sorted or filtered otherwise now */
	struct gn_top_row *rows;
	size_t nrows, rows_cap;
	const struct gn_model *of;
	uint64_t number;
	bool stale;
};

/* `period` in nanoseconds, as -d has it. */
void gn_top_view_init(struct gn_top_view *v, uint64_t period,
		      enum gn_classify classify);
void gn_top_view_free(struct gn_top_view *v);

/*
 * Brings the view up to a period (NULL: none yet): rows, selection, the opened
 * thread. Drawing and keys do it themselves; it does nothing the second time.
 * The period is known by its number and its model. 0, -ENOMEM.
 */
int gn_top_view_update(struct gn_top_view *v, const struct gn_top_period *p);

/* The word for a table. */
const char *gn_top_mode_text(enum gn_top_mode mode);

#endif
