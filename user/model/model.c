// SPDX-License-Identifier: BSD-2-Clause
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/pool.h"

static void free_own(struct gn_model_own *own)
{
	if (!own)
		return;
	gn_pool_texts_drop(own->texts);
	free(own->live);
	free(own->stacks);
	free(own->shares);
	free(own);
}

void gn_model_free(struct gn_model *m)
{
	if (!m)
		return;
	free(m->info);
	free(m->functions);
	free(m->modules);
	free(m->threads);
	free(m->processes);
	free(m->nodes);
	free(m->edges);
	free(m->waits);
	free_own(m->own);
	free(m);
}

const char *gn_model_info(const struct gn_model *m, const char *key)
{
	size_t i;

	for (i = 0; i < m->ninfo; i++)
		if (!strcmp(m->info[i].key, key))
			return m->info[i].value;
	return NULL;
}

bool gn_model_lossy(const struct gn_model *m)
{
	if (m->lost || m->truncated)
		return true;
#define LOSSY(name, value, text, loss, meaning)       \
	if ((loss) && m->counters[GN_COUNTER_##name]) \
		return true;
	GN_COUNTER_LIST(LOSSY)
#undef LOSSY
	return false;
}

bool gn_model_broken(const struct gn_model *m)
{
#define BROKEN(field, text, error)      \
	if ((error) && m->checks.field) \
		return true;
	GN_CHECK_LIST(BROKEN)
#undef BROKEN
	return false;
}

double gn_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}
