/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of each thread. */
#ifndef GNOMON_PYTHON_THREAD_H
#define GNOMON_PYTHON_THREAD_H

#include <stdbool.h>

#include "../fiber_calls.h"

struct gn_thread {
	/* The calls that are open. The frame of one is a frame of the
	 * interpreter, or the definition of a function in C; its kind is not
	 * used. The context of a fiber is a greenlet, or NULL if none is known
	 * yet. */
	struct gn_calls calls;
	bool replaced; /* the program has set another profile function */
};

/* This one's; NULL: no memory. */
struct gn_thread *gn_thread_mine(void);

#endif
