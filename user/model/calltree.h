/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The call tree while records come in: the exclusive values of each call path.
 * Inclusive values are computed at the end, so an interval costs O(1) however
 * deep the stack is. A parent's index is always below its children's.
 */
#ifndef GNOMON_MODEL_CALLTREE_H
#define GNOMON_MODEL_CALLTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/account.h"
#include "model/table.h"

/* The function of a process's node for calls of paths that the tree had no room
 * for. Below it, each function has one node, whoever called it. */
#define GN_FN_OTHER (GN_NONE - 1)

/*
 * The function of a node for what a runtime itself did in the node above: a
 * compilation or a collection, by its class, or, as `app`, native code that
 * managed code called. It is not a call, and has no nodes below it. Where paths
 * do not matter, its time is that function's own.
 */
#define GN_FN_ACTIVITY(class) (GN_FN_OTHER - 1 - (uint32_t)(class))
#define GN_FN_IS_ACTIVITY(fn) \
	((fn) < GN_FN_OTHER && (fn) >= GN_FN_ACTIVITY(GN_CLASS_COUNT - 1))

/* The root is node 0; its children are processes, theirs functions. */
struct gn_node {
	uint32_t parent;
	uint32_t fn; /* index in names, or, of a process, in processes */
	/* the child that was entered last, or an activity; 0 = no children */
	uint32_t last_child;
	uint32_t classes; /* in tree.classes; 0: all of it is app */
	/* the sibling that was called after this one the last time: its
	 * function as in records, the epoch in which that was valid
	 * (gn_names.epoch), and its node; 0: none yet */
	uint32_t next_func, next_epoch, next;
	bool process;
	bool gap;
	uint64_t calls;
	uint64_t unwound;
	uint64_t elapsed; /* exclusive */
	uint64_t app;	  /* exclusive, by the classification */
	/* exclusive; negative: cost owed by earlier intervals was subtracted */
	int64_t error;
	uint64_t min, max;
	uint64_t finished;
	uint64_t spent; /* elapsed time of finished calls */
};

struct gn_class_sums {
	uint64_t ns[GN_CLASS_COUNT];
};

struct gn_tree {
	struct gn_node *nodes;
	uint32_t n, cap;
	uint32_t most; /* limit of nodes; 0: none */
	bool others;   /* what exceeds it goes below GN_FN_OTHER */
	/* [0] is unused; without app, which is the rest */
	struct gn_class_sums *classes;
	uint32_t nclasses, classes_cap;
	struct gn_table children; /* parent << 32 | fn -> node */
};

int gn_tree_init(struct gn_tree *t);
void gn_tree_free(struct gn_tree *t);

/* The node of a new process. 0 or -ENOMEM. */
int gn_tree_process(struct gn_tree *t, uint32_t process, uint32_t *out);

/* Finds or makes the node of `fn` called from `parent`. 0, -ENOMEM, or -ENOSPC:
 * the path is new, but the tree is full and has no `others`. */
int gn_tree_child(struct gn_tree *t, uint32_t parent, uint32_t fn,
		  uint32_t *out);

/*
 * Predicts the node of a call: programs repeat themselves, so the function
 * called after the parent's last call is mostly the one that followed it the
 * last time. Returns 0 if this call is another one. `func` is the function as
 * in records, valid in `epoch`. gn_tree_note_next() records what to predict.
 */
static inline uint32_t gn_tree_guess(const struct gn_tree *t, uint32_t parent,
				     uint32_t func, uint32_t epoch)
{
	const struct gn_node *last = &t->nodes[t->nodes[parent].last_child];

	/* below GN_FN_OTHER a node can follow those of many parents */
	return last->next_func == func && last->next_epoch == epoch &&
			       t->nodes[last->next].parent == parent
		       ? last->next
		       : 0;
}

/* `child`, whose function is `func` in records, was called after `last`. */
static inline void gn_tree_note_next(struct gn_tree *t, uint32_t last,
				     uint32_t child, uint32_t func,
				     uint32_t epoch)
{
	if (!last)
		return;
	t->nodes[last].next_func = func;
	t->nodes[last].next_epoch = epoch;
	t->nodes[last].next = child;
}

/*
 * Makes a tree without sums that has the nodes for which `map` is not GN_NONE,
 * and their ancestors. `map` has t->n entries and gets the new indexes. 0 or
 * -ENOMEM.
 */
int gn_tree_keep(const struct gn_tree *t, uint32_t *map, struct gn_tree *out);

/* Gives functions new indexes; `fn` maps old ones to new ones. 0, or -ENOMEM
 * with nothing changed. */
int gn_tree_renumber(struct gn_tree *t, const uint32_t *fn);

/* Counts the calls below GN_FN_OTHER. */
uint64_t gn_tree_others(const struct gn_tree *t);

/* Finds or makes the node of an activity in `parent`; if there is no room for
 * it, returns the parent. 0 or -ENOMEM. */
int gn_tree_activity(struct gn_tree *t, uint32_t parent, enum gn_class class,
		     uint32_t *out);

/* Adds an interval to the node that owned it. 0 or -ENOMEM. */
int gn_tree_add(struct gn_tree *t, uint32_t node, const struct gn_interval *iv);

/* A call of the node took `ns`. */
static inline void gn_tree_finish_call(struct gn_tree *t, uint32_t node,
				       uint64_t ns)
{
	struct gn_node *n = &t->nodes[node];

	if (!n->finished || ns < n->min)
		n->min = ns;
	if (ns > n->max)
		n->max = ns;
	n->finished++;
	n->spent += ns;
}

#endif
