/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads /proc/PID/maps line by line. The process controls the text, so it is
 * bounded and checked. */
#ifndef GNOMON_PROCESS_MAPS_H
#define GNOMON_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Identifies a file as the kernel's lists of mappings do; stat(2) can differ
 * (btrfs, overlays). Inode numbers are reused when a file is gone, so equal ids
 * mean the same file only while a descriptor of it is open. All 0: no file.
 */
struct gn_file_id {
	uint64_t dev, ino;
};

static inline bool gn_file_same(const struct gn_file_id *a,
				const struct gn_file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

struct gn_mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	struct gn_file_id file;
	bool read, write, exec, shared;
	/* The file's path, "[stack]" and the like, or "". Valid until the next
	 * line is read. */
	const char *name;
};

/* The kernel returns up to a page per read; a default stream asks for less. */
#define GN_MAPS_READ 4096

/* Do not move it while it is open. */
struct gn_maps {
	FILE *f;
	char *line;
	size_t room, lines;
	uint64_t end; /* of the previous mapping */
	bool runs;    /* the process runs, so mappings can grow meanwhile */
	char buffer[GN_MAPS_READ];
};

/* `pid` 0: gnomon itself. If the process runs, the kernel can list a mapping
 * again that grew between two reads; only its new part is returned then.
 * -ESRCH: there is no such process; else errno of the open. */
int gn_maps_open(struct gn_maps *m, pid_t pid);
/* The same for a stream that the caller owns. A mapping that is listed twice is
 * an error then, unless `runs` is set. */
void gn_maps_of(struct gn_maps *m, FILE *f);
/* 1, or 0 at the end; -EILSEQ: malformed; -E2BIG: too long; -EIO. */
int gn_maps_next(struct gn_maps *m, struct gn_mapping *out);
/* Closes what gn_maps_open() opened. */
void gn_maps_close(struct gn_maps *m);
/* Frees what gn_maps_of() needed. */
void gn_maps_done(struct gn_maps *m);

/* Gets the id of the open file `fd` as in lists of mappings. */
int gn_maps_name(int fd, struct gn_file_id *id);

#endif
