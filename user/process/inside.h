/* SPDX-License-Identifier: BSD-2-Clause */
/* A process's files as it sees them itself: in its own mount namespace and
 * root. It chooses them, so all here is bounded. */
#ifndef GNOMON_PROCESS_INSIDE_H
#define GNOMON_PROCESS_INSIDE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Opens a file of /proc/PID. The descriptor or -errno. */
int gn_inside_proc(pid_t pid, const char *name, int flags);

/* Reads the begin of such a file; `to` ends with a NUL, and is empty if there
 * is none. How much it is. */
size_t gn_inside_read(pid_t pid, const char *name, char *to, size_t size);

/* Why a file of /proc/PID could not be read, or lacks what it should have:
 * -ESRCH: the process has ended; else -errno, or -EIO. */
int gn_inside_why(pid_t pid, const char *name);

/* Who it acts as, by its `status`. False: that is not there. */
bool gn_inside_user(const char *status, uid_t *uid, gid_t *gid);

/* Its number as it sees it itself. */
pid_t gn_inside_number(pid_t pid);

/* When it began, in ticks of the clock since the system did. False: it is gone.
 */
bool gn_inside_started(pid_t pid, long long *ticks);

/* Opens a path under `root`, a descriptor of /proc/PID/root. No link leads out
 * of it. The descriptor or -errno. */
int gn_inside_open(int root, const char *path, int flags);

/* Its environment, as it was when its program began. */
struct gn_inside_env {
	char *text; /* NULL: it cannot be read, or is empty */
	size_t size;
};

/* 0, also if it is empty; -ESRCH: the process has ended; -errno. */
int gn_inside_env_open(struct gn_inside_env *env, pid_t pid);
/* A variable of it (`env`: a struct gn_inside_env), or NULL. */
const char *gn_inside_variable(const void *env, const char *name);
void gn_inside_env_free(struct gn_inside_env *env);

/* Its folder for temporary files; one that it names from where it is, from
 * where it is now. 0; -ESRCH, -errno: it is not known. */
int gn_inside_folder(pid_t pid, char folder[PATH_MAX]);

#endif
