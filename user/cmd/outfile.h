/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a report goes: stdout, or a file that appears whole or not at all.
 */
#ifndef GNOMON_CMD_OUTFILE_H
#define GNOMON_CMD_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct gn_textfile {
	FILE *f;    /* write here */
	char *path; /* NULL: stdout */
	char *temp; /* NULL: written in place */
};

/*
 * NULL or "-" is stdout. A new or a regular file is made under a temporary
 * name beside it, mode 0600, owned by who invoked sudo. Anything else (a
 * device, a FIFO, a symbolic link) is written in place. Returns 0 or -errno;
 * then there is nothing to close.
 */
int gn_textfile_open(struct gn_textfile *o, const char *path);

/* Everything is written: flush, rename. Returns 0 or -errno (-EPIPE: the
 * reader of stdout went away); the file is closed in each case. */
int gn_textfile_commit(struct gn_textfile *o);

/* Closes and leaves no trace of it. */
void gn_textfile_abort(struct gn_textfile *o);

/* Who invoked gnomon by sudo. False when no one did, or when gnomon is not
 * root: then it is the real user, and files need no other owner. */
bool gn_invoker(uid_t *uid, gid_t *gid);

#endif
