/* SPDX-License-Identifier: BSD-2-Clause */
/* The USDT probes that the filter takes from a file: usdt:LIB:PROVIDER:NAME. */
#ifndef GNOMON_RUNTIME_USDT_H
#define GNOMON_RUNTIME_USDT_H

#include <stddef.h>

#include "elf/notes.h"
#include "process/files.h"
#include "runtime/filter.h"
#include "site/site.h"

/* Called for every probe that is taken, with all its sites. <0 ends the walk
 * with that error. */
typedef int (*gn_usdt_fn)(void *ctx, size_t file, const struct gn_note *site,
			  size_t count);

/* Walks the probes of the i-th file. 0, -ENOMEM, or what `each` returned.
 * Probes of the file that are skipped are added to `left`. */
int gn_usdt_walk(const struct gn_files *files, size_t i,
		 struct gn_filter *filter, gn_usdt_fn each, void *ctx,
		 struct gn_notes_left *left);

/* The cost of a probe at an offset of an open file; `insn` as in gn_cost_of().
 * Code that cannot be read cannot be probed. */
enum gn_cost gn_usdt_cost(int fd, uint64_t offset, char insn[32]);

#endif
