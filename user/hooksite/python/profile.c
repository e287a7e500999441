// SPDX-License-Identifier: BSD-2-Clause
#include "profile.h"

#include <dlfcn.h>
#include <stddef.h>

#include "functions.h"

#define ONE 8 /* METH_O: a function takes one argument */

static gn_py_profile_fn hook;

/* sys.setprofile(), and what it may get. */
typedef struct gn_py *(*setprofile_fn)(struct gn_py *module,
				       struct gn_py *profile);
static struct {
	setprofile_fn *at, own;
	struct gn_py *none;
	gn_py_profile_fn set; /* what it sets for a function in Python */
} setprofile;

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

/* The program sees no profile function where ours is. So it removes none: some
 * libraries do that in each thread, to be sure. */
static struct gn_py *remove_none(void)
{
	int err;

	sets = true;
	err = gn_py.tell_audit("sys.setprofile", NULL);
	sets = false;
	if (err)
		return NULL;
	gn_py.incref(setprofile.none);
	return setprofile.none;
}

/* The end of a call whose begin only our function was told of. */
static int skip_end(struct gn_py *self, struct gn_py *frame, int what,
		    struct gn_py *arg)
{
	*at(gn_py.thread(), place) = setprofile.set;
	if (what == GN_PY_C_RETURN || what == GN_PY_C_EXCEPTION)
		return 0;
	return setprofile.set(self, frame, what, arg);
}

static struct gn_py *set_by_program(struct gn_py *module, struct gn_py *profile)
{
	gn_py_profile_fn *mine = place ? at(gn_py.thread(), place) : NULL;
	struct gn_py *result;

	if (!mine || *mine != hook)
		return setprofile.own(module, profile);
	if (profile == setprofile.none)
		return remove_none();
	result = setprofile.own(module, profile);
	if (result && *mine != hook) {
		setprofile.set = *mine;
		*mine = skip_end;
	}
	return result;
}

void gn_profile_begin(void *loaded, gn_py_profile_fn fn)
{
	struct gn_py *function = gn_py.of_sys("setprofile");

	hook = fn;
	setprofile.none = dlsym(loaded, "_Py_NoneStruct");
	if (function && gn_py.native_function(function))
		setprofile.at =
			(setprofile_fn *)gn_function_place(function, ONE);
	gn_py.clear_error();
	if (!setprofile.at)
		return;
	setprofile.own = *setprofile.at;
	*setprofile.at = set_by_program;
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
	if (setprofile.at)
		*setprofile.at = setprofile.own;
	set(NULL);
}
