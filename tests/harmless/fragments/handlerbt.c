/* SPDX-License-Identifier: BSD-2-Clause */
/* A handler that takes a backtrace of what it interrupted, by backtrace(3) or
 * by the unwinder, raised inside or sent by a timer.
 * HARMLESS: flags=-fasynchronous-unwind-tables,-fexceptions */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unwind.h>

#include "../fragment.h"

static volatile sig_atomic_t bt_depth, bt_seen, bt_way, bt_ready;
static void *volatile bt_top; /* a frame that must be found */

static _Unwind_Reason_Code bt_step(struct _Unwind_Context *c, void *arg)
{
	int *n = arg;

	(void)c;
	return ++*n < 500 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

COUNTED(bt_take)
KEEP static int bt_take(void)
{
	void *at[500];
	int n = 0;

	COUNT(bt_take);
	if (bt_way)
		_Unwind_Backtrace(bt_step, &n);
	else
		n = backtrace(at, 500);
	OPAQUE(n);
	return n;
}

static void bt_arm(void)
{
	struct itimerval once = {.it_value = {.tv_usec = 3000}};

	setitimer(ITIMER_REAL, &once, NULL);
}

static void bt_handler(int signal)
{
	if (signal == SIGALRM && !bt_ready) {
		bt_arm(); /* it is not where it is to be interrupted */
		return;
	}
	bt_depth = bt_take();
	bt_seen = bt_seen + 1;
}

COUNTED(bt_leaf)
KEEP static long bt_leaf(long n)
{
	COUNT(bt_leaf);
	return n + 1;
}

/* Spins until a signal was handled: the timer interrupts it or its leaf. */
COUNTED(bt_spin)
KEEP static long bt_spin(long n)
{
	volatile long i;

	COUNT(bt_spin);
	bt_ready = 1;
	for (i = 0; !bt_seen; i = i + 1)
		;
	return n;
}

COUNTED(bt_raise)
KEEP static long bt_raise(long n)
{
	COUNT(bt_raise);
	raise(SIGUSR2);
	OPAQUE(n);
	return n;
}

COUNTED(bt_down)
KEEP static long bt_down(long n, int timer)
{
	long r;

	COUNT(bt_down);
	r = n	    ? bt_down(n - 1, timer)
	    : timer ? bt_spin(bt_leaf(n))
		    : bt_raise(bt_leaf(n));
	OPAQUE(r);
	return r;
}

FRAGMENT(handlerbt)
{
	struct sigaction action, usr2, prof;
	int timer = how >> 1 & 1;
	long depth = how % 60;

	memset(&action, 0, sizeof(action));
	action.sa_handler = bt_handler;
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &action, &usr2);
	sigaction(SIGALRM, &action, &prof);
	bt_way = how & 1;
	bt_seen = bt_ready = 0;
	bt_depth = 0;
	if (timer)
		bt_arm();
	bt_down(depth, timer);
	sigaction(SIGUSR2, &usr2, NULL);
	sigaction(SIGALRM, &prof, NULL);
	return bt_depth * 1000 + bt_seen;
}
