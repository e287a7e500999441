/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps a FunctionID of the runtime to a small dense index. A function keeps its
 * index as long as it lives, and no other function ever gets that index. Any
 * thread may call anything here at any time, without waiting.
 */
#ifndef GNOMON_CLR_IDS_H
#define GNOMON_CLR_IDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../mute.h"
#include "cor.h"
#include "lazy.h"

/* Indexes are 1 to GN_IDS_MAX. Twice as many slots: probes stay short. */
#define GN_IDS_MAX	 GN_INDEX_MAX
#define GN_IDS_SLOT_BITS 21
#define GN_IDS_SLOTS	 (1u << GN_IDS_SLOT_BITS)
/* Most programs have few functions. Their slots are in a few pages, because the
 * first touch of a page takes longer than everything else here. */
#define GN_IDS_FRONT_BITS 14
#define GN_IDS_FRONT	  (1u << GN_IDS_FRONT_BITS)
#define GN_IDS_WINDOW	  8
/* Ids that come into memory together. */
#define GN_IDS_CHUNK 1024u

/* For what is gone with one of several modules: the unload of any module
 * forgets it. */
#define GN_IDS_ANY_MODULE (~(gn_cor_id)0)

struct gn_name;

struct gn_id {
	_Atomic gn_cor_id function;	      /* 0: free, or unloaded */
	_Atomic(const struct gn_name *) name; /* NULL: not resolved yet */
	_Atomic gn_cor_id module; /* its unload ends the id; 0: it stays */
	_Atomic uint32_t told;	  /* the session that knows its name, plus 1 */
	/* What is known of methods that are rewritten (rejit.h). */
	_Atomic bool chosen;
	/* An async method whose state machines may have tags in their states.
	 * Its own code must not run again: it would not know a tagged state,
	 * and would start from the beginning. */
	_Atomic bool tagged;
	_Atomic bool copied; /* it has copies in precompiled code */
};

/* All zeros is an empty table. */
struct gn_ids {
	_Atomic uint32_t used;
	/* Indexes; 0: empty. A function is in its window of `front`, or in
	 * `slots` if the window is full. */
	_Atomic uint32_t front[GN_IDS_FRONT];
	gn_lazy slots;
	gn_lazy chunks[GN_IDS_MAX / GN_IDS_CHUNK + 1];
};

/* The entry of an index that a function has had. */
static inline struct gn_id *gn_id_of(const struct gn_ids *ids, uint32_t index)
{
	struct gn_id *chunk = atomic_load_explicit(
		&ids->chunks[index / GN_IDS_CHUNK], memory_order_acquire);

	return &chunk[index % GN_IDS_CHUNK];
}

/* NULL: it has no name yet, or the index is 0. */
static inline const struct gn_name *gn_id_name(const struct gn_ids *ids,
					       uint32_t index)
{
	return index ? atomic_load(&gn_id_of(ids, index)->name) : NULL;
}

/* The function's index; 0: it has none. */
uint32_t gn_ids_find(struct gn_ids *ids, gn_cor_id function);

/* The function's index, a new one if it has none; 0: the table is full. */
uint32_t gn_ids_get(struct gn_ids *ids, gn_cor_id function);

/* The function is gone: another one may get its FunctionID. */
void gn_ids_forget(struct gn_ids *ids, gn_cor_id function);

/* All functions whose `module` this is, or can be, are gone. */
void gn_ids_forget_module(struct gn_ids *ids, gn_cor_id module);

#endif
