// SPDX-License-Identifier: BSD-2-Clause
#include "hook.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../call_sites.h"
#include "../fast.h"
#include "calls.h"
#include "room.h"
#include "sites.h"

#define QUIET_MS 2000 /* for threads to leave their hooks */

/* A thread that called a hook. */
struct own {
	struct own *next, **at;
	struct gn_java_calls calls;
	uint32_t session;	  /* of these calls */
	_Atomic uint32_t in_hook; /* see await_quiet() */
	bool contends;		  /* since a virtual thread was unmounted */
	uintptr_t safe;		  /* see room.h */
};

static struct {
	const struct gn_call_hooks *tell;
	/* the session's number; 0: hooks do nothing */
	_Atomic uint32_t session;
	uint32_t sessions;
	bool fast, keyed, fences;
	pthread_key_t ends;
	pthread_mutex_t lock; /* of the list */
	struct own *first;
} hooks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct own *mine
	__attribute__((tls_model("initial-exec")));

static void end_thread(void *ended)
{
	struct own *o = ended;

	mine = NULL;
	pthread_mutex_lock(&hooks.lock);
	*o->at = o->next;
	if (o->next)
		o->next->at = o->at;
	pthread_mutex_unlock(&hooks.lock);
	free(o->calls.at);
	free(o);
}

static struct own *begin_thread(void)
{
	struct own *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->safe = UINTPTR_MAX;
	pthread_mutex_lock(&hooks.lock);
	o->next = hooks.first;
	o->at = &hooks.first;
	if (o->next)
		o->next->at = &o->next;
	hooks.first = o;
	pthread_mutex_unlock(&hooks.lock);
	pthread_setspecific(hooks.ends, o);
	mine = o;
	return o;
}

static struct own *get_own(void)
{
	return mine ? mine : begin_thread();
}

/* NULL: there is no session. Else leave_hook() follows. */
static struct own *enter_hook(struct own *o)
{
	uint32_t session;

	if (!o)
		return NULL;
	atomic_store_explicit(&o->in_hook, 1, memory_order_relaxed);
	/* the barrier of await_quiet() orders the two for the processor */
	atomic_signal_fence(memory_order_seq_cst);
	session = atomic_load_explicit(&hooks.session, memory_order_acquire);
	if (session != o->session) {
		o->session = session;
		o->calls.n = o->calls.base = 0;
	}
	if (session)
		return o;
	atomic_store_explicit(&o->in_hook, 0, memory_order_release);
	return NULL;
}

static void leave_hook(struct own *o)
{
	atomic_store_explicit(&o->in_hook, 0, memory_order_release);
}

void gn_java_hook_enter(gn_jni jni, gn_jref class, int32_t index)
{
	struct own *o = get_own();

	/* not in the hook: a debugger could stop the thread */
	if (o && !gn_java_room_is(&o->safe, jni, class))
		return;
	o = enter_hook(o);
	if (!o)
		return;
	gn_java_calls_enter(&o->calls, (uint32_t)index, hooks.tell);
	leave_hook(o);
}

void gn_java_hook_leave(gn_jni jni, gn_jref class, int32_t index)
{
	struct own *o = enter_hook(get_own());

	(void)jni, (void)class;
	if (!o)
		return;
	gn_java_calls_leave(&o->calls, (uint32_t)index, hooks.tell);
	leave_hook(o);
}

void gn_java_hook_mounted(struct gn_java_resting *resting)
{
	struct own *o = enter_hook(get_own());

	if (!o)
		return;
	gn_java_calls_go_on(&o->calls, resting, hooks.tell);
	leave_hook(o);
}

struct gn_java_resting *gn_java_hook_unmounts(void)
{
	struct own *o = enter_hook(get_own());
	struct gn_java_resting *r;

	if (!o)
		return NULL;
	r = gn_java_calls_rest(&o->calls, hooks.tell);
	/* the wait is above its calls, even if it has none */
	if (o->contends)
		gn_site_call_suspended(0, gn_call_key(o->calls.n) + 1);
	o->contends = false;
	leave_hook(o);
	return r;
}

void gn_java_hook_contends(void)
{
	struct own *o = enter_hook(get_own());

	if (!o)
		return;
	o->contends = true;
	leave_hook(o);
}

bool gn_java_hook_begin(bool fast)
{
	if (!hooks.keyed && pthread_key_create(&hooks.ends, end_thread))
		return false;
	hooks.keyed = true;
	hooks.fences =
		!syscall(SYS_membarrier,
			 MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	hooks.tell = gn_call_begin(fast);
	hooks.fast = hooks.tell->fast;
	if (!++hooks.sessions)
		hooks.sessions++;
	atomic_store(&hooks.session, hooks.sessions);
	return true;
}

bool gn_java_hook_is_fast(void)
{
	return hooks.fast;
}

/*
 * True: no thread is in a hook that began in the session. A thread first says
 * that it is in a hook, then looks for a session. So after a barrier on all
 * processors, each thread has said it, or finds no session.
 */
static bool await_quiet(void)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	bool quiet = hooks.fences &&
		     !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED,
			      0, 0);
	int left = QUIET_MS;

	if (!quiet)
		return false;
	pthread_mutex_lock(&hooks.lock);
	for (struct own *o = hooks.first; o; o = o->next)
		while (atomic_load_explicit(&o->in_hook,
					    memory_order_acquire) &&
		       left-- > 0)
			nanosleep(&ms, NULL);
	pthread_mutex_unlock(&hooks.lock);
	return left > 0;
}

void gn_java_hook_end(void)
{
	bool quiet;

	atomic_store(&hooks.session, 0);
	if (hooks.fast)
		gn_fast_stop();
	quiet = await_quiet();
	/* else the memory stays, and no hook writes to it */
	if (hooks.fast && quiet)
		gn_fast_leave();
	hooks.fast = false;
}
