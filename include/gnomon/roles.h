/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a runtime's functions say about the waits within them. To the kernel a
 * wait for a lock that another thread holds and a wait for work look the same,
 * because a runtime uses a condition variable for both. The functions tell them
 * apart.
 */
#ifndef GNOMON_ROLES_H
#define GNOMON_ROLES_H

#include <stdbool.h>
#include <stdint.h>

enum gn_role {
	GN_ROLE_NONE = 0,
	GN_ROLE_WAIT,	   /* its caller decides what the wait is for */
	GN_ROLE_LOCK,	   /* waits for a lock only */
	GN_ROLE_SEMAPHORE, /* a lock, unless a QUEUE calls it */
	GN_ROLE_QUEUE,	   /* its semaphores wait for items that others add */
	GN_ROLE_IDLE,	   /* a worker that has nothing to do */
	/* as LOCK, but repeats timed waits until it gets the lock */
	GN_ROLE_LOCK_REPEATS,
	/* of a thread that only collects garbage: all other time is idle */
	GN_ROLE_COLLECTOR,
	/* of a thread: it serves the runtime itself, so nobody waits for what
	 * it waits for, whatever that is */
	GN_ROLE_SERVICE,
	/* of a thread: as SERVICE; it makes workers of a thread pool where work
	 * is queued and no worker is free */
	GN_ROLE_GATE,
	/* of a thread: a worker of such a pool */
	GN_ROLE_WORKER,
	/* runs a part of a virtual thread, which goes on in another call of it,
	 * in any thread: what that was in when this one ends is not on any
	 * stack then */
	GN_ROLE_MOUNTS,
};

/* Whether a thread serves the runtime itself. */
static inline bool gn_role_serves(enum gn_role role)
{
	return role == GN_ROLE_SERVICE || role == GN_ROLE_GATE;
}

/* How many frames of a stack are examined. */
#define GN_ROLE_FRAMES 16

/* How the model looks up roles. A pointer can be NULL. */
struct gn_roles {
	/* `runtime` is an enum gn_runtime_id, `name` a function's name */
	enum gn_role (*of_function)(uint32_t runtime, const char *name);
	/* by a thread's name: its waits outside all functions are idle */
	enum gn_role (*of_thread)(const char *name);
	/* the runtime, an enum gn_runtime_id, that has a thread of that name in
	 * each process; 0: none */
	uint32_t (*runtime_of)(const char *name);
};

#endif
