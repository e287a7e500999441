/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traced calls that are open on a thread, from its first call in the
 * session on. Methods that the compiler has put into one another share a frame
 * of the machine's stack, so frame keys are numbers made from the depth.
 *
 * Each call ends, but a debugger or Thread.stop() can end it unseen. So a
 * method that leaves ends what it has called, too.
 *
 * The calls of a virtual thread are above those of the thread that carries it.
 * They rest when it is unmounted, and may go on in another thread.
 */
#ifndef GNOMON_JAVA_CALLS_H
#define GNOMON_JAVA_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/grow.h>
#include "../call_hooks.h"

struct gn_java_calls {
	uint32_t *at; /* indexes of methods, the innermost last */
	uint32_t n;
	size_t room;
	uint32_t base; /* the first of the virtual thread */
};

/* The calls of a virtual thread that rests. */
struct gn_java_resting {
	uint32_t n;
	uint32_t at[];
};

/* Without memory a call is left out. */
static inline void gn_java_calls_enter(struct gn_java_calls *c, uint32_t index,
				       const struct gn_call_hooks *tell)
{
	if (gn_grow(&c->at, &c->room, c->n + 1, sizeof(*c->at)))
		return;
	c->at[c->n] = index;
	tell->enter(index, gn_call_key(c->n++));
}

/* Ignores a call that began before the session. */
static inline void gn_java_calls_leave(struct gn_java_calls *c, uint32_t index,
				       const struct gn_call_hooks *tell)
{
	uint32_t i = c->n;

	while (i > c->base && c->at[i - 1] != index)
		i--;
	if (i <= c->base)
		return;
	c->n = i - 1;
	tell->leave(index, gn_call_key(c->n));
}

/* The virtual thread is unmounted. What it must be mounted with again, from
 * malloc(); NULL: it has no open calls, or there is no memory. */
struct gn_java_resting *gn_java_calls_rest(struct gn_java_calls *c,
					   const struct gn_call_hooks *tell);

/* A virtual thread is mounted; `resting` may be NULL, and stays the caller's.
 */
void gn_java_calls_go_on(struct gn_java_calls *c,
			 const struct gn_java_resting *resting,
			 const struct gn_call_hooks *tell);

#endif
