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
	uint32_t *at; /* offsets of the words, ascending */
	uint32_t n;
	size_t room;
	bool any; /* any name can match: some line needs no word, or there are
		     too many words */
};

/* `strings`: the module's string heap, which must outlive `w`. Always call
 * gn_words_free() afterwards. */
void gn_words_find(struct gn_words *w, const struct gn_filter_lines *lines,
		   const char *module, const struct gn_bytes *strings);
void gn_words_free(struct gn_words *w);

/* Whether the string at this offset contains such a word. */
bool gn_words_in(const struct gn_words *w, uint32_t at);

#endif
