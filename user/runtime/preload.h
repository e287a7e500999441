/* SPDX-License-Identifier: BSD-2-Clause */
/* The library that the dynamic linker loads into the programs of a command. It
 * loads those of runtimes. */
#ifndef GNOMON_RUNTIME_PRELOAD_H
#define GNOMON_RUNTIME_PRELOAD_H

#include <sys/types.h>

/* It is no runtime, but has sites of its own, and a file. */
extern const struct gn_runtime gn_runtime_preload;

/* The reason that the kernel knows. */
extern const char gn_preload_privileged[];
/* Why no library can be preloaded into what the kernel starts for this path if
 * this user starts it; NULL: it can. */
const char *gn_preload_unfit(const char *program, uid_t uid);

#endif
