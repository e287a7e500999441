/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_PROCESS_REGULAR_H
#define GNOMON_PROCESS_REGULAR_H

/*
 * Opens a file for reading only if it is a regular one. The check does not open
 * it: opening a device can have effects (a watchdog starts), opening a pipe can
 * block, and others choose the names. -EISDIR, -ENOEXEC: it is no regular file.
 */
int gn_regular_open(const char *path);

/* The same, with all links of the path within the folder `root`. */
int gn_regular_open_in(int root, const char *path);

#endif
