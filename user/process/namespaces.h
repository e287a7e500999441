/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_PROCESS_NAMESPACES_H
#define GNOMON_PROCESS_NAMESPACES_H

/*
 * Whether gnomon can work in the namespaces that it was started in: its /proc
 * must be of its own PID namespace, or it would look at other processes than it
 * was told to, and its clock must be the machine's, which the BPF programs
 * read. 0; -EXDEV: they are not, `what` is wrong and `todo` mends it; else
 * errno.
 */
int gn_namespaces_check(const char **what, const char **todo);

#endif
