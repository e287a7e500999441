// SPDX-License-Identifier: BSD-2-Clause
#include "model/collecting.h"

#include <string.h>

void gn_collecting_begin(struct gn_collecting *c, uint64_t start,
			 uint32_t thread, bool full)
{
	/* their ends must have been lost */
	if (c->n == GN_COLLECTING_MAX)
		memmove(c->open, c->open + 1, --c->n * sizeof(*c->open));
	c->open[c->n++] = (struct gn_collecting_one){
		.start = start, .thread = thread, .full = full};
}

void gn_collecting_resume(struct gn_collecting *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		c->open[i].resumed = true;
}

void gn_collecting_lose(struct gn_collecting *c, uint32_t thread)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->n; i++)
		if (c->open[i].resumed || c->open[i].thread != thread)
			c->open[kept++] = c->open[i];
	c->n = kept;
}

bool gn_collecting_end(struct gn_collecting *c, uint32_t thread,
		       struct gn_collecting_one *out)
{
	if (!c->n) {
		*out = c->full;
		if (!out->start || out->thread == thread)
			return false;
		c->full.start = 0;
		return true;
	}
	/* the last one begun ends first */
	*out = c->open[--c->n];
	if (out->resumed && out->thread != thread)
		return true;
	if (out->full)
		c->full = *out;
	return false;
}
