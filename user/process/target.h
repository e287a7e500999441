/* SPDX-License-Identifier: BSD-2-Clause */
/* The traced command: its user, its program, and its start. */
#ifndef GNOMON_PROCESS_TARGET_H
#define GNOMON_PROCESS_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

/* The user that the command runs as: one given by name, the invoking user of
 * sudo, or gnomon's own. */
struct gn_user {
	bool other; /* groups and environment must be set */
	uid_t uid;
	gid_t gid;
	sigset_t mask; /* the signal mask that gnomon started with */
	bool no_pipe;  /* SIGPIPE was ignored then */
	bool no_child; /* SIGCHLD was ignored, too */
	rlim_t nofile; /* soft limit to restore; 0 = unchanged */
	char name[64];
	char home[256];
	char shell[256];
	bool no_stdout; /* its output goes to stderr: gnomon uses stdout */
	int out; /* if not 0, the command's output goes here and its input is
		    empty; 0 = it has gnomon's */
};

/* The user with that login name, or with NULL the one of SUDO_UID and SUDO_GID;
 * and the current signal mask. -ENOENT: no such user; -EPERM: only root may run
 * a command as another user; -EINVAL: sudo's variables are not numbers. */
int gn_user_find(struct gn_user *u, const char *name);

/* Whether `u` may read the file at this real path, by the permission bits of
 * the file and of the folders that lead to it. */
bool gn_user_can_read(const struct gn_user *u, const char *path);

/* The program that `name` would start, as execvp() finds it: -ENOENT or
 * -EACCES. `path` gets PATH_MAX bytes. */
int gn_target_resolve(const char *name, char *path);

/* The program that a command such as env, nice or timeout starts, by the words
 * of the command. False: it starts none, or it is not known which. `path` gets
 * PATH_MAX bytes. */
bool gn_target_launched(char *const argv[], char *path);

struct gn_child {
	pid_t pid;
	int pidfd;
	int gate;   /* write end: closing it ends the child, a byte starts it */
	int fail;   /* read end: the errno of a failed exec */
	int signal; /* that killed it, after the wait; 0 = none */
};

/*
 * Forks; the child waits at the gate, as `u`, to become argv. `env` are
 * NAME=VALUE to add, ended by NULL; `keep` is a descriptor that the program
 * inherits, 0 = none.
 */
int gn_child_fork(struct gn_child *c, char *const argv[],
		  const struct gn_user *u, char *const env[], int keep);
/* Opens the gate and waits until the program runs: 0 or -errno of exec. */
int gn_child_go(struct gn_child *c);
/* Ends a child that waits at its gate; closes the descriptors. */
void gn_child_close(struct gn_child *c);
/* Waits for its end: the exit status as a shell reports it. */
int gn_child_wait(struct gn_child *c);
/* The same without waiting: -EAGAIN if it still runs. */
int gn_child_poll(struct gn_child *c);

#endif
