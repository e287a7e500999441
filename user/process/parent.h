/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes are above others. */
#ifndef GNOMON_PROCESS_PARENT_H
#define GNOMON_PROCESS_PARENT_H

#include <stdbool.h>
#include <stdint.h>

/* A living thread's process and that one's parent; 0: it has ended. */
uint32_t gn_process_and_parent(uint32_t tid, uint32_t *parent);

/* Whether gnomon runs below the process: it is a shell, a terminal, sudo,
 * timeout. */
bool gn_is_ancestor(uint32_t pid);

/* Whether a program of this name is above: another gnomon, which may trace
 * gnomon and what it starts. */
bool gn_is_below_its_like(void);

#endif
