// SPDX-License-Identifier: BSD-2-Clause
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "hooksite/clr/settle.h"

#define CPU_NS 20000000u
#define WORK   8 /* threads that want a CPU: more than there may be */

static atomic_bool over;

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	assert_return_code(clock_gettime(clock, &t), 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t cpu_of(pthread_t thread)
{
	clockid_t clock;

	assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
	return ns_of(clock);
}

static void *work(void *nice)
{
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), *(int *)nice);
	while (!atomic_load(&over))
		;
	return NULL;
}

/* One thread gets little of the CPUs that it shares with the others. */
static void starving(void **state)
{
	int nice[2] = {0, 5};
	pthread_t thread[WORK];
	uint64_t since = ns_of(CLOCK_MONOTONIC), had, has;
	bool done;

	(void)state;
	for (int i = 0; i < WORK; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, work, &nice[!i]), 0);
	had = cpu_of(thread[0]);
	done = gn_settle(CPU_NS);
	has = cpu_of(thread[0]);
	assert_true(done ? has - had >= CPU_NS
			 : ns_of(CLOCK_MONOTONIC) - since >= GN_SETTLE_MOST_NS);
	atomic_store(&over, true);
	for (int i = 0; i < WORK; i++)
		pthread_join(thread[i], NULL);
}

/* No thread gets as much. */
static void too_long(void **state)
{
	int nice = 19;
	pthread_t thread;

	(void)state;
	atomic_store(&over, false);
	assert_int_equal(pthread_create(&thread, NULL, work, &nice), 0);
	assert_false(gn_settle(GN_SETTLE_MOST_NS * 10));
	atomic_store(&over, true);
	pthread_join(thread, NULL);
}

static void *wait_for(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

/* A thread that waits for a lock may wait for ever. */
static void waiting(void **state)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint64_t since = ns_of(CLOCK_MONOTONIC), took;
	pthread_t thread;

	(void)state;
	pthread_mutex_lock(&lock);
	assert_int_equal(pthread_create(&thread, NULL, wait_for, &lock), 0);
	assert_true(gn_settle(GN_SETTLE_MOST_NS * 1000ull));
	took = ns_of(CLOCK_MONOTONIC) - since;
	assert_true(took >= GN_SETTLE_LEAST_NS);
	assert_true(took < GN_SETTLE_MOST_NS);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(starving),
		cmocka_unit_test(too_long),
		cmocka_unit_test(waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
