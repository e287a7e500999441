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

/* A part of a slice, from `start` on. */
static int put_part(struct gn_thread *t, struct gn_wait *part, uint64_t start,
		    uint64_t end)
{
	part->ns = part->longest = end - start;
	gn_account_slice(&t->account, part->class, part->ns);
	return gn_wait_list_add(&t->open, part);
}

/* What the runtime's suspension of a thread can look like; that it waits for a
 * disk or a child it says itself. */
static bool can_be_suspension(enum gn_class class)
{
	return is_wait(class) && class != GN_CLASS_DISK &&
	       class != GN_CLASS_CHILD;
}

int gn_slice_put(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_slice *s)
{
	struct gn_wait part = {.waker_fn = GN_NONE,
			       .reason = s->reason,
			       .class = s->class,
			       .count = 1};
	struct gn_wait suspended = part;
	const struct gn_thread *waker;
	uint64_t until = s->start;
	int err = 0;

	if (s->h.time < s->start) {
		p->stage.checks.time_reversals++;
		return 0;
	}
	if (is_wait(s->class) && s->waker) {
		waker = gn_thread_find(p, s->waker);
		part.waker = s->waker;
		part.waker_fn = waker_function(t, s);
		part.waker_name = waker ? waker->name : NULL;
	}
	if (can_be_suspension(s->class))
		until = gn_windows_until(&p->processes[t->process].windows, t,
					 s->start, s->h.time);
	/* the waker ended the last part */
	if (until == s->h.time)
		suspended = part;
	suspended.class = GN_CLASS_SUSPEND;
	if (until > s->start)
		err = put_part(t, &suspended, s->start, until);
	/* also when it has no length: something happened */
	if (until < s->h.time || until == s->start)
		err |= put_part(t, &part, until, s->h.time);
	return err;
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
