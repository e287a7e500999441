/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traced calls that are open on a thread. A call's frame key is the stack
 * pointer of its enter hook. At its end the stack pointer can be lower, if the
 * method has taken memory on the stack, and far lower in an exception's hook.
 * So the key is kept here.
 */
#ifndef GNOMON_MONO_CALLS_H
#define GNOMON_MONO_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gn_call {
	uint64_t key;
	uint32_t index;
};

struct gn_calls {
	struct gn_call *at;
	uint32_t n;
	size_t room;
};

/* False: no memory. */
bool gn_calls_push(struct gn_calls *c, uint32_t index, uint64_t key);

/* Ends the call of the function whose frame has the stack pointer `sp` now, and
 * returns its key. 0: there is none. */
uint64_t gn_calls_pop(struct gn_calls *c, uint32_t index, uint64_t sp);

/* The same for the innermost call of the function. */
uint64_t gn_calls_unwind(struct gn_calls *c, uint32_t index);

#endif
