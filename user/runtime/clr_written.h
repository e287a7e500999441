/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CLR reads a module's code and names from the mapped file. A write into that
 * file, as by a copy over it, changes them while the runtime still uses sizes
 * and offsets of the old content.
 */
#ifndef GNOMON_RUNTIME_CLR_WRITTEN_H
#define GNOMON_RUNTIME_CLR_WRITTEN_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether the file of a module was there when the runtime with this diagnostics
 * socket began, and was written to since. */
bool gn_clr_written(int socket, int file);

/* -ESTALE: that is true of a module that the process has mapped; `why`, of
 * GN_WHY_MAX bytes, says which. Else 0. */
int gn_clr_check_written(pid_t pid, int socket, char *why);

#endif
