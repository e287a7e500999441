/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call paths with their own values, for formats of stacks. Values must be
 * summable over paths, so the only columns are own times and calls.
 */
#ifndef GNOMON_OUTPUT_PATHS_H
#define GNOMON_OUTPUT_PATHS_H

#include "output/columns.h"
#include "output/rows.h"

struct gn_paths {
	struct gn_picks picks; /* without classes of a group that are all 0 */
	struct gn_rows rows;
	size_t at;
	struct gn_steps *steps;
	/* the path to the row that gn_paths_next() returned: the session, a
	 * process, functions */
	const struct gn_row **path;
};

/* Collects all paths, parents first. `usual` lists the default columns. 0,
 * -EINVAL, -ENOMEM, -EBADMSG. Call gn_paths_clear() in each case. */
int gn_paths_make(const struct gn_model *m, const struct gn_output_opts *o,
		  const char *usual, struct gn_paths *p);
void gn_paths_clear(struct gn_paths *p);

/* Goes to the next path. Returns its last row, a process or a function. NULL:
 * there are no more. */
const struct gn_row *gn_paths_next(struct gn_paths *p);

/* The path's own value in a column. A process has no calls. */
static inline uint64_t gn_paths_value(const struct gn_row *r, int column)
{
	if (r->depth == 1 && column == GN_COLUMN_CALLS)
		return 0;
	return gn_column_value(r, column);
}

/* Whether any of the row's chosen values is not 0. */
bool gn_paths_has(const struct gn_paths *p, const struct gn_row *r);

/* Frames by number: functions, activities, then processes in the order of their
 * rows. */
static inline size_t gn_paths_frame(const struct gn_model *m,
				    const struct gn_row *r, size_t process)
{
	const struct gn_model_node *n = &m->nodes[r->id];

	if (n->function >= 0)
		return (size_t)n->function;
	return m->nfunctions +
	       (n->activity ? n->activity - 1 : m->nactivities + process);
}

#endif
