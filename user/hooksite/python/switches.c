// SPDX-License-Identifier: BSD-2-Clause
#include "switches.h"

#include "greenlet.h"
#include "thread.h"

/* How many parents are looked at: more than anybody nests. */
#define PARENTS 64

static const struct gn_call_hooks *hooks;

void gn_switches_begin(const struct gn_call_hooks *h)
{
	hooks = h;
}

/* NULL: calls of this thread are not seen. */
static struct gn_calls *calls_of_thread(void)
{
	struct gn_thread *t = gn_call_is_over() ? NULL : gn_thread_mine();

	return t && !t->replaced ? &t->calls : NULL;
}

/* Suspends the calls of greenlets that are beside this one. */
static void make_way(struct gn_calls *c, const void *greenlet)
{
	for (int i = 0; greenlet && i < PARENTS; i++) {
		if (gn_calls_has(c, greenlet)) {
			gn_calls_switch(c, greenlet, NULL, 0, hooks);
			return;
		}
		greenlet = gn_greenlet_parent(greenlet);
	}
	gn_calls_switch(c, c->fiber[0].context, NULL, 0, hooks);
}

static void go_on(struct gn_calls *c, const void *greenlet)
{
	if (c->fiber[c->nfibers - 1].context == greenlet)
		return;
	make_way(c, greenlet);
	gn_calls_switch(c, greenlet, NULL, 0, hooks);
}

/* This greenlet runs. No switch is seen to one that is destroyed while it is
 * suspended: it goes on until its end, above the one that destroys it, and then
 * that one goes on. What calls are above are its own. */
static void see(struct gn_calls *c, const void *greenlet)
{
	if (!c->fiber[0].context)
		c->fiber[0].context = greenlet;
	if (gn_calls_has(c, greenlet))
		gn_calls_join(c, greenlet);
	else
		go_on(c, greenlet);
}

const void *gn_switch_to(const void *greenlet)
{
	const void *me = gn_greenlet_current();
	struct gn_calls *c = me ? calls_of_thread() : NULL;

	if (!c)
		return NULL;
	see(c, me);
	for (int i = 0; i < PARENTS && gn_greenlet_is_dead(greenlet); i++) {
		greenlet = gn_greenlet_parent(greenlet);
		if (!greenlet)
			return me;
	}
	go_on(c, greenlet);
	return me;
}

void gn_switched_to(const void *greenlet)
{
	struct gn_calls *c = greenlet ? calls_of_thread() : NULL;

	if (c)
		go_on(c, greenlet);
}
