/* SPDX-License-Identifier: BSD-2-Clause */
/* User threads that a SIGALRM or SIGVTALRM handler switches by swapcontext()
 * while they compute. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include "../fragment.h"

#define PREEMPT_STACK (128 * 1024)
#define PREEMPT_MAX   4

static ucontext_t preempt_of[PREEMPT_MAX + 1]; /* the last: who began */
static volatile int preempt_now, preempt_n, preempt_left, preempt_switches;
static volatile int preempt_done[PREEMPT_MAX];
static long preempt_sum[PREEMPT_MAX];
static int preempt_timer;

/*
 * No switch may unblock the signal: swapcontext() does that before it is on the
 * other stack, and the handler would save the wrong one. What is switched to
 * unblocks it, or is in the handler.
 */
static void preempt_mask(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGVTALRM);
	sigprocmask(how, &set, NULL);
}

static void preempt_arm(void)
{
	struct itimerval once = {.it_value = {.tv_usec = 1200}};

	setitimer(preempt_timer, &once, NULL);
}

/* The next that is not done; the first of all when all are. */
static void preempt_next(void)
{
	int was = preempt_now, i = was;

	do
		i = (i + 1) % preempt_n;
	while (preempt_done[i] && i != was);
	preempt_now = preempt_left ? i : PREEMPT_MAX;
	if (preempt_now != was)
		swapcontext(&preempt_of[was], &preempt_of[preempt_now]);
}

static void preempt_handler(int signal)
{
	(void)signal;
	preempt_switches = preempt_switches + 1;
	if (preempt_left && !preempt_done[preempt_now]) {
		preempt_arm();
		preempt_next();
	}
}

COUNTED_LOOSE(preempt_leaf)
KEEP static long preempt_leaf(long n)
{
	COUNT(preempt_leaf);
	return n ^ n >> 3;
}

COUNTED_LOOSE(preempt_down)
KEEP static long preempt_down(long n)
{
	long r, i;

	COUNT(preempt_down);
	if (!n) {
		/* what is traced works for the kernel most of the time, which a
		 * virtual timer does not count */
		long most = preempt_timer == ITIMER_VIRTUAL ? 40000 : 2000;

		r = 0;
		for (i = 0; i < most; i++)
			r = (r * 5 + i) & 0xffff;
		return r;
	}
	r = preempt_down(n - 1) + (n & 3);
	OPAQUE(r);
	return r;
}

/* Computes until enough switches have come. */
COUNTED(preempt_body)
KEEP static void preempt_body(int i)
{
	long r = 0;

	COUNT(preempt_body);
	preempt_mask(SIG_UNBLOCK);
	do
		r = preempt_down(20) + (preempt_leaf(i) & 1);
	while (preempt_switches < 6);
	preempt_sum[i] = r;
	preempt_mask(SIG_BLOCK);
	preempt_done[i] = 1;
	preempt_left = preempt_left - 1;
	preempt_next();
}

FRAGMENT(preempt)
{
	struct itimerval off = {{0, 0}, {0, 0}};
	struct sigaction action, was;
	size_t size = PREEMPT_STACK * PREEMPT_MAX;
	int n = 2 + (int)(how % 3), i, signal = how & 1 ? SIGALRM : SIGVTALRM;
	char *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigset_t mask;
	long sum = 0;

	preempt_timer = how & 1 ? ITIMER_REAL : ITIMER_VIRTUAL;
	preempt_n = preempt_left = n;
	preempt_switches = 0;
	memset(&action, 0, sizeof(action));
	action.sa_handler = preempt_handler;
	action.sa_flags = SA_RESTART;
	sigaction(signal, &action, &was);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	preempt_mask(SIG_BLOCK);
	for (i = 0; i < n; i++) {
		getcontext(&preempt_of[i]);
		preempt_of[i].uc_stack.ss_sp = room + PREEMPT_STACK * i;
		preempt_of[i].uc_stack.ss_size = PREEMPT_STACK;
		preempt_of[i].uc_link = NULL;
		preempt_done[i] = 0;
		makecontext(&preempt_of[i], (void (*)(void))preempt_body, 1, i);
	}
	preempt_now = 0;
	preempt_arm();
	swapcontext(&preempt_of[PREEMPT_MAX], &preempt_of[0]);
	setitimer(preempt_timer, &off, NULL);
	action.sa_handler = SIG_IGN; /* for one that is pending */
	sigaction(signal, &action, NULL);
	sigaction(signal, &was, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	for (i = 0; i < n; i++)
		sum += preempt_sum[i];
	munmap(room, size);
	return sum;
}
