/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of languages whose functions gnomon does not see. */
#include "capture/unseen.h"

#include <stdio.h>
#include <string.h>

#include <gnomon/path.h>
#include "process/files.h"
#include "runtime/runtime.h"

static const char *after_version(const char *s)
{
	return s + strspn(s, "0123456789.-");
}

/* "python3.11" and "node", but no "nodeset". */
static const char *language_of(const char *program, const char **interpreter)
{
	static const char *const known[][2] = {
		{"python", "Python"},	  {"pypy", "Python"},
		{"perl", "Perl"},	  {"luajit", "Lua"},
		{"lua", "Lua"},		  {"node", "JavaScript"},
		{"nodejs", "JavaScript"},
	};
	const char *name = gn_base_name(program);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t len = strlen(known[i][0]);

		if (strncmp(name, known[i][0], len) ||
		    *after_version(name + len))
			continue;
		*interpreter = known[i][0];
		return known[i][1];
	}
	return NULL;
}

const char *gn_unseen_language_of(const char *program)
{
	const char *interpreter;

	return gn_runtime_started_by(program)
		       ? NULL
		       : language_of(program, &interpreter);
}

/* "libpython3.11.so.1.0", but not "libpython3.11-extra.so". */
static const char *library_of(const char *interpreter,
			      const struct gn_files *files)
{
	size_t len = strlen(interpreter);

	for (size_t i = 0; i < files->count; i++) {
		const char *name = gn_base_name(files->file[i].path);
		const char *end;

		if (strncmp(name, "lib", 3) ||
		    strncmp(name + 3, interpreter, len))
			continue;
		end = after_version(name + 3 + len);
		if (end[-1] == '.' && !strncmp(end, "so", 2) &&
		    (!end[2] || end[2] == '.'))
			return name;
	}
	return NULL;
}

bool gn_unseen_language(const char *program, const struct gn_files *files,
			char line[GN_LANGUAGE_LINE])
{
	const char *interpreter = "";
	const char *language = language_of(program, &interpreter);
	const char *library = language ? library_of(interpreter, files) : NULL;

	if (!language)
		return false;
	if (library)
		snprintf(line, GN_LANGUAGE_LINE,
			 "'%s' runs %s code, whose functions gnomon does not "
			 "see; name native functions of its interpreter as "
			 "%s:GLOB; gnomon list -f '%s:*' shows them",
			 program, language, library, library);
	else
		snprintf(line, GN_LANGUAGE_LINE,
			 "'%s' runs %s code, whose functions gnomon does not "
			 "see; name native functions, such as the program's "
			 "own; gnomon list shows them",
			 program, language);
	return true;
}
