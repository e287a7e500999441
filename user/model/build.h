/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the finished model from the tree of what each call path owned. */
#ifndef GNOMON_MODEL_BUILD_H
#define GNOMON_MODEL_BUILD_H

#include "model/model.h"
#include "model/threads.h"

/* Owns a model's strings and arrays: model.own. */
struct gn_model_own {
	struct gn_pool_texts *texts;
	struct gn_model_live *live; /* one for each thread; NULL: not live */
	int32_t *stacks;
	struct gn_model_share *shares;
};

/* Adds calls, exclusive values, min and max. */
void gn_values_add_own(struct gn_values *to, const struct gn_values *v);
/* Adds the inclusive values. */
void gn_values_add_incl(struct gn_values *to, const struct gn_values *v);

/* Fills m->code. 0, -ENOMEM (code.c). */
int gn_code_build(struct gn_pipeline *p, struct gn_model *m);

/*
 * Fills in the values of the functions, makes modules and edges, and sorts
 * everything but the nodes. Needs m->functions sorted by name, and m->nodes in
 * pre-order with all their values; waits may be in any order. *place, which the
 * caller frees, maps old to new indexes of functions. 0, -ENOMEM.
 */
int gn_rollup(struct gn_model *m, int32_t **place);

#endif
