/* SPDX-License-Identifier: BSD-2-Clause */
/* Frees what nothing refers to any more. */
#ifndef GNOMON_MODEL_SWEEP_H
#define GNOMON_MODEL_SWEEP_H

#include "model/threads.h"

void gn_sweep_init(struct gn_pipeline *p);

/* Between two records: frees unused texts. */
void gn_sweep_texts(struct gn_pipeline *p);

/* Between two periods, when there is enough to free: functions of ended
 * programs, and their texts. */
void gn_sweep_functions(struct gn_pipeline *p);

#endif
