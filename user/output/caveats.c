/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/caveats.h"

#include <inttypes.h>
#include <stdio.h>

#include "output/text.h"

static char *next(struct gn_caveats *c)
{
	return c->line[c->n++];
}

bool gn_caveat_inlined(const struct gn_model *m, char line[GN_CAVEAT])
{
	uint64_t sites = m->code.sites;

	if (sites)
		snprintf(line, GN_CAVEAT,
			 "calls at %" PRIu64 " %s may be inlined: they are not "
			 "counted, and their time is the callers'",
			 sites, gn_word(sites, "site", "sites"));
	return sites;
}

void gn_caveats_make(const struct gn_model *m, struct gn_caveats *c)
{
	uint64_t lost = gn_model_losses(m);

	c->n = 0;
	if (gn_model_broken(m))
		snprintf(next(c), sizeof(c->line[0]),
			 "a self-check failed: the numbers cannot be trusted");
	if (lost)
		snprintf(next(c), sizeof(c->line[0]),
			 "%" PRIu64 " %s lost: calls and times are missing",
			 lost, gn_word(lost, "record was", "records were"));
	else if (gn_model_lossy(m))
		snprintf(next(c), sizeof(c->line[0]),
			 "the trace has no end: calls and times are missing");
	if (gn_caveat_inlined(m, c->line[c->n]))
		c->n++;
}

void gn_caveats_emit(const struct gn_model *m, struct gn_emit *e)
{
	struct gn_caveats caveats;

	gn_caveats_make(m, &caveats);
	gn_emit_open(e, "caveats", '[');
	for (size_t i = 0; i < caveats.n; i++)
		gn_emit_text(e, NULL, caveats.line[i]);
	gn_emit_close(e, ']');
}
