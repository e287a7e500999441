/* SPDX-License-Identifier: BSD-2-Clause */
/* The USDT probes that the filter takes of a file: usdt:LIB:PROVIDER:NAME. */
#ifndef GNOMON_RUNTIME_USDT_H
#define GNOMON_RUNTIME_USDT_H

#include <stddef.h>

#include "elf/notes.h"
#include "process/files.h"
#include "runtime/filter.h"
#include "site/site.h"

/* Called for every probe that is taken, with all its sites. <0 ends the walk
 * with that. */
typedef int (*gn_usdt_fn)(void *ctx, size_t file, const struct gn_note *site,
			  size_t count);

/* The file is the i-th of the list. 0, -ENOMEM, or what `each` said. Probes
 * of the file that are left out are added to `left`. */
int gn_usdt_walk(const struct gn_files *files, size_t i,
		 struct gn_filter *filter, gn_usdt_fn each, void *ctx,
		 struct gn_notes_left *left);

/* What a probe costs at an offset of an open file; `insn` as of gn_cost_of().
 * What cannot be read cannot be probed. */
enum gn_cost gn_usdt_cost(int fd, uint64_t offset, char insn[32]);

#endif
