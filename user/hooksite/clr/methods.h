/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Methods by their tokens, before the runtime has made functions of them. Any
 * thread may call anything here at any time; nobody waits.
 */
#ifndef GNOMON_CLR_METHODS_H
#define GNOMON_CLR_METHODS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cor.h"

/* What has no room in a set or list is told; it can be anything then. */
#define GN_METHODS_SLOT_BITS 17
#define GN_METHODS_SLOTS     (1u << GN_METHODS_SLOT_BITS)
#define GN_MODULES_MAX	     4096

/* A method: the place of its module in the list, from 1, and its row. */
#define GN_METHOD(module, token) \
	((uint64_t)(module) << 24 | GN_TOKEN_ROW(token))
#define GN_METHOD_MODULE(method) ((uint32_t)((method) >> 24))

struct gn_method_set {
	_Atomic uint32_t used;
	/* A bit for each pair of slots: 0 if no method was added that belongs
	 * into them. Few pages, where the slots are on many, which the first to
	 * look for there pays for. */
	_Atomic uint64_t seen[GN_METHODS_SLOTS / 2 / 64];
	_Atomic uint64_t slots[GN_METHODS_SLOTS]; /* a method; 0: empty */
};

/* 1: it is new, 0: it was there; -1: there is no room. */
int gn_method_set_add(struct gn_method_set *s, uint64_t method);
bool gn_method_set_has(const struct gn_method_set *s, uint64_t method);

/* All zeros is an empty one. A place is never used again. */
struct gn_modules {
	_Atomic uint32_t used;
	_Atomic gn_cor_id module[GN_MODULES_MAX]; /* place 1 is the first */
};

/* The module's place; 0: it has none. */
uint32_t gn_modules_find(const struct gn_modules *m, gn_cor_id module);
/* Its new place, or 0: there is no room. */
uint32_t gn_modules_add(struct gn_modules *m, gn_cor_id module);
void gn_modules_forget(struct gn_modules *m, gn_cor_id module);

#endif
