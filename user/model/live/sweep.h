/* SPDX-License-Identifier: BSD-2-Clause */
/* What nothing refers to any more is given back. */
#ifndef GNOMON_MODEL_SWEEP_H
#define GNOMON_MODEL_SWEEP_H

#include "model/threads.h"

void gn_sweep_init(struct gn_pipeline *p);

/* Between two records: the texts that nothing has. */
void gn_sweep_texts(struct gn_pipeline *p);

/* Between two periods, once there is enough of it: functions of programs that
 * are over, and their texts. */
void gn_sweep_functions(struct gn_pipeline *p);

#endif
