/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes are above others. */
#ifndef GNOMON_PROCESS_PARENT_H
#define GNOMON_PROCESS_PARENT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns a living thread's process, and that process's parent; 0: the thread
 * has ended. */
uint32_t gn_process_and_parent(uint32_t tid, uint32_t *parent);

/* Whether `is_it` is true of the process or of one above it. */
bool gn_process_or_above(uint32_t pid,
			 bool (*is_it)(uint32_t pid, const void *what),
			 const void *what);

/* The process's parent if it has the same name, as one that forked it has; 0:
 * it has another. */
uint32_t gn_process_like_parent(uint32_t pid);

/* Whether gnomon runs below the process, which may be a shell, a terminal, sudo
 * or timeout. */
bool gn_is_ancestor(uint32_t pid);

/* Whether a debugger traces the process: something that can place breakpoints.
 * `name` gets its name. */
#define GN_DEBUGGER_NAME 16
bool gn_process_is_debugged(uint32_t pid, char name[GN_DEBUGGER_NAME]);

/* Whether an ancestor has gnomon's name: another gnomon, which may trace this
 * one and the programs that it starts. */
bool gn_is_below_its_like(void);

#endif
