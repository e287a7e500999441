// SPDX-License-Identifier: BSD-2-Clause
/* Finds the thread that a record belongs to. Ids are reused, and the record of
 * a thread's end may be lost. */
#include <errno.h>

#include "model/take.h"
#include "model/walk.h"

int gn_thread_cut(struct gn_pipeline *p, struct gn_thread *t, uint64_t end,
		  enum gn_frame_end how)
{
	struct gn_interval iv;
	int err;

	err = gn_slices_release(p, t, UINT64_MAX);
	if (t->role == GN_ROLE_COLLECTOR)
		gn_collectors_lost(p, t, t->sliced);
	t->sliced = end;
	if (t->account.gap)
		gn_thread_gap(p, t, end);
	else
		gn_walk_gap(p, t, t->account.since, end);
	gn_account_cut(&t->account, end, p->opts.classify, &iv);
	err |= gn_thread_charge(p, t, &iv, false);
	gn_thread_close(p, t, end, how);
	return err ? -ENOMEM : 0;
}

uint64_t gn_thread_end_of(const struct gn_thread *t, uint64_t session_end)
{
	uint64_t end = session_end > t->last ? session_end : t->last;

	return end > t->account.since ? end : t->account.since;
}

int gn_thread_lose_end(struct gn_pipeline *p, struct gn_thread *t)
{
	gn_take_loss(p, t, &(struct gn_order_seen){.lost = 1});
	return gn_thread_cut(p, t, gn_thread_end_of(t, 0), GN_END_UNWOUND);
}

/* A thread other than the first called exec: it gets the tid of the first
 * thread, which the kernel has ended. */
static int renumber(struct gn_pipeline *p, const struct gn_rec_thread *r,
		    struct gn_thread **t)
{
	struct gn_thread *old = gn_thread_find(p, r->parent);
	int err = 0;

	if (!old || old->closed)
		return 0;
	if (*t && !(*t)->closed)
		err = gn_thread_lose_end(p, *t);
	if (!err)
		err = gn_thread_renumber(p, old, r->f.h.tid);
	*t = old;
	return err;
}

/*
 * Whether the record belongs to the thread that ended; else a new thread has
 * its tid. `next` is the number that the ended thread's next record would have.
 * The kernel can emit records about a thread that does not run any more.
 */
static bool is_late(bool stopped, uint32_t next, const struct gn_rec *rec)
{
	int32_t ahead = (int32_t)(rec->seq - next);
	enum gn_stream stream = GN_STREAM_USER;

	switch (rec->kind) {
	case GN_KIND_THREAD:
		return false;
	case GN_KIND_EXEC:
		/* another thread called exec and took over the tid */
		return stopped;
	case GN_KIND_SLICE:
	case GN_KIND_EXIT:
	case GN_KIND_STOP:
		return true;
	default:
		gn_rec_kind_size(rec->kind, &stream);
		return stopped || !ahead ||
		       (ahead > 0 && stream != GN_STREAM_COLLECT);
	}
}

int gn_take_thread(struct gn_pipeline *p, const struct gn_rec *rec,
		   struct gn_thread **t)
{
	const struct gn_rec_thread *r = (const void *)rec;
	const struct gn_ghost *ghost;
	uint32_t pid = 0, parent = 0;
	int err;

	*t = gn_thread_find(p, rec->tid);
	if (rec->kind == GN_KIND_EXEC && r->parent && r->parent != rec->tid) {
		err = renumber(p, r, t);
		if (err)
			return err;
	}
	/* a new thread has the tid of one whose end was lost */
	if (rec->kind == GN_KIND_THREAD && *t && !(*t)->closed &&
	    (int32_t)(rec->seq - (*t)->order.next) < 0) {
		err = gn_thread_lose_end(p, *t);
		if (err)
			return err;
	}
	if (*t && !(*t)->closed)
		return 0;
	ghost = *t ? NULL : gn_ghost_find(p, rec->tid);
	if ((*t && is_late((*t)->stopped, (*t)->order.next, rec)) ||
	    (ghost && is_late(ghost->stopped, ghost->next, rec))) {
		*t = NULL;
		return 0;
	}
	if (rec->kind == GN_KIND_THREAD || rec->kind == GN_KIND_EXEC)
		pid = r->pid;
	if (rec->kind == GN_KIND_THREAD)
		parent = r->parent;
	*t = gn_thread_new(p, rec->tid, pid, parent, rec->time);
	if (!*t)
		return -ENOMEM;
	(*t)->account.no_start = rec->kind != GN_KIND_THREAD;
	return 0;
}
