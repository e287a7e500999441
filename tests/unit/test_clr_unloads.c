// SPDX-License-Identifier: BSD-2-Clause
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "hooksite/clr/settle.h"
#include "hooksite/clr/unloads.h"

#define GONE_NS	  200000000u
#define REMOVE_NS 50000000u /* CPU time */
#define WORK	  8	    /* threads on one CPU */

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

static void hold_gone(struct gn_unloads *u)
{
	assert_true(gn_unloads_hold_gone(u));
	gn_unloads_release(u);
}

static void test_waits(void **state)
{
	struct gn_unloads u = {.last = 0};
	uint64_t since;

	(void)state;
	hold_gone(&u);
	/* waiting for it would take centuries */
	u.last = UINT64_MAX / 2;
	gn_unloads_hold(&u);
	gn_unloads_release(&u);
	since = now_ns();
	gn_unloads_note(&u);
	hold_gone(&u);
	assert_true(now_ns() - since >= GONE_NS);
	assert_int_equal(u.last, 0);
}

/* A thread that unloads something, and others that want its CPU. */
struct busy {
	struct gn_unloads u;
	pthread_t thread[WORK];
	atomic_bool begun, over;
};

static void *work(void *busy)
{
	struct busy *b = busy;

	while (!atomic_load(&b->over))
		;
	return NULL;
}

static void *unload(void *busy)
{
	struct busy *b = busy;

	gn_unloads_note(&b->u);
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 5);
	atomic_store(&b->begun, true);
	return work(b);
}

static uint64_t cpu_of(pthread_t thread)
{
	struct timespec t;
	clockid_t clock;

	assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
	assert_return_code(clock_gettime(clock, &t), 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The thread that unloads gets little of the CPU that it shares. */
static void test_starving(void **state)
{
	struct busy b = {.u = {.last = 0}};
	uint64_t since = now_ns(), had;
	cpu_set_t all, one;
	bool gone;
	int cpu = 0;

	(void)state;
	assert_return_code(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_return_code(sched_setaffinity(0, sizeof(one), &one), 0);
	for (int i = 0; i < WORK; i++)
		assert_int_equal(pthread_create(&b.thread[i], NULL,
						i ? work : unload, &b),
				 0);
	while (!atomic_load(&b.begun))
		sched_yield();
	had = cpu_of(b.thread[0]);
	gone = gn_unloads_hold_gone(&b.u);
	assert_true(gone ? cpu_of(b.thread[0]) - had >= REMOVE_NS
			 : now_ns() - since >= GN_SETTLE_MOST_NS);
	gn_unloads_release(&b.u);
	atomic_store(&b.over, true);
	for (int i = 0; i < WORK; i++)
		pthread_join(b.thread[i], NULL);
	sched_setaffinity(0, sizeof(all), &all);
}

/* The program's timer interrupts the wait, but does not shorten it. */
static void test_interrupted(void **state)
{
	struct gn_unloads u = {.last = 0};
	const struct sigaction act = {.sa_handler = on_signal,
				      .sa_flags = SA_RESTART};
	const struct itimerval often = {{0, 20000}, {0, 20000}},
			       never = {{0, 0}, {0, 0}};

	uint64_t since = now_ns();

	(void)state;
	sigaction(SIGALRM, &act, NULL);
	/* first, because otherwise the whole wait may pass before */
	setitimer(ITIMER_REAL, &often, NULL);
	gn_unloads_note(&u);
	hold_gone(&u);
	assert_true(now_ns() - since >= GONE_NS);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_true(signals > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_starving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
