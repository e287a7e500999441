// SPDX-License-Identifier: BSD-2-Clause
#include "filter.h"

#include <string.h>

bool gn_glob(const char *glob, size_t glob_len, const char *text,
	     size_t text_len)
{
	size_t g = 0, t = 0;
	size_t star = (size_t)-1, from = 0; /* last *, and what it ends at */

	while (t < text_len) {
		if (g < glob_len && glob[g] == '*') {
			star = g++;
			from = t;
		} else if (g < glob_len &&
			   (glob[g] == '?' || glob[g] == text[t])) {
			g++;
			/* ? is a character, of however many bytes */
			do
				t++;
			while (glob[g - 1] == '?' && t < text_len &&
			       ((unsigned char)text[t] & 0xc0) == 0x80);
		} else if (star != (size_t)-1) {
			/* Only the last * needs another try: what an earlier
			 * one took was the shortest that let this one begin. */
			g = star + 1;
			t = ++from;
		} else {
			return false;
		}
	}
	while (g < glob_len && glob[g] == '*')
		g++;
	return g == glob_len;
}

static bool name_matches(const char *glob, size_t len, const char *name)
{
	/* A parameter list is the last thing in a name; a type in front of it
	 * holds no parenthesis. */
	const char *params = strchr(name, '(');

	return gn_glob(glob, len, name, strlen(name)) ||
	       (params && gn_glob(glob, len, name, (size_t)(params - name)));
}

static bool module_matches(const char *glob, size_t len, const char *module)
{
	const char *slash = strrchr(module, '/');
	const char *file = slash ? slash + 1 : module;
	const char *dot = strrchr(file, '.');

	/* a glob with a slash is of the path */
	if (memchr(glob, '/', len))
		return gn_glob(glob, len, module, strlen(module));
	return gn_glob(glob, len, file, strlen(file)) ||
	       (dot && gn_glob(glob, len, file, (size_t)(dot - file)));
}

/* The colon between LIB and GLOB: a single one, for names of other runtimes
 * have pairs. */
static const char *lib_colon(const char *line, size_t len)
{
	for (size_t i = 1; i < len; i++) {
		if (line[i] != ':')
			continue;
		if (i + 1 == len || line[i + 1] != ':')
			return line + i;
		i++;
	}
	return NULL;
}

static bool line_matches(const char *line, size_t len, const char *name,
			 const char *module)
{
	const char *colon = lib_colon(line, len);
	size_t lib = colon ? (size_t)(colon - line) : 0;

	if (!colon)
		return name_matches(line, len, name);
	return module_matches(line, lib, module) &&
	       name_matches(colon + 1, len - lib - 1, name);
}

bool gn_filter_hooks(const char *filter, const char *name, const char *module)
{
	bool chosen = false, matched = false, asks = false;

	while (filter && *filter) {
		size_t len = strcspn(filter, "\n");
		bool leave_out = *filter == '!';
		const char *line = filter + leave_out;
		size_t line_len = len - leave_out;

		if (line_len) {
			asks |= !leave_out;
			if (line_matches(line, line_len, name, module)) {
				matched = true;
				chosen = !leave_out;
			}
		}
		filter += len + (filter[len] == '\n');
	}
	return matched ? chosen : !asks;
}

bool gn_filter_hooks_nothing(const char *filter)
{
	bool nothing = false;

	while (filter && *filter) {
		size_t len = strcspn(filter, "\n");

		if (len)
			nothing = len == 2 && !memcmp(filter, "!*", 2);
		filter += len + (filter[len] == '\n');
	}
	return nothing;
}
