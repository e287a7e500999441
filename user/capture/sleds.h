/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sleds of the program that gnomon starts: the hook-site library turns them
 * into fast hooks (gnomon/sleds.h). If it cannot, the probes that are planned
 * for every function stay in use.
 */
#ifndef GNOMON_CAPTURE_SLEDS_H
#define GNOMON_CAPTURE_SLEDS_H

#include <stddef.h>
#include <stdint.h>

#include <gnomon/sleds.h>
#include "elf/elf_file.h"
#include "site/site.h"

struct gn_session;

struct gn_sled_table {
	struct gn_sled_entry *entry;
	size_t count, room;
	const char **path; /* by the entries' file; the file lists own them */
	size_t files;
	size_t last; /* 1 + the last path's index in the caller's list */
};

/* NULL: no memory. */
struct gn_sled_table *gn_sled_table_new(void);
void gn_sled_table_free(struct gn_sled_table *t);

/* Adds a function whose plan has sleds. `file`: its index in a list of the
 * caller; `path`, which is not copied: its name for the dynamic linker, "" for
 * the program. 0 or -ENOMEM. */
int gn_sled_table_add(struct gn_sled_table *t, size_t file, const char *path,
		      const struct gn_elf *elf, uint32_t func,
		      const struct gn_plan *plan);

/* The table as a sealed memfd, close-on-exec; <0: -errno. */
int gn_sled_table_share(const struct gn_sled_table *t);

/* Makes the table if this capture looks for sleds. Call it before the walk. 0
 * or -ENOMEM. */
int gn_sleds_begin(struct gn_session *s);
/* If there are sleds, plans the library's sites and the command's environment,
 * or sets why not. */
int gn_sleds_plan(struct gn_session *s);
void gn_sleds_free(struct gn_session *s);

#endif
