// SPDX-License-Identifier: BSD-2-Clause
#include "profile.h"

#include <dlfcn.h>
#include <stddef.h>

#include <gnomon/selected.h>
#include "../call_sites.h"
#include "functions.h"

#define ONE 8 /* METH_O: a function takes one argument */

static gn_py_profile_fn hook;

/* sys.setprofile(), that for all threads (since 3.12), and what they may get.
 */
typedef struct gn_py *(*setprofile_fn)(struct gn_py *module,
				       struct gn_py *profile);
static struct {
	struct setprofile {
		setprofile_fn *at, own;
	} mine, all;
	struct gn_py *none;
	gn_py_profile_fn set; /* what they set for a function in Python */
	bool all_replaced;
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

static void set_of(void *thread, gn_py_profile_fn fn)
{
	void *own;

	if (gn_py.set_profile_of) {
		sets = true;
		gn_py.set_profile_of(thread, fn, NULL);
		sets = false;
		return;
	}
	own = gn_py.swap(thread);
	set(fn);
	gn_py.swap(own);
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
		return setprofile.mine.own(module, profile);
	if (profile == setprofile.none)
		return remove_none();
	result = setprofile.mine.own(module, profile);
	if (result && *mine != hook) {
		setprofile.set = *mine;
		*mine = skip_end;
	}
	return result;
}

static void *first_thread(void)
{
	return gn_py.thread_head(gn_py.interpreter());
}

/* How many threads have ours. */
static uint64_t count_ours(bool *all)
{
	uint64_t n = 0;

	*all = true;
	for (void *t = first_thread(); t; t = gn_py.next(t))
		if (*at(t, place) == hook)
			n++;
		else
			*all = false;
	return n;
}

/* A thread can be within a call whose begin only our function was told of. */
static void skip_ends(void)
{
	void *mine = gn_py.thread();

	setprofile.set = *at(mine, place);
	for (void *t = first_thread(); t; t = gn_py.next(t))
		if (*at(t, place) == setprofile.set)
			*at(t, place) = skip_end;
}

/* Where ours is, the program sees none. */
static struct gn_py *remove_from_all(void)
{
	for (void *t = first_thread(); t; t = gn_py.next(t))
		set_of(t, *at(t, place) == hook ? hook : NULL);
	gn_py.incref(setprofile.none);
	return setprofile.none;
}

static struct gn_py *set_in_all(struct gn_py *module, struct gn_py *profile)
{
	bool all = false;
	uint64_t n = place ? count_ours(&all) : 0;
	struct gn_py *result;

	if (n && profile == setprofile.none)
		return remove_from_all();
	result = setprofile.all.own(module, profile);
	if (!result || !n || *at(gn_py.thread(), place) == hook)
		return result;
	setprofile.all_replaced = true;
	if (all)
		skip_ends();
	/* of this thread, an audit event has told */
	if (n > 1)
		gn_site_call_selected(GN_SELECTED_PROFILED, n - 1);
	return result;
}

bool gn_profile_all_replaced(void)
{
	return setprofile.all_replaced;
}

static void replace(struct setprofile *s, const char *name, setprofile_fn ours)
{
	struct gn_py *function = gn_py.of_sys(name);

	*s = (struct setprofile){.at = NULL};
	if (function && gn_py.native_function(function))
		s->at = (setprofile_fn *)gn_function_place(function, ONE);
	gn_py.clear_error();
	if (!s->at)
		return;
	s->own = *s->at;
	*s->at = ours;
}

static void give_back(const struct setprofile *s)
{
	if (s->at)
		*s->at = s->own;
}

void gn_profile_begin(void *loaded, gn_py_profile_fn fn)
{
	hook = fn;
	setprofile.none = dlsym(loaded, "_Py_NoneStruct");
	replace(&setprofile.mine, "setprofile", set_by_program);
	replace(&setprofile.all, "_setprofileallthreads", set_in_all);
}

bool gn_profile_is_setting(void)
{
	return sets;
}

void gn_profile_set_of(void *thread)
{
	set_of(thread, hook);
}

void gn_profile_unset(void)
{
	give_back(&setprofile.mine);
	give_back(&setprofile.all);
	set(NULL);
}
