/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory that a new file is made in, found so that nobody else can lead
 * a privileged gnomon astray.
 *
 * The path is walked component by component, each opened below the descriptor
 * of the one before. A symbolic link that root or gnomon's own user made is
 * followed. One that anybody else made is followed only to a directory that
 * belongs to that user: what happens there, he could do himself. So a link in
 * /tmp or in a user's home never leads into a directory of root. Whose the
 * directories on the way are does not matter: without a link, their owners
 * can only exchange what is theirs.
 */
#ifndef GNOMON_TRACE_OUTDIR_H
#define GNOMON_TRACE_OUTDIR_H

/*
 * Opens (O_PATH) the directory of `path`; `base` gets the last component, of
 * malloc(). 0, -errno, -EISDIR when the path ends in a slash or is "." or "..",
 * or -GN_TRACE_UNSAFE when a link leads where its maker may not.
 */
int gn_outdir_open(const char *path, int *dir, char **base);

#endif
