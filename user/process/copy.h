/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copy of one of gnomon's files for a process that does not see gnomon's own,
 * as in a container, and that is to load it. It is made and removed with the
 * rights of the process's user, in a folder for temporary files. The process
 * can change it and can show another one: at worst it loads what it wants.
 */
#ifndef GNOMON_PROCESS_COPY_H
#define GNOMON_PROCESS_COPY_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define GN_COPY_NAME 40

struct gn_copy {
	int file;   /* that the process loads; -1: there is none */
	int folder; /* where the name is, -1: there is none to be removed */
	uid_t uid;  /* of the process */
	gid_t gid;
	char name[GN_COPY_NAME];
	char path[PATH_MAX]; /* as the process names it */
};

void gn_copy_init(struct gn_copy *c);

/* 1: the process's user can read the file at the path that the process names it
 * by, or gnomon may not act as the user; 0: it cannot. -ESRCH, -errno: what the
 * kernel tells of the process cannot be read. */
int gn_copy_is_needless(pid_t pid, const char *path);

/* Finds the copy of the file `from` that the process has loaded before. It can
 * be removed since: glibc knows it by its path. 1; 0: there is none; -ESTALE:
 * it is of another file. */
int gn_copy_find(struct gn_copy *c, pid_t pid, int from);

/* Its path becomes that of the descriptor which the library keeps for musl,
 * which opens it. */
void gn_copy_by_descriptor(struct gn_copy *c, pid_t pid);

/* Chooses where a new one of the file `from` shall be; nothing is made.
 * -EACCES: no folder can be written by its user and not changed by others, has
 * room, and may have programs (noexec); -EPERM: gnomon may not act as the user;
 * -ESRCH, -errno. */
int gn_copy_choose(struct gn_copy *c, pid_t pid, int from);

/* Makes it there. 0 or -errno. */
int gn_copy_make(struct gn_copy *c, int from);

/* From now on this thread has the rights of the user to files; needs the
 * capabilities that gn_copy_make() needs. Then the name can be removed without
 * any. What the process has loaded stays. */
int gn_copy_become(const struct gn_copy *c);
void gn_copy_remove(const struct gn_copy *c);

/* Closes; the name stays. */
void gn_copy_close(struct gn_copy *c);

#endif
