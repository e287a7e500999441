/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile function: the hook of calls and of their ends. */
#ifndef GNOMON_PYTHON_HOOK_H
#define GNOMON_PYTHON_HOOK_H

#include "../call_hooks.h"

/* Calls go to `hooks`, which stay. `loaded` is as for gn_py_find(). */
void gn_hook_begin(void *loaded, const struct gn_call_hooks *hooks);

/* Somebody sets a profile function in this thread: if it is the program, the
 * calls that are open end for us. */
void gn_hook_replaced(void);

#endif
