// SPDX-License-Identifier: BSD-2-Clause
#include "capture/interpreter_file.h"

#include <string.h>

static const struct {
	const char *name; /* how its files are called, maybe after "lib" */
	const char *symbol;
	bool (*read)(const char *path, struct gn_interpreter_file *out);
} kinds[GN_INTERPRETER_KINDS] = {
	[GN_INTERPRETER_PYTHON] = {"python", "_PyRuntime", gn_python_file_read},
	[GN_INTERPRETER_RUBY] = {"ruby", "ruby_api_version", gn_ruby_file_read},
	[GN_INTERPRETER_PHP] = {"php", "executor_globals", gn_php_file_read},
};

bool gn_interpreter_named(const char *name)
{
	static const char lib[] = "lib";

	if (!strncmp(name, lib, sizeof(lib) - 1))
		name += sizeof(lib) - 1;
	for (int i = 0; i < GN_INTERPRETER_KINDS; i++)
		if (!strncmp(name, kinds[i].name, strlen(kinds[i].name)))
			return true;
	return false;
}

bool gn_interpreter_file_read(const struct gn_elf *elf, const char *path,
			      struct gn_interpreter_file *out)
{
	for (uint32_t i = 0; i < GN_INTERPRETER_KINDS; i++) {
		*out = (struct gn_interpreter_file){.its = {.kind = i}};
		if (gn_elf_mentions(elf, kinds[i].symbol) &&
		    kinds[i].read(path, out))
			return true;
	}
	return false;
}
