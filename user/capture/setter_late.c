/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes that the setter reached, in time or not. */
#include "capture/setter.h"

void gn_setter_note(struct gn_setter_begun *b, pid_t pid, uint64_t now)
{
	b->at[b->n++ % GN_BEGUN_MAX] =
		(struct gn_setter_began){.pid = pid, .time = now};
}

bool gn_setter_noted(const struct gn_setter_begun *b, pid_t pid, uint64_t since)
{
	/* the oldest is overwritten next; if it is not before `since`, those
	 * that were forgotten may not be, either */
	if (b->n >= GN_BEGUN_MAX && b->at[b->n % GN_BEGUN_MAX].time >= since)
		return true;
	for (size_t i = 0; i < GN_BEGUN_MAX && i < b->n; i++)
		if (b->at[i].pid == pid && b->at[i].time >= since)
			return true;
	return false;
}

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
