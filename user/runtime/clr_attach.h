/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_RUNTIME_CLR_ATTACH_H
#define GNOMON_RUNTIME_CLR_ATTACH_H

#include "runtime/attach.h"

/* The attach of struct gn_runtime. */
extern const struct gn_runtime_attach gn_clr_attach;

#endif
