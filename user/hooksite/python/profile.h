/* SPDX-License-Identifier: BSD-2-Clause */
/* The interpreter's profile function, of which each thread has one. */
#ifndef GNOMON_PYTHON_PROFILE_H
#define GNOMON_PYTHON_PROFILE_H

#include "api.h"

/* Ours. `loaded` is as for gn_py_find(). */
void gn_profile_begin(void *loaded, gn_py_profile_fn hook);

/* Sets ours in this thread, or in the one with this state. */
void gn_profile_set(void);
void gn_profile_set_of(void *thread);
/* Leaves this thread without one. */
void gn_profile_unset(void);
/* Whether the thread with this state has none. */
bool gn_profile_is_free(void *thread);
/* Whether the program has set one of its own in all threads. */
bool gn_profile_all_replaced(void);
/* Whether this thread is setting one for us. */
bool gn_profile_is_setting(void);

#endif
