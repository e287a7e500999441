/* SPDX-License-Identifier: BSD-2-Clause */
#include "java.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/notes.h"
#include "process/target.h"

static int find_library(char path[PATH_MAX])
{
	char java[PATH_MAX], real[PATH_MAX], library[PATH_MAX + 64];
	int err = gn_target_resolve("java", java);

	if (err)
		return err;
	if (!realpath(java, real))
		return -errno;
	*strrchr(real, '/') = '\0';
	snprintf(library, sizeof(library), "%s/../lib/server/libjvm.so", real);
	return realpath(library, path) ? 0 : -errno;
}

int java_sites(struct bare_sites *out)
{
	static const char *const names[] = {"method__entry", "method__return"};
	struct gn_note *notes;
	size_t count;
	int err;

	out->count = 0;
	err = find_library(out->path);
	if (!err)
		err = gn_notes_read(out->path, &notes, &count, NULL);
	if (err)
		return err;
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < count; j++)
			if (out->count == i &&
			    !strcmp(notes[j].provider, "hotspot") &&
			    !strcmp(notes[j].name, names[i]))
				out->offset[out->count++] = notes[j].offset;
	free(notes);
	return out->count == 2 ? 0 : -ENOENT;
}
