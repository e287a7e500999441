// SPDX-License-Identifier: BSD-2-Clause
#include "states.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/selected.h>
#include "../call_hooks.h"
#include "../call_sites.h"
#include "api.h"
#include "codes.h"
#include "profile.h"
#include "thread.h"

#define SUBINTERPRETERS 64

static struct {
	bool begun;
	bool foreign; /* C code may have started threads that run Python */
	/* number of the last state at the begin, and how many have the hook
	 * since then */
	uint64_t first, known;
	/* subinterpreters by number: looked at, and with hooks */
	uint64_t seen, hooked;
} states;

/* The calling thread is about to start a thread of Python (from 3.12 on). */
static _Thread_local bool starts __attribute__((tls_model("initial-exec")));

/* PyGILState_Check() does not know in a program with several interpreters. */
static bool has_lock(void)
{
	void *own = gn_py.own_thread();

	return own && own == gn_py.thread_or_none();
}

bool gn_states_in_main(void)
{
	return gn_py.is_initialized() && has_lock() &&
	       gn_py.interpreter() == gn_py.main_interpreter();
}

/* The main interpreter numbers its states from 1 on; 3.8 does not tell. */
static uint64_t number(void *thread)
{
	return gn_py.thread_number ? gn_py.thread_number(thread) : 0;
}

void gn_states_begin(bool loaded)
{
	states.foreign |= loaded;
	states.begun = true;
	states.first = number(gn_py.thread_head(gn_py.main_interpreter()));
	states.known = 0;
	gn_profile_set();
}

void gn_states_end(void)
{
	states.begun = false;
	states.seen = states.hooked = 0;
}

void gn_states_python_starts(void)
{
	starts = states.begun;
}

/* Up to 3.11 no event tells that a thread is about to start. But only the
 * holder of the lock can start one, and has made its state. */
static bool starts_python(void)
{
	bool is = starts;

	starts = false;
	return is || (states.begun && gn_py.minor < 12 && has_lock());
}

/* New states are put in front. So those without a hook are in front of all that
 * have one. */
static uint64_t hook_new(void)
{
	void *thread = gn_py.thread_head(gn_py.main_interpreter());
	uint64_t n = 0;

	/* 3.11 puts a state there before it is complete, within a lock that
	 * this function takes, too. No thread has this number. */
	gn_py.set_async(ULONG_MAX, NULL);
	for (; thread && gn_profile_is_free(thread);
	     thread = gn_py.next(thread)) {
		gn_profile_set_of(thread);
		states.known += number(thread) > states.first;
		n++;
	}
	return n;
}

/* The interpreter has made the new thread's state, but the thread does not run
 * yet. */
void gn_states_thread_starts(void)
{
	uint64_t n = starts_python() ? hook_new() : 0;

	if (!n)
		states.foreign = true;
	if (n > 1)
		gn_site_call_selected(GN_SELECTED_FOREIGN_THREADS, n - 1);
}

/* Whether the hook can be in a subinterpreter: up to 3.11, where all share one
 * lock, and if code there keeps our data in the same place. */
static bool can_hook(void *interpreter)
{
	int64_t id = gn_py.interpreter_id(interpreter);

	if (id < 0 || id >= SUBINTERPRETERS)
		return false;
	if (states.seen & UINT64_C(1) << id)
		return states.hooked & UINT64_C(1) << id;
	states.seen |= UINT64_C(1) << id;
	if (gn_py.minor < 12 && gn_codes_fit()) {
		states.hooked |= UINT64_C(1) << id;
		return true;
	}
	gn_site_call_selected(GN_SELECTED_SUBINTERPRETERS, 1);
	return false;
}

/* Whether the program has set a profile function of its own in this thread. */
static bool is_replaced(void)
{
	const struct gn_thread *mine = gn_thread_mine();

	return !mine || mine->replaced || gn_profile_all_replaced();
}

void gn_states_see_own(void)
{
	void *thread = states.begun && !gn_profile_is_setting()
			       ? gn_py.thread_or_none()
			       : NULL;
	void *interpreter;

	/* at its end, an interpreter takes the hook away */
	if (!thread || !gn_profile_is_free(thread) || !gn_py.is_initialized() ||
	    is_replaced() || gn_call_is_over())
		return;
	interpreter = gn_py.interpreter();
	if (interpreter != gn_py.main_interpreter() && !can_hook(interpreter))
		return;
	gn_profile_set();
	states.known += interpreter == gn_py.main_interpreter();
	gn_site_call_selected(GN_SELECTED_FOREIGN_THREADS, 1);
}

void gn_states_look(void)
{
	void *head = states.foreign
			     ? gn_py.thread_head(gn_py.main_interpreter())
			     : NULL;
	uint64_t n = head && gn_profile_is_free(head) ? hook_new() : 0;

	if (n)
		gn_site_call_selected(GN_SELECTED_FOREIGN_THREADS, n);
}

void gn_states_count_missed(void)
{
	void *last = states.begun && states.foreign && gn_py.thread_number &&
				     !gn_call_is_over()
			     ? gn_py.new_thread(gn_py.main_interpreter())
			     : NULL;
	uint64_t made;

	if (!last)
		return;
	made = number(last) - 1 - states.first;
	gn_py.clear_thread(last);
	gn_py.free_thread(last);
	if (made > states.known)
		gn_site_call_selected(GN_SELECTED_FOREIGN_THREADS,
				      made - states.known);
}
