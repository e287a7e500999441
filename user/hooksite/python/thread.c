// SPDX-License-Identifier: BSD-2-Clause
#include "thread.h"

#include <pthread.h>
#include <stdlib.h>

static _Thread_local struct gn_thread *mine
	__attribute__((tls_model("initial-exec")));
static pthread_key_t ends;
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end(void *thread)
{
	struct gn_thread *t = thread;

	mine = NULL;
	gn_calls_free(&t->calls);
	free(t);
}

static void make_key(void)
{
	has_key = !pthread_key_create(&ends, end);
}

/* NULL: no memory, or the program has taken all keys. */
static struct gn_thread *begin(void)
{
	struct gn_thread *t = NULL;

	pthread_once(&once, make_key);
	if (has_key)
		t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	/* no hook is called: nothing is suspended yet */
	if (!gn_calls_switch(&t->calls, NULL, NULL, 0, NULL) ||
	    pthread_setspecific(ends, t)) {
		gn_calls_free(&t->calls);
		free(t);
		return NULL;
	}
	mine = t;
	return t;
}

struct gn_thread *gn_thread_mine(void)
{
	return mine ? mine : begin();
}
