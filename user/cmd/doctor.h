/* SPDX-License-Identifier: BSD-2-Clause */
/* What gnomon doctor looks at. */
#ifndef GNOMON_CMD_DOCTOR_H
#define GNOMON_CMD_DOCTOR_H

#include "cmd/checkup.h"

/* Each tries, and adds its rows. */
void gn_checkup_kernel(struct gn_checkup *c);
void gn_checkup_limits(struct gn_checkup *c);
void gn_checkup_runtimes(struct gn_checkup *c);

#endif
