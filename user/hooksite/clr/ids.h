/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps a FunctionID of the runtime to a small dense index. A function keeps its
 * index as long as it lives, and no other function ever gets that index. Any
 * thread may call anything here at any time, without waiting.
 */
#ifndef GNOMON_CLR_IDS_H
#define GNOMON_CLR_IDS_H

#include <stdatomic.h>
#include <stdint.h>

#include "../mute.h"
#include "cor.h"

/* Indexes are 1 to GN_IDS_MAX. Twice as many slots: probes stay short. */
#define GN_IDS_MAX	 GN_INDEX_MAX
#define GN_IDS_SLOT_BITS 21
#define GN_IDS_SLOTS	 (1u << GN_IDS_SLOT_BITS)
/* Most programs have few functions. Their slots are in a few pages, because the
 * first touch of a page takes longer than everything else here. */
#define GN_IDS_FRONT_BITS 14
#define GN_IDS_FRONT	  (1u << GN_IDS_FRONT_BITS)
#define GN_IDS_WINDOW	  8

/* For what is gone with one of several modules: the unload of any module
 * forgets it. */
#define GN_IDS_ANY_MODULE (~(gn_cor_id)0)

struct gn_name;

struct gn_id {
	_Atomic gn_cor_id function;	      /* 0: free, or unloaded */
	_Atomic(const struct gn_name *) name; /* NULL: not resolved yet */
	_Atomic gn_cor_id module; /* its unload ends the id; 0: it stays */
	_Atomic uint32_t told;	  /* the session that knows its name, plus 1 */
};

/* All zeros is an empty table. Only the pages in use cost memory. */
struct gn_ids {
	_Atomic uint32_t used;
	/* Indexes; 0: empty. A function is in its window of `front`, or in
	 * `slots` if the window is full. */
	_Atomic uint32_t front[GN_IDS_FRONT];
	_Atomic uint32_t slots[GN_IDS_SLOTS];
	struct gn_id ids[GN_IDS_MAX + 1];
};

/* The function's index; 0: it has none. */
uint32_t gn_ids_find(struct gn_ids *ids, gn_cor_id function);

/* The function's index, a new one if it has none; 0: the table is full. */
uint32_t gn_ids_get(struct gn_ids *ids, gn_cor_id function);

/* The function is gone: another one may get its FunctionID. */
void gn_ids_forget(struct gn_ids *ids, gn_cor_id function);

/* All functions whose `module` this is, or can be, are gone. */
void gn_ids_forget_module(struct gn_ids *ids, gn_cor_id module);

#endif
