// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls and their ends, by a thread that did nothing else since its last
 * record: most records are that. What gn_take_collect() does for them, without
 * what it does for all others.
 */
#include "model/take.h"

/* These only say which probe it was. */
#define OF_PROBE (GN_F_EMULATED | GN_F_NAMED | GN_F_PROBED)

/* Its number and its time follow those of the last one. */
static bool follows(const struct gn_order *o, const struct gn_rec *rec)
{
	return rec->seq && rec->seq == o->next && rec->time >= o->time &&
	       !o->nheld;
}

bool gn_call_is_plain(const struct gn_pipeline *p, const struct gn_thread *t,
		      const struct gn_rec_func *r)
{
	const struct gn_account *a = &t->account;

	return !(p->opts.live || p->stage.walk.to || p->stage.names.nmuted) &&
	       follows(&t->order, &r->h) && r->h.key && !r->os_ns &&
	       !(r->h.flags & ~OF_PROBE) &&
	       !(t->native.is || t->held || a->nnest) &&
	       t->stacks.next == t->stacks.active && r->h.time >= a->since &&
	       gn_account_is_plain(a);
}

/* Ends the interval; it is of the function on top. */
static void charge(struct gn_pipeline *p, struct gn_thread *t,
		   struct gn_ending *e)
{
	struct gn_stack *k = t->stacks.active;
	struct gn_node *n = &p->stage.tree.nodes[gn_stacks_owner(&t->stacks)];
	uint64_t *owed = n->process ? &p->processes[n->fn].owed
				    : &p->stage.names.fns[n->fn].owed;
	struct gn_interval iv;

	e->owed = *owed;
	gn_account_close_plain(&t->account, e, &iv);
	p->owed += iv.owed - *owed;
	*owed = iv.owed;
	k->clock += iv.elapsed;
	gn_account_add(&t->account, &iv, !k->n);
	t->open.n = 0;
	n->elapsed += iv.elapsed;
	n->app += iv.app;
	n->error += iv.error;
}

/* A call from the function on top, or the first one. */
static int enter(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r)
{
	struct gn_stack *k = t->stacks.active;
	const struct gn_frame *top = k->n ? &k->frames[k->n - 1] : NULL;
	uint32_t fn, program = p->processes[t->process].program;
	struct gn_frame *f;
	int err;

	if (k->npending || k->n == k->cap || (top && top->key <= r->h.key))
		return gn_take_enter(p, t, r);
	f = &k->frames[k->n];
	gn_stack_mark(k, r->h.key, r->h.time);
	err = gn_names_find(&p->stage.names, program, r->func, &fn);
	if (!err)
		err = gn_tree_child(&p->stage.tree,
				    top ? top->node : t->stacks.root, fn,
				    &f->node);
	t->entered++;
	if (err)
		return gn_thread_no_room(p, t, err);
	f->key = r->h.key;
	f->flags = 0;
	f->start = k->clock;
	f->func = r->func;
	k->n++;
	p->stage.tree.nodes[f->node].calls++;
	t->stacks.calls++;
	return 0;
}

/* The end of the function on top. */
static void leave(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_func *r)
{
	struct gn_stack *k = t->stacks.active;
	const struct gn_frame *f = k->n ? &k->frames[k->n - 1] : NULL;

	if (!f || k->npending || t->stacks.nunwinds || f->key != r->h.key ||
	    f->func != r->func || f->flags & GN_FRAME_INHERITED) {
		gn_take_leave(p, t, r);
		return;
	}
	k->n--;
	gn_tree_finish_call(&p->stage.tree, f->node, k->clock - f->start);
}

int gn_take_plain_call(struct gn_pipeline *p, struct gn_thread *t,
		       const struct gn_rec_func *r)
{
	struct gn_ending e = {.time = r->h.time, .classify = p->opts.classify};

	t->order.next = r->h.seq + 1;
	t->order.time = r->h.time;
	gn_take_time(p, t, r->h.time);
	gn_cost_note(p, t, r, &e);
	charge(p, t, &e);
	if (r->h.kind == GN_KIND_ENTER)
		return enter(p, t, r);
	leave(p, t, r);
	return 0;
}
