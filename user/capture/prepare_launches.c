/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a command can run a runtime. */
#include "capture/prepare.h"

#include <string.h>

#include <gnomon/path.h>
#include "elf/elf_file.h"
#include "runtime/runtime.h"

/* Whether this is a library of the system that can start and load programs.
 * That does not show who uses it. */
static bool is_means(const char *path)
{
	static const char *const names[] = {"libc.so.", "ld-linux-",
					    "libpthread.so.", "libdl.so."};
	const char *name = gn_base_name(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Whether the file can start a program, or load a runtime like the launchers of
 * .NET. */
static bool can_start(const struct gn_file *file)
{
	static const char *const starts[] = {
		"execve",	"execvp",  "execv",    "execl",	  "execlp",
		"execle",	"execvpe", "execveat", "fexecve", "posix_spawn",
		"posix_spawnp", "system",  "popen",    "dlopen",  "syscall"};
	char place[GN_FILE_PLACE];
	struct gn_elf *elf;
	bool can;

	if (file->fd < 0 ||
	    gn_elf_open_as(gn_file_place(file->fd, place), file->path, &elf))
		return true;
	can = gn_elf_opaque(elf);
	for (size_t i = 0; !can && i < sizeof(starts) / sizeof(starts[0]); i++)
		can = gn_elf_mentions(elf, starts[i]);
	gn_elf_close(elf);
	return can;
}

bool gn_prepare_launches(const struct gn_session *s)
{
	const struct gn_runtime *rt;
	struct gn_files files = {0};
	bool can = s->active || !s->opts.command ||
		   gn_files_of_program(s->program, &s->opts.user, &files);

	/* a static program contains these functions itself */
	can = can || files.unlisted || files.count < 2;
	for (size_t i = 0; !can && i < files.count; i++)
		can = !is_means(files.file[i].path) &&
		      can_start(&files.file[i]);
	/* an interpreter counts even if it cannot start a program */
	for (size_t i = 0; !can && (rt = gn_runtime_at(i)); i++)
		can = (!rt->library || rt->preloaded) &&
		      gn_runtime_starts(rt, s->program);
	gn_files_free(&files);
	return s->active || (can && s->opts.command);
}
