// SPDX-License-Identifier: BSD-2-Clause
/*
 * Open addressing. A slot never becomes empty again. The index of a forgotten
 * function stays in its slot, without a function, until a new function that
 * passes the slot takes it: the runtime gives the ids of dead dynamic methods
 * to new ones again and again. An index is filled in before it is put into a
 * slot, so a reader sees whole entries only.
 */
#include "ids.h"

/* The n-th slot to look at for a function. */
static _Atomic uint32_t *slot_of(struct gn_ids *ids, gn_cor_id function,
				 uint32_t n)
{
	/* Fibonacci hashing: the high bits of the product are well mixed. */
	uint64_t mixed = function * 0x9e3779b97f4a7c15u;

	if (n < GN_IDS_WINDOW)
		return &ids->front[((mixed >> (64 - GN_IDS_FRONT_BITS)) + n) %
				   GN_IDS_FRONT];
	return &ids->slots[((mixed >> (64 - GN_IDS_SLOT_BITS)) + n) %
			   GN_IDS_SLOTS];
}

uint32_t gn_ids_find(struct gn_ids *ids, gn_cor_id function)
{
	if (!function)
		return 0;
	for (uint32_t n = 0; n < GN_IDS_WINDOW + GN_IDS_SLOTS; n++) {
		uint32_t index = atomic_load_explicit(slot_of(ids, function, n),
						      memory_order_acquire);

		if (!index)
			return 0;
		if (atomic_load(&ids->ids[index].function) == function)
			return index;
	}
	return 0;
}

static uint32_t take_index(struct gn_ids *ids)
{
	uint32_t used = atomic_load(&ids->used);

	do {
		if (used >= GN_IDS_MAX)
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
	if (!atomic_load(&ids->ids[had].function) &&
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
		other = atomic_load(slot_of(ids, function, n));
		if (!other)
			break;
		if (atomic_load(&ids->ids[other].function) != function)
			continue;
		atomic_store(&ids->ids[index].function, 0);
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
	atomic_store(&ids->ids[index].function, function);
	for (uint32_t n = 0; n < GN_IDS_WINDOW + GN_IDS_SLOTS; n++) {
		other = take_slot(ids, slot_of(ids, function, n), index);
		if (other == index)
			return behind(ids, function, n, index);
		/* Another thread was first: its index counts, ours is lost. */
		if (atomic_load(&ids->ids[other].function) == function) {
			atomic_store(&ids->ids[index].function, 0);
			return other;
		}
	}
	return 0;
}

void gn_ids_forget(struct gn_ids *ids, gn_cor_id function)
{
	uint32_t index = gn_ids_find(ids, function);

	if (index)
		atomic_store(&ids->ids[index].function, 0);
}

void gn_ids_forget_module(struct gn_ids *ids, gn_cor_id module)
{
	uint32_t used = atomic_load(&ids->used);

	if (!module)
		return;
	for (uint32_t i = 1; i <= used; i++) {
		gn_cor_id with = atomic_load(&ids->ids[i].module);

		if (with == module || with == GN_IDS_ANY_MODULE)
			atomic_store(&ids->ids[i].function, 0);
	}
}
