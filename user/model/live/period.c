// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ends a period of the live view: the sums become a model, and what is alive
 * continues with new sums. The new call tree has the paths of open frames, and
 * only threads and processes that have not ended are kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/live/sweep.h"
#include "model/threads.h"

/* Calls `visit` for all tree nodes that the thread holds. */
static void each_node(struct gn_thread *t, uint32_t *map,
		      void (*visit)(uint32_t *node, uint32_t *map))
{
	struct gn_stack *k;
	uint32_t i, at;

	if (t->closed)
		return;
	visit(&t->stacks.root, map);
	for (at = 0; (k = gn_stacks_at(&t->stacks, at)); at++) {
		for (i = 0; i < k->n; i++)
			visit(&k->frames[i].node, map);
		for (i = 0; i < k->npending; i++)
			visit(&k->pending[i].node, map);
	}
}

static void mark(uint32_t *node, uint32_t *map)
{
	map[*node] = 0;
}

static void follow(uint32_t *node, uint32_t *map)
{
	*node = map[*node];
}

/* Makes the next period's tree, which replaces `old`. Processes still refer to
 * nodes of the old one. On -ENOMEM nothing has changed. */
static int change_trees(struct gn_pipeline *p, uint32_t **out,
			struct gn_tree *old)
{
	const struct gn_tree *t = &p->stage.tree;
	uint32_t *map = malloc((size_t)t->n * sizeof(*map));
	struct gn_tree next;
	uint32_t i;

	if (!map)
		return -ENOMEM;
	memset(map, 0xff, (size_t)t->n * sizeof(*map)); /* GN_NONE */
	for (i = 0; i < p->nthreads; i++)
		each_node(p->threads[i], map, mark);
	if (gn_tree_keep(t, map, &next)) {
		free(map);
		return -ENOMEM;
	}
	for (i = 0; i < p->nthreads; i++)
		each_node(p->threads[i], map, follow);
	*old = p->stage.tree;
	p->stage.tree = next;
	*out = map;
	return 0;
}

const struct gn_ghost *gn_ghost_find(const struct gn_pipeline *p, uint32_t tid)
{
	uint32_t i = gn_table_get(&p->ghosts.by_tid, tid);

	return i == GN_NONE ? NULL : &p->ghosts.rows[i];
}

void gn_ghosts_free(struct gn_ghosts *g)
{
	free(g->rows);
	gn_table_free(&g->by_tid);
	*g = (struct gn_ghosts){0};
}

int gn_ghosts_add(struct gn_ghosts *g, const struct gn_ghost *ghost)
{
	uint32_t i = gn_table_get(&g->by_tid, ghost->tid);

	if (i != GN_NONE) {
		g->rows[i] = *ghost;
		return 0;
	}
	if (gn_grow(&g->rows, &g->cap, (size_t)g->n + 1, sizeof(*g->rows)) ||
	    gn_table_put(&g->by_tid, ghost->tid, g->n))
		return -ENOMEM;
	g->rows[g->n++] = *ghost;
	return 0;
}

/*
 * Keeps threads that ended in this period until the next one ends. That is far
 * longer than a record can be late, and long enough for likely look-ups of tids
 * and names of wakers.
 */
static int age_ghosts(struct gn_pipeline *p)
{
	struct gn_ghosts kept = {0};
	uint32_t i;
	int err = 0;

	for (i = 0; i < p->ghosts.n && !err; i++) {
		struct gn_ghost g = p->ghosts.rows[i];

		if (g.old)
			continue;
		g.old = true;
		err = gn_ghosts_add(&kept, &g);
	}
	for (i = 0; i < p->nthreads && !err; i++) {
		const struct gn_thread *t = p->threads[i];

		if (t->closed)
			err = gn_ghosts_add(&kept,
					    &(struct gn_ghost){
						    .tid = t->tid,
						    .next = t->order.next,
						    .name = t->name,
						    .stopped = t->stopped,
						    .process = GN_NONE,
					    });
	}
	gn_ghosts_free(&p->ghosts);
	p->ghosts = kept;
	return err;
}

static void reset_thread(struct gn_thread *t)
{
	struct gn_account *a = &t->account;

	t->start = a->since;
	t->lossy |= t->gaps > 0;
	t->gaps = t->records = 0;
	t->stacks.calls = t->stacks.unwound = 0;
	memset(a->classes, 0, sizeof(a->classes));
	memset(a->outside, 0, sizeof(a->outside));
	a->outside_elapsed = a->outside_app = 0;
	a->app = a->elapsed = a->cost = 0;
	a->hook_waited = a->own_work = 0;
	a->error = a->outside_error = 0;
	t->kernel = (struct gn_kernel_account){0};
	t->live.now = (struct gn_now){0};
}

static void forget_thread(struct gn_pipeline *p, uint32_t i)
{
	struct gn_thread *t = p->threads[i];
	struct gn_process *proc = &p->processes[t->process];

	/* another thread may have the tid now */
	if (gn_table_get(&p->by_tid, t->tid) == i)
		gn_table_remove(&p->by_tid, t->tid);
	gn_windows_forget(&proc->windows, t);
	proc->threads--;
	gn_thread_free(t);
}

/* Whether it had neither a record nor a NOW. */
static bool is_silent(const struct gn_thread *t)
{
	return !t->records && !t->live.now.known;
}

static void keep_threads(struct gn_pipeline *p)
{
	uint32_t i, n = 0;

	p->stage.frames = 0;
	for (i = 0; i < p->nthreads; i++) {
		struct gn_thread *t = p->threads[i];

		if (t->closed) {
			forget_thread(p, i);
			continue;
		}
		t->silent = is_silent(t);
		reset_thread(t);
		gn_stacks_settle(&t->stacks, &p->stage);
		t->index = n;
		gn_table_change(&p->by_tid, t->tid, n);
		p->threads[n++] = t;
	}
	p->nthreads = n;
	p->last_thread = 0;
	p->last_tid = n ? p->threads[0]->tid : 0;
}

/* Assigns new indexes to processes. Those with a thread are kept, and those in
 * which an open frame was entered: the next tree has their nodes. */
static void place_processes(struct gn_pipeline *p, const uint32_t *map)
{
	uint32_t i, n = 0;

	for (i = 0; i < p->nprocesses; i++) {
		struct gn_process *proc = &p->processes[i];

		proc->moves_to = GN_NONE;
		if (map[proc->node] == GN_NONE)
			continue;
		proc->node = map[proc->node];
		proc->moves_to = n++;
	}
	for (i = 0; i < p->nthreads; i++)
		p->threads[i]->process =
			p->processes[p->threads[i]->process].moves_to;
}

static void keep_processes(struct gn_pipeline *p, const uint32_t *map)
{
	uint32_t i, n = 0;

	place_processes(p, map);
	for (i = 0; i < p->nprocesses; i++) {
		struct gn_process proc = p->processes[i];
		bool has_pid = gn_table_get(&p->by_pid, proc.pid) == i;

		if (proc.moves_to == GN_NONE) {
			if (has_pid)
				gn_table_remove(&p->by_pid, proc.pid);
			gn_windows_free(&proc.windows);
			free(proc.collecting);
			continue;
		}
		if (has_pid)
			gn_table_change(&p->by_pid, proc.pid, proc.moves_to);
		p->stage.tree.nodes[proc.node].fn = proc.moves_to;
		p->processes[n++] = proc;
	}
	p->nprocesses = n;
}

static void begin_period(struct gn_pipeline *p, uint64_t start)
{
	p->lost_before = gn_pipeline_lossy(p);
	p->lost = 0;
	memset(p->counters, 0, sizeof(p->counters));
	memset(p->hits, 0, sizeof(p->hits));
	memset(p->cost_sums, 0, sizeof(p->cost_sums));
	p->owed_before = p->owed;
	p->stage.checks = (struct gn_checks){0};
	gn_waits_free(&p->waits);
	gn_shares_clear(&p->shares);
	p->periods = true;
	p->start = start;
	p->load = (struct gn_load){.nodes = p->stage.tree.n,
				   .frames = p->stage.frames};
}

bool gn_pipeline_full(const struct gn_pipeline *p)
{
	const struct gn_names *names = &p->stage.names;
	uint64_t functions = (uint64_t)names->nfns + names->nprograms;

	return p->load.ended >= GN_PERIOD_ENDED ||
	       p->shares.n >= GN_PERIOD_SHARES ||
	       p->stage.tree.n - p->load.nodes >= GN_PERIOD_NODES ||
	       p->stage.frames - p->load.frames >= GN_PERIOD_FRAMES ||
	       (functions >= GN_PERIOD_FUNCTIONS &&
		functions >= p->sweep.fns_at);
}

int gn_pipeline_silent(struct gn_pipeline *p,
		       bool (*lives)(void *ctx, uint32_t pid, uint32_t tid),
		       void *ctx)
{
	uint32_t i;
	int err = 0;

	/* without a loss, the record of its end would be here */
	for (i = 0; i < p->nthreads && gn_pipeline_lossy(p); i++) {
		struct gn_thread *t = p->threads[i];

		if (!t->closed && t->silent && is_silent(t) &&
		    !lives(ctx, p->processes[t->process].pid, t->tid))
			err |= gn_thread_lose_end(p, t);
	}
	return err ? -ENOMEM : 0;
}

int gn_pipeline_period(struct gn_pipeline *p, struct gn_model **model)
{
	uint32_t *map = NULL;
	struct gn_tree old;
	uint32_t i;
	int err;

	*model = NULL;
	for (i = 0; i < p->nthreads; i++) {
		gn_thread_settle(p, p->threads[i]);
		if (p->threads[i]->closed && !gn_pipeline_lossy(p))
			p->stage.checks.slice_mismatches +=
				p->threads[i]->account.suspects;
	}
	err = change_trees(p, &map, &old);
	if (err)
		return err;
	err = gn_build(p, &old, model);
	err |= age_ghosts(p);
	keep_threads(p);
	keep_processes(p, map);
	begin_period(p, p->last > p->start ? p->last : p->start);
	gn_sweep_functions(p);
	free(map);
	if (!err)
		return 0;
	gn_model_free(*model);
	*model = NULL;
	return -ENOMEM;
}
