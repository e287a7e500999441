// SPDX-License-Identifier: BSD-2-Clause
/* Which ring a thread has, which stack it is on, and what it has after a fork.
 */
#include "fast_state.h"

#include <errno.h>
#include <stddef.h>

static uint64_t data_of(uint32_t slot)
{
	return (uint64_t)gn_fast_hooks.data +
	       (uint64_t)slot * gn_fast_hooks.slot;
}

/* A ring that grew for another thread keeps its size. */
static uint64_t size_of(struct gn_fast_ring *ring)
{
	uint32_t size = atomic_load(&ring->size);

	/* another process can have written it */
	return size > GN_FAST_FIRST && size <= gn_fast_hooks.slot
		       ? size
		       : GN_FAST_FIRST;
}

/* Short-lived children, one after the other, use the same few slots, so they
 * need little memory. */
static struct gn_fast_ring *take_slot(uint32_t *slot)
{
	uint32_t n = gn_fast_hooks.slots - 1;
	uint32_t first = gn_fast_is_child()
				 ? 0
				 : atomic_fetch_add(&gn_fast_hooks.next, 1);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = 1 + (first + i) % n;
		uint32_t empty = GN_FAST_FREE;
		struct gn_fast_ring *ring = &gn_fast_hooks.rings[at];

		if (atomic_load(&ring->state) ||
		    !atomic_compare_exchange_strong(&ring->state, &empty,
						    GN_FAST_USED))
			continue;
		*slot = at;
		if (gn_fast_open(data_of(at), size_of(ring)))
			return ring;
		atomic_store(&ring->state, GN_FAST_FREE);
		break;
	}
	gn_fast_hooks.tell(GN_FAST_RINGLESS, gn_fast_hooks.page->token);
	return NULL;
}

/* Makes the ring the thread's own; it is empty. */
static void open_ring(struct gn_fast_own *own, struct gn_fast_ring *ring,
		      uint32_t slot)
{
	own->ring = ring;
	own->page = gn_fast_hooks.page;
	own->base = data_of(slot);
	own->lost = 0;
	own->stacked = own->home = 0;
	own->size = size_of(ring);
	gn_fast_publish(own, own->base);
	own->lim = own->cur;
}

/* A forked child does not have the memory of its parent. gnomon no longer reads
 * that of children if all those that it knows have ended. */
static bool can_claim(void)
{
	return gn_fast_hooks.page && atomic_load(gn_fast_hooks.alive) &&
	       !atomic_load(&gn_fast_hooks.over) &&
	       atomic_load(&gn_fast_hooks.page->taken) == 1;
}

void gn_fast_follow(void)
{
	gn_fast_hooks.follows = true;
}

void gn_fast_be_child(void)
{
	gn_fast_own = &gn_fast_newborn;
	if (!gn_fast_hooks.page || !gn_fast_hooks.children)
		return;
	gn_fast_hooks.page = gn_fast_hooks.children;
	gn_fast_use(gn_fast_hooks.page, GN_FAST_CHILD_SLOTS,
		    GN_FAST_CHILD_SLOT);
	atomic_store(gn_fast_hooks.alive, 1);
}

struct gn_fast_page *gn_fast_read_page(void)
{
	return can_claim() && !gn_fast_is_child() &&
			       gn_fast_ticks() <=
				       atomic_load(
					       &gn_fast_hooks.page->deadline)
		       ? gn_fast_hooks.page
		       : NULL;
}

/* A signal handler may fork meanwhile. The child then has other memory, and
 * possibly a ring there. */
int gn_fast_claim(struct gn_fast_own *own)
{
	const struct gn_fast_page *page = gn_fast_hooks.page;
	struct gn_fast_ring *ring = NULL;
	uint32_t slot;

	(void)own;
	gn_fast_own = &gn_fast_hooks.without
			       ->claims; /* for hooks in signal handlers */
	if (can_claim())
		ring = take_slot(&slot);
	if (page != gn_fast_hooks.page)
		return GN_HOOK_AGAIN;
	if (!ring || !can_claim()) {
		gn_fast_own = &gn_fast_hooks.without->own;
		return GN_HOOK_AGAIN;
	}
	own = &gn_fast_hooks.owns[slot];
	open_ring(own, ring, slot);
	gn_fast_hooks.tell(GN_FAST_CLAIM,
			   (uint64_t)page->token << GN_FAST_SLOT_BITS | slot);
	if (page == gn_fast_hooks.page)
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

	/* without the mapping, hooks would write to unmapped memory */
	if (gn_fast_replace_parents()) {
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
