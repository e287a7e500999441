// SPDX-License-Identifier: BSD-2-Clause
/* Takes records of calls: applies them to the thread's stacks, and to the calls
 * of async methods. */
#include <string.h>

#include "model/take.h"
#include "model/walk.h"

static int take_async(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec *r, uint32_t fn)
{
	t->completed = r->kind == GN_KIND_ASYNC_COMPLETES ||
				       r->kind == GN_KIND_ASYNC_FAULTS
			       ? fn + 1
			       : 0;
	return gn_async_take(&p->asyncs, r, fn, &t->suspended);
}

int gn_take_suspends(struct gn_pipeline *p, struct gn_thread *t,
		     const struct gn_rec_func *r, uint32_t fn,
		     enum gn_kind kind, uint64_t state)
{
	struct gn_rec as = r->h;

	if (p->opts.live || !p->stage.names.fns[fn].suspends)
		return 0;
	as.kind = kind;
	as.key = state;
	return take_async(p, t, &as, fn);
}

/* The innermost first: each waits for the one before. */
static int suspend(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_rec_func *r, uint64_t key)
{
	const struct gn_stack *k = t->stacks.active;
	const struct gn_frame *f;
	int err = 0;

	t->suspended = 0;
	for (uint32_t i = k->n; !err && i && k->frames[i - 1].key < key; i--) {
		f = &k->frames[i - 1];
		err = gn_take_suspends(p, t, r, p->stage.tree.nodes[f->node].fn,
				       GN_KIND_ASYNC_SUSPENDS, f->await);
	}
	t->suspended = 0;
	gn_stacks_suspend(&t->stacks, &p->stage, key, r->func);
	return err;
}

/*
 * Functions that the runtime calls to suspend methods can have hooks, too. If
 * such a call begins or ends in the place of a method's frame, and the method
 * can be suspended, then it was. If an exception had ended the frame, there
 * would be a record of it.
 */
static int suspend_gone(struct gn_pipeline *p, struct gn_thread *t,
			const struct gn_rec_func *r)
{
	uint64_t key = r->h.key + (r->h.kind == GN_KIND_ENTER);
	const struct gn_stack *k = t->stacks.active;
	bool gone = false;

	if (!p->stage.names.any_suspends || !r->h.key)
		return 0;
	for (uint32_t i = k->n; !gone && i && k->frames[i - 1].key < key; i--) {
		uint32_t node = k->frames[i - 1].node;

		gone = p->stage.names.fns[p->stage.tree.nodes[node].fn]
			       .suspends;
	}
	return gone ? suspend(p, t, r, key) : 0;
}

static void mark(struct gn_thread *t, const struct gn_rec_func *r)
{
	if (!GN_FUNC_IS_NUMBERED(r->func))
		gn_stack_mark(t->stacks.active, r->h.key, r->h.time);
}

static int enter(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r, uint32_t program, uint32_t *fn)
{
	int err;

	mark(t, r);
	err = gn_names_find(&p->stage.names, program, r->func, fn);
	if (!err && p->stage.names.fns[*fn].role == GN_ROLE_MOUNTS)
		t->mounts = true;
	if (!err)
		err = gn_stacks_enter(&t->stacks, &p->stage, r->h.key, r->func,
				      *fn);
	if (err || !p->opts.live)
		return err;
	return gn_shares_call(&p->shares, t->index, *fn);
}

/* Unlike an enter, this is no call. */
static int resume(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_func *r, uint32_t program)
{
	uint64_t number = t->awaited;
	uint32_t fn;
	int err;

	mark(t, r);
	err = gn_names_find(&p->stage.names, program, r->func, &fn);
	if (!err)
		err = gn_stacks_resume(&t->stacks, &p->stage, r->h.key, r->func,
				       fn);
	return err > 0 ? gn_take_suspends(p, t, r, fn, GN_KIND_ASYNC_ENTERED,
					  number)
		       : err;
}

static int take_enter(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_func *r)
{
	uint32_t fn;
	int err = enter(p, t, r, p->processes[t->process].program, &fn);

	t->entered++;
	if (!err)
		err = gn_take_suspends(p, t, r, fn, GN_KIND_ASYNC_ENTERED,
				       (uint32_t)-1);
	return gn_thread_no_room(p, t, err);
}

/*
 * Whether a leave without a frame is expected, as its call was made before the
 * thread was traced. Such calls end once each, from the innermost on. A leave
 * far below that is on another stack of the same mapping.
 */
static bool earlier(const struct gn_thread *t, const struct gn_rec_func *r)
{
	const struct gn_stack *k = t->stacks.active;

	return t->joined && !t->mounts && !k->n &&
	       (!r->h.key || r->h.key >= k->earlier ||
		k->earlier - r->h.key > GN_STACK_FAR);
}

/* A call that ends by a jump is followed by another end at the same key. */
static void note_earlier(struct gn_thread *t, const struct gn_rec_func *r)
{
	t->stacks.active->earlier = r->h.key + (r->h.kind != GN_KIND_TAILCALL);
}

/* A call of a method that the runtime may suspend has ended. */
static int complete(struct gn_pipeline *p, struct gn_thread *t,
		    const struct gn_rec_func *r, enum gn_kind kind)
{
	uint32_t fn;
	int err;

	if (!p->stage.names.any_suspends)
		return 0;
	err = gn_names_find(&p->stage.names, p->processes[t->process].program,
			    r->func, &fn);
	return err ? err : gn_take_suspends(p, t, r, fn, kind, 0);
}

static int take_unwound(struct gn_pipeline *p, struct gn_thread *t,
			const struct gn_rec_func *r)
{
	uint64_t before = p->stage.checks.unmatched_unwinds;
	int err = gn_stacks_unwind_end(&t->stacks, &p->stage, r->func);

	return err || p->stage.checks.unmatched_unwinds != before
		       ? err
		       : complete(p, t, r, GN_KIND_ASYNC_FAULTS);
}

/*
 * The function whose frame has the key, if that was copied at a fork and is of
 * the function that is left: where texts name functions, a child counts its own
 * anew.
 */
static int find_own(struct gn_pipeline *p, const struct gn_thread *t,
		    const struct gn_rec_func *r, uint32_t *func)
{
	const struct gn_stack *k = t->stacks.active;
	const struct gn_frame *f;
	const struct gn_fn *of, *left;
	uint32_t i = k->n, fn;
	int err;

	*func = r->func;
	while (i && k->frames[i - 1].key < r->h.key)
		i--;
	f = i ? &k->frames[i - 1] : NULL;
	if (!f || f->key != r->h.key || f->func == r->func ||
	    !(f->flags & GN_FRAME_INHERITED))
		return 0;
	err = gn_names_find(&p->stage.names, p->processes[t->process].program,
			    r->func, &fn);
	if (err)
		return err;
	left = &p->stage.names.fns[fn];
	of = &p->stage.names.fns[p->stage.tree.nodes[f->node].fn];
	if (left->name && of->name && !strcmp(left->name, of->name))
		*func = f->func;
	return 0;
}

static int take_leave(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_func *r)
{
	uint64_t before = p->stage.checks.unmatched_leaves;
	bool lost = t->gaps || t->lossy, began_earlier = earlier(t, r);
	uint64_t since;
	uint32_t func;
	int err = find_own(p, t, r, &func);

	if (err)
		return err;
	gn_stacks_leave(&t->stacks, &p->stage, r->h.key, func,
			r->h.kind == GN_KIND_TAILCALL);
	if (p->stage.checks.unmatched_leaves == before)
		return complete(p, t, r, GN_KIND_ASYNC_COMPLETES);
	if (lost)
		return 0;
	if (began_earlier) {
		p->stage.checks.earlier_leaves++;
		note_earlier(t, r);
	}
	if (t->mounts)
		p->stage.checks.mounted_leaves++;
	/* leaves on stacks that a program itself moves are reported elsewhere,
	 * and are not in doubt */
	if (began_earlier || t->mounts ||
	    gn_names_moved(&p->stage.names, r->func))
		return 0;
	since = gn_stack_marked(t->stacks.active, r->h.key);
	t->unmatched++;
	if (since > t->unmatched_since)
		t->unmatched_since = since;
	return 0;
}

/* A HIT is a call that takes no time. */
static int hit(struct gn_pipeline *p, struct gn_thread *t,
	       const struct gn_rec_func *r, uint32_t program)
{
	uint32_t fn;
	int err = enter(p, t, r, program, &fn);

	t->entered++;
	if (!err)
		gn_walk_hit(p, t, r->func);
	if (!err)
		gn_stacks_leave(&t->stacks, &p->stage, r->h.key, r->func,
				false);
	return err;
}

int gn_take_call(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r)
{
	uint32_t program = p->processes[t->process].program;
	struct gn_stacks *st = &t->stacks;
	bool muted = gn_names_muted(&p->stage.names, program, r->func);
	int err = 0;

	/* Drop records of a muted function that were still on their way. An
	 * unwind needs both its records, so that they match. */
	if (muted && r->h.kind != GN_KIND_UNWIND_BEGIN &&
	    r->h.kind != GN_KIND_UNWIND_END)
		return 0;
	if (!GN_KIND_IS_OF_AWAIT(r->h.kind))
		err = suspend_gone(p, t, r);
	if (err)
		return err;
	switch (r->h.kind) {
	case GN_KIND_ENTER:
		return take_enter(p, t, r);
	case GN_KIND_LEAVE:
	case GN_KIND_TAILCALL:
		return take_leave(p, t, r);
	case GN_KIND_HIT:
		return gn_thread_no_room(p, t, hit(p, t, r, program));
	case GN_KIND_LANDED:
		mark(t, r);
		gn_stacks_land(st, &p->stage, r->h.key);
		return 0;
	case GN_KIND_AWAITS:
		gn_stacks_await(st, r->func, r->h.key);
		return 0;
	case GN_KIND_AWAITED:
		t->awaited = r->h.key;
		return 0;
	case GN_KIND_RESUMED:
		return gn_thread_no_room(p, t, resume(p, t, r, program));
	case GN_KIND_SUSPENDED:
		return suspend(p, t, r, r->h.key);
	case GN_KIND_UNWIND_BEGIN:
		return gn_stacks_unwind_begin(st, r->func, muted);
	case GN_KIND_UNWIND_END:
		return gn_thread_no_room(p, t, take_unwound(p, t, r));
	default:
		return 0;
	}
}

/* Uses the time as recorded, not as ordered in the thread: the sums are over
 * all threads. */
int gn_take_async(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_func *r)
{
	uint32_t program = p->processes[t->process].program, fn;
	int err;

	if (p->opts.live)
		return 0;
	err = gn_names_find(&p->stage.names, program, r->func, &fn);
	if (err)
		return err;
	return take_async(p, t, &r->h, fn);
}
