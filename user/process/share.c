/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/share.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

/* Takes one mapping. Returns how many files have not been found in another
 * process so far. */
static size_t take(struct gn_files *files, const bool *wanted,
		   const struct gn_file_id *id, pid_t pid)
{
	size_t left = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct gn_file *f = &files->file[i];

		if (!wanted[i] || f->elsewhere)
			continue;
		f->elsewhere = gn_file_same(&f->id, id);
		f->other = f->elsewhere ? pid : 0;
		left += !f->elsewhere;
	}
	return left;
}

/* Looks at one process. Returns how many files are left. A process that ends,
 * or that has more privileges than gnomon, shows nothing. */
static size_t look(struct gn_files *files, const bool *wanted, pid_t pid,
		   size_t left)
{
	struct gn_file_id last = {0, 0};
	struct gn_mapping m;
	struct gn_maps maps;

	if (gn_maps_open(&maps, pid))
		return left;
	while (left && gn_maps_next(&maps, &m) > 0) {
		/* a file's mappings follow one another */
		if (!m.exec || !m.file.ino || gn_file_same(&m.file, &last))
			continue;
		last = m.file;
		left = take(files, wanted, &m.file, pid);
	}
	gn_maps_close(&maps);
	return left;
}

int gn_share_find(struct gn_files *files, const bool *wanted, gn_share_fn ours,
		  void *ctx)
{
	const struct gn_file_id none = {0, 0};
	size_t left = take(files, wanted, &none, 0);
	struct dirent *entry;
	DIR *proc;

	if (!left)
		return 0;
	proc = opendir("/proc");
	if (!proc)
		return -errno;
	while (left && (entry = readdir(proc))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid > 0 && !ours(ctx, (pid_t)pid))
			left = look(files, wanted, (pid_t)pid, left);
	}
	closedir(proc);
	return 0;
}
