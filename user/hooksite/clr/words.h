/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds which names in a module's metadata contain a word that some line of a
 * filter needs. Most contain none, and are skipped before their full names are
 * built.
 */
#ifndef GNOMON_CLR_WORDS_H
#define GNOMON_CLR_WORDS_H

#include "filter.h"
#include "pe.h"

struct gn_words {
	const struct gn_bytes *strings;
	/* A bit for each byte of the heap: whether a string that begins there
	 * contains a word. NULL: none does. */
	uint64_t *has;
	bool some; /* some string does */
	bool any;  /* any name can match: some line needs no word */
};

/* `strings`: the module's string heap, which must outlive `w`. Always call
 * gn_words_free() afterwards. */
void gn_words_find(struct gn_words *w, const struct gn_filter_lines *lines,
		   const char *module, const struct gn_bytes *strings);
void gn_words_free(struct gn_words *w);

/* Whether the string at this offset contains such a word. */
static inline bool gn_words_in(const struct gn_words *w, uint32_t at)
{
	return w->any || (w->some && at < w->strings->n &&
			  w->has[at / 64] >> at % 64 & 1);
}

#endif
