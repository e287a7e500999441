// SPDX-License-Identifier: BSD-2-Clause
/* Adds slices of OS time to the account of their thread, and finds who ended
 * them. */
#include <gnomon/syscalls.h>
#include "model/walk.h"

/* Sets the function that the waker was in. The waker's record of it came
 * between the wait's begin and end. */
static void put_waker(struct gn_thread *t, const struct gn_rec_slice *s,
		      struct gn_wait *row)
{
	struct gn_wake *w = &t->wake;

	if (!w->waker || w->time > s->h.time)
		return;
	/* the record is for this wait or an earlier one, so it is used up */
	if (w->waker == s->waker && w->time >= s->start) {
		row->waker_fn = w->fn;
		row->tasks = w->completes;
	}
	w->waker = 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Whether the thread waits for a connection: then it has nothing to do. Servers
 * do it in a thread of its own, or, as php-fpm's workers, between requests. */
static bool accepts(enum gn_class class, uint16_t reason)
{
	return class == GN_CLASS_NET &&
	       (reason == GN_NR_accept || reason == GN_NR_accept4);
}

/* Adds a part of a slice. */
static int put_part(struct gn_pipeline *p, struct gn_thread *t,
		    struct gn_wait *part, uint64_t start, uint64_t end)
{
	uint64_t told = gn_account_slice_told(&t->account, start, end);
	int err = gn_taken_waited(p, t, part->class, part->idle, start, end,
				  &part->taken_ns);

	if (err)
		return err;
	part->longest = end - start;
	part->ns = part->longest - told;
	part->task_ns = part->tasks ? part->ns : 0;
	if (accepts(part->class, part->reason))
		t->accepted += part->ns;
	part->later_longest = part->longest;
	part->starved =
		part->idle ? 0
			   : gn_starved_waited(p, t, part->class, start, end);
	if (start < p->attached)
		gn_wait_rows_attach(part, 1);
	gn_account_slice(&t->account, part->class, part->ns);
	return gn_wait_list_add(&t->open, part);
}

/* Adds a slice that has not ended, with its length so far. It is counted when
 * it ends. */
static int put_open_part(struct gn_thread *t, struct gn_wait *part,
			 uint64_t start, uint64_t end)
{
	struct gn_account *a = &t->account;
	uint64_t from = later(start, later(a->since, a->slices_end));

	if (end <= from)
		return 0;
	part->longest = end - start;
	part->ns = end - from;
	part->count = 0;
	a->slices_end = end;
	gn_account_slice_open(a, part->class, part->ns);
	return gn_wait_list_add(&t->open, part);
}

/*
 * Whether the wait can be a suspension. A runtime suspends a thread by making
 * it wait for a futex without a timeout; the thread that resumes the others
 * ends that wait. A wait that ended otherwise, or began earlier, was no
 * suspension.
 */
static bool can_be_suspension(const struct gn_rec_slice *s)
{
	return s->reason == GN_NR_futex && !(s->detail & GN_WAIT_TIMED) &&
	       (s->class == GN_CLASS_EVENT || s->class == GN_CLASS_LOCK);
}

static const struct gn_windows *windows_of(const struct gn_pipeline *p,
					   const struct gn_thread *t)
{
	return &p->processes[t->process].windows;
}

/* Returns until when an ended wait was a suspension. */
static uint64_t suspended_until(struct gn_pipeline *p,
				const struct gn_thread *t,
				const struct gn_rec_slice *s)
{
	if (!s->waker || !can_be_suspension(s))
		return s->start;
	return gn_windows_until(windows_of(p, t), t,
				gn_thread_find(p, s->waker), s->start,
				s->h.time);
}

bool gn_slice_suspended(const struct gn_pipeline *p, const struct gn_thread *t,
			const struct gn_rec_slice *s)
{
	return can_be_suspension(s) &&
	       gn_windows_hold(windows_of(p, t), t, s->start);
}

static int put_one(struct gn_pipeline *p, struct gn_thread *t,
		   struct gn_wait *part, uint64_t start, uint64_t end,
		   bool open)
{
	if (open)
		return put_open_part(t, part, start, end);
	gn_walk_slice(p, t, part, start, end);
	return put_part(p, t, part, start, end);
}

/* Reports the wait for the end of the waker's suspension. */
static int put_stop(struct gn_pipeline *p, struct gn_thread *t,
		    const struct gn_rec_slice *s, uint64_t until)
{
	bool collects = gn_windows_collected(
		windows_of(p, t), gn_thread_find(p, s->waker), s->start);

	return gn_events_stopped(p, t, s->start, until, collects);
}

/* Up to `until` the wait was a suspension. */
static int put(struct gn_pipeline *p, struct gn_thread *t,
	       const struct gn_rec_slice *s, struct gn_wait part,
	       uint64_t until, bool open)
{
	struct gn_wait suspended = {.waker_fn = GN_NONE,
				    .reason = part.reason,
				    .count = part.count};
	int err = 0;

	/* the waker ended only the last part */
	if (until == s->h.time)
		suspended = part;
	suspended.idle = false;
	suspended.tasks = 0;
	suspended.class = GN_CLASS_SUSPEND;
	if (until > s->start)
		err = put_one(p, t, &suspended, s->start, until, open);
	if (until > s->start && !open)
		err |= put_stop(p, t, s, until);
	/* add it even without length, as it did happen */
	if (until < s->h.time || until == s->start)
		err |= put_one(p, t, &part, until, s->h.time, open);
	return err;
}

/* The role of a wait, by the innermost functions on the stack. */
static enum gn_role role_of(const struct gn_pipeline *p,
			    const struct gn_thread *t)
{
	const struct gn_stack *k = gn_stacks_current(&t->stacks);
	uint32_t i = k->n, least = i < GN_ROLE_FRAMES ? 0 : i - GN_ROLE_FRAMES;
	enum gn_role found = GN_ROLE_NONE;

	if (!i && t->role && t->role != GN_ROLE_WORKER)
		return GN_ROLE_IDLE;
	for (; i > least; i--) {
		uint32_t fn = p->stage.tree.nodes[k->frames[i - 1].node].fn;
		enum gn_role role = p->stage.names.fns[fn].role;

		if (role == GN_ROLE_SEMAPHORE)
			found = GN_ROLE_LOCK;
		else if (role == GN_ROLE_QUEUE)
			return GN_ROLE_NONE;
		else if (role != GN_ROLE_WAIT)
			return found ? found : role;
	}
	/* the loop that a service waits in began before the capture */
	if (!least && !found && gn_role_serves(t->role))
		return GN_ROLE_IDLE;
	return found;
}

/* Only waits for an event, and those that timed out, have a role, and those in
 * which a thread of the runtime has nothing to do. */
static enum gn_role role_in(const struct gn_pipeline *p,
			    const struct gn_thread *t, enum gn_class class,
			    uint16_t reason)
{
	if (gn_role_serves(t->role) && class != GN_CLASS_RUNQUEUE &&
	    !gn_class_on_cpu(class))
		return role_of(p, t);
	if (reason != GN_NR_futex ||
	    (class != GN_CLASS_EVENT && class != GN_CLASS_SLEEP))
		return GN_ROLE_NONE;
	return role_of(p, t);
}

static enum gn_class class_in(enum gn_class class, enum gn_role role)
{
	if (role == GN_ROLE_LOCK_REPEATS ||
	    (role == GN_ROLE_LOCK && class == GN_CLASS_EVENT))
		return GN_CLASS_LOCK;
	return class;
}

enum gn_class gn_slice_class(const struct gn_pipeline *p,
			     const struct gn_thread *t, enum gn_class class,
			     uint16_t reason)
{
	return class_in(class, role_in(p, t, class, reason));
}

/*
 * Whether the slice continues earlier work of the kernel, after a wait within
 * it or an event. Such a slice begins where the thread's last one ended: a
 * program needs some time to start other work.
 */
static bool goes_on(const struct gn_thread *t, const struct gn_rec_slice *s)
{
	return (s->class == GN_CLASS_FAULT || s->class == GN_CLASS_SYSCALL) &&
	       s->start && s->start == t->sliced;
}

static struct gn_wait row_of(const struct gn_pipeline *p,
			     const struct gn_thread *t,
			     const struct gn_rec_slice *s)
{
	enum gn_role role = role_in(p, t, s->class, s->reason);
	struct gn_wait row = {.waker_fn = GN_NONE,
			      .reason = s->reason,
			      .class = class_in(s->class, role),
			      .idle = role == GN_ROLE_IDLE ||
				      accepts(s->class, s->reason),
			      .count = goes_on(t, s) ? 0 : 1};

	row.interpreter =
		row.class == GN_CLASS_LOCK && s->detail & GN_WAIT_INTERPRETER;
	if (s->class == GN_CLASS_POLL) {
		row.polled = GN_WAIT_POLLED(s->detail);
		row.end = GN_WAIT_END(s->detail);
	}
	if (s->class == GN_CLASS_OTHER)
		row.halt = GN_WAIT_HALT(s->detail);
	return row;
}

void gn_slices_ran(struct gn_pipeline *p, struct gn_thread *t, uint64_t to)
{
	uint64_t from = later(t->sliced, t->start);

	if (t->role != GN_ROLE_COLLECTOR || p->opts.live)
		return;
	if (t->account.gap || t->account.slices_lost)
		gn_collectors_lost(p, t, from);
	else if (to >= t->sliced)
		gn_collectors_ran(p, t, from, to);
	else /* the slice was held, and a stretch that should exclude it was
		added */
		gn_collectors_lost(p, t, to);
}

int gn_slice_put(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_slice *s)
{
	struct gn_wait row = row_of(p, t, s);
	int err = 0;

	if (s->h.time < s->start) {
		p->stage.checks.time_reversals++;
		return 0;
	}
	if (gn_class_waits(s->class) && s->waker) {
		row.waker = s->waker;
		put_waker(t, s, &row);
		row.waker_name = gn_thread_name(p, s->waker);
	}
	gn_slices_ran(p, t, s->start);
	t->sliced = later(t->sliced, s->h.time);
	t->account.slices_end = later(t->account.slices_end, s->h.time);
	if (!p->opts.live)
		err = gn_syscalls_take(&p->syscalls, t->number, &t->syscall, s);
	return err ? err : put(p, t, s, row, suspended_until(p, t, s), false);
}

int gn_slice_put_held(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_slice *s)
{
	if (s->h.time < s->start)
		return 0;
	return put(p, t, s, row_of(p, t, s), suspended_until(p, t, s), true);
}

int gn_slice_put_open(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_slice *s)
{
	if (s->h.time < s->start)
		return 0;
	return put(p, t, s, row_of(p, t, s),
		   gn_slice_suspended(p, t, s) ? s->h.time : s->start, true);
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
	uint32_t fn;

	if (woken > UINT32_MAX)
		return;
	t = gn_thread_find(p, (uint32_t)woken);
	if (!t || t->closed || t == waker)
		return;
	fn = gn_stacks_top(&waker->stacks, &p->stage.tree);
	t->wake = (struct gn_wake){
		.time = time,
		.waker = waker->tid,
		.fn = fn,
		.completes = fn != GN_NONE && waker->completed == fn + 1,
	};
}
