/* SPDX-License-Identifier: BSD-2-Clause */
/* A timeline that is written while records go through a pipeline. */
#ifndef GNOMON_CMD_TIMELINE_H
#define GNOMON_CMD_TIMELINE_H

#include "cmd/options.h"
#include "cmd/outfile.h"
#include "output/timeline.h"

/* What --format names when it is no report, or --by when it is calls; else
 * NULL. */
const struct gn_timeline *gn_timeline_of(const struct gn_args *args);

struct gn_timeline_file {
	const struct gn_timeline *format;
	struct gn_timeline_opts opts;
	struct gn_observer observer; /* for the pipeline */
	struct gn_textfile out;
	const char *where;
	const char *input; /* the trace file, NULL: none */
	int err;	   /* what ended the writing */
};

/* Opens the file or stdout, of which SIGPIPE ends nothing any more. GN_EXIT_OK,
 * or another exit status after it has said why. */
int gn_timeline_open(struct gn_timeline_file *t, const struct gn_args *args);

/* What the pipeline failed with, if it was the writing: gn_timeline_close()
 * will say so. */
bool gn_timeline_failed(struct gn_timeline_file *t, int err);

/* Ends and publishes it when `m` is a model, else leaves nothing. The exit
 * status, as gn_timeline_open(). */
int gn_timeline_close(struct gn_timeline_file *t, const struct gn_model *m);

#endif
