/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters of functions of scripts: a list of globs, one per line, as the
 * language's own filter.h describes them.
 */
#ifndef GNOMON_HOOKSITE_SCRIPT_H
#define GNOMON_HOOKSITE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a line, without its '!', matches the function. */
typedef bool (*gn_script_line_fn)(const char *line, size_t len,
				  const char *name, const char *module);

/* Whether the function is traced. `filter` NULL: trace everything. */
bool gn_script_filter(const char *filter, const char *name, const char *module,
		      gn_script_line_fn matches);

bool gn_script_matches(const char *glob, size_t len, const char *text);

/* Whether the glob matches the whole name, or the name without the first of
 * these beginnings that it has. `beginnings` ends with NULL. */
bool gn_script_matches_name(const char *glob, size_t len, const char *name,
			    const char *const *beginnings);

/* Whether FILE matches the path of the source if it has a slash, else the
 * file's name, with the ending (".py") and without. */
bool gn_script_in_file(const char *file, size_t len, const char *module,
		       const char *ending);

#endif
