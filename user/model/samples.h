/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of what threads ran, by call path. No times are derived from them. */
#ifndef GNOMON_MODEL_SAMPLES_H
#define GNOMON_MODEL_SAMPLES_H

#include "model/calltree.h"
#include "model/model.h"

struct gn_pipeline;

/* The `calls` of a node are the samples whose innermost function it is. */
struct gn_samples {
	struct gn_tree tree; /* all zeros: no sample so far */
	uint32_t *node;	     /* by process; 0: none */
	uint32_t nnodes, cap;
};

void gn_samples_free(struct gn_samples *s);
/* Takes a SAMPLE record. Samples of unknown processes are ignored. 0 or
 * -ENOMEM. */
int gn_samples_take(struct gn_pipeline *p, const struct gn_rec_sample *r);
/* Fills m->samples and m->sample_nodes. 0 or -ENOMEM. */
int gn_samples_build(struct gn_pipeline *p, struct gn_model *m);

#endif
