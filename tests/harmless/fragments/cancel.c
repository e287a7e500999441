/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that are cancelled, deferred or at any instruction, while cleanups
 * are pushed; they must all run.
 * HARMLESS: libs=-pthread flags=-fexceptions,-fasynchronous-unwind-tables */
#include <pthread.h>
#include <unistd.h>

#include "../fragment.h"

#define CANCEL_THREADS 4

struct cancel {
	int asynchronous, depth;
	volatile int ready;
	int cleaned;
};

COUNTED(cancel_clean)
KEEP static void cancel_clean(void *arg)
{
	struct cancel *c = arg;

	COUNT(cancel_clean);
	c->cleaned++;
}

COUNTED(cancel_leaf)
KEEP static long cancel_leaf(long n)
{
	COUNT(cancel_leaf);
	return n + 1;
}

/* Computes and never ends. */
COUNTED(cancel_spin)
KEEP static long cancel_spin(struct cancel *c)
{
	volatile long i;

	COUNT(cancel_spin);
	c->ready = 1;
	for (i = 1; i; i = i + 2)
		;
	return i;
}

COUNTED(cancel_closed)
KEEP static long cancel_closed(struct cancel *c, int left)
{
	long r;

	COUNT(cancel_closed);
	r = left ? cancel_closed(c, left - 1) : cancel_spin(c);
	OPAQUE(r);
	return r;
}

COUNTED(cancel_wait)
KEEP static long cancel_wait(struct cancel *c)
{
	long n = cancel_leaf(1);

	COUNT(cancel_wait);
	c->ready = 1;
	for (;;)
		pause();
	return n;
}

COUNTED(cancel_down)
KEEP static long cancel_down(struct cancel *c, int left)
{
	long r;

	COUNT(cancel_down);
	pthread_cleanup_push(cancel_clean, c);
	r = left	      ? cancel_down(c, left - 1)
	    : c->asynchronous ? cancel_closed(c, 5)
			      : cancel_wait(c);
	OPAQUE(r);
	pthread_cleanup_pop(1);
	return r;
}

static void *cancel_thread(void *arg)
{
	struct cancel *c = arg;
	int was;

	pthread_setcanceltype(c->asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS
					      : PTHREAD_CANCEL_DEFERRED,
			      &was);
	cancel_down(c, c->depth);
	return NULL;
}

FRAGMENT(cancel)
{
	struct cancel c[CANCEL_THREADS] = {{0, 0, 0, 0}};
	pthread_t thread[CANCEL_THREADS];
	long sum = 0;
	void *result;
	int i;

	for (i = 0; i < CANCEL_THREADS; i++) {
		c[i].asynchronous = (int)(how & 3) == 0 || (i ^ (int)how) & 1;
		c[i].depth = (int)how / 4 % 20 + i;
		pthread_create(&thread[i], NULL, cancel_thread, &c[i]);
	}
	for (i = 0; i < CANCEL_THREADS; i++) {
		while (!c[i].ready)
			usleep(100);
		pthread_cancel(thread[i]);
	}
	for (i = 0; i < CANCEL_THREADS; i++) {
		pthread_join(thread[i], &result);
		sum += c[i].cleaned * (result == PTHREAD_CANCELED ? 1 : 1000);
	}
	return sum;
}
