/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions are hooked. A filter is a list of globs, one a line:
 *   GLOB, LIB:GLOB   hook what matches
 *   !GLOB, !LIB:GLOB leave out what matches
 * A later line wins over an earlier one. What no line matches is hooked only
 * if no line says what to hook. In a glob * is any text, ? one character.
 */
#ifndef GNOMON_CLR_FILTER_H
#define GNOMON_CLR_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole match. Time: at most the product of the lengths. */
bool gn_glob(const char *glob, size_t glob_len, const char *text,
	     size_t text_len);

/*
 * `filter` may be NULL: hook everything. GLOB is matched against `name`, and
 * against it as people write it, short and long (names/clr_name.h): in full and
 * without the list of parameters if GLOB has a bracket or a space, else without
 * parameters, type arguments, indexes and what a conversion makes. So what *a*
 * asks for is known from metadata alone, with any type arguments. LIB is
 * matched against `module` and against it without its extension.
 */
bool gn_filter_hooks(const char *filter, const char *name, const char *module);

/* True when some line says what to hook. */
bool gn_filter_asks(const char *filter);

/* A word of a glob that all names have that it matches, in the name of a type,
 * a namespace or a method. */
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
	/* the longest, and the longest other one */
	struct gn_filter_word word, other;
};

struct gn_filter_lines {
	struct gn_filter_line *line;
	uint32_t n;
	bool exact; /* for now, lines with wildcards do not count */
};

enum gn_filter_kinds {
	GN_FILTER_WHOLE = 1, /* lines whose glob names arguments */
	GN_FILTER_BARE = 2,  /* all others */
	GN_FILTER_ALL = 3,
};

/* The lines that ask for something, for many questions. `filter` must outlive
 * them. False: no memory. */
bool gn_filter_parse(const char *filter, struct gn_filter_lines *out);
void gn_filter_lines_free(struct gn_filter_lines *lines);

/* Whether a function of the module whose whole name matches `names`, a glob
 * too, can be one that a line of these kinds asks for: at worst true where none
 * is. */
bool gn_filter_may_hook(const struct gn_filter_lines *lines,
			enum gn_filter_kinds kinds, const char *names,
			const char *module);

/* Whether these bytes, `left` of them, begin with the word as a name has it. */
bool gn_filter_word_at(const struct gn_filter_word *word, const char *at,
		       size_t left);

/* A quick look: false where no bare line can ask for this method, whose name
 * has no parameters. */
bool gn_filter_has_word(const struct gn_filter_lines *lines, const char *name);
/* Whether a line asks for functions of this module. */
bool gn_filter_line_is_in(const struct gn_filter_line *line,
			  const char *module);

/*
 * What is never hooked in IL, whatever a filter asks for: the runtime calls it
 * when it polls for a collection, as it does after each call of a hook, so a
 * hook in it would call itself.
 */
bool gn_filter_never(const char *name);

/* A method of the core library that the compiler puts calls of into code by
 * itself, or one that is copied into such. */
bool gn_filter_helper(const char *name);

/*
 * The version of .NET from which on helpers get hooks in IL. .NET 8 ended by a
 * signal soon after its start when the one that stores into arrays had some.
 * Why is not known.
 */
#define GN_HELPERS_HOOKED_FROM 10

/* True when its last line is "!*": nothing is hooked. */
bool gn_filter_hooks_nothing(const char *filter);
/* True when its last line is "*": everything is. */
bool gn_filter_hooks_all(const char *filter);

/* The number of the first of these lines, each a word, a space and a glob as in
 * a filter, that matches; -1: none does. `word`: the line's, up to its space.
 */
int gn_filter_which(const char *lines, const char *name, const char *module,
		    const char **word);

#endif
