/* SPDX-License-Identifier: BSD-2-Clause */
/* Frees what nothing refers to any more. */
#ifndef GNOMON_MODEL_SWEEP_H
#define GNOMON_MODEL_SWEEP_H

#include "model/threads.h"

void gn_sweep_init(struct gn_pipeline *p);

/* Frees unused texts. Call it between two records. */
void gn_sweep_texts(struct gn_pipeline *p);

/* If there is enough to free: frees functions of ended programs, and their
 * texts. Call it between two periods. */
void gn_sweep_functions(struct gn_pipeline *p);

#endif
