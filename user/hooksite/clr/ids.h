/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function ids: a FunctionID of the runtime -> a small dense index, the same
 * one for as long as the function lives, and never used again after. Any
 * thread may call anything here at any time; nobody waits for anybody.
 */
#ifndef GNOMON_CLR_IDS_H
#define GNOMON_CLR_IDS_H

#include <stdatomic.h>
#include <stdint.h>

#include "cor.h"

/* Indexes are 1 to GN_IDS_MAX. Twice as many slots: probes stay short. */
#define GN_IDS_MAX	 (1u << 20)
#define GN_IDS_SLOT_BITS 21
#define GN_IDS_SLOTS	 (1u << GN_IDS_SLOT_BITS)
/* Most programs have few functions. Their slots are in a few pages: to touch a
 * page for the first time takes longer than all else here. */
#define GN_IDS_FRONT_BITS 14
#define GN_IDS_FRONT	  (1u << GN_IDS_FRONT_BITS)
#define GN_IDS_WINDOW	  8

/* What is gone with any of several modules: an unload of whichever forgets it.
 */
#define GN_IDS_ANY_MODULE (~(gn_cor_id)0)

struct gn_name;

struct gn_id {
	_Atomic gn_cor_id function;	      /* 0: free, or unloaded */
	_Atomic(const struct gn_name *) name; /* NULL: not resolved yet */
	_Atomic gn_cor_id module; /* with which it is gone; 0: it stays */
	_Atomic uint32_t told;	  /* the session that heard its name, plus 1 */
};

/* All zeros is an empty table. Only the pages in use cost memory. */
struct gn_ids {
	_Atomic uint32_t used;
	/* An index; 0: empty. A function is in a window of `front`, and only if
	 * that is full in `slots`. */
	_Atomic uint32_t front[GN_IDS_FRONT];
	_Atomic uint32_t slots[GN_IDS_SLOTS];
	struct gn_id ids[GN_IDS_MAX + 1];
};

/* The function's index; 0: it has none. */
uint32_t gn_ids_find(struct gn_ids *ids, gn_cor_id function);

/* The function's index, a new one if it has none; 0: the table is full. */
uint32_t gn_ids_get(struct gn_ids *ids, gn_cor_id function);

/* The function is gone: its FunctionID may come again for another one. */
void gn_ids_forget(struct gn_ids *ids, gn_cor_id function);

/* All functions whose `module` this is, or can be, are gone. */
void gn_ids_forget_module(struct gn_ids *ids, gn_cor_id module);

#endif
