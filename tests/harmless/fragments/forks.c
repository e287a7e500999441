/* SPDX-License-Identifier: BSD-2-Clause */
/* Children: forked in mid-stack and returning through the frames, by vfork()
 * that execs or exits, by posix_spawn(), from a thread, killed. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fragment.h"

extern char **environ;

COUNTED(forks_leaf)
KEEP static long forks_leaf(long n)
{
	COUNT(forks_leaf);
	return n + 1;
}

COUNTED(forks_down)
KEEP static long forks_down(long n, pid_t *child)
{
	long r;

	COUNT(forks_down);
	if (!n)
		*child = fork();
	r = n ? forks_down(n - 1, child) + 1 : forks_leaf(0);
	OPAQUE(r);
	return r;
}

static long forks_wait(pid_t child)
{
	int status = 0;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status)
				 : 1000 + WTERMSIG(status);
}

COUNTED(forks_fork)
KEEP static long forks_fork(long n, int kill_it)
{
	pid_t child = -1;
	long r;

	COUNT(forks_fork);
	r = forks_down(n, &child);
	if (child == 0) {
		r += forks_leaf(r);
		if (kill_it)
			raise(SIGKILL);
		_exit((int)r & 0x7f);
	}
	return r + forks_wait(child);
}

COUNTED(forks_vfork)
KEEP static long forks_vfork(int how)
{
	static char *const args[] = {(char *)"true", NULL};
	pid_t child;

	COUNT(forks_vfork);
	child = vfork();
	if (child == 0) {
		if (how & 1)
			execv("/bin/true", args);
		_exit(3);
	}
	return forks_wait(child);
}

COUNTED(forks_spawn)
KEEP static long forks_spawn(void)
{
	static char *const args[] = {(char *)"false", NULL};
	pid_t child;

	COUNT(forks_spawn);
	if (posix_spawn(&child, "/bin/false", NULL, NULL, args, environ))
		return -5;
	return forks_wait(child);
}

FRAGMENT(forks)
{
	long sum = forks_fork(how % 12, 0);

	if (how & 1)
		sum += forks_fork(70, 1);
	if (how & 2)
		sum += forks_vfork((int)how >> 3) * 100;
	if (how & 4)
		sum += forks_spawn() * 1000;
	return sum;
}
