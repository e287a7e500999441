/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether processes have ended. */
#ifndef GNOMON_PROCESS_ENDED_H
#define GNOMON_PROCESS_ENDED_H

#include <stdbool.h>
#include <sys/types.h>

/* The number by which /proc tells what the process runs and has mapped: of its
 * first thread, or, if that has ended, of another one. 0: all have. */
pid_t gn_process_living(pid_t pid);

/* Threads can outlive the first thread of a process. False also of another
 * process that has got its number since. */
bool gn_process_has_ended(pid_t pid);

#endif
