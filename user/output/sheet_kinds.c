/* SPDX-License-Identifier: BSD-2-Clause */
/* The sheets that there are, and their columns. */
#include "output/sheet.h"

#include <string.h>

#include "output/sheet_parts.h"

const struct gn_sheet_kind *gn_sheet_kind(enum gn_by by)
{
	static const struct gn_sheet_kind *const kinds[GN_BY_COUNT] = {
		[GN_BY_GC] = &gn_sheet_gc,
		[GN_BY_JIT] = &gn_sheet_jit,
		[GN_BY_EXCEPTIONS] = &gn_sheet_exceptions,
		[GN_BY_LOADS] = &gn_sheet_loads,
		[GN_BY_ALLOCATIONS] = &gn_sheet_allocations,
		[GN_BY_EVENTS] = &gn_sheet_events,
		[GN_BY_SAMPLES] = &gn_sheet_samples,
		[GN_BY_SYSCALLS] = &gn_sheet_syscalls,
		[GN_BY_THREAD_SYSCALLS] = &gn_sheet_thread_syscalls,
	};

	return kinds[by];
}

/* Skips percents: they sort as their values do. */
const char *gn_sheet_sort_word(enum gn_by by, size_t i)
{
	const struct gn_sheet_kind *kind = gn_sheet_kind(by);

	for (size_t c = 0; c < kind->ncolumns; c++)
		if (kind->column[c].kind != GN_CELL_PCT && i-- == 0)
			return kind->column[c].key;
	return NULL;
}

int gn_sheet_column(enum gn_by by, const char *word)
{
	const struct gn_sheet_kind *kind = gn_sheet_kind(by);

	for (size_t i = 0; i < kind->ncolumns; i++) {
		const struct gn_sheet_column *c = &kind->column[i];
		size_t len = strlen(c->key);

		if (!strcmp(c->title, word) ||
		    (!strncmp(c->key, word, len) &&
		     (!word[len] || !strcmp(word + len, gn_sheet_unit(c)))))
			return (int)i;
	}
	/* "time" means a duration, as elsewhere, not the column "at" */
	for (size_t i = 0; !strcmp(word, "time") && i < kind->ncolumns; i++)
		if (kind->column[i].kind == GN_CELL_TIME &&
		    strcmp(kind->column[i].key, "at") != 0)
			return (int)i;
	return -1;
}
