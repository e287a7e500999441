// SPDX-License-Identifier: BSD-2-Clause
#include "hook.h"

#include <pthread.h>
#include <stdlib.h>

#include "../call_sites.h"
#include "api.h"
#include "../fiber_calls.h"
#include "functions.h"

/* The frame of the code outside of all methods. */
#define MAIN UINTPTR_MAX

static const struct gn_call_hooks *hooks;
static pthread_key_t ends;

static _Thread_local struct gn_calls *mine
	__attribute__((tls_model("initial-exec")));

static void end_thread(void *calls)
{
	mine = NULL;
	gn_calls_free(calls);
	free(calls);
}

static struct gn_calls *begin_thread(void)
{
	struct gn_calls *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	gn_calls_init(c);
	/* the calls that are below those of all fibers */
	if (!gn_calls_switch(c, NULL, NULL, 0, hooks)) {
		free(c);
		return NULL;
	}
	pthread_setspecific(ends, c);
	mine = c;
	return c;
}

static struct gn_calls *calls_of_thread(void)
{
	return mine ? mine : begin_thread();
}

/* Ruby starts a thread in the system's thread of one that has ended. That one's
 * methods are still open here if a stack overflow ended them. */
static void end_all(struct gn_calls *c)
{
	while (c->n)
		gn_calls_leave(c, hooks);
	c->nfibers = 1;
}

static struct gn_calls *calls_at(const struct gn_rb_event *e)
{
	const struct gn_rb_context *at = e->context;
	struct gn_calls *c = calls_of_thread();

	if (c && e->event == GN_RB_THREAD_BEGIN)
		end_all(c);
	if (!c || (c->fiber[c->nfibers - 1].context != at &&
		   !gn_calls_switch(c, at, at->stack, e->frame, hooks)))
		return NULL;
	return c;
}

/* Code that rescues has a control frame of its own, in place of that of the
 * method which its own method had called. Its scope tells. */
static bool is_rescue(const struct gn_call *call)
{
	const struct gn_rb_frame *frame = (const void *)call->frame;

	return call->kind != GN_CALL_C && call->frame != MAIN &&
	       (*frame->scope & GN_RB_FRAME_KIND) == GN_RB_FRAME_RESCUE;
}

/* Ends the calls whose frames are below `frame`, or in use by other code. */
static void heal(struct gn_calls *c, uintptr_t frame)
{
	const struct gn_call *top;

	gn_calls_heal(c, frame, hooks);
	while ((top = gn_calls_top(c)) && is_rescue(top))
		gn_calls_leave(c, hooks);
}

static void enter(struct gn_calls *c, struct gn_rb_event *e,
		  enum gn_call_kind kind, uintptr_t frame)
{
	uint32_t index;

	heal(c, frame + 1);
	index = gn_function_of(e, kind);
	if (index)
		gn_calls_enter(c, (struct gn_call){frame, index, kind}, hooks);
}

/* The block of define_method is the method's code. */
static void enter_block(struct gn_calls *c, struct gn_rb_event *e)
{
	const struct gn_call *top;

	heal(c, e->frame);
	top = gn_calls_top(c);
	if (!top || top->frame != e->frame || top->kind != GN_CALL_METHOD)
		enter(c, e, GN_CALL_BLOCK, e->frame);
}

static void leave(struct gn_calls *c, const struct gn_rb_event *e,
		  enum gn_call_kind kind)
{
	const struct gn_call *top;

	heal(c, e->frame);
	top = gn_calls_top(c);
	if (top && top->frame == e->frame && top->kind == kind)
		gn_calls_leave(c, hooks);
}

/* The frame is the caller's; if the call is unwound, it is the call's own. */
static void leave_native(struct gn_calls *c, struct gn_rb_event *e)
{
	const struct gn_call *top;

	heal(c, e->frame - 1);
	top = gn_calls_top(c);
	if (top && top->kind == GN_CALL_C &&
	    (top->frame == e->frame - 1 ||
	     top->index == gn_function_of(e, GN_CALL_C)))
		gn_calls_leave(c, hooks);
}

/* The sites: the collector works on this thread. */
void gn_site_gc_begin(void);
void gn_site_gc_end(void);

/* The collector runs: nothing of the interpreter may be called. */
static void on_collection(uint32_t event, gn_rb_value data, gn_rb_value self,
			  gn_rb_id id, gn_rb_value class)
{
	(void)data, (void)self, (void)id, (void)class;
	if (event == GN_RB_GC_ENTER)
		gn_site_gc_begin();
	else if (event == GN_RB_GC_EXIT)
		gn_site_gc_end();
	else
		gn_functions_collected();
}

static void on_event(gn_rb_value data, struct gn_rb_event *e)
{
	struct gn_calls *c;

	(void)data;
	if (gn_call_is_over()) {
		gn_rb.remove_hook((gn_rb_event_fn)(void (*)(void))on_event);
		gn_rb.remove_hook(on_collection);
		return;
	}
	c = calls_at(e);
	if (!c)
		return;
	switch (e->event) {
	case GN_RB_CALL:
		enter(c, e, GN_CALL_METHOD, e->frame);
		break;
	case GN_RB_B_CALL:
		enter_block(c, e);
		break;
	case GN_RB_C_CALL:
		enter(c, e, GN_CALL_C, e->frame - 1);
		break;
	case GN_RB_RETURN:
		leave(c, e, GN_CALL_METHOD);
		break;
	case GN_RB_B_RETURN:
		leave(c, e, GN_CALL_BLOCK);
		break;
	case GN_RB_C_RETURN:
		leave_native(c, e);
		break;
	default:
		break;
	}
}

bool gn_hook_begin(const struct gn_call_hooks *h)
{
	hooks = h;
	if (pthread_key_create(&ends, end_thread))
		return false;
	gn_rb.add_hook(on_collection,
		       GN_RB_GC_END_MARK | GN_RB_GC_ENTER | GN_RB_GC_EXIT,
		       GN_RB_FALSE, GN_RB_HOOK_SAFE);
	gn_rb.add_hook((gn_rb_event_fn)(void (*)(void))on_event,
		       GN_RB_CALL | GN_RB_RETURN | GN_RB_C_CALL |
			       GN_RB_C_RETURN | GN_RB_B_CALL | GN_RB_B_RETURN |
			       GN_RB_THREAD_BEGIN | GN_RB_FIBER_SWITCH,
		       GN_RB_FALSE, GN_RB_HOOK_SAFE | GN_RB_HOOK_RAW);
	return true;
}

void gn_hook_enter_main(void)
{
	struct gn_calls *c = calls_of_thread();
	uint32_t index = c ? gn_function_main() : 0;

	if (index)
		gn_calls_enter(c, (struct gn_call){MAIN, index, GN_CALL_METHOD},
			       hooks);
}

void gn_hook_leave_main(void)
{
	struct gn_calls *c = calls_of_thread();

	if (c && gn_calls_switch(c, NULL, NULL, 0, hooks) && gn_calls_top(c))
		gn_calls_leave(c, hooks);
}
