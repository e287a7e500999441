/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes that the setter did not reach in time. */
#include "capture/setter.h"

bool gn_setter_was_late(const struct gn_setter_late *l, uint32_t pid,
			const struct gn_runtime *rt)
{
	if (l->n > GN_LATE_MAX)
		return true;
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].pid == pid && l->at[i].rt == rt)
			return true;
	return false;
}

void gn_setter_note_late(struct gn_setter_late *l, uint32_t pid,
			 const struct gn_runtime *rt)
{
	if (l->n < GN_LATE_MAX)
		l->at[l->n] = (struct gn_setter_reached){pid, rt};
	l->n++;
}
