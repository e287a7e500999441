/* SPDX-License-Identifier: BSD-2-Clause */
/* stapsdt notes (USDT probes) of an ELF file. The file is hostile. */
#ifndef GNOMON_ELF_NOTES_H
#define GNOMON_ELF_NOTES_H

#include <stddef.h>
#include <stdint.h>

struct gn_note {
	char provider[64];
	char name[64];
	char args[256];
	uint64_t offset; /* in the file: what a uprobe takes */
};

/* The notes of `path`; freed with free(). -ENOEXEC: not an ELF file;
 * -ENOENT: it has none. */
int gn_notes_read(const char *path, struct gn_note **out, size_t *count);

#endif
