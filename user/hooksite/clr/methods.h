/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Methods by their tokens, before the runtime has made functions of them. Any
 * thread may call these functions at any time; none waits.
 */
#ifndef GNOMON_CLR_METHODS_H
#define GNOMON_CLR_METHODS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cor.h"
#include "lazy.h"

/* If a set or list is full, adding reports that. The caller must then assume
 * that any method can be in it. */
#define GN_METHODS_SLOT_BITS 17
#define GN_METHODS_SLOTS     (1u << GN_METHODS_SLOT_BITS)
/* Most sets are small. Their slots are in a few pages, because the first touch
 * of a page takes longer than everything else here. */
#define GN_METHODS_FRONT_BITS 12
#define GN_METHODS_FRONT      (1u << GN_METHODS_FRONT_BITS)
#define GN_METHODS_ROOM	      (GN_METHODS_FRONT + GN_METHODS_SLOTS)
#define GN_MODULES_MAX	      4096

/* A method: its module's place in the list, from 1, and its row. */
#define GN_METHOD(module, token) \
	((uint64_t)(module) << 24 | GN_TOKEN_ROW(token))
#define GN_METHOD_MODULE(method) ((uint32_t)((method) >> 24))

struct gn_method_set {
	_Atomic uint32_t used;
	/* A bit for each pair of hashes. 0: no added method has one of the
	 * two. */
	_Atomic uint64_t seen[GN_METHODS_SLOTS / 2 / 64];
	/* Methods; 0: empty. A method is in its window of `front`, or in
	 * `slots` if the window is full. */
	_Atomic uint64_t front[GN_METHODS_FRONT];
	gn_lazy slots;
};

/* 1: added. 0: it was there already. -1: the set is full, or no memory. */
int gn_method_set_add(struct gn_method_set *s, uint64_t method);
bool gn_method_set_has(const struct gn_method_set *s, uint64_t method);
/* The method in a place, less than GN_METHODS_ROOM; 0: none. */
uint64_t gn_method_set_at(const struct gn_method_set *s, uint32_t place);
/* For the owner of the set, while no thread adds. */
void gn_method_set_clear(struct gn_method_set *s);

/* All zeros is an empty list. A place is never used again. */
struct gn_modules {
	_Atomic uint32_t used;
	_Atomic gn_cor_id module[GN_MODULES_MAX]; /* place 1 is the first */
};

/* The module's place. 0: none. */
uint32_t gn_modules_find(const struct gn_modules *m, gn_cor_id module);
/* Adds the module and returns its place. 0: the list is full. */
uint32_t gn_modules_add(struct gn_modules *m, gn_cor_id module);
void gn_modules_forget(struct gn_modules *m, gn_cor_id module);

#endif
