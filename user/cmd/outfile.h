/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a report goes: stdout, or a file that appears whole or not at all.
 */
#ifndef GNOMON_CMD_OUTFILE_H
#define GNOMON_CMD_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "cmd/progress.h"
#include "output/output.h"
#include "trace/outfile.h"

struct gn_textfile {
	FILE *f; /* write here */
	struct gn_outfile file;
	bool is_stdout;
	struct gn_progress *progress; /* NULL: it is not shown */
	const struct gn_steps *steps; /* of what is written; NULL: unknown */
	uint64_t written;	      /* bytes, where progress is shown */
};

/*
 * NULL or "-" is stdout; else a file by the rules of trace/outfile.h, owned by
 * who invoked sudo. 0 or an error for gn_trace_strerror(); then there is
 * nothing to close.
 */
int gn_textfile_open(struct gn_textfile *o, const char *path);

/* The same for a file that must not be there yet: for what grows by and by. */
int gn_textfile_create(struct gn_textfile *o, const char *path);

/*
 * Shows how much has been written, before anything is; not of stdout. By
 * `steps`, unless it is NULL, the size of all is estimated. All three stay
 * where they are until the end. 0, -ENOMEM.
 */
int gn_textfile_watch(struct gn_textfile *o, struct gn_progress *progress,
		      const struct gn_steps *steps);

/* Everything is written: flush, and the file gets its name. Returns 0 or -errno
 * (-EPIPE: the reader of stdout went away); the file is closed in each case. */
int gn_textfile_commit(struct gn_textfile *o);

/* Closes and leaves no trace of it. */
void gn_textfile_abort(struct gn_textfile *o);

/* Who invoked gnomon by sudo. False when no one did, or when gnomon is not
 * root: then it is the real user, and files need no other owner. */
bool gn_invoker(uid_t *uid, gid_t *gid);

#endif
