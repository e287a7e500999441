// SPDX-License-Identifier: BSD-2-Clause
#include "unwinds.h"

#include <stdbool.h>

#include "ids.h"

void gn_unwinds_push(struct gn_unwinds *u, uint32_t index)
{
	u->index[u->top] = index;
	u->top = (u->top + 1) % GN_UNWINDS_MAX;
	if (u->n < GN_UNWINDS_MAX)
		u->n++;
}

/* Marks an entry as the begin of a filter. The other bits are the index of the
 * filter's function. */
#define FILTER 0x80000000u

_Static_assert(GN_IDS_MAX < FILTER, "no function's index is a filter's begin");

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

	if (index & FILTER)
		return 0;
	drop(u);
	return index;
}

/* Whether the innermost filter belongs to that function. Skips unwinds that
 * began after the filter: those that were overtaken never end. */
static bool is_filtering(const struct gn_unwinds *u, uint32_t index)
{
	for (uint32_t i = 1; i <= u->n; i++) {
		uint32_t at = u->index[(u->top + GN_UNWINDS_MAX - i) %
				       GN_UNWINDS_MAX];

		if (at & FILTER)
			return at == (FILTER | index);
	}
	return false;
}

uint32_t gn_unwinds_end(struct gn_unwinds *u)
{
	uint32_t index = gn_unwinds_pop(u);

	if (!index || !is_filtering(u, index))
		return index;
	u->held = index;
	return 0;
}

uint32_t gn_unwinds_settle(struct gn_unwinds *u)
{
	uint32_t index = u->held;

	u->held = 0;
	return index;
}

void gn_unwinds_filter_begin(struct gn_unwinds *u, uint32_t index)
{
	gn_unwinds_push(u, FILTER | index);
}

void gn_unwinds_filter_end(struct gn_unwinds *u)
{
	u->held = 0;
	while (u->n && !(innermost(u) & FILTER))
		drop(u);
	if (u->n)
		drop(u);
}
