// SPDX-License-Identifier: BSD-2-Clause
#include "model/order.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

void gn_order_init(struct gn_order *o, uint64_t time)
{
	*o = (struct gn_order){.next = 1, .next_slice = 1, .time = time};
}

void gn_order_free(struct gn_order *o)
{
	free(o->held);
	o->held = NULL;
	o->nheld = o->held_cap = 0;
}

/*
 * Numbers wrap, so the sign of their difference gives their order. A number
 * that went back restarts the count: waiting until the old count is reached
 * again could drop all that follows.
 */
static struct gn_order_seen number(uint32_t *next, uint32_t seq)
{
	struct gn_order_seen seen = {0};
	int32_t ahead = (int32_t)(seq - *next);

	if (!seq && *next) /* records without numbers */
		return seen;
	if (ahead > 0)
		seen.lost = (uint32_t)ahead;
	else if (ahead < 0)
		seen.reversed = true;
	seen.drop = ahead == -1;
	*next = seq + 1;
	return seen;
}

struct gn_order_seen gn_order_collect(struct gn_order *o,
				      const struct gn_rec *rec)
{
	struct gn_order_seen seen = number(&o->next, rec->seq);

	if (rec->time < o->time)
		seen.reversed = true;
	else if (!seen.drop)
		o->time = rec->time;
	seen.time = o->time;
	return seen;
}

struct gn_order_seen gn_order_note(struct gn_order *o, const struct gn_rec *rec)
{
	struct gn_order_seen seen = number(&o->next, rec->seq);

	seen.time = rec->time;
	return seen;
}

struct gn_order_seen gn_order_slice(struct gn_order *o,
				    const struct gn_rec *rec)
{
	struct gn_order_seen seen = number(&o->next_slice, rec->seq);

	seen.time = rec->time;
	return seen;
}

bool gn_order_hold(struct gn_order *o, const struct gn_rec_slice *s)
{
	if (!(s->h.flags & GN_F_IN_PROBE) || o->nheld == GN_HELD_MAX)
		return false;
	if (gn_grow(&o->held, &o->held_cap, o->nheld + 1, sizeof(*o->held)))
		return false;
	o->held[o->nheld++] = *s;
	return true;
}

bool gn_order_release(struct gn_order *o, uint64_t time,
		      struct gn_rec_slice *out)
{
	uint32_t i;

	for (i = 0; i < o->nheld; i++) {
		if (o->held[i].start >= time)
			continue;
		*out = o->held[i];
		o->nheld--;
		memmove(&o->held[i], &o->held[i + 1],
			(o->nheld - i) * sizeof(*o->held));
		return true;
	}
	return false;
}
