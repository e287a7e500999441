// SPDX-License-Identifier: BSD-2-Clause
#include "filter.h"

#include <stddef.h>

#include "hooksite/script.h"

/* Methods that people write without a class. */
static const char *const classes[] = {"Object#", "Kernel#", NULL};

/* The colon behind FILE, not one of a pair as in Foo::Bar; `len`: none. */
static size_t file_len(const char *line, size_t len)
{
	size_t i = 0;

	while (i < len && line[i] != ':')
		i++;
	return i + 1 < len && line[i + 1] == ':' ? len : i;
}

static bool matches_line(const char *line, size_t len, const char *name,
			 const char *module)
{
	size_t file = file_len(line, len);

	if (file < len) {
		if (!gn_script_in_file(line, file, module, ".rb"))
			return false;
		line += file + 1;
		len -= file + 1;
	}
	return gn_script_matches_name(line, len, name, classes);
}

bool gn_ruby_filter(const char *filter, const char *name, const char *module)
{
	return gn_script_filter(filter, name, module, matches_line);
}
