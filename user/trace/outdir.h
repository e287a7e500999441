/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the directory for a new file in such a way that nobody else can lead a
 * privileged gnomon astray.
 *
 * The path is walked component by component, each opened below the previous
 * one's descriptor. A symbolic link made by root or gnomon's own user is
 * followed. A link made by anybody else is followed only to a directory that
 * belongs to its maker: what happens there, they could do themselves. So a link
 * in /tmp or in a user's home never leads into a directory of root. Who owns
 * the directories on the way does not matter: without a link, owners can only
 * replace what is theirs.
 */
#ifndef GNOMON_TRACE_OUTDIR_H
#define GNOMON_TRACE_OUTDIR_H

/*
 * Opens (O_PATH) the directory of `path`. `base` gets the last component, from
 * malloc(). 0, -errno, -EISDIR if the path ends in a slash or is "." or "..",
 * or -GN_TRACE_UNSAFE if a link leads where its maker may not.
 */
int gn_outdir_open(const char *path, int *dir, char **base);

#endif
