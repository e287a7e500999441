// SPDX-License-Identifier: BSD-2-Clause
/*
 * Open addressing. A slot never becomes empty again. The index of a forgotten
 * function stays in its slot, without a function, until a new function that
 * passes the slot takes it: the runtime gives the ids of dead dynamic methods
 * to new ones again and again. An index is filled in before it is put into a
 * slot, so a reader sees whole entries only.
 */
#include "ids.h"

#define SLOTS_SIZE (GN_IDS_SLOTS * sizeof(_Atomic uint32_t))
#define CHUNK_SIZE (GN_IDS_CHUNK * sizeof(struct gn_id))

/* The n-th slot to look at for a function. NULL: no function needed it yet. */
static _Atomic uint32_t *slot_of(struct gn_ids *ids, gn_cor_id function,
				 uint32_t n)
{
	/* Fibonacci hashing: the high bits of the product are well mixed. */
	uint64_t mixed = function * 0x9e3779b97f4a7c15u;
	_Atomic uint32_t *slots;

	if (n < GN_IDS_WINDOW)
		return &ids->front[((mixed >> (64 - GN_IDS_FRONT_BITS)) + n) %
				   GN_IDS_FRONT];
	slots = atomic_load_explicit(&ids->slots, memory_order_acquire);
	return slots ? &slots[((mixed >> (64 - GN_IDS_SLOT_BITS)) + n) %
			      GN_IDS_SLOTS]
		     : NULL;
}

/* The index in the n-th slot. 0: it is free. */
static uint32_t index_in(struct gn_ids *ids, gn_cor_id function, uint32_t n)
{
	_Atomic uint32_t *slot = slot_of(ids, function, n);

	return slot ? atomic_load_explicit(slot, memory_order_acquire) : 0;
}

static gn_cor_id function_of(const struct gn_ids *ids, uint32_t index)
{
	return atomic_load(&gn_id_of(ids, index)->function);
}

uint32_t gn_ids_find(struct gn_ids *ids, gn_cor_id function)
{
	if (!function)
		return 0;
	for (uint32_t n = 0; n < GN_IDS_WINDOW + GN_IDS_SLOTS; n++) {
		uint32_t index = index_in(ids, function, n);

		if (!index)
			return 0;
		if (function_of(ids, index) == function)
			return index;
	}
	return 0;
}

static void set_function(struct gn_ids *ids, uint32_t index, gn_cor_id function)
{
	atomic_store(&gn_id_of(ids, index)->function, function);
}

/* Its chunk is there before others can see that the index is used. */
static uint32_t take_index(struct gn_ids *ids)
{
	uint32_t used = atomic_load(&ids->used);

	do {
		if (used >= GN_IDS_MAX ||
		    !gn_lazy_get(&ids->chunks[(used + 1) / GN_IDS_CHUNK],
				 CHUNK_SIZE))
			return 0;
	} while (!atomic_compare_exchange_weak(&ids->used, &used, used + 1));
	return used + 1;
}

/* Takes the slot if it is free. Returns the index that then has the slot. */
static uint32_t take_slot(struct gn_ids *ids, _Atomic uint32_t *slot,
			  uint32_t index)
{
	uint32_t had = 0;

	if (atomic_compare_exchange_strong(slot, &had, index))
		return index;
	if (!function_of(ids, had) &&
	    atomic_compare_exchange_strong(slot, &had, index))
		return index;
	return had;
}

/* Another thread may have passed the slot before it was free, and have taken a
 * later one for the function: then its index counts. */
static uint32_t behind(struct gn_ids *ids, gn_cor_id function, uint32_t n,
		       uint32_t index)
{
	uint32_t other;

	while (++n < GN_IDS_WINDOW + GN_IDS_SLOTS) {
		other = index_in(ids, function, n);
		if (!other)
			break;
		if (function_of(ids, other) != function)
			continue;
		set_function(ids, index, 0);
		return other;
	}
	return index;
}

uint32_t gn_ids_get(struct gn_ids *ids, gn_cor_id function)
{
	uint32_t index = gn_ids_find(ids, function);
	uint32_t other;

	if (index || !function)
		return index;
	index = take_index(ids);
	if (!index)
		return 0;
	set_function(ids, index, function);
	for (uint32_t n = 0; n < GN_IDS_WINDOW + GN_IDS_SLOTS; n++) {
		if (n >= GN_IDS_WINDOW && !gn_lazy_get(&ids->slots, SLOTS_SIZE))
			break;
		other = take_slot(ids, slot_of(ids, function, n), index);
		if (other == index)
			return behind(ids, function, n, index);
		/* Another thread was first: its index counts, ours is lost. */
		if (function_of(ids, other) == function) {
			set_function(ids, index, 0);
			return other;
		}
	}
	set_function(ids, index, 0);
	return 0;
}

void gn_ids_forget(struct gn_ids *ids, gn_cor_id function)
{
	uint32_t index = gn_ids_find(ids, function);

	if (index)
		set_function(ids, index, 0);
}

void gn_ids_forget_module(struct gn_ids *ids, gn_cor_id module)
{
	uint32_t used = atomic_load(&ids->used);

	if (!module)
		return;
	for (uint32_t i = 1; i <= used; i++) {
		gn_cor_id with = atomic_load(&gn_id_of(ids, i)->module);

		if (with == module || with == GN_IDS_ANY_MODULE)
			set_function(ids, i, 0);
	}
}
