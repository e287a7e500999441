/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the functions and programs that are still used. */
#ifndef GNOMON_MODEL_LIVE_NAMES_LEFT_H
#define GNOMON_MODEL_LIVE_NAMES_LEFT_H

#include "model/names.h"

/*
 * Mark what is used: set its entry, by index, to anything but GN_NONE.
 * Functions that can be looked up in a marked program are kept, too. The plan
 * puts the new indexes in both arrays. If it fails, nothing has changed; apply
 * cannot fail.
 */
struct gn_names_left {
	uint32_t *fn, *program;
	uint32_t nfns, nprograms;
	uint32_t *muted;
	uint32_t nmuted, muted_cap;
	struct gn_table by_func, by_muted;
};

int gn_names_left_new(const struct gn_names *n, struct gn_names_left *l);
int gn_names_left_plan(const struct gn_names *n, struct gn_names_left *l);
void gn_names_left_apply(struct gn_names *n, struct gn_names_left *l);
void gn_names_left_free(struct gn_names_left *l);

#endif
