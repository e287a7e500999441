/* SPDX-License-Identifier: BSD-2-Clause */
/* A process's files as the process sees them: in its own mount namespace and
 * root. It controls them, so everything here is bounded. */
#ifndef GNOMON_PROCESS_INSIDE_H
#define GNOMON_PROCESS_INSIDE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Opens a file of /proc/PID. The descriptor or -errno. */
int gn_inside_proc(pid_t pid, const char *name, int flags);

/* Reads the start of such a file. `to` ends with a NUL, and is empty if there
 * is no file. Returns the number of bytes. */
size_t gn_inside_read(pid_t pid, const char *name, char *to, size_t size);

/* Why a file of /proc/PID could not be read, or is incomplete: -ESRCH: the
 * process has ended; else -errno, or -EIO. */
int gn_inside_why(pid_t pid, const char *name);

/* The process's effective user and group, by the text of its `status`. False:
 * the text has none. */
bool gn_inside_user(const char *status, uid_t *uid, gid_t *gid);

/* The process's number in its own namespace. */
pid_t gn_inside_number(pid_t pid);

/* When the process began, in clock ticks since boot. False: it is gone. */
bool gn_inside_started(pid_t pid, long long *ticks);

/* Opens a path under `root`, a descriptor of /proc/PID/root. No link leads out
 * of it. The descriptor or -errno. */
int gn_inside_open(int root, const char *path, int flags);

/* The process's environment as of the start of its program. */
struct gn_inside_env {
	char *text; /* NULL: unreadable or empty */
	size_t size;
};

/* 0, even if it is empty; -ESRCH: the process has ended; -errno. */
int gn_inside_env_open(struct gn_inside_env *env, pid_t pid);
/* A variable's value (`env`: a struct gn_inside_env), or NULL. */
const char *gn_inside_variable(const void *env, const char *name);
void gn_inside_env_free(struct gn_inside_env *env);

/* The process's folder for temporary files. A relative one is resolved against
 * the current working folder. 0; -ESRCH, -errno: not known. */
int gn_inside_folder(pid_t pid, char folder[PATH_MAX]);

#endif
