/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions are hooked. A filter is a list of globs, one per line:
 *   GLOB, LIB:GLOB   hook what matches
 *   !GLOB, !LIB:GLOB leave out what matches
 * A later line wins over an earlier one. A function that no line matches is
 * hooked only if no line says what to hook. In a glob * is any text, ? one
 * character.
 */
#ifndef GNOMON_CLR_FILTER_H
#define GNOMON_CLR_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hooksite/glob.h"

/*
 * `filter` may be NULL: hook everything. GLOB is matched against `name` and
 * against its short and long spelling (names/clr_name.h). If GLOB has a bracket
 * or a space, it is matched against these in full and without the list of
 * parameters; otherwise against these without parameters, type arguments,
 * indexes and the sign or type of an operator. So metadata alone shows what *a*
 * asks for, with any type arguments. LIB is matched against the path `module`
 * if LIB has a slash, else against the file's name, with its extension and
 * without.
 */
bool gn_filter_hooks(const char *filter, const char *name, const char *module);

/* Whether some line says what to hook. */
bool gn_filter_asks(const char *filter);

/* A word that is in every name that the glob matches: in the name of a type, a
 * namespace or a method. */
struct gn_filter_word {
	const char *at;
	size_t len; /* 0: there is none */
	bool ends;  /* no letter can follow it there */
};

/* A line that asks for functions, in the filter's text. */
struct gn_filter_line {
	const char *lib, *glob; /* lib NULL: of any module */
	size_t lib_len, len;
	size_t literal; /* bytes of the glob before its first wildcard */
	bool whole;	/* it names parameters, type arguments or an operator */
	/* the glob's longest word, and the longest of the others */
	struct gn_filter_word word, other;
};

struct gn_filter_lines {
	struct gn_filter_line *line;
	uint32_t n;
	bool exact; /* lines with wildcards do not count at present */
};

enum gn_filter_kinds {
	GN_FILTER_WHOLE = 1, /* lines whose glob names arguments */
	GN_FILTER_BARE = 2,  /* all others */
	GN_FILTER_ALL = 3,
};

/* Parses the lines that ask for functions, once for many questions. `filter`
 * must outlive them. False: no memory. */
bool gn_filter_parse(const char *filter, struct gn_filter_lines *out);
void gn_filter_lines_free(struct gn_filter_lines *lines);

/* Whether a line of these kinds can ask for a function of the module whose
 * whole name matches the glob `names`. Can be true although no line does. */
bool gn_filter_may_hook(const struct gn_filter_lines *lines,
			enum gn_filter_kinds kinds, const char *names,
			const char *module);

/* Whether the `left` bytes begin with the word, and no letter follows it if
 * `word->ends`. */
bool gn_filter_word_at(const struct gn_filter_word *word, const char *at,
		       size_t left);

/* A quick check: whether the name has the words of a bare line. False: no bare
 * line can ask for this method. `name` has no parameters. */
bool gn_filter_has_words(const struct gn_filter_lines *lines, const char *name);
/* Whether a line asks for functions of this module. */
bool gn_filter_line_is_in(const struct gn_filter_line *line,
			  const char *module);

/*
 * A function that is never hooked in IL, whatever a filter asks for. The
 * runtime calls it to poll for a collection, which it does after each call of a
 * hook. So a hook in it would call itself.
 */
bool gn_filter_never(const char *name);

/* A method of the core library to which the compiler adds calls on its own, or
 * one that is copied into such a method. */
bool gn_filter_helper(const char *name);

/*
 * The first version of .NET in which helpers get hooks in IL. .NET 8 died of a
 * signal soon after its start when the helper that stores into arrays had
 * hooks. The reason is not known.
 */
#define GN_HELPERS_HOOKED_FROM 10

/* True when its last line is "!*": nothing is hooked. */
bool gn_filter_hooks_nothing(const char *filter);
/* True when its last line is "*": everything is. */
bool gn_filter_hooks_all(const char *filter);

/* The number of the first of these lines that matches; -1: none does. Each line
 * is a word, a space and a glob as in a filter. `word`: the start of the
 * matching line's word, which ends at the space. */
int gn_filter_which(const char *lines, const char *name, const char *module,
		    const char **word);

#endif
