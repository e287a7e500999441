/* SPDX-License-Identifier: BSD-2-Clause */
/* A model while it is built. Shared by the files build*.c and samples.c. */
#ifndef GNOMON_MODEL_BUILD_PARTS_H
#define GNOMON_MODEL_BUILD_PARTS_H

#include "model/build.h"

struct gn_build {
	struct gn_pipeline *p;
	struct gn_tree *tree; /* consumed */
	struct gn_model *m;
	uint32_t *fns; /* functions that the model has, by index in names */
	uint32_t nfns, fns_cap;
	/* index in names -> index in m->functions, which are sorted by name */
	uint32_t *function_of;
	uint32_t *rank_of; /* process -> its rank by name */
	/* node -> the node into which it is merged, or itself */
	uint32_t *same;
	uint32_t *first, *next; /* children in order; 0 = none */
	uint32_t *place;	/* node -> index in m->nodes */
};

/* Fills m->functions, sorted by name. Ids with the same name and module are one
 * function; each id without a name is a function of its own. 0 or -ENOMEM. */
int gn_build_functions(struct gn_build *b);
/* Fills b->rank_of. 0 or -ENOMEM. */
int gn_build_ranks(struct gn_build *b);

/* Fills m->nodes; needs functions and ranks. 0 or -ENOMEM. */
int gn_build_nodes(struct gn_build *b);
/* Whether the process is shown: it has a thread, or owns time. */
bool gn_build_shows(const struct gn_build *b, uint32_t process);

/* The name of a function, also as shown to people; fn GN_NONE: empty. 0 or
 * -ENOMEM. */
int gn_build_name(struct gn_names *names, uint32_t fn,
		  struct gn_model_named *out);
/* Gives the nodes for calls beyond the tree's limit a function, "[other]". 0 or
 * -ENOMEM. */
int gn_build_name_others(struct gn_pipeline *p, struct gn_tree *tree);

static inline uint64_t gn_not_below_0(int64_t ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

#endif
