/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that begin and end, some by pthread_exit() in mid-stack, with
 * thread-specific data, a barrier and a mutex.
 * HARMLESS: libs=-pthread */
#include <pthread.h>

#include "../fragment.h"

#define THREADS_MAX 8

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t threads_barrier;
static pthread_key_t threads_key;
static long threads_sum, threads_gone;

COUNTED(threads_add)
KEEP static void threads_add(long n)
{
	COUNT(threads_add);
	pthread_mutex_lock(&threads_lock);
	threads_sum += n;
	pthread_mutex_unlock(&threads_lock);
}

COUNTED(threads_down)
KEEP static long threads_down(long n, long id)
{
	long r;

	COUNT(threads_down);
	threads_add(n);
	if (!n && id & 1)
		pthread_exit((void *)(id + 100));
	r = n ? threads_down(n - 1, id) : 1;
	OPAQUE(r);
	return r;
}

static void threads_end(void *value)
{
	__atomic_fetch_add(&threads_gone, (long)value, __ATOMIC_RELAXED);
}

static void *threads_body(void *arg)
{
	long id = (long)arg;

	pthread_setspecific(threads_key, (void *)(id + 1));
	pthread_barrier_wait(&threads_barrier);
	threads_down(5 + id, id);
	return (void *)id;
}

FRAGMENT(threads)
{
	unsigned int n = 1 + how % THREADS_MAX;
	pthread_t thread[THREADS_MAX];
	long i, results = 0;
	void *result;

	threads_sum = threads_gone = 0;
	pthread_key_create(&threads_key, threads_end);
	pthread_barrier_init(&threads_barrier, NULL, n);
	for (i = 0; i < (long)n; i++)
		pthread_create(&thread[i], NULL, threads_body, (void *)i);
	for (i = 0; i < (long)n; i++) {
		pthread_join(thread[i], &result);
		results += (long)result;
	}
	pthread_barrier_destroy(&threads_barrier);
	pthread_key_delete(threads_key);
	return threads_sum * 10000 + threads_gone * 1000 + results;
}
