/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a timeline while records go through a pipeline. */
#ifndef GNOMON_CMD_TIMELINE_H
#define GNOMON_CMD_TIMELINE_H

#include "cmd/options.h"
#include "cmd/outfile.h"
#include "output/timeline.h"

/* The timeline that --format names, or that of --by calls. NULL: the user wants
 * a report. */
const struct gn_timeline *gn_timeline_of(const struct gn_args *args);

struct gn_timeline_file {
	const struct gn_timeline *format;
	struct gn_timeline_opts opts;
	struct gn_observer observer; /* for the pipeline */
	struct gn_textfile out;
	const char *path;  /* NULL: stdout */
	const char *input; /* the trace file; NULL: none */
	int err;	   /* the error that ended the writing */
};

/* Opens the file or stdout, and ignores SIGPIPE from now on. `writable` waits
 * for a reader, with `ctx`; NULL: writes wait by themselves. Returns
 * GN_EXIT_OK, or another exit status after it has reported the error. */
int gn_timeline_open(struct gn_timeline_file *t, const struct gn_args *args,
		     gn_writable_fn writable, void *ctx);

/* Call it if the pipeline failed. True: a write failed, and gn_timeline_close()
 * will report it. */
bool gn_timeline_failed(struct gn_timeline_file *t, int err);

/* Finishes and publishes the file; `m` NULL: removes it. Returns a status like
 * gn_timeline_open(). */
int gn_timeline_close(struct gn_timeline_file *t, const struct gn_model *m);

#endif
