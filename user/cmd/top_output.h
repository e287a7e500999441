/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the command writes while its terminal is the live view's: into a file
 * that has no name, to be printed when the view is closed. Of a command that
 * writes without end that is the last of it.
 */
#ifndef GNOMON_CMD_TOP_OUTPUT_H
#define GNOMON_CMD_TOP_OUTPUT_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* So many bytes of it are kept, or the last half of them. */
#define GN_TOP_OUTPUT_MOST (64 << 20)

struct gn_top_output {
	int fd;		  /* 0 = none */
	off_t from;	  /* what is before it was printed, or dropped */
	off_t most;	  /* GN_TOP_OUTPUT_MOST */
	uint64_t dropped; /* bytes that will not be printed */
};

/* In $TMPDIR or /tmp. 0, -errno. */
int gn_top_output_open(struct gn_top_output *o);
void gn_top_output_close(struct gn_top_output *o);

/* Now and then: gives back what is too much to the file system, which may be
 * memory. One that cannot take it back keeps all. */
void gn_top_output_bound(struct gn_top_output *o);

/* What came since the last time. */
void gn_top_output_print(struct gn_top_output *o, FILE *f);

#endif
