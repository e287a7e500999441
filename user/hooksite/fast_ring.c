// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread's ring: open its next part, wait for gnomon, wake it, find out that
 * it is gone.
 */
#include "fast_state.h"

#include <stddef.h>

#define WAIT_NS 50000000l /* then checks again whether gnomon lives */
#define WAITS	100	  /* of these while gnomon reads nothing: 5 s */
#define SPINS	100

static int give_up(struct gn_fast_own *own)
{
	gn_fast_own = &gn_fast_hooks.without->own;
	gn_fast_be_free(own);
	return GN_HOOK_AGAIN;
}

static void put_special(struct gn_fast_own *own, uint32_t kind, uint32_t n,
			uint64_t tsc)
{
	struct gn_fast_rec *rec = (struct gn_fast_rec *)own->cur;

	*rec = (struct gn_fast_rec){.sp = n, .what = kind, .tsc = tsc};
}

static void open_part(struct gn_fast_own *own, uint64_t bytes)
{
	own->lim = own->cur + (bytes < GN_FAST_CHUNK ? bytes : GN_FAST_CHUNK);
}

static bool grow(struct gn_fast_own *own)
{
	uint64_t more = own->size, most = atomic_load(&own->page->grows);

	if (own->size > gn_fast_hooks.slot / 2)
		return false;
	if (atomic_fetch_add(&own->page->grown, more) + more > most ||
	    !gn_fast_open(own->base + own->size, more)) {
		atomic_fetch_sub(&own->page->grown, more);
		return false;
	}
	own->size += more;
	atomic_store(&own->ring->size, (uint32_t)own->size);
	return true;
}

/* Continues at the start of the ring, where `bytes` are free. */
static void wrap(struct gn_fast_own *own, uint64_t bytes)
{
	put_special(own, GN_FAST_WRAP, 0, gn_fast_ticks());
	gn_fast_publish(own, own->base);
	open_part(own, bytes);
}

/*
 * Opens the next part of the ring. A ring that was too small grows: to wake
 * gnomon or wait for it again and again costs more than memory. Unread records
 * are between gnomon's position `tail` and ours. Two records stay free. One is
 * needed because equal positions mean an empty ring, and for the wrap record at
 * the ring's end. The other one, the spare record, is for a wait that ends
 * without room.
 */
static bool make_room(struct gn_fast_own *own, uint32_t tail)
{
	uint64_t at = own->cur - own->base;

	if (at < tail) {
		if (tail - at <= GN_FAST_SPARE)
			return false;
		open_part(own, tail - at - GN_FAST_SPARE);
		return true;
	}
	if (at >= own->size - GN_FAST_SPARE) {
		bool grown = own->tight && grow(own);

		own->tight = 0;
		if (!grown && tail >= GN_FAST_CHUNK) {
			wrap(own, tail - GN_FAST_SPARE);
			return true;
		}
		if (!grown && !grow(own))
			return false;
	}
	open_part(own, own->size - GN_FAST_SPARE - at);
	return true;
}

static uint64_t used(const struct gn_fast_own *own, uint32_t tail)
{
	uint64_t at = own->cur - own->base;

	return at >= tail ? at - tail : own->size + at - tail;
}

bool gn_fast_ring_bell(struct gn_fast_page *page)
{
	uint32_t asleep = 1;

	if (!atomic_compare_exchange_strong(&page->sleeping, &asleep, 0))
		return false;
	gn_fast_hooks.tell(GN_FAST_BELL, 0);
	return true;
}

static void ring_bell(struct gn_fast_own *own)
{
	if (!atomic_load_explicit(&own->ring->bound, memory_order_relaxed))
		gn_fast_hooks.tell(GN_FAST_UNBOUND, 0);
	if (gn_fast_ring_bell(own->page))
		own->tight = 1;
}

static void wait_tail(struct gn_fast_own *own, uint32_t tail)
{
	struct gn_fast_ring *ring = own->ring;

	for (int i = 0; i < SPINS; i++) {
		if (atomic_load_explicit(&ring->tail, memory_order_acquire) !=
		    tail)
			return;
		__builtin_ia32_pause();
	}
	atomic_store(&ring->wants, 1);
	ring_bell(own);
	if (atomic_load(&ring->tail) == tail)
		gn_fast_wait_for(&ring->tail, tail, WAIT_NS);
}

static bool is_over(struct gn_fast_own *own)
{
	bool ended = gn_fast_is_gone(gn_fast_hooks.tell) ||
		     atomic_load(&own->page->taken) != 1;

	if (!atomic_load(gn_fast_hooks.alive))
		return true; /* a forked child that ends its parent's hook */
	if (!ended && !atomic_load(&gn_fast_hooks.over))
		return false;
	if (!atomic_exchange(&gn_fast_hooks.over, 1) && gn_fast_hooks.on_over &&
	    ended)
		gn_fast_hooks.on_over();
	return true;
}

/* This is a forked child that ends a hook of its parent, in memory that only
 * resembles the parent's. */
static bool is_parents(const struct gn_fast_own *own)
{
	return own->page != gn_fast_hooks.page;
}

static int look_for_ring(struct gn_fast_own *own)
{
	if (gn_fast_own == own)
		gn_fast_own = &gn_fast_newborn;
	gn_fast_be_free(own);
	return GN_HOOK_AGAIN;
}

/* gnomon is stopped or gets no CPU, or the machine slept. */
static bool is_away(const struct gn_fast_own *own)
{
	return gn_fast_ticks() > atomic_load(&own->page->deadline);
}

/* Records the loss in the place of the lost records. */
static void tell_lost(struct gn_fast_own *own)
{
	if (!own->lost)
		return;
	put_special(own, GN_FAST_LOST,
		    own->lost > UINT32_MAX ? UINT32_MAX : (uint32_t)own->lost,
		    gn_fast_ticks());
	gn_fast_publish(own, own->cur + GN_FAST_RECORD);
	own->lost = 0;
}

/* The thread waited from `since` until its next record, which the hook writes
 * now. */
static void tell_waited(struct gn_fast_own *own, uint64_t since)
{
	own->tight = 1;
	put_special(own, GN_FAST_WAITED, 0, since);
	gn_fast_publish(own, own->cur + GN_FAST_RECORD);
}

/* The thread waited in vain. The wait ends with the record that the kernel
 * makes at the site now. The spare record reports it. */
static void tell_waited_in_vain(struct gn_fast_own *own, uint64_t since,
				uint32_t waits)
{
	if (waits)
		tell_waited(own, since);
}

/* The spare record is in use: until gnomon reads, another wait could not be
 * reported. */
static bool has_waited_in_vain(const struct gn_fast_own *own)
{
	return own->cur > own->lim;
}

int gn_fast_full(struct gn_fast_own *own)
{
	struct gn_fast_ring *ring = own->ring;
	uint64_t since = gn_fast_ticks();
	uint32_t waits = 0;

	for (;;) {
		uint32_t tail =
			atomic_load_explicit(&ring->tail, memory_order_acquire);

		if (is_parents(own))
			return look_for_ring(own);
		/* gnomon reads within the ring; another child can have changed
		 * its position */
		if (is_over(own) || tail > own->size)
			return give_up(own);
		if (is_away(own)) {
			tell_waited_in_vain(own, since, waits);
			gn_fast_be_free(own);
			return GN_HOOK_PASSED;
		}
		if (make_room(own, tail)) {
			if (used(own, tail) >= own->size / 2)
				ring_bell(own);
			break;
		}
		if (atomic_load(&own->page->drops)) {
			ring_bell(own);
			own->lost++;
			gn_fast_be_free(own);
			return GN_HOOK_DROPPED;
		}
		if (has_waited_in_vain(own)) {
			ring_bell(own);
			gn_fast_be_free(own);
			return GN_HOOK_PASSED;
		}
		wait_tail(own, tail);
		waits = atomic_load(&ring->tail) == tail ? waits + 1 : 1;
		if (waits > WAITS) {
			tell_waited_in_vain(own, since, waits);
			return give_up(own);
		}
	}
	/* the part that was opened has room for at least one record */
	if (waits)
		tell_waited(own, since);
	else
		tell_lost(own);
	gn_fast_be_free(own);
	return GN_HOOK_AGAIN;
}
