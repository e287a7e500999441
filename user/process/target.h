/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traced command: who runs it, which program it is, starting it.
 */
#ifndef GNOMON_PROCESS_TARGET_H
#define GNOMON_PROCESS_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Whom the command runs as: a user that was named, the invoking user of sudo,
 * or whoever gnomon runs as. */
struct gn_user {
	bool other; /* its groups and environment are to be set */
	uid_t uid;
	gid_t gid;
	sigset_t mask; /* of signals, as gnomon was started with */
	bool no_pipe;  /* SIGPIPE was ignored then */
	bool no_child; /* SIGCHLD was, too */
	rlim_t nofile; /* soft limit to give back; 0 = as it is */
	char name[64];
	char home[256];
	char shell[256];
	bool no_stdout; /* its output goes to stderr: stdout is gnomon's */
	int out; /* where the command's output goes, and it reads nothing; 0 =
		    its input and output are gnomon's */
};

/* The user of that login name, or with NULL the one of SUDO_UID and SUDO_GID;
 * and the signal mask of now. -ENOENT: nobody has that name; -EPERM: only root
 * may run a command as another; -EINVAL: what sudo says is no number. */
int gn_user_find(struct gn_user *u, const char *name);

/* Whether `u` may read the file at this real path, by the permission bits of
 * the file and of the folders that lead to it. */
bool gn_user_can_read(const struct gn_user *u, const char *path);

/* The program that `name` would start, as execvp() finds it: -ENOENT or
 * -EACCES. `path` gets PATH_MAX bytes. */
int gn_target_resolve(const char *name, char *path);

struct gn_child {
	pid_t pid;
	int pidfd;
	int gate;   /* write end: closing it ends the child, a byte starts it */
	int fail;   /* read end: the errno of a failed exec */
	int signal; /* that killed it, once it is waited for; 0 = none */
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
/* Ends a child that waits at its gate; closes what is open. */
void gn_child_close(struct gn_child *c);
/* Waits for its end: the exit status as a shell reports it. */
int gn_child_wait(struct gn_child *c);
/* The same, -EAGAIN if it runs yet. */
int gn_child_poll(struct gn_child *c);

#endif
