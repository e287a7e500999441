/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file that a trace is written to: a temporary one that takes the place of
 * its target when it is published, or a device or FIFO, written as it is.
 */
#ifndef GNOMON_TRACE_OUTFILE_H
#define GNOMON_TRACE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gn_outfile {
	int fd;
	int dir;       /* the target's directory; -1 = written directly */
	char *base;    /* the target's name in it */
	char temp[32]; /* the file's name until it is published; "" = none */
	bool regular;
	uint64_t size; /* bytes written */
};

/* uid, gid: the owner that a new file gets, -1 = leave it. Errors as
 * gn_trace_writer_open(); nothing is left behind. */
int gn_outfile_open(struct gn_outfile *f, const char *path, uid_t uid,
		    gid_t gid);

/* All of it, or -errno: then a regular file is cut back to what it was, and no
 * more may be written. */
int gn_outfile_write(struct gn_outfile *f, const void *bytes, size_t n);

/* What was written goes to the disk, and then the target's name to the file. */
int gn_outfile_publish(struct gn_outfile *f);

/* Closes it, and removes what was not published. With `sync`, what was written
 * goes to the disk first. */
int gn_outfile_close(struct gn_outfile *f, bool sync);

#endif
