/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copy of one of gnomon's files, to be loaded by a process that does not see
 * gnomon's own, as in a container. It is made and removed with the rights of
 * the process's user, in a folder for temporary files. The process can change
 * or replace it: at worst it loads something else.
 */
#ifndef GNOMON_PROCESS_COPY_H
#define GNOMON_PROCESS_COPY_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define GN_COPY_NAME 40

struct gn_copy {
	int file;   /* the file that the process loads; -1: none */
	int folder; /* of the file; -1: no name to remove */
	uid_t uid;  /* of the process */
	gid_t gid;
	char name[GN_COPY_NAME];
	char path[PATH_MAX]; /* as the process sees it */
};

void gn_copy_init(struct gn_copy *c);

/* 1: the process's user can read the file at `path` as the process sees it, or
 * gnomon may not act as the user; 0: it cannot. -ESRCH, -errno: the process's
 * data in /proc cannot be read. */
int gn_copy_is_needless(pid_t pid, const char *path);

/* Whether the process's user can make files in a folder, by its path as the
 * process sees it: 0; -EACCES; -ENOENT, -ENOTDIR: there is none; -EROFS: it is
 * read-only. -EPERM: gnomon may not act as the user; -ESRCH, -errno. */
int gn_copy_may_write(pid_t pid, const char *folder);

/* Finds the copy of the file `from` that the process has loaded before. The
 * copy can have been removed since, but glibc still knows it by its path.
 * Returns 1; 0: there is none; -ESTALE: it is of another file. */
int gn_copy_find(struct gn_copy *c, pid_t pid, int from);

/* Sets the path to that of the descriptor which the library keeps open for
 * musl, because musl opens the path. */
void gn_copy_by_descriptor(struct gn_copy *c, pid_t pid);

/* Chooses the folder and name of a new copy of the file `from`, without making
 * it. -EACCES: there is no folder that the user can write to, that other users
 * cannot change, that has room and that allows programs (noexec); -EPERM:
 * gnomon may not act as the user; -ESRCH, -errno. */
int gn_copy_choose(struct gn_copy *c, pid_t pid, int from);

/* Makes the copy there. 0 or -errno. */
int gn_copy_make(struct gn_copy *c, int from);

/* Gives this thread the user's file access rights for good. It needs the
 * capabilities that gn_copy_make() needs. After it the name can be removed
 * without capabilities. What the process has loaded stays. */
int gn_copy_become(const struct gn_copy *c);
void gn_copy_remove(const struct gn_copy *c);

/* Closes the copy; its name stays. */
void gn_copy_close(struct gn_copy *c);

#endif
