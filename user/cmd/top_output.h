/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command's output while the live view has the terminal. It goes to a file
 * without a name, and is printed when the view is closed. If there is too much,
 * the end of it is kept.
 */
#ifndef GNOMON_CMD_TOP_OUTPUT_H
#define GNOMON_CMD_TOP_OUTPUT_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "process/target.h"

/* The limit of bytes that are kept. If there are more, at least the last half
 * of the limit is kept. */
#define GN_TOP_OUTPUT_MOST (64 << 20)

struct gn_top_output {
	int fd;		  /* 0 = none */
	off_t from;	  /* what is before this was printed or dropped */
	off_t freed;	  /* the space before this was given back */
	off_t most;	  /* GN_TOP_OUTPUT_MOST */
	uint64_t dropped; /* bytes that were dropped */
};

/* Makes the file in $TMPDIR or /tmp. It is the user's, so that a command can
 * open its own /dev/stderr. 0, -errno. */
int gn_top_output_open(struct gn_top_output *o, const struct gn_user *user);
void gn_top_output_close(struct gn_top_output *o);

/* Call now and then: drops what is too much and gives its space back to the
 * file system, which may be memory. If the file system cannot do that, it keeps
 * all. */
void gn_top_output_bound(struct gn_top_output *o);

/* Prints what came since the last time, and gives its space back. What comes
 * while it prints is not printed: a command can write faster. */
void gn_top_output_print(struct gn_top_output *o, FILE *f);

/* The same, but only as much as `f` takes at once, and never so much that a
 * signal would have to wait. */
void gn_top_output_print_some(struct gn_top_output *o, FILE *f);

#endif
