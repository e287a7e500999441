/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_RUNTIME_CLR_MODULES_H
#define GNOMON_RUNTIME_CLR_MODULES_H

#include "runtime/managed.h"

/* What the kernel calls the memory of a module without a file. */
#define GN_CLR_IN_MEMORY "/dev/zero"

/* The `managed` of struct gn_runtime. */
int gn_clr_modules(pid_t pid, const struct gn_managed_take *take);

/* Whether the path ends in .dll. */
bool gn_clr_named_as_module(const char *path);

#endif
