// SPDX-License-Identifier: BSD-2-Clause
#include "model/pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/live/sweep.h"
#include "model/take.h"
#include "model/walk.h"

static void bound(struct gn_pipeline *p)
{
	p->stage.most_frames = GN_LIVE_FRAMES;
	p->stage.tree.most = GN_LIVE_NODES;
	p->stage.tree.others = false;
	p->stage.names.most_fns = GN_LIVE_FUNCTIONS;
	p->stage.names.most_texts = GN_LIVE_TEXTS;
}

struct gn_pipeline *gn_pipeline_new(const struct gn_pipeline_opts *opts)
{
	struct gn_pipeline *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->opts = *opts;
	p->stage.walk.to = opts->live ? NULL : opts->observer;
	gn_sweep_init(p);
	if (gn_names_init(&p->stage.names) || gn_tree_init(&p->stage.tree)) {
		gn_pipeline_free(p);
		return NULL;
	}
	if (!opts->most_ended)
		p->opts.most_ended = GN_MOST_ENDED;
	p->fold_at = p->opts.most_ended;
	p->stage.tree.most = GN_MOST_NODES;
	p->stage.tree.others = true;
	if (opts->live)
		bound(p);
	return p;
}

void gn_pipeline_classify(struct gn_pipeline *p, enum gn_classify classify)
{
	p->opts.classify = classify;
}

void gn_pipeline_free(struct gn_pipeline *p)
{
	uint32_t i;

	if (!p)
		return;
	for (i = 0; i < p->nthreads; i++)
		gn_thread_free(p->threads[i]);
	gn_starved_free(&p->starved);
	gn_taken_free(&p->taken);
	for (i = 0; i < p->nprocesses; i++) {
		gn_windows_free(&p->processes[i].windows);
		free(p->processes[i].collecting);
	}
	free(p->threads);
	free(p->processes);
	free(p->info);
	gn_table_free(&p->by_tid);
	gn_table_free(&p->by_pid);
	gn_tree_free(&p->stage.tree);
	gn_names_free(&p->stage.names);
	gn_waits_free(&p->waits);
	gn_async_free(&p->asyncs);
	gn_shares_free(&p->shares);
	gn_ghosts_free(&p->ghosts);
	gn_events_free(&p->events);
	gn_samples_free(&p->samples);
	gn_syscalls_free(&p->syscalls);
	free(p);
}

/* Returns the thread of a call or its end if it is the previous record's
 * thread, as it mostly is: then no look-up is needed. */
static struct gn_thread *same_thread(const struct gn_pipeline *p,
				     const struct gn_rec *rec, size_t size)
{
	struct gn_thread *t;

	if ((rec->kind != GN_KIND_ENTER && rec->kind != GN_KIND_LEAVE) ||
	    size < sizeof(struct gn_rec_func) || rec->tid != p->last_tid ||
	    !p->nthreads)
		return NULL;
	t = p->threads[p->last_thread];
	return t->closed ? NULL : t;
}

static int take_other(struct gn_pipeline *p, const struct gn_rec *rec,
		      size_t size)
{
	enum gn_stream stream = GN_STREAM_USER;
	size_t least = gn_rec_kind_size(rec->kind, &stream);
	struct gn_thread *t;
	int err;

	if (!least)
		return 0;
	if (size < least || !gn_rec_well_formed(rec, size))
		return -EBADMSG;
	p->records++;
	if (p->stage.names.pool.size >= p->sweep.texts_at)
		gn_sweep_texts(p);
	if (stream == GN_STREAM_USER)
		return gn_take_user(p, rec);
	if (rec->kind == GN_KIND_SAMPLE)
		return gn_samples_take(p, (const void *)rec);
	if (stream == GN_STREAM_STATE)
		return gn_now_take(p, (const void *)rec);
	err = gn_take_thread(p, rec, &t);
	if (!err && t) {
		if (stream == GN_STREAM_COLLECT)
			err = gn_take_collect(p, t, (const void *)rec);
		else if (stream == GN_STREAM_SLICE)
			err = gn_take_slice(p, t, (const void *)rec);
		else
			err = gn_take_note(p, t, rec);
	}
	return err ? err : p->stage.walk.err;
}

static int feed_calls(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_func *r, size_t n, size_t *done)
{
	int err;

	*done = gn_take_plain_calls(p, t, r, n, &err);
	if (!*done) {
		err = gn_take_collect(p, t, r);
		*done = 1;
	}
	p->records += *done;
	return err ? err : p->stage.walk.err;
}

int gn_pipeline_feed(struct gn_pipeline *p, const struct gn_rec *rec,
		     size_t size)
{
	struct gn_thread *t;
	size_t done;

	if (size < sizeof(*rec))
		return -EBADMSG;
	t = same_thread(p, rec, size);
	return t ? feed_calls(p, t, (const void *)rec, 1, &done)
		 : take_other(p, rec, size);
}

int gn_pipeline_feed_calls(struct gn_pipeline *p, const struct gn_rec_func *r,
			   size_t n)
{
	size_t done;
	int err = 0;

	for (; n && !err; r += done, n -= done) {
		struct gn_thread *t = same_thread(p, &r->h, sizeof(*r));

		done = 1;
		err = t ? feed_calls(p, t, r, n, &done)
			: take_other(p, &r->h, sizeof(*r));
	}
	return err;
}

bool gn_pipeline_lossy(const struct gn_pipeline *p)
{
#define LOSSY(name, value, text, loss, meaning)       \
	if ((loss) && p->counters[GN_COUNTER_##name]) \
		return true;
	GN_COUNTER_LIST(LOSSY)
#undef LOSSY
	return p->lost || p->lost_before;
}

/* The end of the thread was not reported. When the capture ends, the ends of
 * all threads are reported. So if that was seen and records were lost, this end
 * is one of them, and other records of the thread may be lost, too. */
static int end_untold(struct gn_pipeline *p, struct gn_thread *t, bool lossy)
{
	if (lossy && p->end)
		gn_take_loss(p, t, &(struct gn_order_seen){.lost = 1});
	return gn_thread_cut(p, t, gn_thread_end_of(t, p->end), GN_END_OPEN);
}

int gn_pipeline_finish(struct gn_pipeline *p, struct gn_model **model)
{
	bool lossy = gn_pipeline_lossy(p);
	uint32_t i;
	int err = 0;

	for (i = 0; i < p->nthreads && !err; i++) {
		struct gn_thread *t = p->threads[i];

		if (!t->closed)
			err = end_untold(p, t, lossy);
		/* missing slices: no later slice has shown that they were
		 * lost */
		if (!lossy)
			p->stage.checks.slice_mismatches += t->account.suspects;
		gn_thread_settle(p, t);
	}
	gn_walk_finish(p);
	if (!err)
		err = p->stage.walk.err;
	return err ? err : gn_build(p, &p->stage.tree, model);
}
