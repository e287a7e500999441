// SPDX-License-Identifier: BSD-2-Clause
#include "profile.h"

#include <stddef.h>

static gn_py_profile_fn hook;

void gn_profile_begin(gn_py_profile_fn fn)
{
	hook = fn;
}

/* This thread calls PyEval_SetProfile() for us. */
static _Thread_local bool sets __attribute__((tls_model("initial-exec")));

/* Where a thread's state has its profile function; 0: not known. The layout
 * differs between versions, so the place is taken from a state that has ours.
 */
static size_t place;
#define PLACES 32

static void set(gn_py_profile_fn fn)
{
	sets = true;
	gn_py.set_profile(fn, NULL);
	sets = false;
}

static gn_py_profile_fn *at(void *thread, size_t i)
{
	return (gn_py_profile_fn *)thread + i;
}

void gn_profile_set(void)
{
	void *thread = gn_py.thread();

	set(hook);
	for (size_t i = 1; i < PLACES && !place; i++)
		if (*at(thread, i) == hook)
			place = i;
}

bool gn_profile_is_free(void *thread)
{
	return place && !*at(thread, place);
}

bool gn_profile_is_setting(void)
{
	return sets;
}

void gn_profile_set_of(void *thread)
{
	void *own;

	if (gn_py.set_profile_of) {
		sets = true;
		gn_py.set_profile_of(thread, hook, NULL);
		sets = false;
		return;
	}
	own = gn_py.swap(thread);
	set(hook);
	gn_py.swap(own);
}

void gn_profile_unset(void)
{
	set(NULL);
}
