/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_PROCESS_LIMITS_H
#define GNOMON_PROCESS_LIMITS_H

#include <sys/resource.h>
#include <sys/types.h>

/* Reads a limit of a process by its name in /proc/PID/limits: prlimit(2) on
 * another user's process needs a capability. -ENOENT: it is not known. */
int gn_process_limit(pid_t pid, const char *name, struct rlimit *limit);

#endif
