// SPDX-License-Identifier: BSD-2-Clause
#include "unwinds.h"

void gn_unwinds_push(struct gn_unwinds *u, uint32_t index)
{
	u->index[u->top] = index;
	u->top = (u->top + 1) % GN_UNWINDS_MAX;
	if (u->n < GN_UNWINDS_MAX)
		u->n++;
}

uint32_t gn_unwinds_pop(struct gn_unwinds *u)
{
	if (!u->n)
		return 0;
	u->n--;
	u->top = (u->top + GN_UNWINDS_MAX - 1) % GN_UNWINDS_MAX;
	return u->index[u->top];
}
