/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports which process maps which file as code, on the whole machine. */
#ifndef GNOMON_PROCESS_MAPPED_H
#define GNOMON_PROCESS_MAPPED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/maps.h"

struct gn_mapped;

struct gn_mapped_file {
	pid_t pid; /* 0: records were lost */
	uint64_t time;
	/* The path in the process, or "//anon" and the like for memory without
	 * a file. Valid until the next call. */
	const char *path;
	uint64_t start, end, offset;
	struct gn_file_id file; /* all 0: no file */
};

/* 0 or -errno (not supported or not allowed). */
int gn_mapped_new(struct gn_mapped **out);
/* NULL is fine. */
void gn_mapped_free(struct gn_mapped *m);

/* Readable when records are there. */
int gn_mapped_fd(const struct gn_mapped *m);
/* The next one that is not later than `last`; later ones wait. False: there is
 * no more. Not all that comes meanwhile is among it, so that the end comes
 * however fast programs map files. */
bool gn_mapped_next(struct gn_mapped *m, uint64_t last,
		    struct gn_mapped_file *file);

#endif
