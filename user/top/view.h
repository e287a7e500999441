/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of the user's view: which table, its sort column and filter, and
 * the selected row. It outlives periods: the selection is kept by the thing
 * selected (a thread, a function's name and module, a call path), not by its
 * place.
 *
 * A caller changes this only through the functions, and reads `period`,
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

/* What gets the keys. */
enum gn_top_focus {
	GN_TOP_ON_TABLE = 0,
	GN_TOP_ON_THREAD, /* an opened thread */
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

/* How many opened and closed nodes of the tree are remembered. Beyond that the
 * oldest is forgotten. */
#define GN_TOP_TOGGLES 1024

/* One table's state. */
struct gn_top_list {
	size_t selected, scroll; /* rows */
	bool follow; /* the row with `id` stays selected, wherever it moves */
	uint64_t id; /* of the selected thing */
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
	/* read by the caller */
	uint64_t period; /* the wanted length, in nanoseconds */
	enum gn_classify classify;
	/* Keep the current period on the screen. Tracing and the counting of
	 * periods go on, so that the periods after the pause are complete. */
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

	/* the opened thread: a copy, because the thread can end */
	struct gn_top_open *open;
	enum gn_top_part part; /* the part that the arrows scroll */
	size_t part_scroll[GN_TOP_PARTS];

	/* time of the threads, and of functions' own code, in all periods
	 * shown, so that the choice of class columns does not change with each
	 * period */
	uint64_t seen[GN_CLASS_COUNT], own[GN_CLASS_COUNT];

	/* heights of the last drawing, in rows: the size of a page */
	size_t page, part_page[GN_TOP_PARTS];

	/* the rows of the table, for this model and this period number; stale:
	 * the sort order or the filter has changed */
	struct gn_top_row *rows;
	size_t nrows, rows_cap;
	const struct gn_model *of;
	uint64_t number;
	bool stale;
};

/* `period` in nanoseconds, from -d. */
void gn_top_view_init(struct gn_top_view *v, uint64_t period,
		      enum gn_classify classify);
void gn_top_view_free(struct gn_top_view *v);

/*
 * Updates the view for a period (NULL: none yet): rows, selection, the opened
 * thread. Drawing and keys call it themselves; a second call for the same
 * period (number and model) does nothing. 0, -ENOMEM.
 */
int gn_top_view_update(struct gn_top_view *v, const struct gn_top_period *p);

/* The name of a table. */
const char *gn_top_mode_text(enum gn_top_mode mode);

#endif
