// SPDX-License-Identifier: BSD-2-Clause
#include "fiber_calls.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/grow.h>

void gn_calls_init(struct gn_calls *c)
{
	memset(c, 0, sizeof(*c));
}

/* The number of lists is a power of two. */
static struct gn_suspended **list_of(struct gn_suspended **lists, size_t n,
				     const void *context)
{
	return &lists[((uint64_t)(uintptr_t)context * 0x9e3779b97f4a7c15u >>
		       32) &
		      (n - 1)];
}

static void add(struct gn_suspended **lists, size_t n, struct gn_suspended *s)
{
	struct gn_suspended **at = list_of(lists, n, s->context);

	s->next = *at;
	*at = s;
}

/* Lists stay short. False: there are none, for want of memory. */
static bool more_lists(struct gn_calls *c)
{
	size_t n = c->nlists ? c->nlists * 2 : 16;
	struct gn_suspended **lists, *s;

	if (c->nsuspended < c->nlists)
		return true;
	lists = calloc(n, sizeof(*lists));
	if (!lists)
		return c->nlists;
	for (size_t i = 0; i < c->nlists; i++)
		while ((s = c->suspended[i])) {
			c->suspended[i] = s->next;
			add(lists, n, s);
		}
	free(c->suspended);
	c->suspended = lists;
	c->nlists = n;
	return true;
}

void gn_calls_free(struct gn_calls *c)
{
	struct gn_suspended *s;

	for (size_t i = 0; i < c->nlists; i++)
		while ((s = c->suspended[i])) {
			c->suspended[i] = s->next;
			free(s);
		}
	free(c->suspended);
	free(c->at);
	free(c->fiber);
}

/* Takes the calls of a suspended fiber out of the list; NULL: none. */
static struct gn_suspended *take(struct gn_calls *c, const void *context)
{
	struct gn_suspended **at, *s;

	if (!c->nsuspended)
		return NULL;
	at = list_of(c->suspended, c->nlists, context);
	while (*at && (*at)->context != context)
		at = &(*at)->next;
	s = *at;
	if (s) {
		*at = s->next;
		c->nsuspended--;
	}
	return s;
}

/* Without memory its calls are left when it goes on. */
static void keep(struct gn_calls *c, const struct gn_fiber *f)
{
	uint32_t n = c->n - f->first;
	struct gn_suspended *s;

	if (!more_lists(c))
		return;
	s = malloc(sizeof(*s) + n * sizeof(*s->at));
	if (!s)
		return;
	*s = (struct gn_suspended){NULL, f->context, f->stack, n};
	memcpy(s->at, &c->at[f->first], n * sizeof(*s->at));
	add(c->suspended, c->nlists, s);
	c->nsuspended++;
}

static void suspend(struct gn_calls *c, const struct gn_call_hooks *hooks)
{
	const struct gn_fiber *f = &c->fiber[--c->nfibers];

	if (c->n > f->first)
		keep(c, f);
	for (; c->n > f->first; c->n--)
		hooks->suspended(c->at[c->n - 1].index,
				 gn_call_key(c->n - 1) + 1);
}

/* A fiber that was freed can have had its place: its calls are below `frame`,
 * or in another stack. */
static void resume(struct gn_calls *c, const void *stack, uintptr_t frame,
		   const struct gn_suspended *s,
		   const struct gn_call_hooks *hooks)
{
	if (s->stack != stack ||
	    gn_grow(&c->at, &c->room, c->n + s->n, sizeof(*c->at)))
		return;
	for (uint32_t i = 0; i < s->n && s->at[i].frame >= frame; i++) {
		c->at[c->n] = s->at[i];
		hooks->resumed(s->at[i].index, gn_call_key(c->n));
		c->n++;
	}
}

/* How many fibers there are up to this one; 0: it is none of them. */
static uint32_t count_to(const struct gn_calls *c, const void *context)
{
	uint32_t i = c->nfibers;

	while (i && c->fiber[i - 1].context != context)
		i--;
	return i;
}

bool gn_calls_has(const struct gn_calls *c, const void *context)
{
	return count_to(c, context);
}

void gn_calls_join(struct gn_calls *c, const void *context)
{
	c->nfibers = count_to(c, context);
}

void gn_calls_cut(struct gn_calls *c, uint32_t i)
{
	c->n = i;
	while (c->fiber[c->nfibers - 1].first > i)
		c->nfibers--;
}

bool gn_calls_switch(struct gn_calls *c, const void *context, const void *stack,
		     uintptr_t frame, const struct gn_call_hooks *hooks)
{
	struct gn_suspended *s;
	uint32_t i = count_to(c, context);

	if (i) {
		while (c->nfibers > i)
			suspend(c, hooks);
		return true;
	}
	if (gn_grow(&c->fiber, &c->fiber_room, c->nfibers + 1,
		    sizeof(*c->fiber)))
		return false;
	c->fiber[c->nfibers++] = (struct gn_fiber){context, stack, c->n};
	s = take(c, context);
	if (s)
		resume(c, stack, frame, s, hooks);
	free(s);
	return true;
}

void gn_calls_heal(struct gn_calls *c, uintptr_t frame,
		   const struct gn_call_hooks *hooks)
{
	const struct gn_call *top;

	while ((top = gn_calls_top(c)) && top->frame < frame)
		gn_calls_leave(c, hooks);
}

static bool push(struct gn_calls *c, struct gn_call call)
{
	if (gn_grow(&c->at, &c->room, c->n + 1, sizeof(*c->at)))
		return false;
	c->at[c->n++] = call;
	return true;
}

void gn_calls_enter(struct gn_calls *c, struct gn_call call,
		    const struct gn_call_hooks *hooks)
{
	if (push(c, call))
		hooks->enter(call.index, gn_call_key(c->n - 1));
}

void gn_calls_go_on(struct gn_calls *c, struct gn_call call,
		    const struct gn_call_hooks *hooks)
{
	if (push(c, call))
		hooks->resumed(call.index, gn_call_key(c->n - 1));
}

void gn_calls_forget(struct gn_calls *c, const void *context)
{
	free(take(c, context));
}

void gn_calls_leave(struct gn_calls *c, const struct gn_call_hooks *hooks)
{
	c->n--;
	hooks->leave(c->at[c->n].index, gn_call_key(c->n));
}
