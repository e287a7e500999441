// SPDX-License-Identifier: BSD-2-Clause
/* Fast hooks from the offer of their memory until it is unmapped. */
#include "fast_state.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gnomon/hooksite.h>

#define OFFER_NS 1000000000l /* wait for gnomon at the start */

struct gn_fast_own gn_fast_newborn;

_Thread_local struct gn_fast_own *gn_fast_own = &gn_fast_newborn;

/* Measures a hook's cost by hooks in a row, in slot 0, which no thread takes.
 */
static void measure(struct gn_fast_page *page, gn_fast_hook_fn enter,
		    gn_fast_hook_fn leave)
{
	struct gn_fast_own own = {
		.page = page,
		.size = GN_FAST_FIRST,
		.stacked = UINT64_MAX,
	};
	struct gn_fast_own *before = gn_fast_own;

	own.ring = gn_fast_hooks.rings;
	own.base = own.cur = (uint64_t)gn_fast_hooks.data;
	own.lim = own.base + GN_FAST_MEASURED * GN_FAST_RECORD;
	gn_fast_own = &own;
	for (int i = 0; i < GN_FAST_MEASURED / 2; i++) {
		enter(0, (uint64_t)&own);
		leave(0, (uint64_t)&own);
	}
	gn_fast_own = before;
	/* from now on it is the position of names */
	atomic_store(&gn_fast_hooks.rings->head, 0);
}

static bool offer(struct gn_fast_page *page, int fd)
{
	page->size = GN_FAST_FILE;
	page->magic = GN_FAST_MAGIC;
	gn_fast_hooks.tell(GN_FAST_OFFER, (uint64_t)fd);
	if (!atomic_load(&page->taken))
		gn_fast_wait_for(&page->taken, 0, OFFER_NS);
	return atomic_load(&page->taken) == 1;
}

void gn_fast_lives_at(const void *own_site)
{
	gn_fast_hooks.own_site = own_site;
}

static const void *site_of_life(gn_fast_tell_fn tell)
{
	return gn_fast_hooks.own_site ?: (const void *)(uintptr_t)tell;
}

/* From now on threads take rings, also those that had none before. */
static void publish_session(struct gn_fast_page *page,
			    struct gn_fast_without *now)
{
	now->own.by_site = 1;
	now->own.cur = (uintptr_t)site_of_life(gn_fast_hooks.tell);
	now->claims = now->own;
	now->before = gn_fast_hooks.without;
	gn_fast_hooks.without = now;
	gn_fast_hooks.page = page;
	atomic_thread_fence(memory_order_seq_cst);
	if (now->before)
		now->before->own.by_site = now->before->claims.by_site = 0;
}

void gn_fast_use(struct gn_fast_page *page, uint32_t slots, uint32_t slot)
{
	gn_fast_hooks.rings = (void *)((unsigned char *)page + GN_FAST_PAGE);
	gn_fast_hooks.data = (unsigned char *)page + GN_FAST_DATA;
	gn_fast_hooks.slots = slots;
	gn_fast_hooks.slot = slot;
}

static bool share(int fd, gn_fast_hook_fn enter, gn_fast_hook_fn leave)
{
	struct gn_fast_without *without = calloc(1, sizeof(*without));
	struct gn_fast_page *page = without ? gn_fast_map_shared(fd) : NULL;

	if (!page) {
		free(without);
		return false;
	}
	gn_fast_use(page, GN_FAST_SLOTS, GN_FAST_SLOT);
	atomic_store(&gn_fast_hooks.over, 0);
	atomic_store(&page->deadline, UINT64_MAX);
	measure(page, enter, leave);
	if (offer(page, fd)) {
		if (gn_fast_hooks.follows)
			gn_fast_hooks.children =
				(void *)((char *)page + GN_FAST_SIZE);
		publish_session(page, without);
		return true;
	}
	free(without);
	munmap(page, GN_FAST_FILE);
	return false;
}

bool gn_fast_start(gn_fast_tell_fn tell, gn_fast_hook_fn enter,
		   gn_fast_hook_fn leave)
{
	uint64_t why = gn_fast_forbidden();
	int fd;

	if (!why && gn_fast_hooks.page)
		why = GN_FAST_KEPT;
	gn_fast_hooks.tell = tell;
	if (why) {
		tell(GN_FAST_NONE, why);
		return false;
	}
	fd = gn_fast_make_memory();
	if (fd < 0)
		return false;
	if (gn_fast_map_own())
		share(fd, enter, leave);
	close(fd);
	return gn_fast_hooks.page;
}

/* The kernel removes the probes of a gnomon that was killed. A stopped gnomon
 * keeps its probes and may wake up: they report what happened meanwhile. */
bool gn_fast_is_gone(gn_fast_tell_fn tell)
{
	const volatile uint16_t *site = site_of_life(tell);

	return *site == GN_SITE_BARE;
}

void gn_fast_on_over(void (*fn)(void))
{
	gn_fast_hooks.on_over = fn;
}

bool gn_fast_has_ended(void)
{
	return atomic_load(&gn_fast_hooks.over);
}

void gn_fast_stop(void)
{
	atomic_store(&gn_fast_hooks.over, 1);
	if (gn_fast_hooks.page)
		atomic_store(&gn_fast_hooks.page->deadline, 0);
}

void gn_fast_leave(void)
{
	if (!gn_fast_hooks.page)
		return;
	gn_fast_leave_own();
	munmap(gn_fast_hooks.page, GN_FAST_FILE);
	gn_fast_hooks.page = NULL;
}
