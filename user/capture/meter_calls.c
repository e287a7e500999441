/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/meter_calls.h"

#include <string.h>

void gn_meter_calls_ask(struct gn_meter_calls *c, unsigned int pairs,
			unsigned int n, uint64_t now)
{
	memset(c->disturbed, 0, sizeof(c->disturbed));
	c->pairs = pairs;
	c->asked = n;
	c->got = 0;
	c->since = now;
}

static unsigned int all_records(const struct gn_meter_calls *c)
{
	return GN_METER_RECORDS * c->asked * c->pairs;
}

void gn_meter_calls_take(struct gn_meter_calls *c, const struct gn_rec *rec)
{
	unsigned int call = c->got / GN_METER_RECORDS;

	if ((rec->kind != GN_KIND_ENTER && rec->kind != GN_KIND_LEAVE) ||
	    rec->time < c->since || c->got >= all_records(c))
		return;
	c->of[call / c->asked][call % c->asked].at[c->got % GN_METER_RECORDS] =
		rec->time;
	if (rec->flags & GN_F_OS_EVENT)
		c->disturbed[call / c->asked][call % c->asked] = true;
	c->got++;
}

bool gn_meter_calls_are_there(const struct gn_meter_calls *c)
{
	return c->asked && c->got == all_records(c);
}

unsigned int gn_meter_calls_pick(struct gn_meter_calls *c, unsigned int pair,
				 unsigned int from)
{
	unsigned int n = 0;

	for (unsigned int k = from; k < c->asked; k++)
		if (!c->disturbed[pair][k])
			c->of[pair][n++] = c->of[pair][k];
	return n;
}
