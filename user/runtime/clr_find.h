/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_RUNTIME_CLR_FIND_H
#define GNOMON_RUNTIME_CLR_FIND_H

#include "runtime/runtime.h"

/* The find() of struct gn_runtime. */
int gn_clr_find(const char *home, gn_runtime_found_fn each, void *ctx);

#endif
