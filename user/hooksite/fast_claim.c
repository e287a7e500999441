// SPDX-License-Identifier: BSD-2-Clause
/* Which ring a thread has, which stack it is on, and what it has after a fork.
 */
#include "fast_state.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

static struct gn_fast_ring *take_slot(uint32_t *slot)
{
	uint32_t first = atomic_fetch_add(&gn_fast_hooks.next, 1);

	for (uint32_t i = 0; i < GN_FAST_SLOTS - 1; i++) {
		uint32_t at = 1 + (first + i) % (GN_FAST_SLOTS - 1);
		uint32_t empty = GN_FAST_FREE;

		if (!atomic_compare_exchange_strong(
			    &gn_fast_hooks.rings[at].state, &empty,
			    GN_FAST_USED))
			continue;
		*slot = at;
		return &gn_fast_hooks.rings[at];
	}
	gn_fast_hooks.tell(GN_FAST_RINGLESS, 0);
	return NULL;
}

/* Opens an empty ring. One that grew for another thread keeps its size. */
static void open_ring(struct gn_fast_own *own, struct gn_fast_ring *ring,
		      uint32_t slot)
{
	own->ring = ring;
	own->page = gn_fast_hooks.page;
	own->base =
		(uint64_t)gn_fast_hooks.data + (uint64_t)slot * GN_FAST_SLOT;
	own->lost = 0;
	own->stacked = own->home = 0;
	own->away = GN_FAST_AWAY;
	if (!own->size)
		own->size = GN_FAST_FIRST;
	gn_fast_publish(own, own->base);
	own->lim = own->cur;
}

/* A forked child does not have the memory of its parent. */
static bool can_claim(void)
{
	return gn_fast_hooks.page && atomic_load(gn_fast_hooks.alive) &&
	       !atomic_load(&gn_fast_hooks.over);
}

struct gn_fast_page *gn_fast_read_page(void)
{
	return can_claim() && gn_fast_ticks() <=
				       atomic_load(
					       &gn_fast_hooks.page->deadline)
		       ? gn_fast_hooks.page
		       : NULL;
}

int gn_fast_claim(struct gn_fast_own *own)
{
	struct gn_fast_ring *ring = NULL;
	uint32_t slot;

	(void)own;
	gn_fast_own = &gn_fast_hooks.without
			       ->claims; /* for hooks in signal handlers */
	if (can_claim())
		ring = take_slot(&slot);
	/* a signal handler may have forked meanwhile */
	if (!ring || !can_claim()) {
		gn_fast_own = &gn_fast_hooks.without->own;
		return GN_HOOK_AGAIN;
	}
	own = &gn_fast_hooks.owns[slot];
	open_ring(own, ring, slot);
	gn_fast_hooks.tell(GN_FAST_CLAIM, slot);
	gn_fast_own = own;
	return GN_HOOK_AGAIN;
}

struct gn_fast_own *gn_fast_set_ring_aside(void)
{
	struct gn_fast_own *own = gn_fast_own;

	if (gn_fast_hooks.without)
		gn_fast_own = &gn_fast_hooks.without->own;
	return own;
}

struct gn_fast_own *gn_fast_interrupted(void)
{
	struct gn_fast_own *own = gn_fast_own;
	bool claims =
		gn_fast_hooks.without && own == &gn_fast_hooks.without->claims;

	/* a hook reads the ring's address before it makes the ring busy */
	return claims || own->ring ? own : NULL;
}

void gn_fast_end_interrupted(struct gn_fast_own *own,
			     const struct gn_fast_own *before)
{
	int err = errno;
	void *at =
		mmap(gn_fast_hooks.page, GN_FAST_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			     MAP_FIXED_NOREPLACE,
		     -1, 0);

	/* without the mapping, hooks would write to unmapped memory; a child's
	 * child has it already (EEXIST) */
	if (at == (void *)gn_fast_hooks.page || errno == EEXIST) {
		*own = *before;
		gn_fast_own = own;
	}
	errno = err;
}

void gn_fast_first_stack(uint64_t lowest, uint64_t top)
{
	gn_fast_hooks.lowest = lowest;
	gn_fast_hooks.top = top;
}

/* The kernel reports a thread's stack at probes only. So the thread passes a
 * site when it leaves its own stack, at each call on another stack, and when it
 * is back. */
int gn_fast_stack(struct gn_fast_own *own, uint64_t sp)
{
	uint64_t stack = atomic_load(&own->ring->stack);
	uint64_t stacked = atomic_load(&own->ring->stacked);

	if (sp >= gn_fast_hooks.lowest && sp < gn_fast_hooks.top) {
		stack = gn_fast_hooks.lowest;
		stacked = gn_fast_hooks.top - stack;
	}
	own->stack = stack;
	own->home = stacked;
	own->stacked = sp - stack < stacked ? stacked : 0;
	return GN_HOOK_AGAIN;
}

/* The interrupted hook, or the next one, then reports its stack. The handler
 * may have left the interrupted hook for good by a jump. It has if the thread
 * is on its own stack and not below that hook's frame. The record that the hook
 * did not write is not missed: its function had not begun, or was unwound. */
int gn_fast_on_top(struct gn_fast_own *own, uint64_t sp)
{
	own->stacked = 0;
	if (sp - own->stack < own->home && sp >= own->at)
		gn_fast_be_free(own);
	return GN_HOOK_AGAIN;
}
