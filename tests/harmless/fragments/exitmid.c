/* SPDX-License-Identifier: BSD-2-Clause */
/* Children that end in mid-stack: exit, abort, a fault, a signal, another
 * thread's exit; under limits.
 * HARMLESS: libs=-pthread */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fragment.h"

COUNTED(exitmid_leaf)
KEEP static long exitmid_leaf(long n)
{
	COUNT(exitmid_leaf);
	return n + 1;
}

static void *exitmid_thread(void *arg)
{
	(void)arg;
	_exit((int)exitmid_leaf(20));
}

COUNTED(exitmid_end)
KEEP static long exitmid_end(int way)
{
	struct rlimit none = {0, 0};
	pthread_t thread;

	COUNT(exitmid_end);
	setrlimit(RLIMIT_CORE, &none);
	switch (way) {
	case 0:
		exit(5);
	case 1:
		abort();
	case 2:
		*(volatile int *)8 = 1;
		break;
	case 3:
		raise(SIGTERM);
		break;
	case 4:
		kill(getpid(), SIGKILL);
		break;
	case 5:
		pthread_create(&thread, NULL, exitmid_thread, NULL);
		for (;;)
			pause();
	case 6:
		__builtin_trap();
	default:
		quick_exit(9);
	}
	return way;
}

COUNTED(exitmid_down)
KEEP static long exitmid_down(long n, int way)
{
	long r;

	COUNT(exitmid_down);
	r = n ? exitmid_down(n - 1, way) : exitmid_leaf(exitmid_end(way));
	OPAQUE(r);
	return r;
}

FRAGMENT(exitmid)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		/* no destructors of other fragments in it */
		if (how % 8 == 0)
			on_exit((void (*)(int, void *))(void *)_exit, NULL);
		exitmid_down(how % 70, (int)how % 8);
		_exit(1);
	}
	waitpid(child, &status, 0);
	return status;
}
