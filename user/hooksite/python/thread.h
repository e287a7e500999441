/* SPDX-License-Identifier: BSD-2-Clause */
/* The traced calls that are open on a thread. */
#ifndef GNOMON_PYTHON_THREAD_H
#define GNOMON_PYTHON_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gn_call {
	const void *who; /* a frame, or the definition of a function in C */
	uint32_t index;
};

/*
 * Calls from Python to Python share one frame of the machine's stack, so that
 * frame keys cannot come from there. They are made from the depth instead.
 */
struct gn_calls {
	struct gn_call *at;
	uint32_t n;
	size_t room;
	bool replaced; /* the program has set another profile function */
	uint64_t base; /* the key of the first call, plus GN_CALL_KEY */
};

#define GN_CALL_KEY 16

/* Those of this thread; NULL: no memory. */
struct gn_calls *gn_calls_mine(void);

/* The key of call `i`. */
static inline uint64_t gn_calls_key(const struct gn_calls *c, uint32_t i)
{
	return c->base - (uint64_t)(i + 1) * GN_CALL_KEY;
}

/* Adds a call and returns its key; 0: no memory. */
uint64_t gn_calls_push(struct gn_calls *c, const void *who, uint32_t index);

/* Removes the innermost such call, and those within it, and returns its key; 0:
 * there is none. */
uint64_t gn_calls_pop(struct gn_calls *c, const void *who, uint32_t index);

#endif
