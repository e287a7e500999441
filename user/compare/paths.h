/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The call trees of both sides in one. Paths are the same if the lasting names
 * of their functions are, in whatever modules. Values are sums over the
 * captures of a side: unlike medians they add up along the tree.
 */
#ifndef GNOMON_COMPARE_PATHS_H
#define GNOMON_COMPARE_PATHS_H

#include "compare/compare.h"
#include "model/table.h"

struct gn_path_values {
	uint64_t elapsed, app, calls; /* inclusive times */
};

struct gn_path {
	int32_t parent; /* index of an earlier path; -1: this is the session */
	uint32_t name;	/* in names */
	struct gn_path_values of[GN_SIDE_COUNT];
};

struct gn_paths_of_both {
	struct gn_path *path; /* the session first */
	uint32_t n, cap;
	char **names;
	uint32_t nnames, names_cap;
	struct gn_table kids; /* parent << 32 | name -> path */
	void *index;	      /* of names */
};

/* Adds a capture's tree. 0, -ENOMEM, -EBADMSG: the tree is invalid. */
int gn_paths_add(struct gn_paths_of_both *p, enum gn_side side,
		 const struct gn_model *m);
void gn_paths_free(struct gn_paths_of_both *p);

#endif
