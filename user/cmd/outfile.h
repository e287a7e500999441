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

/* Waits until `fd` takes bytes. 0 or -errno, which ends the writing. */
typedef int (*gn_writable_fn)(void *ctx, int fd);

struct gn_textfile {
	FILE *f; /* write here */
	struct gn_outfile file;
	bool is_stdout;
	struct gn_progress *progress; /* NULL: not shown */
	const struct gn_steps *steps; /* of the rows; NULL: unknown */
	uint64_t written;	      /* bytes, where progress is shown */
	gn_writable_fn writable;      /* NULL: a write waits by itself */
	void *writable_ctx;
	int err; /* the first error of a write after `writable` */
};

/*
 * Opens stdout for NULL or "-", otherwise a file by the rules of
 * trace/outfile.h, owned by the user who invoked sudo. 0, or an error for
 * gn_trace_strerror(); then there is nothing to close.
 */
int gn_textfile_open(struct gn_textfile *o, const char *path);

/* The same for a file that must not exist yet, and that grows while gnomon
 * runs. */
int gn_textfile_create(struct gn_textfile *o, const char *path);

/*
 * Shows the progress of writing; not for stdout. Call it before the first
 * write. `steps`, unless NULL, is used to estimate the final size. Do not move
 * the three objects until the end. 0, -ENOMEM.
 */
int gn_textfile_watch(struct gn_textfile *o, struct gn_progress *progress,
		      const struct gn_steps *steps);

/*
 * A file such as a FIFO may take no bytes for a long time. From now on
 * `writable` waits for it before each write; not for stdout. Call it before the
 * first write, and do not move `o` until the end. 0, -ENOMEM.
 */
int gn_textfile_ask(struct gn_textfile *o, gn_writable_fn writable, void *ctx);

/* Flushes, gives the file its name, and closes it also after an error. 0 or
 * -errno (-EPIPE: the reader of stdout is gone). */
int gn_textfile_commit(struct gn_textfile *o);

/* Closes the file and removes what was written. */
void gn_textfile_abort(struct gn_textfile *o);

/* gn_textfile_open() for a verb. GN_EXIT_OK, or another status after it has
 * reported the error. */
int gn_textfile_begin(struct gn_textfile *o, const char *path);

/* Reports why a file that `option` names cannot be written. GN_EXIT_FAILED. */
int gn_textfile_refused(const char *path, int err, const char *option);

/* Commits the file, or aborts it if writing ended with `err`. GN_EXIT_OK, or
 * another status after it has reported the error. A reader of stdout that is
 * gone is no error. */
int gn_textfile_end(struct gn_textfile *o, const char *path, int err);

/* Whether gn_textfile_open() of that path writes to a terminal. */
bool gn_is_terminal(const char *path);

/* Whether writing to `output` would replace `input`, a file that is read; if
 * so, it has reported that. NULL is stdout; "-" as an input is stdin. */
bool gn_overwrites(const char *output, const char *input);

/* Whether both are one file, so that the second would replace the first; if so,
 * it has reported that. NULL is no file. */
bool gn_outputs_collide(const char *a, const char *b);

/* Finds the user who invoked gnomon by sudo. False: there is none, or gnomon is
 * not root. Then the ids are those of the real user, and files keep their
 * owner. */
bool gn_invoker(uid_t *uid, gid_t *gid);

#endif
