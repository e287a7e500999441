// SPDX-License-Identifier: BSD-2-Clause
#include "filter.h"

#include <stddef.h>
#include <string.h>

#include "hooksite/script.h"

/* Names that people write without their module. */
static const char *const modules[] = {"__main__.", "builtins.", NULL};

static bool matches_part(const char *glob, size_t len, const char *name)
{
	while (!gn_script_matches(glob, len, name)) {
		name = strchr(name, '.');
		if (!name)
			return false;
		name++;
	}
	return true;
}

static bool matches_line(const char *line, size_t len, const char *name,
			 const char *module)
{
	const char *colon = memchr(line, ':', len);
	size_t file;

	if (!colon)
		return gn_script_matches_name(line, len, name, modules);
	file = (size_t)(colon - line);
	return gn_script_in_file(line, file, module, ".py") &&
	       matches_part(colon + 1, len - file - 1, name);
}

bool gn_python_filter(const char *filter, const char *name, const char *module)
{
	return gn_script_filter(filter, name, module, matches_line);
}
