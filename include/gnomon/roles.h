/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the functions of a runtime say of the waits within them. To the kernel
 * a wait for a lock that somebody holds and one for work look the same, since a
 * runtime makes both of a condition variable. Its functions tell them apart.
 */
#ifndef GNOMON_ROLES_H
#define GNOMON_ROLES_H

#include <stdbool.h>
#include <stdint.h>

enum gn_role {
	GN_ROLE_NONE = 0,
	GN_ROLE_WAIT,	   /* waits for its caller, who says what for */
	GN_ROLE_LOCK,	   /* waits for a lock only */
	GN_ROLE_SEMAPHORE, /* a lock, unless a QUEUE calls it */
	GN_ROLE_QUEUE,	   /* its semaphores wait for what others put in */
	GN_ROLE_IDLE,	   /* a worker that has nothing to do */
	/* the same as LOCK, by timed waits that it repeats until it has it */
	GN_ROLE_LOCK_REPEATS,
	/* of a thread: all that it does is collecting, all else is idle */
	GN_ROLE_COLLECTOR,
	/* of a thread: it serves the runtime itself, so nobody waits for what
	 * it waits for, whatever that is */
	GN_ROLE_SERVICE,
	/* runs a part of a virtual thread, which goes on in another call of it,
	 * in any thread: what that was in when this one ends is not on any
	 * stack then */
	GN_ROLE_MOUNTS,
};

/* Frames of a stack that are looked at. */
#define GN_ROLE_FRAMES 16

/* Where the model learns of them; NULL: nothing is told. */
struct gn_roles {
	/* `runtime` is an enum gn_runtime_id, `name` a function's name */
	enum gn_role (*of_function)(uint32_t runtime, const char *name);
	/* of a thread of that name: its waits in no function are idle ones */
	enum gn_role (*of_thread)(const char *name);
	/* the runtime, an enum gn_runtime_id, that has a thread of that name in
	 * each process; 0: none */
	uint32_t (*runtime_of)(const char *name);
};

#endif
