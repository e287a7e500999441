// SPDX-License-Identifier: BSD-2-Clause
/*
 * A fast path for calls and their ends by threads that did nothing else since
 * their last record, as most records are. It does what gn_take_collect() does
 * for them and skips the rest. A run of them updates the thread's sums once, at
 * its end.
 */
#include <gnomon/fast.h>

#include "model/probecost.h"
#include "model/take.h"

/* flags that only identify the probe */
#define OF_PROBE (GN_F_EMULATED | GN_F_NAMED | GN_F_PROBED | GN_F_OWN)

/* The thread's state within a run of calls, and the sums of the run. */
struct run {
	struct gn_pipeline *p;
	struct gn_thread *t;
	struct gn_stack *k; /* the active one */
	uint32_t node;	    /* of the function on top of it */
	uint32_t seq;	    /* expected number of the next record */
	/* of the open interval */
	uint64_t since;
	uint32_t after, after_error;
	uint64_t elapsed, cost, owed;
	int64_t error;
};

/* Whether the open interval is all application time, and no state of the thread
 * needs more than a call or its end does. */
static bool is_plain(const struct gn_pipeline *p, const struct gn_thread *t)
{
	const struct gn_account *a = &t->account;

	return !(p->stage.walk.to || p->stage.names.nmuted || t->native.is ||
		 t->held || a->nnest || a->collects || t->live.under_way ||
		 t->order.nheld) &&
	       t->stacks.next == t->stacks.active && !t->stacks.interrupted &&
	       !t->stacks.active->npending && !t->stacks.nunwinds &&
	       gn_account_is_plain(a);
}

/* Whether the event can be on another stack of the mapping, or among parked
 * frames. */
static bool is_elsewhere(const struct run *c, uint64_t key)
{
	const struct gn_stacks *st = &c->t->stacks;

	return gn_stack_is_outside(c->k, key) ||
	       (st->nparked && key >= st->parked[0].lo &&
		key <= st->parked[st->nparked - 1].hi);
}

/* Whether the call only pushes a frame: by its key, no frame has ended. */
static bool can_enter(const struct run *c, const struct gn_rec_func *r)
{
	const struct gn_stack *k = c->k;
	const struct gn_frame *f = k->n ? &k->frames[k->n - 1] : NULL;

	if (GN_FUNC_IS_NUMBERED(r->func))
		return k->n < k->cap &&
		       (!f ||
			(f->flags & GN_FRAME_NUMBERED &&
			 !gn_number_is_within(f->number, (uint32_t)r->h.key)));
	return k->n < k->cap && (!f || f->key > r->h.key) &&
	       !is_elsewhere(c, r->h.key);
}

/* Whether the record ends the frame on top. */
static bool can_leave(const struct gn_stack *k, const struct gn_rec_func *r)
{
	const struct gn_frame *f = k->n ? &k->frames[k->n - 1] : NULL;
	struct gn_frame ends;

	gn_frame_begin(&ends, r->h.key, r->func);
	return f && f->key == ends.key && f->number == ends.number &&
	       f->func == r->func && !(f->flags & GN_FRAME_INHERITED);
}

static bool can_take(const struct run *c, const struct gn_rec_func *r)
{
	if (!r->h.seq || r->h.seq != c->seq || !r->h.key || r->os_ns ||
	    r->h.flags & ~OF_PROBE || r->h.time < c->since)
		return false;
	return r->h.kind == GN_KIND_ENTER ? can_enter(c, r)
					  : can_leave(c->k, r);
}

static enum gn_probe_class class_of(const struct run *c,
				    const struct gn_rec_func *r)
{
	if (c->t->ringed && !(r->h.flags & GN_F_PROBED) &&
	    GN_FUNC_RUNTIME(r->func) != GN_RUNTIME_NATIVE)
		return GN_PROBE_FAST;
	return gn_cost_class(c->p, c->t, r);
}

static void add_outside(struct gn_account *a, const struct gn_spent *spent)
{
	a->outside_elapsed += spent->elapsed;
	a->outside_app += spent->elapsed;
	a->outside_error += spent->error;
	a->outside[GN_CLASS_APP] += spent->elapsed;
}

/* The live view also sums by thread and function. */
static int share(struct run *c, uint64_t elapsed)
{
	uint32_t fn = c->k->n ? c->p->stage.tree.nodes[c->node].fn : GN_NONE;
	struct gn_interval iv;

	iv.elapsed = iv.app = elapsed;
	iv.mask = 1u << GN_CLASS_APP;
	return gn_shares_add(&c->p->shares, c->t->index, fn, &iv);
}

/* Ends the interval, which the function on top owns. */
static int charge(struct run *c, const struct gn_rec_func *r)
{
	struct gn_node *n = &c->p->stage.tree.nodes[c->node];
	uint64_t *owed = n->process ? &c->p->processes[n->fn].owed
				    : &c->p->stage.names.fns[n->fn].owed;
	struct gn_ending e = {.owed = *owed};
	struct gn_spent spent;

	gn_cost_hit(c->p, c->t, r, class_of(c, r), &e);
	spent = gn_account_spend(r->h.time - c->since, c->after, c->after_error,
				 &e);
	c->owed += spent.owed - e.owed;
	*owed = spent.owed;
	c->since = r->h.time;
	c->after = e.after;
	c->after_error = e.error_after;
	c->elapsed += spent.elapsed;
	c->cost += spent.cost;
	c->error += spent.error;
	c->k->clock += spent.elapsed;
	if (!c->k->n)
		add_outside(&c->t->account, &spent);
	n->elapsed += spent.elapsed;
	n->app += spent.elapsed;
	n->error += spent.error;
	return c->p->opts.live && spent.elapsed ? share(c, spent.elapsed) : 0;
}

/* Finds the node of a call that gn_tree_guess() did not predict. */
static int find_node(const struct run *c, uint32_t func, uint32_t *node)
{
	struct gn_names *names = &c->p->stage.names;
	struct gn_tree *tree = &c->p->stage.tree;
	uint32_t program = c->p->processes[c->t->process].program, fn;
	uint32_t last = tree->nodes[c->node].last_child;
	int err = gn_names_find(names, program, func, &fn);

	if (!err)
		err = gn_tree_child(tree, c->node, fn, node);
	if (!err)
		gn_tree_note_next(tree, last, *node, func, names->epoch);
	return err;
}

static int enter(struct run *c, const struct gn_rec_func *r)
{
	struct gn_tree *tree = &c->p->stage.tree;
	struct gn_stack *k = c->k;
	struct gn_frame *f;
	uint32_t node =
		gn_tree_guess(tree, c->node, r->func, c->p->stage.names.epoch);
	int err = 0;

	if (!GN_FUNC_IS_NUMBERED(r->func))
		gn_stack_mark(k, r->h.key, r->h.time);
	c->t->entered++;
	if (!node)
		err = find_node(c, r->func, &node);
	if (err)
		return err;
	f = &k->frames[k->n++];
	gn_frame_begin(f, r->h.key, r->func);
	f->start = k->clock;
	f->node = node;
	tree->nodes[c->node].last_child = node;
	tree->nodes[node].calls++;
	c->t->stacks.calls++;
	c->node = node;
	if (c->p->stage.names.any_suspends)
		err = gn_take_suspends(c->p, c->t, r, tree->nodes[node].fn,
				       GN_KIND_ASYNC_ENTERED, (uint32_t)-1);
	if (err)
		return err;
	return c->p->opts.live ? gn_shares_call(&c->p->shares, c->t->index,
						tree->nodes[node].fn)
			       : 0;
}

static int leave(struct run *c, const struct gn_rec_func *r)
{
	struct gn_tree *tree = &c->p->stage.tree;
	struct gn_stack *k = c->k;
	const struct gn_frame *f = &k->frames[--k->n];

	gn_tree_finish_call(tree, f->node, k->clock - f->start);
	c->node = k->n ? k->frames[k->n - 1].node : c->t->stacks.root;
	return c->p->stage.names.any_suspends
		       ? gn_take_suspends(c->p, c->t, r,
					  tree->nodes[f->node].fn,
					  GN_KIND_ASYNC_COMPLETES, 0)
		       : 0;
}

/* Adds the sums of a run of `n` records to the thread. */
static void end_run(const struct run *c, size_t n)
{
	struct gn_thread *t = c->t;
	struct gn_account *a = &t->account;

	if (!n)
		return;
	gn_take_time(c->p, t, c->since);
	t->records += n - 1;
	t->order.next = c->seq;
	t->order.time = a->since = c->since;
	a->after = c->after;
	a->after_error = c->after_error;
	a->slices_end = 0;
	a->elapsed += c->elapsed;
	a->app += c->elapsed;
	a->classes[GN_CLASS_APP] += c->elapsed;
	a->cost += c->cost;
	a->error += c->error;
	t->open.n = 0;
	c->p->owed += c->owed;
}

size_t gn_take_plain_calls(struct gn_pipeline *p, struct gn_thread *t,
			   const struct gn_rec_func *r, size_t n, int *err)
{
	const struct gn_account *a = &t->account;
	struct run c = {
		.p = p,
		.t = t,
		.k = t->stacks.active,
		.seq = t->order.next,
		.since = a->since,
		.after = a->after,
		.after_error = a->after_error,
	};
	size_t i;

	*err = 0;
	if (!is_plain(p, t) || r->h.time < t->order.time)
		return 0;
	c.node = gn_stacks_owner(&t->stacks);
	for (i = 0; i < n && !*err && can_take(&c, &r[i]); i++) {
		*err = charge(&c, &r[i]);
		c.seq++;
		if (!*err)
			*err = r[i].h.kind == GN_KIND_LEAVE ? leave(&c, &r[i])
							    : enter(&c, &r[i]);
	}
	end_run(&c, i);
	if (*err)
		*err = gn_thread_no_room(p, t, *err);
	return i;
}
