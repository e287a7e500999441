// SPDX-License-Identifier: BSD-2-Clause
#include "script.h"

#include <string.h>

#include <gnomon/path.h>
#include "hooksite/glob.h"

bool gn_script_matches(const char *glob, size_t len, const char *text)
{
	return gn_glob(glob, len, text, strlen(text));
}

static const char *without(const char *name, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (!strncmp(name, *beginnings, strlen(*beginnings)))
			return name + strlen(*beginnings);
	return name;
}

bool gn_script_matches_name(const char *glob, size_t len, const char *name,
			    const char *const *beginnings)
{
	return gn_script_matches(glob, len, name) ||
	       gn_script_matches(glob, len, without(name, beginnings));
}

bool gn_script_in_file(const char *file, size_t len, const char *module,
		       const char *ending)
{
	const char *name = gn_base_name(module);
	size_t plain = strlen(name), end = strlen(ending);

	if (memchr(file, '/', len))
		return gn_script_matches(file, len, module);
	if (plain > end && !strcmp(name + plain - end, ending))
		plain -= end;
	return gn_script_matches(file, len, name) ||
	       gn_glob(file, len, name, plain);
}

bool gn_script_filter(const char *filter, const char *name, const char *module,
		      gn_script_line_fn matches)
{
	bool asks = false, decided = false, is = false;

	for (const char *line = filter; line && *line;) {
		size_t len = strcspn(line, "\n");
		bool out = *line == '!';

		asks |= !out;
		if (matches(line + out, len - out, name, module)) {
			decided = true;
			is = !out;
		}
		line += len + (line[len] == '\n');
	}
	return decided ? is : !asks;
}
