// SPDX-License-Identifier: BSD-2-Clause
/*
 * Only in the tests' build of the library (GNOMON_COUNT): when the program
 * ends, writes the counts of the hooks to the file that GNOMON_CLR_COUNTS
 * names. One line per function:
 *   ENTERS LEAVES TAILCALLS UNWOUND MODULE NAME
 * with tabs between them. Functions whose names match a glob of
 * GNOMON_CLR_MUTED (a filter as in filter.h) are muted from their first call
 * on.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "filter.h"
#include "ids.h"
#include "../mute.h"
#include "sites.h"

enum { ENTER, LEAVE, TAILCALL, UNWOUND, KINDS };

extern _Atomic uint64_t gn_counts[GN_IDS_MAX + 1][KINDS];
_Atomic uint64_t gn_counts[GN_IDS_MAX + 1][KINDS];

static _Atomic(const char *) names[GN_IDS_MAX + 1];
static _Atomic(const char *) modules[GN_IDS_MAX + 1];

/* Called at the site clr_name. */
void gn_count_name(uint64_t index, const char *name, uint64_t name_len,
		   const char *module);

void gn_count_name(uint64_t index, const char *name, uint64_t name_len,
		   const char *module)
{
	const char *muted = getenv("GNOMON_CLR_MUTED");

	(void)name_len;
	if (muted && gn_filter_hooks(muted, name, module))
		atomic_store(&gn_mute[index], 1);
	atomic_store(&modules[index], module);
	atomic_store(&names[index], name);
}

__attribute__((destructor)) static void write_counts(void)
{
	const char *path = getenv("GNOMON_CLR_COUNTS");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	for (uint32_t i = 1; i <= GN_IDS_MAX; i++) {
		const char *name = atomic_load(&names[i]);
		uint64_t n[KINDS];

		if (!name)
			continue;
		for (int k = 0; k < KINDS; k++)
			n[k] = atomic_load(&gn_counts[i][k]);
		fprintf(file,
			"%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
			"\t%s\t%s\n",
			n[ENTER], n[LEAVE], n[TAILCALL], n[UNWOUND],
			atomic_load(&modules[i]), name);
	}
	fclose(file);
}
