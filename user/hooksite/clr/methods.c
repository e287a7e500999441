// SPDX-License-Identifier: BSD-2-Clause
/* Open addressing. A slot goes from empty to a method once and stays so, until
 * the owner of the set empties it while no thread adds. */
#include "methods.h"

#define WINDOW	   8
#define SLOTS_SIZE (GN_METHODS_SLOTS * sizeof(_Atomic uint64_t))

static uint64_t mix(uint64_t method)
{
	return method * 0x9e3779b97f4a7c15u;
}

/* The n-th slot to look at for a method. */
static uint32_t slot_of(uint64_t method, uint32_t n)
{
	uint64_t mixed = mix(method);

	if (n < WINDOW)
		return (uint32_t)((mixed >> (64 - GN_METHODS_FRONT_BITS)) + n) %
		       GN_METHODS_FRONT;
	return GN_METHODS_FRONT +
	       (uint32_t)((mixed >> (64 - GN_METHODS_SLOT_BITS)) + n) %
		       GN_METHODS_SLOTS;
}

uint64_t gn_method_set_at(const struct gn_method_set *s, uint32_t place)
{
	const _Atomic uint64_t *slots = s->front;

	if (place >= GN_METHODS_FRONT) {
		slots = atomic_load(&s->slots);
		place -= GN_METHODS_FRONT;
	}
	return slots ? atomic_load(&slots[place]) : 0;
}

/* Puts the method into an empty place. Returns the method that was there. */
static uint64_t put(struct gn_method_set *s, uint32_t place, uint64_t method)
{
	_Atomic uint64_t *slots = s->front;
	uint64_t there = 0;

	if (place >= GN_METHODS_FRONT) {
		slots = atomic_load(&s->slots);
		place -= GN_METHODS_FRONT;
	}
	atomic_compare_exchange_strong(&slots[place], &there, method);
	return there;
}

/* The place of a method in `seen`, and its bit there. */
static uint32_t seen_at(uint64_t method)
{
	return (uint32_t)(mix(method) >> (64 - GN_METHODS_SLOT_BITS)) / 128;
}

static uint64_t seen_bit(uint64_t method)
{
	return 1ull << (mix(method) >> (65 - GN_METHODS_SLOT_BITS)) % 64;
}

int gn_method_set_add(struct gn_method_set *s, uint64_t method)
{
	/* a quarter stays empty, so a search for a missing method soon meets an
	 * empty slot, however many threads add at once */
	if (atomic_fetch_add(&s->used, 1) >= GN_METHODS_SLOTS / 4 * 3)
		return -1;
	atomic_fetch_or(&s->seen[seen_at(method)], seen_bit(method));
	for (uint32_t n = 0;; n++) {
		uint64_t there;

		if (n >= WINDOW && !gn_lazy_get(&s->slots, SLOTS_SIZE))
			return -1;
		there = put(s, slot_of(method, n), method);
		if (!there)
			return 1;
		if (there == method) {
			atomic_fetch_sub(&s->used, 1);
			return 0;
		}
	}
}

bool gn_method_set_has(const struct gn_method_set *s, uint64_t method)
{
	if (!(atomic_load(&s->seen[seen_at(method)]) & seen_bit(method)))
		return false;
	for (uint32_t n = 0;; n++) {
		uint64_t there = gn_method_set_at(s, slot_of(method, n));

		if (!there || there == method)
			return there;
	}
}

static void clear(_Atomic uint64_t *slots, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		atomic_store(&slots[i], 0);
}

void gn_method_set_clear(struct gn_method_set *s)
{
	_Atomic uint64_t *slots = atomic_load(&s->slots);

	clear(s->front, GN_METHODS_FRONT);
	if (slots)
		clear(slots, GN_METHODS_SLOTS);
	atomic_store(&s->used, 0);
}

/* The number of places taken so far. */
static uint32_t places(const struct gn_modules *m)
{
	uint32_t used = atomic_load(&m->used);

	return used < GN_MODULES_MAX ? used : GN_MODULES_MAX;
}

uint32_t gn_modules_find(const struct gn_modules *m, gn_cor_id module)
{
	for (uint32_t i = places(m); i; i--)
		if (atomic_load(&m->module[i - 1]) == module)
			return i;
	return 0;
}

uint32_t gn_modules_add(struct gn_modules *m, gn_cor_id module)
{
	uint32_t place = places(m);

	if (place == GN_MODULES_MAX)
		return 0;
	place = atomic_fetch_add(&m->used, 1);
	if (place >= GN_MODULES_MAX)
		return 0;
	atomic_store(&m->module[place], module);
	return place + 1;
}

void gn_modules_forget(struct gn_modules *m, gn_cor_id module)
{
	uint32_t place;

	/* two threads that add a module at once give it two places */
	while (module && (place = gn_modules_find(m, module)))
		atomic_store(&m->module[place - 1], 0);
}
