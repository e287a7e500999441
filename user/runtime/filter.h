/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What -f asks for: GLOB, LIB:GLOB, usdt:LIB:PROVIDER:NAME, and the same after
 * a ! to leave out. The last pattern that matches decides. LIB is a path or the
 * name of a file, and can be a glob.
 *
 * For USDT probes, PROVIDER and NAME are globs, and PROVIDER: is optional. LIB
 * can end before a dot of the name (libstdc++.so.6, libstdc++). An empty LIB or
 * "self" is the program.
 */
#ifndef GNOMON_RUNTIME_FILTER_H
#define GNOMON_RUNTIME_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct gn_filter;

/* The texts must outlive the filter. NULL when there is no memory. */
struct gn_filter *gn_filter_new(const char *const *globs, size_t count);
void gn_filter_free(struct gn_filter *f);

/* True when some glob asks for anything (not only leaves out). */
bool gn_filter_positive(const struct gn_filter *f);

/* What the globs can take from a file, as bits. */
enum gn_filter_takes { GN_TAKES_FUNCTIONS = 1, GN_TAKES_USDT = 2 };
unsigned int gn_filter_file(const struct gn_filter *f, const char *path,
			    bool program);

/* Whether the filter takes a function. `program`: the file is the command
 * itself, to which a GLOB without LIB applies. !GLOB applies to all files. */
bool gn_filter_function(const struct gn_filter *f, const char *path,
			bool program, const char *name, const char *demangled);

/* The same for a USDT probe. `provider` NULL: only notes that the file is
 * there. */
bool gn_filter_usdt(struct gn_filter *f, const char *path, bool program,
		    const char *provider, const char *name);

/* Whether a pattern can match anything: a GLOB follows !, LIB: and usdt:, and
 * usdt: has its LIB. */
bool gn_filter_sound(const char *text);

/* Whether the text lists several functions, with a comma between them. Names
 * have commas only in brackets. */
bool gn_filter_is_list(const char *text);

/* The message about that, with the text. */
#define GN_LIST_TEXT                                                        \
	"no function matches '%s': a GLOB is one pattern; give one -f for " \
	"each pattern"

/* Whether the text asks for USDT probes. */
bool gn_filter_is_usdt(const char *text);

/* Notes an IFUNC of the file. An IFUNC is never taken: it chooses one of
 * several functions when a program starts. */
void gn_filter_ifunc(struct gn_filter *f, const char *path, bool program,
		     const char *name);

/* Whether a glob that matched nothing else matches an IFUNC. Then `to` is a
 * glob that can match the functions which the IFUNC chooses from. */
bool gn_filter_names_ifunc(const struct gn_filter *f, const char *text,
			   char *to, size_t size);

/* The message about that, with both globs. */
#define GN_IFUNC_TEXT                                                          \
	"no function matches '%s': the dynamic linker chooses one of several " \
	"implementations of it when a program starts (IFUNC); gnomon list -f " \
	"'%s' shows their names"

/* Notes that a file which the filter asks for has no symbols of its own.
 * `mini`: it has a .gnu_debugdata section. */
void gn_filter_strip(struct gn_filter *f, const char *path, bool program,
		     bool mini);
/* Whether the LIB of the glob is such a file. */
bool gn_filter_stripped(const struct gn_filter *f, const char *text);
/* Whether the file of the glob has symbols that gnomon does not read: those in
 * .gnu_debugdata. */
bool gn_filter_mini(const struct gn_filter *f, const char *text);
/* These follow "its debug symbols" in a message. */
#define GN_GO_TEXT " (Go has none: build it without -ldflags=-s)"
#define GN_MINI_TEXT(mini) \
	((mini) ? " (gnomon does not read those in its .gnu_debugdata)" : "")

/* Whether the glob has a LIB, and no such file with functions was seen. */
bool gn_filter_lacks(const struct gn_filter *f, const char *text);

/* Notes a library of a process that ended before its functions were seen. */
void gn_filter_miss(struct gn_filter *f, const char *path);
/* Whether the LIB of the glob can be such a library. */
bool gn_filter_missed(const struct gn_filter *f, const char *text);

/* The first glob that asks for something and matched nothing so far, or
 * NULL. */
const char *gn_filter_unmatched(const struct gn_filter *f);

/* True when some glob asks for anything in a library. */
bool gn_filter_libraries(const struct gn_filter *f);

/* Like gn_filter_unmatched(), but starts at *at and moves it past the
 * result. */
const char *gn_filter_unmatched_next(const struct gn_filter *f, size_t *at);

/* The first LIB:GLOB from *at on whose LIB was not seen so far, or NULL. Moves
 * *at past it. */
const char *gn_filter_awaited(const struct gn_filter *f, size_t *at);

/* Notes a function of a runtime: the globs that `matches` accepts for it count
 * as matched. */
void gn_filter_managed(struct gn_filter *f,
		       bool (*matches)(const char *glob, const char *name,
				       const char *module),
		       const char *name, const char *module);

/* The LIB of the i-th glob, or NULL. `past`: the list has ended. */
const char *gn_filter_library(const struct gn_filter *f, size_t i, bool *past);

#endif
