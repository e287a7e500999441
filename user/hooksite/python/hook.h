/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile function: the hook of calls and of their ends. */
#ifndef GNOMON_PYTHON_HOOK_H
#define GNOMON_PYTHON_HOOK_H

#include "../call_hooks.h"
#include "api.h"

/* `hooks` stays. */
void gn_hook_begin(const struct gn_call_hooks *hooks);

/* Sets the hook in this thread, or in the one with this state. */
void gn_hook_set(void);
void gn_hook_set_of(void *thread);
/* Whether the thread with this state has no profile function. */
bool gn_hook_is_free(void *thread);
/* Whether this thread is setting one for us. */
bool gn_hook_is_setting(void);
/* Somebody sets a profile function in this thread: if it is the program, the
 * calls that are open end for us. */
void gn_hook_replaced(void);
bool gn_hook_is_replaced(void);

int gn_hook(struct gn_py *self, struct gn_py *frame, int what,
	    struct gn_py *arg);

#endif
