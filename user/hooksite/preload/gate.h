/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs wait before they start another one until gnomon has placed its
 * probes in that. Async-signal-safe. */
#ifndef GNOMON_HOOKSITE_PRELOAD_GATE_H
#define GNOMON_HOOKSITE_PRELOAD_GATE_H

#include <stdbool.h>

/* Waits for gnomon, some seconds at most. `name`: of gnomon's socket. `path`:
 * what is about to be started; `exec`: this process becomes it. */
void gn_gate_pass(const char *name, const char *path, bool exec);

#endif
