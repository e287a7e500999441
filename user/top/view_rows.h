/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a table: which ones, in which order, and which one is
 * selected. */
#ifndef GNOMON_TOP_VIEW_ROWS_H
#define GNOMON_TOP_VIEW_ROWS_H

#include "top/view.h"
#include "top/view_columns.h"

struct gn_top_row {
	uint64_t id;	/* of the thing shown; the same in every period */
	uint32_t index; /* in the table's array in the model */
	/* for the tree: its depth, whether it has callees, whether they are
	 * shown */
	uint32_t depth;
	bool parent, open;
};

/* Makes v->rows from a period's model. 0, -ENOMEM. */
int gn_top_rows_make(struct gn_top_view *v, const struct gn_top_period *p);

/* The same for the tree, whose nodes are opened and closed (view_tree.c). */
int gn_top_tree_make(struct gn_top_view *v, const struct gn_top_period *p);

/* Makes room for one more row, and returns it zeroed; NULL: no memory. */
struct gn_top_row *gn_top_row_add(struct gn_top_view *v);

/* True if the name matches the filter, or if there is no filter. */
bool gn_top_matches(const struct gn_top_view *v, const char *name);

/* An item to sort: an index, and its sort key. */
struct gn_top_sortable {
	uint32_t index;
	double number;
	const char *text; /* NULL: by number */
	const char *name; /* of the entry; `thread`: PID and TID */
	uint64_t thread;
};

/* Sorts in the order of the view's table: numbers descending, text ascending,
 * or the reverse if inverted; equal ones by name and ids. */
void gn_top_sort(const struct gn_top_view *v, struct gn_top_sortable *s,
		 size_t n);

/* The sort column's value of an entry of the model, as `text` or `number`. */
struct gn_top_sortable gn_top_value(const struct gn_top_view *v,
				    const struct gn_top_period *p,
				    uint32_t index);

/* Makes the row of an entry in a table's array. */
void gn_top_make_row(struct gn_row *row, const struct gn_model *m,
		     enum gn_top_mode mode, uint32_t index);

/* The name and the module of a node of the tree. */
const char *gn_top_node_name(const struct gn_model *m,
			     const struct gn_model_node *n,
			     const char **module);

/* A hash that identifies a thread or a name. */
uint64_t gn_top_id(uint64_t seed, const char *name);

/* Opens or closes the tree's node of a row. */
void gn_top_toggle(struct gn_top_view *v, const struct gn_top_row *row,
		   bool open);

#endif
