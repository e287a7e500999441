/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/preload.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <gnomon/path.h>
#include "capture/session_internal.h"
#include "elf/elf_file.h"

#define LOADER "/lib64/ld-linux-x86-64.so.2"

/* The libraries are built for this machine's C library. */
static bool has_loader(const char *program)
{
	struct gn_elf *elf;
	const char *interp;
	bool has;

	if (gn_elf_open(program, &elf))
		return false;
	interp = gn_elf_interp(elf);
	has = interp && !strcmp(interp, LOADER);
	gn_elf_close(elf);
	return has;
}

/* Whether the program gains privileges: the dynamic linker loads nothing by
 * path into such programs. */
static bool is_privileged(const char *program)
{
	struct stat st;

	return stat(program, &st) || st.st_mode & (S_ISUID | S_ISGID) ||
	       getxattr(program, "security.capability", NULL, 0) > 0;
}

/* A sanitizer must be the first library; otherwise it ends the program. */
static bool has_sanitizer(const struct gn_files *files)
{
	static const char *const names[] = {"libasan.so", "libtsan.so",
					    "libhwasan.so", "libclang_rt."};

	for (size_t i = 0; i < files->count; i++) {
		const char *name = gn_base_name(files->file[i].path);

		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (!strncmp(name, names[k], strlen(names[k])))
				return true;
	}
	return false;
}

const char *gn_preload_unfit(const char *program, const struct gn_files *files)
{
	if (!has_loader(program))
		return "the program is static, or uses another C library than "
		       "this machine";
	if (is_privileged(program))
		return "the program gets privileges";
	return has_sanitizer(files) ? "the program has a sanitizer" : NULL;
}

/* LD_PRELOAD has no way to quote a path. */
const char *gn_preload_find(const struct gn_session *s,
			    const struct gn_runtime *rt, char *path)
{
	const struct gn_user *u = &s->opts.user;

	if (gn_runtime_library(rt, false, path, PATH_MAX))
		return "gnomon's hook-site library is not installed";
	if (strpbrk(path, ": "))
		return "the path of gnomon's hook-site library has a space or "
		       "a colon";
	return u->other && !gn_user_can_read(u, path)
		       ? "the user cannot read gnomon's hook-site library"
		       : NULL;
}
