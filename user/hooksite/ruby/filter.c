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

/* Methods that people write without a class. */
static const char *bare(const char *name)
{
	static const char *const classes[] = {"Object#", "Kernel#"};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strncmp(name, classes[i], strlen(classes[i])))
			return name + strlen(classes[i]);
	return name;
}

static bool in_file(const char *file, size_t len, const char *module)
{
	const char *name = gn_base_name(module);
	size_t plain = strlen(name);

	if (memchr(file, '/', len))
		return matches_text(file, len, module);
	if (plain > 3 && !strcmp(name + plain - 3, ".rb"))
		plain -= 3;
	return matches_text(file, len, name) || gn_glob(file, len, name, plain);
}

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
		if (!in_file(line, file, module))
			return false;
		line += file + 1;
		len -= file + 1;
	}
	return matches_text(line, len, name) ||
	       matches_text(line, len, bare(name));
}

bool gn_ruby_filter(const char *filter, const char *name, const char *module)
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
