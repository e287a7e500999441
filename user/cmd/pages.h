/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Other texts made from the option tables: a manual page for each verb, and
 * completions for shells.
 */
#ifndef GNOMON_CMD_PAGES_H
#define GNOMON_CMD_PAGES_H

#include "cmd/options.h"

/* X(enumerator, the word for `gnomon help`) */
#define GN_PAGE_LIST(X) \
	X(MAN, "man")   \
	X(BASH, "bash") \
	X(ZSH, "zsh")   \
	X(FISH, "fish")

enum gn_page {
#define GN_PAGE_ENUM(name, word) GN_PAGE_##name,
	GN_PAGE_LIST(GN_PAGE_ENUM)
#undef GN_PAGE_ENUM
		GN_PAGE_COUNT
};

/* The page that a word names. GN_PAGE_COUNT: none. */
enum gn_page gn_page_find(const char *word);

/* Writes a verb's part of a page. A manual page has no other part. */
void gn_page_verb(enum gn_page page, const struct gn_verb_usage *u, FILE *f);

/* Write what comes before and after the verbs' parts of a shell's
 * completion. */
void gn_page_begin(enum gn_page page, const char *const *verbs, size_t n,
		   FILE *f);
void gn_page_end(enum gn_page page, FILE *f);

/* A verb prints its part when its only argument begins with this. */
#define GN_PAGE_OPTION "--page="

#endif
