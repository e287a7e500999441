/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_RUNTIME_CLR_ROOM_H
#define GNOMON_RUNTIME_CLR_ROOM_H

#include <sys/types.h>

/*
 * Whether a process's limits let its runtime answer. A runtime that finds no
 * file descriptor or no memory for the answer ends the program ("Out of
 * memory."). 0; -EOPNOTSUPP: `why`, of GN_WHY_MAX bytes, says more.
 */
int gn_clr_has_room(pid_t pid, char *why);

#endif
