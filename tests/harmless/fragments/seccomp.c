/* SPDX-License-Identifier: BSD-2-Clause */
/* A child that may make no system calls but a few. */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/seccomp.h>
#include <unistd.h>

#include "../fragment.h"

COUNTED(seccomp_leaf)
KEEP static long seccomp_leaf(long n)
{
	COUNT(seccomp_leaf);
	return n + 1;
}

COUNTED(seccomp_down)
KEEP static long seccomp_down(long n)
{
	long r;

	COUNT(seccomp_down);
	r = n ? seccomp_down(n - 1) + 1 : seccomp_leaf(n);
	OPAQUE(r);
	return r;
}

FRAGMENT(seccomp)
{
	pid_t child = fork();
	int status = 0;
	long r;

	if (!child) {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		r = seccomp_down(how % 90);
		syscall(SYS_exit, r);
	}
	waitpid(child, &status, 0);
	return status;
}
