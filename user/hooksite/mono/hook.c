// SPDX-License-Identifier: BSD-2-Clause
#include "hook.h"

#include <pthread.h>
#include <stdlib.h>

#include <gnomon/runtime_event.h>
#include "../call_hooks.h"
#include "../mute.h"
#include "api.h"
#include "calls.h"
#include "compile.h"
#include "events.h"
#include "methods.h"
#include "sites.h"

static struct {
	const struct gn_call_hooks *calls;
	gn_call_hook_fn tailcall, unwound;
	void (*started)(void);
	gn_mono profiler;
	pthread_key_t ends;
} hooks;

static _Thread_local struct gn_calls *mine
	__attribute__((tls_model("initial-exec")));

#define BY_SITE(name)                                            \
	static void name##_by_site(uint64_t index, uint64_t key) \
	{                                                        \
		if (!gn_muted((uint32_t)index))                  \
			gn_site_##name(index, key);              \
	}

BY_SITE(tailcall)
BY_SITE(unwound)

static void end_thread(void *calls)
{
	struct gn_calls *c = calls;

	mine = NULL;
	free(c->at);
	free(c);
}

/* NULL: no memory. */
static struct gn_calls *calls_of_thread(void)
{
	struct gn_calls *c = mine;

	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c || pthread_setspecific(hooks.ends, c)) {
		free(c);
		return NULL;
	}
	return mine = c;
}

static void set_callbacks(bool on);

/* Code that is compiled already still calls the runtime, which then has nothing
 * to call. */
static bool is_over(void)
{
	if (!gn_call_is_over())
		return false;
	set_callbacks(false);
	gn_events_set(hooks.profiler, 0);
	return true;
}

/* In a callback of the runtime: compiled code calls the runtime's function, and
 * that calls this one. So it is a fixed distance below the frame. */
#define OWN_FRAME ((uint64_t)(uintptr_t)__builtin_frame_address(0))

static void on_enter(void *profiler, gn_mono method, void *context)
{
	struct gn_calls *c = calls_of_thread();
	uint32_t index = c && !is_over() ? gn_method_hooked(method) : 0;

	(void)profiler, (void)context;
	if (index && gn_calls_push(c, index, OWN_FRAME))
		hooks.calls->enter(index, OWN_FRAME);
}

static void end_call(gn_mono method, uint64_t sp, gn_call_hook_fn tell)
{
	struct gn_calls *c = calls_of_thread();
	uint32_t index = c && !is_over() ? gn_method_hooked(method) : 0;
	uint64_t key = index ? gn_calls_pop(c, index, sp) : 0;

	if (key)
		tell(index, key);
}

static void on_leave(void *profiler, gn_mono method, void *context)
{
	(void)profiler, (void)context;
	end_call(method, OWN_FRAME, hooks.calls->leave);
}

static void on_tailcall(void *profiler, gn_mono method, gn_mono to)
{
	(void)profiler, (void)to;
	end_call(method, OWN_FRAME, hooks.tailcall);
}

/* The runtime unwinds the stack without running this frame's code again. */
static void on_unwound(void *profiler, gn_mono method, gn_mono exception)
{
	struct gn_calls *c = calls_of_thread();
	uint32_t index = c && !is_over() ? gn_method_hooked(method) : 0;

	(void)profiler, (void)exception;
	if (index && gn_calls_unwind(c, index))
		hooks.unwound(index, 0);
}

static int on_filter(void *profiler, gn_mono method)
{
	(void)profiler;
	return gn_method_ask(method, gn_compile_asks())
		       ? GN_MONO_ENTER | GN_MONO_LEAVE | GN_MONO_TAILCALL |
				 GN_MONO_UNWOUND
		       : GN_MONO_NONE;
}

static void on_jit_begin(void *profiler, gn_mono method)
{
	(void)profiler;
	if (!is_over())
		gn_compile_begins(method, OWN_FRAME);
}

static void on_jit_failed(void *profiler, gn_mono method)
{
	(void)profiler;
	gn_compile_ends(method, NULL);
}

static void on_jit_done(void *profiler, gn_mono method, gn_mono code)
{
	(void)profiler;
	gn_compile_ends(method, code);
}

/* A generation is 0 or 1; who induced it is not told. Each begin and end is on
 * one thread, while all others are suspended by it. */
static void on_gc(void *profiler, int event, uint32_t generation, int serial)
{
	enum { COLLECTS = 1 }; /* GN_SUSPEND_KEY_COLLECTS */

	(void)profiler, (void)serial;
	if (event == GN_MONO_GC_START)
		gn_site_gc_begin(generation + 1); /* as in GN_GC_KEY */
	else if (event == GN_MONO_GC_END)
		gn_site_gc_end();
	else if (event == GN_MONO_GC_STOP)
		gn_site_suspend_begin(COLLECTS);
	else if (event == GN_MONO_GC_STOPPED)
		gn_site_all_stopped();
	else if (event == GN_MONO_GC_RESUME)
		gn_site_resume_begin();
	else if (event == GN_MONO_GC_RESUMED)
		gn_site_suspend_end();
}

/* The first event of all. */
static void on_domain(void *profiler, gn_mono domain)
{
	(void)profiler, (void)domain;
	gn_mono_api.on_domain(hooks.profiler, NULL);
	hooks.started();
}

static void set_callbacks(bool on)
{
#define SET(event) \
	gn_mono_api.on_##event(hooks.profiler, on ? on_##event : NULL)
	gn_mono_api.set_filter(hooks.profiler, on ? on_filter : NULL);
	SET(enter);
	SET(leave);
	SET(tailcall);
	SET(unwound);
	SET(jit_begin);
	SET(jit_failed);
	SET(jit_done);
	SET(gc);
#undef SET
}

bool gn_hook_begin(bool fast, uint32_t families, void (*started)(void))
{
	hooks.calls = gn_call_begin(fast);
	fast = hooks.calls->fast;
	hooks.tailcall = fast ? gn_fast_tailcall : tailcall_by_site;
	hooks.unwound = fast ? gn_fast_unwound : unwound_by_site;
	hooks.started = started;
	if (pthread_key_create(&hooks.ends, end_thread))
		return false;
	gn_compile_init(families);
	hooks.profiler = gn_mono_api.create(NULL);
	gn_mono_api.on_domain(hooks.profiler, on_domain);
	set_callbacks(true);
	gn_events_set(hooks.profiler, families);
	return true;
}
