/* SPDX-License-Identifier: BSD-2-Clause */
/* Where functions are that a glob without LIB does not reach. */
#include <string.h>

#include <gnomon/path.h>
#include "elf/elf_file.h"
#include "runtime/native.h"

static size_t count(const struct gn_file *file, struct gn_filter *filter)
{
	const struct gn_elf_symbol *syms;
	char place[GN_FILE_PLACE];
	struct gn_elf *elf;
	size_t all, n = 0;

	if (file->fd < 0 ||
	    gn_elf_open_as(gn_file_place(file->fd, place), file->path, &elf))
		return 0;
	all = gn_elf_symbols(elf, &syms);
	for (size_t i = 0; i < all; i++)
		n += !syms[i].is_cold && !syms[i].is_ifunc &&
		     gn_filter_function(filter, file->path, true, syms[i].name,
					syms[i].demangled);
	gn_elf_close(elf);
	return n;
}

const char *gn_native_elsewhere(const struct gn_files *files, const char *glob,
				size_t *functions)
{
	struct gn_filter *filter;
	const char *most = NULL;

	*functions = 0;
	if (strchr(glob, ':') || !(filter = gn_filter_new(&glob, 1)))
		return NULL;
	for (size_t i = 0; i < files->count; i++) {
		const struct gn_file *file = &files->file[i];
		size_t n = file->program || file->hooksite || file->awaited
				   ? 0
				   : count(file, filter);

		if (n > *functions) {
			*functions = n;
			most = gn_base_name(file->path);
		}
	}
	gn_filter_free(filter);
	return most;
}
