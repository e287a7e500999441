// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

#include "hooksite/clr/unloads.h"

#define GONE_NS 200000000u

static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
	(void)sig;
	signals++;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void hold(struct gn_unloads *u, bool gone)
{
	gn_unloads_hold(u, gone);
	gn_unloads_release(u);
}

static void test_waits(void **state)
{
	struct gn_unloads u = {.last = 0};

	(void)state;
	hold(&u, true);
	/* waiting for it would take centuries */
	u.last = UINT64_MAX / 2;
	hold(&u, false);
	gn_unloads_note(&u);
	hold(&u, true);
	assert_true(now_ns() - u.last >= GONE_NS);
}

/* The program's timer interrupts the wait, but does not shorten it. */
static void test_interrupted(void **state)
{
	struct gn_unloads u = {.last = 0};
	const struct sigaction act = {.sa_handler = on_signal,
				      .sa_flags = SA_RESTART};
	const struct itimerval often = {{0, 20000}, {0, 20000}},
			       never = {{0, 0}, {0, 0}};

	(void)state;
	sigaction(SIGALRM, &act, NULL);
	/* first, because otherwise the whole wait may pass before */
	setitimer(ITIMER_REAL, &often, NULL);
	gn_unloads_note(&u);
	hold(&u, true);
	assert_true(now_ns() - u.last >= GONE_NS);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_true(signals > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
