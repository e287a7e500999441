/* SPDX-License-Identifier: BSD-2-Clause */
/* The time of each function in each thread during the period, for the live
 * view. (The call tree merges the threads of a process.) */
#ifndef GNOMON_MODEL_SHARES_H
#define GNOMON_MODEL_SHARES_H

#include <stdint.h>

#include "model/account.h"
#include "model/table.h"

struct gn_share {
	uint32_t thread;  /* index in threads */
	uint32_t fn;	  /* index in names; GN_NONE: outside of any */
	uint32_t classes; /* in shares.classes; 0: all of it is app */
	uint64_t calls, elapsed, app;
};

#define GN_SHARES_RECENT 64

/* All zeros: none. */
struct gn_shares {
	struct gn_share *rows;
	uint32_t n, cap;
	uint64_t (*classes)[GN_CLASS_COUNT]; /* [0] is unused; without app */
	uint32_t nclasses, classes_cap;
	struct gn_table by_key; /* thread << 32 | fn -> index in rows */
	/* the keys looked up last, and their rows + 1 */
	struct {
		uint64_t key;
		uint32_t row;
	} recent[GN_SHARES_RECENT];
};

/* 0 or -ENOMEM. */
int gn_shares_add(struct gn_shares *s, uint32_t thread, uint32_t fn,
		  const struct gn_interval *iv);
int gn_shares_call(struct gn_shares *s, uint32_t thread, uint32_t fn);

/* The classes of a row, which sum to its elapsed time. */
void gn_shares_classes(const struct gn_shares *s, const struct gn_share *row,
		       uint64_t ns[GN_CLASS_COUNT]);

/* Removes all, for the next period. */
void gn_shares_clear(struct gn_shares *s);
void gn_shares_free(struct gn_shares *s);

#endif
