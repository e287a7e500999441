// SPDX-License-Identifier: BSD-2-Clause
#include "runtime/clr_written.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/files.h"
#include "process/maps.h"
#include "runtime/attach.h"
#include "runtime/clr_modules.h"
#include "source/module.h"

#define PATH_SHOWN 300

static int64_t ms_of(const struct statx_timestamp *t)
{
	return t->tv_sec * 1000 + t->tv_nsec / 1000000;
}

/* The runtime makes its socket when it begins. The process can be older: a
 * shell can copy the program and then exec it. */
bool gn_clr_written(int socket, int file)
{
	struct statx began, now;
	int64_t since;

	if (statx(socket, "", AT_EMPTY_PATH, STATX_MTIME, &began) ||
	    statx(file, "", AT_EMPTY_PATH, STATX_MTIME | STATX_BTIME, &now))
		return false;
	since = ms_of(&began.stx_mtime);
	/* a plug-in that was made later was loaded with this content */
	if (now.stx_mask & STATX_BTIME && ms_of(&now.stx_btime) > since)
		return false;
	return ms_of(&now.stx_mtime) > since;
}

static bool is_written(pid_t pid, int socket, const struct gn_mapping *m)
{
	bool written;
	int fd;

	if (!m->file.ino || m->name[0] != '/' || m->offset || !m->read ||
	    gn_mapping_is_of(m, GN_CLR_IN_MEMORY))
		return false;
	fd = gn_file_of_mapping(pid, m);
	if (fd < 0)
		return false;
	written = gn_clr_written(socket, fd) &&
		  (gn_source_begins(fd) || gn_clr_named_as_module(m->name));
	close(fd);
	return written;
}

int gn_clr_check_written(pid_t pid, int socket, char *why)
{
	struct gn_mapping m;
	struct gn_maps maps;
	bool written = false;

	if (gn_maps_open(&maps, pid))
		return 0; /* a later step says what is wrong */
	while (!written && gn_maps_next(&maps, &m) > 0)
		written = is_written(pid, socket, &m);
	if (written)
		snprintf(why, GN_WHY_MAX,
			 "%.*s was written to while process %d ran, so hooks "
			 "in its functions could crash the program; start the "
			 "program again, or trace without -f",
			 PATH_SHOWN, m.name, (int)pid);
	gn_maps_close(&maps);
	return written ? -ESTALE : 0;
}
