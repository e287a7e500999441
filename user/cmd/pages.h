/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is made of the option tables beside the help: a manual page a verb, and
 * completions for shells.
 */
#ifndef GNOMON_CMD_PAGES_H
#define GNOMON_CMD_PAGES_H

#include "cmd/options.h"

/* X(enumerator, the word of `gnomon help`) */
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

/* The page of a word, GN_PAGE_COUNT when there is none. */
enum gn_page gn_page_find(const char *word);

/* A verb's part of it; a manual page is whole. */
void gn_page_verb(enum gn_page page, const struct gn_verb_usage *u, FILE *f);

/* What stands before and after the verbs' parts of a shell's completion. */
void gn_page_begin(enum gn_page page, const char *const *verbs, size_t n,
		   FILE *f);
void gn_page_end(enum gn_page page, FILE *f);

/* How a verb is asked for its part: its only word. */
#define GN_PAGE_OPTION "--page="

#endif
