/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a running CLR does not take gnomon's hooks. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process/maps.h"
#include "runtime/clr_attach_parts.h"
#include "runtime/clr_ipc.h"

/* Whether this is a mapping of another file that was at `path` before. */
static bool was_at(const struct gn_mapping *m, const char *path,
		   const struct gn_file_id *now)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path);

	return m->file.ino && !gn_file_same(&m->file, now) &&
	       !strncmp(m->name, path, n) &&
	       (!m->name[n] || !strcmp(m->name + n, deleted));
}

/* Whether this is a mapping of another file with the name of the library, in
 * any folder. */
static bool is_another(const struct gn_mapping *m, const char *path,
		       const struct gn_file_id *now)
{
	const char *name = strrchr(path, '/'), *at = strrchr(m->name, '/');
	size_t n = name ? strlen(name) : 0;

	return m->file.ino && !gn_file_same(&m->file, now) && name && at &&
	       !strncmp(at, name, n) && (!at[n] || at[n] == ' ');
}

/* Whether `is` holds for a mapping of the process. A later step finds out about
 * mappings that cannot be read. */
static bool maps_one(const struct gn_attached *a,
		     bool (*is)(const struct gn_mapping *m, const char *path,
				const struct gn_file_id *now))
{
	int fd = open(a->library, O_RDONLY | O_CLOEXEC);
	struct gn_file_id now;
	struct gn_mapping m;
	struct gn_maps maps;
	bool one = false;

	if (fd >= 0 && !gn_maps_name(fd, &now) &&
	    !gn_maps_open(&maps, a->pid)) {
		while (!one && gn_maps_next(&maps, &m) > 0)
			one = is(&m, a->library, &now);
		gn_maps_close(&maps);
	}
	if (fd >= 0)
		close(fd);
	return one;
}

/* The runtime does not load a second file from the same path, and an older
 * library can read a request differently. */
int gn_clr_check_mapped(const struct gn_attached *a, char *why)
{
	return maps_one(a, was_at) ? gn_attach_tell_older(a->pid, why) : 0;
}

int gn_clr_explain(const struct gn_attached *a, int err, int32_t result,
		   char *why)
{
	const char *silence =
		err == -ETIMEDOUT ? gn_attach_silence(a->pid) : NULL;
	int pid = (int)a->pid;

	if (!err && (result >= 0 || result == GN_CLR_CANCELLED))
		return 0;
	if (err == -EINTR)
		snprintf(why, GN_WHY_MAX, "attaching was interrupted");
	else if (err == -ETIMEDOUT)
		snprintf(why, GN_WHY_MAX, "process %d does not answer%s%s", pid,
			 silence ? ": " : " on its diagnostics socket; ",
			 silence ?: "try again later");
	else if (err == -EPROTO || err == -EPERM)
		snprintf(why, GN_WHY_MAX,
			 "something that is not the runtime answers on the "
			 "diagnostics socket of process %d; start the process "
			 "again",
			 pid);
	else if (err == -EACCES)
		snprintf(why, GN_WHY_MAX,
			 "only its own user may use the diagnostics socket of "
			 "process %d; %s",
			 pid, gn_attach_remedy());
	else if (err == -EILSEQ)
		snprintf(why, GN_WHY_MAX,
			 "the path '%.300s' is not ASCII, so a runtime cannot "
			 "load that file; install gnomon in another folder",
			 a->library);
	else if (err)
		snprintf(why, GN_WHY_MAX,
			 "process %d does not listen on its diagnostics socket "
			 "(%s); start the process again",
			 pid, strerror(-err));
	else if (result == GN_CLR_NO_ATTACH && maps_one(a, is_another))
		snprintf(why, GN_WHY_MAX,
			 "process %d was traced by another copy of gnomon and "
			 "still has its library; use that copy, or start the "
			 "process again",
			 pid);
	else if (result == GN_CLR_NO_ATTACH)
		snprintf(why, GN_WHY_MAX,
			 "process %d already has another profiler, and a "
			 "runtime reports functions to one profiler only; "
			 "trace without -f, or start the program without the "
			 "other profiler",
			 pid);
	else if (result == GN_CLR_NOT_UP)
		snprintf(why, GN_WHY_MAX,
			 "the runtime of process %d has not started: it waits "
			 "for a diagnostics tool (DOTNET_DiagnosticPorts or "
			 "DOTNET_DefaultDiagnosticPortSuspend is set); resume "
			 "it with that tool first",
			 pid);
	else if (result == GN_CLR_NO_MEMORY)
		snprintf(why, GN_WHY_MAX,
			 "the runtime of process %d cannot start another "
			 "thread; raise the limit of its user (ulimit -u) or "
			 "of its cgroup (pids.max)",
			 pid);
	else
		snprintf(why, GN_WHY_MAX,
			 "the runtime of process %d does not load '%.300s' "
			 "(0x%08" PRIx32
			 "); let the user of the process read that file",
			 pid, a->library, (uint32_t)result);
	return err ? err : -EPROTO;
}
