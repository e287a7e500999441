/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command's output while the live view uses the terminal. It goes to a file
 * without a name, and is printed when the view is closed. If there is too much,
 * only the end of it is kept.
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
	int fd;	     /* 0 = none */
	off_t from;  /* the output before this offset was printed or dropped */
	off_t freed; /* the space before this offset was freed */
	off_t most;  /* limit, usually GN_TOP_OUTPUT_MOST */
	uint64_t dropped; /* number of dropped bytes */
};

/* Makes the file in $TMPDIR or /tmp. The user owns it, so that a command can
 * open its own /dev/stderr. 0, -errno. */
int gn_top_output_open(struct gn_top_output *o, const struct gn_user *user);
void gn_top_output_close(struct gn_top_output *o);

/* Call it regularly: drops output beyond the limit and frees its space in the
 * file system, which may be in memory. If the file system cannot do that, all
 * output is kept. */
void gn_top_output_bound(struct gn_top_output *o);

/* Prints the output since the last call, and frees its space. Does not print
 * what arrives meanwhile: the command may write faster. */
void gn_top_output_print(struct gn_top_output *o, FILE *f);

/* The same, but only as much as `f` takes at once, and not so much that a
 * signal has to wait. */
void gn_top_output_print_some(struct gn_top_output *o, FILE *f);

#endif
