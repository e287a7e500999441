/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether processes have ended. */
#ifndef GNOMON_PROCESS_ENDED_H
#define GNOMON_PROCESS_ENDED_H

#include <stdbool.h>
#include <sys/types.h>

/* How long a process that ends can still be seen. */
#define GN_ENDS_MS 500

/* The thread id under which /proc shows the process's program and mappings: its
 * first thread, or another one if that has ended. 0: all have ended. */
pid_t gn_process_living(pid_t pid);

/* Threads can outlive the first thread of a process. Also false if a new
 * process has the same number. */
bool gn_process_has_ended(pid_t pid);

/* Whether all threads have ended within `ms`: the process can be a zombie. A
 * kernel thread has not ended. */
bool gn_process_ends(pid_t pid, int ms);

/* Opens a descriptor of a process; -ESRCH: it has ended within `ms`; -errno. */
int gn_process_open(pid_t pid, int ms);

#endif
