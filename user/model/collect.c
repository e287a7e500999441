// SPDX-License-Identifier: BSD-2-Clause
/* Takes records that end an interval: closes the interval, then applies the
 * record's event. */
#include <errno.h>

#include <gnomon/fast.h>
#include "model/probecost.h"
#include "model/take.h"
#include "model/walk.h"

void gn_take_time(struct gn_pipeline *p, struct gn_thread *t, uint64_t time)
{
	t->records++;
	if (time > t->last)
		t->last = time;
	if (time > p->last)
		p->last = time;
}

void gn_take_reversal(struct gn_pipeline *p, const struct gn_order_seen *seen)
{
	if (seen->reversed)
		p->stage.checks.time_reversals++;
}

int gn_take_slice(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_slice *s)
{
	struct gn_order_seen seen = gn_order_slice(&t->order, &s->h);

	gn_take_reversal(p, &seen);
	if (seen.drop)
		return 0;
	gn_take_time(p, t, s->h.time);
	p->lost += seen.lost;
	gn_account_slice_seen(&t->account, seen.lost, &p->stage.checks);
	if (seen.lost)
		gn_syscalls_lost(&p->syscalls, t->number, &t->syscall);
	return gn_order_hold(&t->order, s) ? 0 : gn_slice_put(p, t, s);
}

/* A frame above these compilations showed that they are over: they threw. */
static void end_thrown(struct gn_pipeline *p, struct gn_thread *t, uint32_t n)
{
	p->code.compiled += n;
	p->code.thrown += n;
	gn_events_thrown(p, t, n);
}

/* Whether the record ends a compilation that already ended for us. */
static bool is_known_over(struct gn_account *a, const struct gn_rec_func *r)
{
	if (r->h.kind != GN_KIND_JIT_END || r->h.key != GN_JIT_GONE ||
	    !a->shown_over)
		return false;
	a->shown_over--;
	return true;
}

static int apply_nest(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_func *r)
{
	const struct gn_stack *k = t->stacks.active;
	struct gn_account *a = &t->account;

	if (a->nnest && r->h.kind <= GN_KIND_TAILCALL)
		end_thrown(p, t, gn_account_above(a, r->h.key));
	if (a->nnest)
		gn_account_heal(a, k->id, k->n);
	gn_walk_activities(p, t, 0);
	switch (r->h.kind) {
	case GN_KIND_JIT_BEGIN:
		gn_account_begin(a, GN_CLASS_JIT, k->id, k->n);
		if (r->h.key)
			gn_account_frame(a, r->h.key);
		break;
	case GN_KIND_GC_BEGIN:
		gn_account_begin(a, GN_CLASS_GC, k->id, k->n);
		break;
	case GN_KIND_JIT_END:
		p->code.compiled++;
		p->code.thrown += r->h.key == GN_JIT_GONE;
		gn_account_end(a, GN_CLASS_JIT);
		break;
	case GN_KIND_GC_END:
		gn_account_end(a, GN_CLASS_GC);
		break;
	case GN_KIND_SUSPEND_BEGIN:
		gn_account_suspend(a);
		break;
	case GN_KIND_SUSPEND_END:
		gn_account_resume(a);
		break;
	case GN_KIND_OWN_BEGIN:
		a->for_gnomon = !p->opts.raw;
		break;
	case GN_KIND_OWN_END:
		a->for_gnomon = false;
		break;
	default:
		break;
	}
	gn_walk_activities(p, t, r->func);
	return p->opts.live ? gn_live_nest(p, t, r) : 0;
}

/* Tracks when the thread suspends the other threads of its process. That does
 * not change its own time. */
static int apply_suspend(struct gn_pipeline *p, struct gn_thread *t,
			 const struct gn_rec *r, uint64_t time)
{
	struct gn_windows *ws = &p->processes[t->process].windows;
	int err;

	switch (r->kind) {
	case GN_KIND_SUSPEND_BEGIN:
		err = gn_windows_begin(ws, t, time);
		if (GN_SUSPEND_KEY_COLLECTS(r->key))
			gn_windows_collect(ws, t);
		return err;
	case GN_KIND_GC_BEGIN:
		/* not all runtimes report the reason, and another thread than
		 * the suspending one may begin the collection */
		gn_windows_collect(ws, NULL);
		return 0;
	case GN_KIND_SUSPEND_END:
	case GN_KIND_EXEC:
		gn_windows_end(ws, t, time, r->kind == GN_KIND_EXEC);
		return 0;
	default:
		return 0;
	}
}

static int apply_exec(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_thread *r)
{
	struct gn_process *proc;
	uint64_t late;
	int err;

	err = gn_stacks_restart(&t->stacks, &p->stage);
	if (err)
		return err;
	gn_account_forget(&t->account);
	t->ringed = t->native.is = t->joined = t->mounts = false;
	t->suspended = 0;
	err = gn_events_close(p, t, r->f.h.time);
	if (err)
		return err;
	err = gn_thread_set_pid(p, t, r->pid);
	if (err)
		return err;
	proc = &p->processes[t->process];
	if (proc->collecting)
		*proc->collecting = (struct gn_collecting){.n = 0};
	late = gn_thread_settle_program(p, t, r->f.h.time);
	/* no thread belongs to the old program any more */
	if (!p->opts.live)
		err = gn_async_lasts(&p->asyncs, proc->program, r->f.h.time,
				     proc->lost);
	if (!err)
		err = gn_events_exec(p, t, r->f.h.time);
	proc->lost = false;
	if (!err)
		err = gn_names_program(&p->stage.names, 0, &proc->program);
	if (err)
		return err;
	p->stage.names.late[proc->program] = late;
	return gn_thread_set_name(p, t, r->comm, true);
}

/* The thread enters native code, or returns from it. */
static int apply_transition(struct gn_pipeline *p, struct gn_thread *t,
			    const struct gn_rec_func *r, uint64_t time)
{
	const struct gn_stack *k = t->stacks.active;
	bool native = r->h.kind == GN_KIND_TO_NATIVE;
	struct gn_rec_event event = {
		.h = r->h,
		.func = r->func,
		.event = native ? GN_RT_TO_NATIVE : GN_RT_TO_MANAGED,
		.value = {r->h.key},
	};

	t->native.is = native;
	t->native.depth = k->n;
	t->native.stack = k->id;
	event.h.time = time;
	return gn_thread_no_room(p, t, gn_events_take(p, t, &event));
}

static void stop_thread(struct gn_pipeline *p, struct gn_thread *t,
			uint64_t time)
{
	gn_thread_close(p, t, time, GN_END_OPEN);
	t->stopped = true;
}

static void exit_thread(struct gn_pipeline *p, struct gn_thread *t,
			const struct gn_rec_func *r)
{
	bool all = r->h.flags & GN_F_PROCESS_ENDS;
	struct gn_process *proc = &p->processes[t->process];

	if (all) {
		proc->exit = r->func;
		proc->ended_at = t->account.since;
	}
	gn_thread_close(p, t, t->account.since,
			all ? GN_END_OPEN : GN_END_UNWOUND);
}

/* Returns the probe cost that the owner of the open interval still owes. */
static uint64_t *owed_by(struct gn_pipeline *p, const struct gn_thread *t)
{
	const struct gn_node *n =
		&p->stage.tree.nodes[gn_stacks_owner(&t->stacks)];

	return n->process ? &p->processes[n->fn].owed
			  : &p->stage.names.fns[n->fn].owed;
}

static void close_interval(struct gn_pipeline *p, struct gn_thread *t,
			   struct gn_ending *e, struct gn_interval *iv)
{
	uint64_t *owed = owed_by(p, t);

	e->owed = *owed;
	gn_account_close(&t->account, e, iv, &p->stage.checks);
	p->owed += iv->owed - *owed;
	*owed = iv->owed;
}

/* Selects the stack of the mapping that the record is on. After a loss, a leave
 * without a frame proves nothing: its enter may be lost. */
static int place(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r)
{
	bool leaves =
		r->h.kind == GN_KIND_LEAVE || r->h.kind == GN_KIND_TAILCALL;
	bool tells = leaves && !t->gaps && !t->lossy;

	if (!r->h.key || GN_FUNC_IS_NUMBERED(r->func) ||
	    !GN_KIND_HAS_FRAME(r->h.kind) ||
	    r->h.kind == GN_KIND_UNWIND_BEGIN ||
	    r->h.kind == GN_KIND_UNWIND_END)
		return 0;
	return gn_thread_no_room(p, t,
				 gn_stacks_place(&t->stacks, &p->stage,
						 r->h.key,
						 tells ? r->func : 0));
}

/* Applies what only records of one kind do. 0 or -errno. */
static int apply_kind(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_func *r, uint64_t time)
{
	if (GN_KIND_IS_OF_STACK(r->h.kind))
		return gn_take_call(p, t, r);
	if (GN_KIND_IS_ASYNC(r->h.kind))
		return gn_take_async(p, t, r);
	if (GN_KIND_IS_TRANSITION(r->h.kind))
		return apply_transition(p, t, r, time);
	if (r->h.kind == GN_KIND_EXEC)
		return apply_exec(p, t, (const void *)r);
	if (r->h.kind == GN_KIND_RING)
		t->ringed |= GN_FUNC_INDEX(r->func) == GN_FAST_CLAIM;
	else if (r->h.kind == GN_KIND_HOOK_WAITS)
		t->account.hook_waits = !p->opts.raw;
	return 0;
}

int gn_take_collect(struct gn_pipeline *p, struct gn_thread *t,
		    const struct gn_rec_func *r)
{
	struct gn_order_seen seen = gn_order_collect(&t->order, &r->h);
	struct gn_ending ending = {
		.time = seen.time,
		.os_ns = r->os_ns,
		.os_event = r->h.flags & GN_F_OS_EVENT,
		.classify = p->opts.classify,
	};
	struct gn_interval iv;
	int err;

	gn_take_reversal(p, &seen);
	if (seen.drop)
		return 0;
	gn_take_time(p, t, seen.time);
	gn_take_loss(p, t, &seen);
	err = t->order.nheld ? gn_slices_release(p, t, seen.time) : 0;
	if (t->account.gap)
		gn_thread_gap(p, t, seen.time);
	gn_walk_at(p, t, seen.time);
	gn_cost_note(p, t, r, &ending);
	t->in_doubt += !!(r->h.flags & GN_F_IN_DOUBT);
	err |= place(p, t, r);
	close_interval(p, t, &ending, &iv);
	err |= gn_thread_charge(p, t, &iv, false);
	if (t->order.nheld)
		err |= gn_slices_release(p, t, UINT64_MAX);
	err |= apply_suspend(p, t, &r->h, seen.time);
	err |= apply_kind(p, t, r, seen.time);
	gn_walk_drop_held(t);
	if (r->h.kind == GN_KIND_EXIT)
		exit_thread(p, t, r);
	else if (r->h.kind == GN_KIND_STOP)
		stop_thread(p, t, t->account.since);
	else if (is_known_over(&t->account, r))
		return err ? -ENOMEM : 0;
	else
		err |= apply_nest(p, t, r);
	gn_walk_collection(p, t, r, seen.time);
	if (!err)
		err = gn_thread_no_room(p, t,
					gn_events_collect(p, t, r, seen.time));
	return err ? -ENOMEM : 0;
}
