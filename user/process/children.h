/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_PROCESS_CHILDREN_H
#define GNOMON_PROCESS_CHILDREN_H

#include <stddef.h>
#include <sys/types.h>

/* How many children the process has that are not among `known`. gnomon itself
 * and its ancestors do not count. */
size_t gn_children_others(pid_t pid, const pid_t *known, size_t n);

#endif
