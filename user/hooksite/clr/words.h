/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which names in a module's metadata have a word that some line of a filter
 * needs. Most have none: they are passed over before any of them is put
 * together.
 */
#ifndef GNOMON_CLR_WORDS_H
#define GNOMON_CLR_WORDS_H

#include "filter.h"
#include "pe.h"

struct gn_words {
	const struct gn_bytes *strings;
	uint32_t *at; /* where in them the words begin, rising */
	uint32_t n, room;
	bool any; /* any name can match: a line needs no word, or there are
		   * too many */
};

/* `strings`: those of the module's metadata, which must outlive it. Freed by
 * gn_words_free() in each case. */
void gn_words_find(struct gn_words *w, const struct gn_filter_lines *lines,
		   const char *module, const struct gn_bytes *strings);
void gn_words_free(struct gn_words *w);

/* Whether the string that begins there has such a word. */
bool gn_words_in(const struct gn_words *w, uint32_t at);

#endif
