/* SPDX-License-Identifier: BSD-2-Clause */
/* Who maps which file as code, on the whole machine, as it happens. */
#ifndef GNOMON_PROCESS_MAPPED_H
#define GNOMON_PROCESS_MAPPED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct gn_mapped;

struct gn_mapped_file {
	pid_t pid; /* 0: some were lost */
	uint64_t time;
	/* As the process names it, or of what is no file "//anon" and the
	 * like. Until the next call. */
	const char *path;
};

/* 0, or -errno: the kernel does not tell. */
int gn_mapped_new(struct gn_mapped **out);
/* NULL is fine. */
void gn_mapped_free(struct gn_mapped *m);

/* Readable when there is some. */
int gn_mapped_fd(const struct gn_mapped *m);
bool gn_mapped_next(struct gn_mapped *m, struct gn_mapped_file *file);

#endif
