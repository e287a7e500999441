/* SPDX-License-Identifier: BSD-2-Clause */
/* Of functions and programs, those that are still of use. */
#ifndef GNOMON_MODEL_LIVE_NAMES_LEFT_H
#define GNOMON_MODEL_LIVE_NAMES_LEFT_H

#include "model/names.h"

/*
 * What is left of them: for what is marked (anything but GN_NONE, by the index
 * that it has), and for those that can still be looked up in a program that is
 * marked. Once planned, both say which index it will have; plan can fail, then
 * nothing has changed, apply cannot.
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
