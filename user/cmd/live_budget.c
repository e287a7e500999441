// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/live_budget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "top/budget.h"

/* Processes in which one function is muted at a time. */
#define IDS_MAX 256

static int add_name(struct gn_top_muted *list, size_t *n,
		    const struct gn_model_function *f)
{
	struct gn_top_muted e;

	if (*n == GN_MUTING_NAMES)
		return 0;
	e.name = strdup(f->name);
	e.module = strdup(f->module);
	if (!e.name || !e.module) {
		free((char *)e.name);
		free((char *)e.module);
		return -ENOMEM;
	}
	list[(*n)++] = e;
	return 0;
}

static void free_names(struct gn_top_muted *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free((char *)list[i].name);
		free((char *)list[i].module);
	}
}

static bool is_kept(void *ctx, const struct gn_model_function *f)
{
	const struct gn_muting *g = ctx;

	for (size_t i = 0; i < g->nkept; i++) {
		if (!strcmp(g->kept[i].name, f->name) &&
		    !strcmp(g->kept[i].module, f->module))
			return true;
	}
	/* the list is full: give up, do not retry for ever */
	return g->nkept == GN_MUTING_NAMES;
}

/* Mutes the function in every process that has it. A process that has just
 * ended is no failure. */
static int mute(struct gn_muting *g, struct gn_pipeline *p,
		const struct gn_model_function *f, struct gn_session *s)
{
	struct gn_func_id ids[IDS_MAX];
	size_t n = gn_pipeline_ids(p, f, ids, IDS_MAX);
	bool any = false, gone = true;

	for (size_t i = 0; i < n; i++) {
		int err = gn_session_mute(s, ids[i].func, ids[i].pid);

		any |= !err;
		gone &= err == -ESRCH;
	}
	if (any)
		return add_name(g->muted, &g->nmuted, f);
	return n && gone ? 0 : add_name(g->kept, &g->nkept, f);
}

int gn_muting_apply(struct gn_muting *g, struct gn_pipeline *p,
		    const struct gn_model *m, struct gn_session *s)
{
	struct gn_top_budget_opts o = {.budget = g->budget,
				       .muted = g->nmuted > 0,
				       .keep = is_kept,
				       .ctx = g};
	struct gn_top_budget chosen;
	int err = 0;

	if (!s || g->budget <= 0) {
		g->slowdown = gn_top_slowdown(m);
		return 0;
	}
	err = gn_top_budget_choose(m, &o, &chosen);
	g->slowdown = chosen.slowdown;
	for (uint32_t i = 0; !err && i < chosen.n; i++)
		err = mute(g, p, &m->functions[chosen.function[i]], s);
	return err;
}

void gn_muting_free(struct gn_muting *g)
{
	free_names(g->muted, g->nmuted);
	free_names(g->kept, g->nkept);
	g->nmuted = g->nkept = 0;
}
