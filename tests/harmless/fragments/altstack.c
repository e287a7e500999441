/* SPDX-License-Identifier: BSD-2-Clause */
/* Handlers on a signal stack that lies above or below the thread's stack, that
 * return or jump, nested too.
 * HARMLESS: libs=-pthread */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "../fragment.h"

#define ALT_SIZE (256 * 1024)

struct alt {
	unsigned int how;
	char *stack; /* of the handlers */
	long result;
};

static volatile sig_atomic_t alt_handled, alt_jump;
static sigjmp_buf alt_home;

COUNTED(alt_in)
KEEP static long alt_in(long n)
{
	long r;

	COUNT(alt_in);
	r = n > 0 ? alt_in(n - 1) + 1 : 0;
	OPAQUE(r);
	return r;
}

static void alt_handler(int signal)
{
	alt_handled = alt_handled + (int)alt_in(3);
	if (alt_jump)
		siglongjmp(alt_home, 1);
	if (signal == SIGUSR1)
		raise(SIGUSR2);
}

COUNTED(alt_leaf)
KEEP static long alt_leaf(long n)
{
	COUNT(alt_leaf);
	raise(n & 1 ? SIGUSR1 : SIGUSR2);
	OPAQUE(n);
	return n;
}

COUNTED(alt_down)
KEEP static long alt_down(long n)
{
	long r;

	COUNT(alt_down);
	r = n > 0 ? alt_down(n - 1) + 1 : alt_leaf(n);
	OPAQUE(r);
	return r;
}

/* Computes only, and is interrupted. */
COUNTED(alt_spin)
KEEP static long alt_spin(long depth, int until)
{
	volatile long i;
	long r = 0;

	COUNT(alt_spin);
	if (depth > 0)
		r = alt_spin(depth - 1, until);
	else
		for (i = 0; alt_handled < until; i = i + 1)
			;
	OPAQUE(r);
	return r + 1;
}

static long alt_round(unsigned int how, int i)
{
	struct itimerval once = {.it_value = {.tv_usec = 1500}};

	alt_jump = how >> 2 & 1;
	if (alt_jump && sigsetjmp(alt_home, 1))
		return 100;
	if (how >> 3 & 1 && !alt_jump) {
		int until = alt_handled + 3;

		setitimer(ITIMER_REAL, &once, NULL);
		return alt_spin(how % 9, until);
	}
	return alt_down(how % 7 + (unsigned int)i);
}

static void *alt_thread(void *arg)
{
	struct alt *a = arg;
	stack_t stack, old;
	sigset_t alarm;
	int i;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = a->stack;
	stack.ss_size = ALT_SIZE;
	sigaltstack(&stack, &old);
	for (i = 0; i < 4; i++)
		a->result += alt_round(a->how, i);
	sigaltstack(&old, NULL);
	return NULL;
}

/* A thread whose stack is the lower or the upper part of one mapping. */
static long alt_run(unsigned int how, char *room)
{
	struct alt a = {how, room, 0};
	pthread_attr_t attr;
	pthread_t thread;

	if (how & 1)
		a.stack = room + ALT_SIZE;
	if (how & 2) { /* the main thread's */
		alt_thread(&a);
		return a.result;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, how & 1 ? room : room + ALT_SIZE,
			      ALT_SIZE);
	if (pthread_create(&thread, &attr, alt_thread, &a))
		return -1;
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	return a.result;
}

FRAGMENT(altstack)
{
	struct sigaction action, usr1, usr2, alrm;
	char *room = mmap(NULL, 2 * ALT_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigset_t alarm;
	long r;

	alt_handled = 0;
	memset(&action, 0, sizeof(action));
	action.sa_handler = alt_handler;
	action.sa_flags = SA_ONSTACK | SA_RESTART | SA_NODEFER;
	sigaction(SIGUSR1, &action, &usr1);
	sigaction(SIGUSR2, &action, &usr2);
	sigaction(SIGALRM, &action, &alrm);
	/* timers go to the thread that spins */
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	r = alt_run(how, room);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	sigaction(SIGUSR1, &usr1, NULL);
	sigaction(SIGUSR2, &usr2, NULL);
	sigaction(SIGALRM, &alrm, NULL);
	munmap(room, 2 * ALT_SIZE);
	return r * 1000 + alt_handled;
}
