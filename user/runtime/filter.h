/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What -f asks for: GLOB, LIB:GLOB, usdt:LIB:PROVIDER:NAME, and the same with a
 * ! before to leave out. The last that matches decides.
 *
 * Of USDT probes PROVIDER and NAME are globs, and PROVIDER: can be left out.
 * LIB is a path, or a file's name with or without what is behind a dot
 * (libstdc++.so.6, libstdc++); empty or "self": the program.
 */
#ifndef GNOMON_RUNTIME_FILTER_H
#define GNOMON_RUNTIME_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct gn_filter;

/* The texts must outlive the filter. NULL when there is no memory. */
struct gn_filter *gn_filter_new(const char *const *globs, size_t count);
void gn_filter_free(struct gn_filter *f);

/* True when some glob asks for functions (not only leaves out). */
bool gn_filter_positive(const struct gn_filter *f);

/* What some glob could take of a file, as bits. */
enum gn_filter_takes { GN_TAKES_FUNCTIONS = 1, GN_TAKES_USDT = 2 };
unsigned int gn_filter_file(const struct gn_filter *f, const char *path,
			    bool program);

/* `program`: the file is the command itself; a GLOB without LIB is of it. */
bool gn_filter_function(const struct gn_filter *f, const char *path,
			bool program, const char *name, const char *demangled);

/* The same of a USDT probe. `provider` NULL: only that the file is there. */
bool gn_filter_usdt(struct gn_filter *f, const char *path, bool program,
		    const char *provider, const char *name);

/* Whether a pattern can match anything: there is a GLOB behind !, LIB: and
 * usdt:, and usdt: has its LIB. */
bool gn_filter_sound(const char *text);

/* The text is of several functions, with a comma between them: no name has one
 * outside of its brackets. */
bool gn_filter_is_list(const char *text);

/* What is said of it, with the text. */
#define GN_LIST_TEXT                                                   \
	"no function matches '%s': a GLOB is one pattern; give an -f " \
	"for each"

/* The text asks for USDT probes. */
bool gn_filter_is_usdt(const char *text);

/* The file has such an IFUNC, which is never taken: it chooses one of several
 * functions when a program starts. */
void gn_filter_ifunc(struct gn_filter *f, const char *path, bool program,
		     const char *name);

/* Whether a glob that nothing matched has matched an IFUNC. Then `to` is a glob
 * that the functions which it chooses from can match. */
bool gn_filter_names_ifunc(const struct gn_filter *f, const char *text,
			   char *to, size_t size);

/* What is said of it, with the two globs. */
#define GN_IFUNC_TEXT                                                     \
	"no function matches '%s': the dynamic linker chooses an "        \
	"implementation of it when a program starts (IFUNC); these have " \
	"names "                                                          \
	"of their own: gnomon list -f '%s'"

/* A file with functions to be taken has no symbols of its own. */
void gn_filter_strip(struct gn_filter *f, const char *path, bool program,
		     bool mini);
/* Whether such a library was that of the glob. */
bool gn_filter_stripped(const struct gn_filter *f, const char *text);
/* And one of those has symbols that are not read: in .gnu_debugdata. */
bool gn_filter_mini(const struct gn_filter *f, const char *text);
/* After "its debug symbols". */
#define GN_MINI_TEXT(mini) \
	((mini) ? " (gnomon does not read those in its .gnu_debugdata)" : "")

/* A process had this library, but was gone before its functions were seen. */
void gn_filter_miss(struct gn_filter *f, const char *path);
/* Whether such a library could have been that of the glob. */
bool gn_filter_missed(const struct gn_filter *f, const char *text);

/* The first LIB:GLOB or GLOB that nothing matched so far, or NULL. */
const char *gn_filter_unmatched(const struct gn_filter *f);

/* True when some glob asks for functions of libraries. */
bool gn_filter_libraries(const struct gn_filter *f);

/* Like gn_filter_unmatched(), from *at on, which is moved behind it. */
const char *gn_filter_unmatched_next(const struct gn_filter *f, size_t *at);

/* The first LIB:GLOB from *at on of whose LIB no function was seen so far; *at
 * is moved behind it. */
const char *gn_filter_awaited(const struct gn_filter *f, size_t *at);

/* A function of a runtime has this name: the globs that it matches, as the
 * runtime tells, did not match nothing. */
void gn_filter_managed(struct gn_filter *f,
		       bool (*matches)(const char *glob, const char *name,
				       const char *module),
		       const char *name, const char *module);

/* The LIB of the i-th glob, or NULL; `past` tells the end of the list. */
const char *gn_filter_library(const struct gn_filter *f, size_t i, bool *past);

#endif
