/* SPDX-License-Identifier: BSD-2-Clause */
/* Handlers that nest, restart system calls, are sent by timers, wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "../fragment.h"

static volatile sig_atomic_t signals_n, signals_nested;

/* some timers come until they are seen */
COUNTED_LOOSE(signals_in)
KEEP static long signals_in(long n)
{
	COUNT(signals_in);
	return n + 1;
}

static void signals_handler(int signal)
{
	int before = errno;

	signals_n = (int)signals_in(signals_n);
	if (signal == SIGUSR1 && signals_nested-- > 0)
		raise(SIGUSR1);
	errno = before;
}

COUNTED(signals_raise)
KEEP static void signals_raise(int nested)
{
	COUNT(signals_raise);
	signals_nested = nested;
	raise(SIGUSR1);
	OPAQUE(nested);
}

/* A signal comes while the pipe is read: restarted, or told. */
COUNTED(signals_read)
KEEP static long signals_read(int restart)
{
	const struct itimerval again = {{0, 50000}, {0, 2000}};
	const struct itimerval never = {{0, 0}, {0, 0}};
	int before = signals_n, ends[2];
	char byte = 0;
	ssize_t n;

	COUNT(signals_read);
	if (pipe(ends))
		return -1;
	if (restart) {
		setitimer(ITIMER_REAL, &again, NULL);
		while (signals_n == before)
			pause();
		if (write(ends[1], "x", 1) != 1)
			return -2;
	}
	setitimer(ITIMER_REAL, restart ? &never : &again, NULL);
	n = read(ends[0], &byte, 1);
	setitimer(ITIMER_REAL, &never, NULL);
	n = n < 0 && errno == EINTR ? 77 : n + byte;
	close(ends[0]);
	close(ends[1]);
	return n;
}

COUNTED(signals_spin)
KEEP static long signals_spin(int until, int timer)
{
	struct itimerval once = {.it_value = {.tv_usec = 1000}};
	volatile long i;
	int n;

	COUNT(signals_spin);
	for (n = 0; n < until; n++) {
		int before = signals_n;

		setitimer(timer, &once, NULL);
		for (i = 0; signals_n == before; i = i + 1)
			;
	}
	return n;
}

static long signals_wait(void)
{
	struct timespec zero = {5, 0};
	sigset_t set, was;
	siginfo_t info;
	long r;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &was);
	raise(SIGUSR2);
	r = sigtimedwait(&set, &info, &zero);
	sigprocmask(SIG_SETMASK, &was, NULL);
	return r;
}

FRAGMENT(signals)
{
	struct sigaction action, usr1, alrm, prof;
	long sum = 0;

	memset(&action, 0, sizeof(action));
	action.sa_handler = signals_handler;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGUSR1, &action, &usr1);
	sigaction(SIGALRM, &action, &alrm);
	sigaction(SIGPROF, &action, &prof);
	signals_n = 0;
	signals_raise((int)how % 20);
	sum += signals_n;
	if (how & 1)
		sum += 1000 * signals_read(0);
	if (how & 2)
		sum += 1000 * signals_read(1);
	if (how & 4)
		sum += signals_spin(3, how & 8 ? ITIMER_PROF : ITIMER_REAL);
	sum += 1000000 * signals_wait();
	sigaction(SIGUSR1, &usr1, NULL);
	sigaction(SIGALRM, &alrm, NULL);
	sigaction(SIGPROF, &prof, NULL);
	return sum;
}
