/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of what threads ran, by call path: apart from all times. */
#ifndef GNOMON_MODEL_SAMPLES_H
#define GNOMON_MODEL_SAMPLES_H

#include "model/calltree.h"
#include "model/model.h"

struct gn_pipeline;

/* A node's `calls` are the samples of which it is the innermost function. */
struct gn_samples {
	struct gn_tree tree; /* all zeros: there was none so far */
	uint32_t *node;	     /* of each process; 0: it has none */
	uint32_t nnodes, cap;
};

void gn_samples_free(struct gn_samples *s);
/* Takes a SAMPLE record. One of a process that is not known is left out. 0 or
 * -ENOMEM. */
int gn_samples_take(struct gn_pipeline *p, const struct gn_rec_sample *r);
/* Fills m->samples and m->sample_nodes. 0 or -ENOMEM. */
int gn_samples_build(struct gn_pipeline *p, struct gn_model *m);

#endif
