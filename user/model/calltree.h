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

/* The function of the node of a process below which are calls of paths that the
 * tree had no room for: one node a function, whoever called it. */
#define GN_FN_OTHER (GN_NONE - 1)

/*
 * The function of a node for what a runtime did of its own in the node above
 * it: a compilation or a collection, by its class; of native code that was
 * called there, app. It is no call, and has no node below it; its time is that
 * function's own, too, where no path is asked for.
 */
#define GN_FN_ACTIVITY(class) (GN_FN_OTHER - 1 - (uint32_t)(class))
#define GN_FN_IS_ACTIVITY(fn) \
	((fn) < GN_FN_OTHER && (fn) >= GN_FN_ACTIVITY(GN_CLASS_COUNT - 1))

/* The root is node 0; its children are processes, theirs functions. */
struct gn_node {
	uint32_t parent;
	uint32_t fn; /* index in names; of a process: in processes */
	/* the child that was entered last, or an activity; 0 = no children */
	uint32_t last_child;
	uint32_t classes; /* in tree.classes; 0: all of it is app */
	/* the parent's call that came after one of this: its function as it is
	 * in records, what that meant (gn_names.epoch), and its node; 0: none
	 * yet */
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
	uint64_t spent; /* elapsed, of finished calls */
};

struct gn_class_sums {
	uint64_t ns[GN_CLASS_COUNT];
};

struct gn_tree {
	struct gn_node *nodes;
	uint32_t n, cap;
	uint32_t most; /* the limit of nodes; 0 = none */
	bool others;   /* beyond it are the nodes below GN_FN_OTHER */
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
 * the path is new, and the tree has reached its limit and has no others. */
int gn_tree_child(struct gn_tree *t, uint32_t parent, uint32_t fn,
		  uint32_t *out);

/*
 * The same for a function as it is in records, while names have `epoch`, if the
 * parent called it after its last call the last time, too; 0: it is not known.
 * Programs repeat themselves, so mostly it is. gn_tree_note_next() tells it.
 */
static inline uint32_t gn_tree_guess(const struct gn_tree *t, uint32_t parent,
				     uint32_t func, uint32_t epoch)
{
	const struct gn_node *last = &t->nodes[t->nodes[parent].last_child];

	/* below GN_FN_OTHER a node follows those of many parents */
	return last->next_func == func && last->next_epoch == epoch &&
			       t->nodes[last->next].parent == parent
		       ? last->next
		       : 0;
}

/* `child`, whose function is `func` in records, is called after `last`. */
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
 * Makes a tree, without sums, of the nodes for which `map` is not GN_NONE and
 * of their ancestors. `map` has t->n entries and gets the new indexes. 0 or
 * -ENOMEM.
 */
int gn_tree_keep(const struct gn_tree *t, uint32_t *map, struct gn_tree *out);

/* Gives functions new indexes, which `fn` maps from the old ones. 0, or -ENOMEM
 * and nothing has changed. */
int gn_tree_renumber(struct gn_tree *t, const uint32_t *fn);

/* Calls below GN_FN_OTHER. */
uint64_t gn_tree_others(const struct gn_tree *t);

/* The node of an activity in `parent`; without room for it, the parent. 0 or
 * -ENOMEM. */
int gn_tree_activity(struct gn_tree *t, uint32_t parent, enum gn_class class,
		     uint32_t *out);

/* Adds an interval to the node that owned it. 0 or -ENOMEM. */
int gn_tree_add(struct gn_tree *t, uint32_t node, const struct gn_interval *iv);

/* A call of the node ended after `ns`. */
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
