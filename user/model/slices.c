// SPDX-License-Identifier: BSD-2-Clause
/* Slices of OS time: into the account of their thread, and who ended them. */
#include "model/threads.h"

static bool is_wait(enum gn_class class)
{
	return gn_class_group(class) == GN_GROUP_OS &&
	       class != GN_CLASS_RUNQUEUE && class != GN_CLASS_SYSCALL &&
	       class != GN_CLASS_FAULT;
}

/* What the waker did: it was told by the waker, after the wait had begun and
 * before it ended. */
static uint32_t waker_function(struct gn_thread *t,
			       const struct gn_rec_slice *s)
{
	struct gn_wake *w = &t->wake;

	if (!w->waker || w->time > s->h.time)
		return GN_NONE;
	/* it speaks of this wait, or of none that follows */
	if (w->waker != s->waker || w->time < s->start) {
		w->waker = 0;
		return GN_NONE;
	}
	w->waker = 0;
	return w->fn;
}

int gn_slice_put(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_slice *s)
{
	struct gn_wait row = {.waker_fn = GN_NONE,
			      .reason = s->reason,
			      .class = s->class,
			      .count = 1};
	const struct gn_thread *waker;

	if (s->h.time < s->start) {
		p->stage.checks.time_reversals++;
		return 0;
	}
	row.ns = row.longest = s->h.time - s->start;
	gn_account_slice(&t->account, s->class, row.ns);
	if (is_wait(s->class) && s->waker) {
		waker = gn_thread_find(p, s->waker);
		row.waker = s->waker;
		row.waker_fn = waker_function(t, s);
		row.waker_name = waker ? waker->name : NULL;
	}
	return gn_wait_list_add(&t->open, &row);
}

int gn_slices_release(struct gn_pipeline *p, struct gn_thread *t,
		      uint64_t before)
{
	struct gn_rec_slice s;
	int err = 0;

	while (t->order.nheld && gn_order_release(&t->order, before, &s))
		err |= gn_slice_put(p, t, &s);
	return err;
}

void gn_slices_wake(struct gn_pipeline *p, const struct gn_thread *waker,
		    uint64_t time, uint64_t woken)
{
	struct gn_thread *t;

	if (woken > UINT32_MAX)
		return;
	t = gn_thread_find(p, (uint32_t)woken);
	if (!t || t->closed || t == waker)
		return;
	t->wake = (struct gn_wake){
		.time = time,
		.waker = waker->tid,
		.fn = gn_stacks_top(&waker->stacks, &p->stage.tree),
	};
}
