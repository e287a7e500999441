// SPDX-License-Identifier: BSD-2-Clause
/*
 * Frees what accumulates in a long capture: unused texts, such as old names of
 * a thread, and functions of ended programs. It runs when there is twice as
 * much as the last sweep left. So it costs little, and memory stays within
 * twice of what is alive.
 */
#include "model/live/sweep.h"

#include <errno.h>
#include <stdlib.h>

#include "model/live/names_left.h"
#include "model/mem.h"

/* smaller amounts are not worth a sweep */
#define TEXTS_MIN (1u << 20)
#define FNS_MIN	  1024u

void gn_sweep_init(struct gn_pipeline *p)
{
	p->sweep = (struct gn_sweep_due){.texts_least = TEXTS_MIN,
					 .fns_least = FNS_MIN,
					 .texts_at = TEXTS_MIN,
					 .fns_at = FNS_MIN};
}

/* What to do with each text that is in use. */
struct texts {
	int (*take)(struct gn_pool *pool, const char **text);
	struct gn_pool *pool;
	int err;
};

static void take(struct texts *t, const char **text)
{
	if (*text && !t->err)
		t->err = t->take(t->pool, text);
}

static void take_names(struct texts *t, struct gn_names *n)
{
	const char *module = NULL, *taken = NULL;
	uint32_t i;

	for (i = 0; i < n->nfns; i++) {
		struct gn_fn *fn = &n->fns[i];

		take(t, &fn->name);
		take(t, &fn->file);
		/* most functions have the module of the previous one */
		if (fn->module == module) {
			fn->module = taken;
			continue;
		}
		module = fn->module;
		take(t, &fn->module);
		taken = fn->module;
	}
	for (i = 0; i < n->nmodules; i++)
		take(t, &n->modules[i].name);
}

static void take_thread(struct texts *t, struct gn_thread *thread)
{
	uint32_t i;

	take(t, &thread->name);
	for (i = 0; i < thread->open.n; i++)
		take(t, &thread->open.rows[i].waker_name);
}

static void take_all(struct texts *t, struct gn_pipeline *p)
{
	uint32_t i;

	take_names(t, &p->stage.names);
	take(t, &p->by_path);
	for (i = 0; i < p->ninfo; i++) {
		take(t, &p->info[i].key);
		take(t, &p->info[i].value);
	}
	for (i = 0; i < p->nthreads; i++)
		take_thread(t, p->threads[i]);
	for (i = 0; i < p->nprocesses; i++)
		take(t, &p->processes[i].name);
	for (i = 0; i < p->ghosts.n; i++)
		take(t, &p->ghosts.rows[i].name);
	for (i = 0; i < p->waits.n; i++)
		take(t, &p->waits.rows[i].waker_name);
}

static int copy(struct gn_pool *pool, const char **text)
{
	return gn_pool_add(pool, *text, strlen(*text)) ? 0 : -ENOMEM;
}

/* Needs no memory: the text was copied before. */
static int move(struct gn_pool *pool, const char **text)
{
	*text = gn_pool_add(pool, *text, strlen(*text));
	return 0;
}

void gn_sweep_texts(struct gn_pipeline *p)
{
	struct gn_pool *pool = &p->stage.names.pool, kept = {0};
	struct texts t = {.take = copy, .pool = &kept};

	take_all(&t, p);
	if (!t.err) {
		t.take = move;
		take_all(&t, p);
		/* models that share its texts keep them alive */
		gn_pool_free(pool);
		*pool = kept;
	} else {
		gn_pool_free(&kept);
	}
	p->sweep.texts_at = 2 * pool->size + p->sweep.texts_least;
}

static void mark_function(struct gn_names_left *l, uint32_t fn)
{
	if (fn != GN_NONE)
		l->fn[fn] = 0;
}

static void mark_thread(struct gn_names_left *l, const struct gn_thread *t)
{
	uint32_t i;

	mark_function(l, t->wake.fn);
	for (i = 0; i < t->open.n; i++)
		mark_function(l, t->open.rows[i].waker_fn);
	for (i = 0; i < gn_live_activities(&t->live); i++)
		mark_function(l, gn_live_at(&t->live, i)->fn);
}

static void mark_all(struct gn_names_left *l, const struct gn_pipeline *p)
{
	const struct gn_tree *tree = &p->stage.tree;
	uint32_t i;

	for (i = 0; i < p->nprocesses; i++)
		l->program[p->processes[i].program] = 0;
	for (i = 0; i < tree->n; i++)
		if (!tree->nodes[i].process)
			mark_function(l, tree->nodes[i].fn);
	for (i = 0; i < p->nthreads; i++)
		mark_thread(l, p->threads[i]);
}

static uint32_t moved(const struct gn_names_left *l, uint32_t fn)
{
	return fn == GN_NONE ? GN_NONE : l->fn[fn];
}

static void move_thread(const struct gn_names_left *l, struct gn_thread *t)
{
	uint32_t i;

	t->wake.fn = moved(l, t->wake.fn);
	for (i = 0; i < t->open.n; i++)
		t->open.rows[i].waker_fn = moved(l, t->open.rows[i].waker_fn);
	/* entries never used are included; nobody reads them */
	for (i = 0; i < GN_LIVE_ACTIVITIES; i++)
		t->live.activity[i].fn = moved(l, t->live.activity[i].fn);
}

static int sweep_functions(struct gn_pipeline *p, struct gn_names_left *l)
{
	uint32_t i;
	int err;

	mark_all(l, p);
	err = gn_names_left_plan(&p->stage.names, l);
	if (!err)
		err = gn_tree_renumber(&p->stage.tree, l->fn);
	if (err)
		return err;
	for (i = 0; i < p->nprocesses; i++)
		p->processes[i].program = l->program[p->processes[i].program];
	for (i = 0; i < p->nthreads; i++)
		move_thread(l, p->threads[i]);
	gn_names_left_apply(&p->stage.names, l);
	return 0;
}

static uint64_t functions(const struct gn_pipeline *p)
{
	return (uint64_t)p->stage.names.nfns + p->stage.names.nprograms;
}

/* Twice as many, but below the limit. */
static uint64_t next_functions(const struct gn_pipeline *p)
{
	uint64_t n = functions(p), most = p->stage.names.most_fns;
	uint64_t more = n;

	if (most && n + more > most)
		more = n < most ? (most - n) / 2 : 0;
	return n + more + p->sweep.fns_least;
}

/* Names for which there was no room count, too: close to a limit there will
 * never be twice as many functions, though most may be of ended programs. */
static bool is_due(const struct gn_pipeline *p)
{
	return functions(p) >= p->sweep.fns_at ||
	       p->sweep.refused >= p->sweep.fns_least;
}

/* Without memory nothing changes; it will be tried again. */
void gn_sweep_functions(struct gn_pipeline *p)
{
	struct gn_names_left left;

	if (!is_due(p))
		return;
	if (!gn_names_left_new(&p->stage.names, &left)) {
		sweep_functions(p, &left);
		gn_names_left_free(&left);
	}
	p->sweep.fns_at = next_functions(p);
	p->sweep.refused = 0;
	gn_sweep_texts(p);
}
