/* SPDX-License-Identifier: BSD-2-Clause */
/* What attaching to all runtimes has in common. `why`: as in attach.h. */
#ifndef GNOMON_RUNTIME_ATTACH_PARTS_H
#define GNOMON_RUNTIME_ATTACH_PARTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/attach.h"

void gn_attach_sleep(int ms);

/* The lock on a process, a descriptor. -EBUSY: another gnomon has it; -ESRCH,
 * -errno. */
int gn_attach_lock(pid_t pid, char *why);

/* 1: the process sees the same file at the same path and may read it. 0: it
 * does not. -errno: `why` says what failed. */
int gn_attach_sees(pid_t pid, const char *library, char *why);

/* Says why the process got no copy of the library. */
void gn_attach_tell_no_copy(pid_t pid, const char *library, int err, char *why);
/* Returns -ESTALE: the process has the library of an older gnomon. */
int gn_attach_tell_older(pid_t pid, char *why);

/* Whether the process is stopped, so that it answers nobody. */
bool gn_attach_is_stopped(pid_t pid);
/* Why it answers nobody, and what to do; NULL: for no known reason. */
const char *gn_attach_silence(pid_t pid);

/* Returns `err` and leaves `why` as it is; if the process has ended, -ESRCH,
 * and `why` says so. */
int gn_attach_told_end(pid_t pid, int err, char *why);

/* Whether the error means that gnomon itself lacks a resource. */
bool gn_attach_lacks(int err);

/* The advice after -EACCES for something that the process's user may read. */
const char *gn_attach_remedy(void);

#endif
