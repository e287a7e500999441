/* SPDX-License-Identifier: BSD-2-Clause */
/* A model while it is made: of build.c, build_functions.c and build_tree.c. */
#ifndef GNOMON_MODEL_BUILD_PARTS_H
#define GNOMON_MODEL_BUILD_PARTS_H

#include "model/build.h"

struct gn_build {
	struct gn_pipeline *p;
	struct gn_tree *tree; /* consumed */
	struct gn_model *m;
	uint32_t *fns; /* the functions that the model has, by index in names */
	uint32_t nfns, fns_cap;
	uint32_t *function_of; /* index in names -> in m->functions, by name */
	uint32_t *rank_of;     /* process -> its place by name */
	uint32_t *same; /* node -> the one it is merged into, or itself */
	uint32_t *first, *next; /* children in order; 0 = none */
	uint32_t *place;	/* node -> index in m->nodes */
};

/* m->functions in the order of their names: ids of one name are one function,
 * those without a name are each their own. 0 or -ENOMEM. */
int gn_build_functions(struct gn_build *b);
/* b->rank_of. 0 or -ENOMEM. */
int gn_build_ranks(struct gn_build *b);

/* m->nodes, once functions and ranks are there. 0 or -ENOMEM. */
int gn_build_nodes(struct gn_build *b);
/* A process is shown that has a thread or that any time was spent in. */
bool gn_build_shows(const struct gn_build *b, uint32_t process);

static inline uint64_t gn_not_below_0(int64_t ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

#endif
