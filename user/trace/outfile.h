/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The only writer of files that people name (-o, --prom): a new file, mode
 * 0600, that replaces an older one when it is published, completely or not at
 * all; or a device or FIFO, written directly.
 *
 * Until it is published, the file has no name if the file system supports that
 * (O_TMPFILE), so a killed gnomon leaves nothing behind; else its name begins
 * with ".gnomon-". outdir.h says how its directory is found.
 *
 * A symbolic link at the path itself is not followed but replaced. There are
 * two exceptions, if root or gnomon's own user made the link: one that leads to
 * a character device or FIFO, and one to an open file of gnomon, such as
 * /dev/stdout, which is then written at its current position.
 */
#ifndef GNOMON_TRACE_OUTFILE_H
#define GNOMON_TRACE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gn_outfile {
	int fd;
	int dir;       /* the target's directory; -1: written directly */
	char *base;    /* the target's name in it */
	char *path;    /* the target's path as given */
	char temp[32]; /* its name until it is published; "": none */
	bool pending;  /* to be published */
	bool regular;
	bool older;    /* it replaces a file that is not empty */
	uint64_t size; /* bytes written by gn_outfile_write() */
};

/*
 * uid, gid: owner of a new file; -1: unchanged. 0 or an error for
 * gn_trace_strerror(): -GN_TRACE_UNSAFE: another user's link leads the path
 * astray; -EISDIR; -EPERM: a block device or socket; -EACCES: a FIFO made by a
 * stranger; -EINTR: a blocked signal became pending while a FIFO had no reader.
 * On an error nothing is left behind.
 */
int gn_outfile_open(struct gn_outfile *f, const char *path, uid_t uid,
		    gid_t gid);

/* The same for a file that must not exist yet and gets its name at once,
 * because it grows over time. -EEXIST. */
int gn_outfile_create(struct gn_outfile *f, const char *path, uid_t uid,
		      gid_t gid);

/* Writes all of it, or returns -errno: then a regular file is cut back to its
 * size before, and must not be written any more. */
int gn_outfile_write(struct gn_outfile *f, const void *bytes, size_t n);

/* Syncs the data to disk, then gives the file the target's name. */
int gn_outfile_publish(struct gn_outfile *f);

/* Removes the file's target name, if it still has it. */
void gn_outfile_remove(struct gn_outfile *f);

/* Closes the file, and removes it if it was not published. `sync`: first syncs
 * the data to disk, and then the path must still lead to the file: -ESTALE if
 * it was removed or replaced, or if its directory was renamed. */
int gn_outfile_close(struct gn_outfile *f, bool sync);

#endif
