/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_PROCESS_REGULAR_H
#define GNOMON_PROCESS_REGULAR_H

/*
 * Opens a regular file for reading, and nothing else for as long as it takes to
 * look: to open a device can act (a watchdog begins to count), to open a pipe
 * can block, and names are made by others. -EISDIR, -ENOEXEC: it is none.
 */
int gn_regular_open(const char *path);

/* The same, with all links of the path within the folder `root`. */
int gn_regular_open_in(int root, const char *path);

#endif
