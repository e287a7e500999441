/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the lock of an interpreter that already runs. */
#include <inttypes.h>
#include <stdio.h>

#include "elf/exported.h"
#include "process/maps.h"
#include "runtime/runtime.h"

/* The mapping has the start of the file, so it is where the file's first
 * address is. */
static bool find_in(pid_t pid, const struct gn_mapping *m,
		    const struct gn_runtime_lock *l, struct gn_lock *lock)
{
	uint64_t addr, size, first;
	char file[96];

	snprintf(file, sizeof(file), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)pid, m->start, m->end);
	if (l->find)
		return l->find(file, m->start, lock);
	if (!l->variable ||
	    gn_exported_variable(file, l->variable, &addr, &size, &first) ||
	    !size || size > UINT32_MAX)
		return false;
	*lock = (struct gn_lock){.at = m->start + addr - first,
				 .size = (uint32_t)size};
	return true;
}

bool gn_runtime_lock(pid_t pid, struct gn_lock *lock)
{
	const struct gn_runtime *rt;
	struct gn_mapping m;
	struct gn_maps maps;
	bool found = false;

	*lock = (struct gn_lock){0};
	if (gn_maps_open(&maps, pid))
		return false;
	while (!found && gn_maps_next(&maps, &m) == 1) {
		if (m.offset || !m.file.ino || m.name[0] != '/')
			continue;
		rt = gn_runtime_with_interpreter(m.name);
		found = rt && find_in(pid, &m, &rt->lock, lock);
	}
	gn_maps_close(&maps);
	return found;
}
