/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sleds: places that a compiler left in the code for hooks, and listed in a
 * section. The file is hostile: sleds that are not as their compiler emits them
 * are skipped.
 */
#ifndef GNOMON_ELF_SLEDS_H
#define GNOMON_ELF_SLEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(enumerator, text, how a program gets them) */
#define GN_SLED_LIST(X)                                 \
	X(NOPS, "nops", "-fpatchable-function-entry=5") \
	X(MCOUNT, "mcount", "-pg -mnop-mcount")         \
	X(XRAY, "xray", "-fxray-instrument")

enum gn_sled_kind {
#define GN_SLED_ENUM(name, text, option) GN_SLED_##name,
	GN_SLED_LIST(GN_SLED_ENUM)
#undef GN_SLED_ENUM
		GN_SLED_KINDS
};

struct gn_sled {
	uint64_t addr; /* address, as linked */
	enum gn_sled_kind kind;
	bool ends; /* the function ends here, by a return or a tail call */
};

/* The sleds of the file at `path`, by address, to be freed with free().
 * `broken`: number of skipped ones. -ENOEXEC: not an ELF file; -ENOENT: it has
 * none. */
int gn_sleds_read(const char *path, struct gn_sled **out, size_t *n,
		  size_t *broken);

const char *gn_sled_name(enum gn_sled_kind kind);

#endif
