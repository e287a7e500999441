// SPDX-License-Identifier: BSD-2-Clause
#include "filter.h"

#include <stddef.h>
#include <string.h>

#include <gnomon/path.h>
#include "hooksite/glob.h"

static bool matches_text(const char *glob, size_t len, const char *text)
{
	return gn_glob(glob, len, text, strlen(text));
}

/* Names that people write without their module. */
static const char *bare(const char *name)
{
	static const char *const modules[] = {"__main__.", "builtins."};

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (!strncmp(name, modules[i], strlen(modules[i])))
			return name + strlen(modules[i]);
	return name;
}

static bool in_file(const char *file, size_t len, const char *module)
{
	const char *name = gn_base_name(module);
	size_t plain = strlen(name);

	if (memchr(file, '/', len))
		return matches_text(file, len, module);
	if (plain > 3 && !strcmp(name + plain - 3, ".py"))
		plain -= 3;
	return matches_text(file, len, name) || gn_glob(file, len, name, plain);
}

static bool matches_part(const char *glob, size_t len, const char *name)
{
	while (!matches_text(glob, len, name)) {
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
		return matches_text(line, len, name) ||
		       matches_text(line, len, bare(name));
	file = (size_t)(colon - line);
	return in_file(line, file, module) &&
	       matches_part(colon + 1, len - file - 1, name);
}

bool gn_python_filter(const char *filter, const char *name, const char *module)
{
	bool asks = false, decided = false, is = false;

	for (const char *line = filter; line && *line;) {
		size_t len = strcspn(line, "\n");
		bool out = *line == '!';

		asks |= !out;
		if (matches_line(line + out, len - out, name, module)) {
			decided = true;
			is = !out;
		}
		line += len + (line[len] == '\n');
	}
	return decided ? is : !asks;
}
