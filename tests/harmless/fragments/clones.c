/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks by clone() that share the memory, on stacks of the program's own; as a
 * thread of no library, and as vfork() with another stack. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fragment.h"

#define CLONES_STACK (64 * 1024)

static volatile long clones_sum;

COUNTED(clones_leaf)
KEEP static long clones_leaf(long n)
{
	COUNT(clones_leaf);
	return n + 2;
}

COUNTED(clones_down)
KEEP static long clones_down(long n)
{
	long r;

	COUNT(clones_down);
	r = n ? clones_down(n - 1) + 1 : clones_leaf(n);
	OPAQUE(r);
	return r;
}

COUNTED(clones_child)
KEEP static int clones_child(void *arg)
{
	COUNT(clones_child);
	clones_sum = clones_sum + clones_down((long)arg);
	return (int)clones_leaf(5);
}

FRAGMENT(clones)
{
	char *stack = mmap(NULL, CLONES_STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int flags[] = {CLONE_VM | CLONE_VFORK | SIGCHLD, CLONE_VM | SIGCHLD,
		       SIGCHLD, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD};
	int i, status, sum = 0;
	pid_t child;

	clones_sum = 0;
	for (i = 0; i < 4; i++) {
		child = clone(clones_child, stack + CLONES_STACK, flags[i],
			      (void *)(long)(how % 50));
		if (child < 0 || waitpid(child, &status, 0) != child)
			return -1;
		sum += WEXITSTATUS(status);
	}
	munmap(stack, CLONES_STACK);
	return clones_sum * 100 + sum;
}
