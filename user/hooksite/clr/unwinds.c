// SPDX-License-Identifier: BSD-2-Clause
#include "unwinds.h"

void gn_unwinds_push(struct gn_unwinds *u, uint32_t index)
{
	u->index[u->top] = index;
	u->top = (u->top + 1) % GN_UNWINDS_MAX;
	if (u->n < GN_UNWINDS_MAX)
		u->n++;
}

/* What a filter's begin is among the unwinds: no function's index. */
#define FILTER UINT32_MAX

static uint32_t innermost(const struct gn_unwinds *u)
{
	return u->index[(u->top + GN_UNWINDS_MAX - 1) % GN_UNWINDS_MAX];
}

static void drop(struct gn_unwinds *u)
{
	u->n--;
	u->top = (u->top + GN_UNWINDS_MAX - 1) % GN_UNWINDS_MAX;
}

uint32_t gn_unwinds_pop(struct gn_unwinds *u)
{
	uint32_t index = u->n ? innermost(u) : FILTER;

	if (index == FILTER)
		return 0;
	drop(u);
	return index;
}

void gn_unwinds_filter_begin(struct gn_unwinds *u)
{
	gn_unwinds_push(u, FILTER);
}

void gn_unwinds_filter_end(struct gn_unwinds *u)
{
	while (gn_unwinds_pop(u) || (u->n && innermost(u) != FILTER))
		;
	if (u->n)
		drop(u);
}
