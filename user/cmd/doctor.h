/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of gnomon doctor. */
#ifndef GNOMON_CMD_DOCTOR_H
#define GNOMON_CMD_DOCTOR_H

#include "cmd/checkup.h"

/* Each tries something out and adds its rows. */
void gn_checkup_kernel(struct gn_checkup *c);
void gn_checkup_limits(struct gn_checkup *c);
void gn_checkup_runtimes(struct gn_checkup *c);

#endif
