/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one writer of files that people name (-o, --prom): a new file that takes
 * the place of an older one when it is published, whole or not at all, mode
 * 0600; or a device or FIFO, written as it is.
 *
 * Until it is published the file has no name where the file system can do that
 * (O_TMPFILE), so a killed gnomon leaves nothing behind; else it has one that
 * begins with ".gnomon-". outdir.h says how its directory is found.
 *
 * A symbolic link at the path itself is not followed: it is replaced. Two
 * kinds are, when root or gnomon's own user made them: those that lead to a
 * character device or FIFO, and those to one of gnomon's open files, as
 * /dev/stdout is, which is then written on from where it stands.
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
	char *path;    /* the target as it was named */
	char temp[32]; /* the file's name until it is published; "" = none */
	bool pending;  /* it is to be published */
	bool regular;
	bool older;    /* it takes the place of something that has content */
	uint64_t size; /* bytes written by gn_outfile_write() */
};

/*
 * uid, gid: the owner that a new file gets, -1 = leave it. 0 or what
 * gn_trace_strerror() knows: -GN_TRACE_UNSAFE: another user's link leads the
 * path astray; -EISDIR; -EPERM: a block device or a socket; -EACCES: a FIFO
 * that a stranger made; -EINTR: a signal that is blocked came while a FIFO had
 * no reader. Nothing is left behind then.
 */
int gn_outfile_open(struct gn_outfile *f, const char *path, uid_t uid,
		    gid_t gid);

/* The same for a file that must not be there yet, at its name at once: for
 * what grows by and by. -EEXIST. */
int gn_outfile_create(struct gn_outfile *f, const char *path, uid_t uid,
		      gid_t gid);

/* All of it, or -errno: then a regular file is cut back to what it was, and no
 * more may be written. */
int gn_outfile_write(struct gn_outfile *f, const void *bytes, size_t n);

/* What was written goes to the disk, and then the target's name to the file. */
int gn_outfile_publish(struct gn_outfile *f);

/* Takes the target's name from the file again, if it still has it. */
void gn_outfile_remove(struct gn_outfile *f);

/* Closes it, and removes what was not published. With `sync`, what was written
 * goes to the disk first, and then a file must be found by its name:
 * -ESTALE when it was removed, replaced or its folder renamed meanwhile. */
int gn_outfile_close(struct gn_outfile *f, bool sync);

#endif
