/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traced calls that are open on a thread of an interpreter with fibers.
 * Calls can share one frame of the machine's stack, and fibers have stacks of
 * their own, so frame keys cannot come from there: they are numbers made from
 * the depth. The address of a frame in the fiber's stack, which grows down,
 * shows which calls are still open: no event reports those that a stack
 * overflow or a fatal error ends.
 *
 * The calls of a fiber are on top of those of the fiber that resumed it, and
 * are suspended when that one goes on.
 */
#ifndef GNOMON_HOOKSITE_FIBER_CALLS_H
#define GNOMON_HOOKSITE_FIBER_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call_hooks.h"

enum gn_call_kind { GN_CALL_METHOD, GN_CALL_BLOCK, GN_CALL_C };

struct gn_call {
	uintptr_t frame; /* of a function in C: one below its caller's */
	uint32_t index;
	uint32_t kind;
};

struct gn_fiber {
	const void *context; /* who */
	const void *stack;   /* of the virtual machine */
	uint32_t first;	     /* its first call */
};

/* Calls of a suspended fiber. */
struct gn_suspended {
	struct gn_suspended *next;
	const void *context, *stack;
	uint32_t n;
	struct gn_call at[];
};

struct gn_calls {
	struct gn_call *at;
	uint32_t n;
	size_t room;
	struct gn_fiber *fiber; /* the last one runs */
	uint32_t nfibers;
	size_t fiber_room;
	/* a hash table: lists of the suspended fibers with calls */
	struct gn_suspended **suspended;
	size_t nlists, nsuspended;
};

void gn_calls_init(struct gn_calls *c);
void gn_calls_free(struct gn_calls *c);

/* The fiber `context` runs now, at `frame`. False: no memory. */
bool gn_calls_switch(struct gn_calls *c, const void *context, const void *stack,
		     uintptr_t frame, const struct gn_call_hooks *hooks);

/* Whether the fiber runs, or is below the one that runs. */
bool gn_calls_has(const struct gn_calls *c, const void *context);
/* The same for a fiber for which this is true, if those above it have ended:
 * calls that are there are its own. */
void gn_calls_join(struct gn_calls *c, const void *context);

/* Forgets the calls from the i-th on, and the fibers whose calls these are:
 * they have ended. */
void gn_calls_cut(struct gn_calls *c, uint32_t i);

/* The fiber, which is suspended, will not go on. */
void gn_calls_forget(struct gn_calls *c, const void *context);

/* Ends the fiber's calls whose frames are below `frame`. */
void gn_calls_heal(struct gn_calls *c, uintptr_t frame,
		   const struct gn_call_hooks *hooks);

/* The innermost call of the fiber that runs, or NULL. */
static inline struct gn_call *gn_calls_top(const struct gn_calls *c)
{
	return c->n > c->fiber[c->nfibers - 1].first ? &c->at[c->n - 1] : NULL;
}

void gn_calls_enter(struct gn_calls *c, struct gn_call call,
		    const struct gn_call_hooks *hooks);
/* A call of a generator goes on. */
void gn_calls_go_on(struct gn_calls *c, struct gn_call call,
		    const struct gn_call_hooks *hooks);
/* Ends the innermost call. */
void gn_calls_leave(struct gn_calls *c, const struct gn_call_hooks *hooks);

#endif
