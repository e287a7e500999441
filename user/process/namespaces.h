/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_PROCESS_NAMESPACES_H
#define GNOMON_PROCESS_NAMESPACES_H

/*
 * Whether gnomon can work in its namespaces. Its /proc must be of its own PID
 * namespace, or it would trace the wrong processes. Its clock must be the
 * machine's, because the BPF programs read that one. 0; -EXDEV: it cannot,
 * `what` says why and `todo` how to fix it; else errno.
 */
int gn_namespaces_check(const char **what, const char **todo);

#endif
