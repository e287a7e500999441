/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the thread with an id. */
#include "model/threads.h"

struct gn_thread *gn_thread_find(struct gn_pipeline *p, uint32_t tid)
{
	if (!p->nthreads)
		return NULL;
	if (tid != p->last_tid) {
		uint32_t i = gn_table_get(&p->by_tid, tid);

		if (i == GN_NONE)
			return NULL;
		p->last_tid = tid;
		p->last_thread = i;
	}
	return p->threads[p->last_thread];
}

const char *gn_thread_name(struct gn_pipeline *p, uint32_t tid)
{
	const struct gn_thread *t = gn_thread_find(p, tid);
	const struct gn_ghost *g;

	if (t)
		return t->name;
	g = gn_ghost_find(p, tid);
	return g ? g->name : NULL;
}
