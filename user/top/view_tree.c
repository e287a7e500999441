// SPDX-License-Identifier: BSD-2-Clause
/* The rows of the tree: the call paths whose callers are all open. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "top/view_rows.h"

/* Paths with this share of the session's time are open at first. */
#define HOT_PCT 1.0

/* A node that is yet to be shown. */
struct pending {
	uint32_t node, depth;
	uint64_t parent; /* id */
};

struct walk {
	struct gn_top_view *v;
	const struct gn_top_period *p;
	bool *shown; /* by node: it or a node below matches; NULL: no filter */
	struct pending *todo;
	size_t ntodo;
	uint32_t cap;
	struct gn_top_sortable *siblings;
	size_t nsiblings;
	uint32_t siblings_cap;
};

void gn_top_toggle(struct gn_top_view *v, const struct gn_top_row *row,
		   bool open)
{
	size_t i;

	for (i = 0; i < v->ntoggles; i++) {
		if (v->toggle[i].id == row->id)
			break;
	}
	if (i == GN_TOP_TOGGLES) {
		memmove(v->toggle, v->toggle + 1,
			(GN_TOP_TOGGLES - 1) * sizeof(v->toggle[0]));
		i--;
	} else if (i == v->ntoggles) {
		v->ntoggles++;
	}
	v->toggle[i] = (struct gn_top_toggle){row->id, open};
	v->stale = true;
}

static bool is_open(const struct walk *w, uint64_t id,
		    const struct gn_model_node *n)
{
	const struct gn_top_view *v = w->v;

	if (w->shown)
		return true;
	for (size_t i = 0; i < v->ntoggles; i++) {
		if (v->toggle[i].id == id)
			return v->toggle[i].open;
	}
	return gn_pct(n->v.elapsed_incl, w->p->m->session.elapsed_incl) >=
	       HOT_PCT;
}

static bool valid(const struct gn_model *m, int32_t node)
{
	return node >= 0 && (size_t)node < m->nnodes;
}

/* Marks the nodes that the filter keeps: those that match, and their
 * callers. */
static int filter(struct walk *w)
{
	const struct gn_model *m = w->p->m;

	if (!w->v->filter[0])
		return 0;
	w->shown = calloc(m->nnodes, sizeof(*w->shown));
	if (!w->shown)
		return -ENOMEM;
	for (size_t i = 0; i < m->nnodes; i++) {
		const char *module;
		const char *name = gn_top_node_name(m, &m->nodes[i], &module);

		if (!gn_top_matches(w->v, name) &&
		    (!*module || !gn_top_matches(w->v, module)))
			continue;
		for (int32_t n = (int32_t)i; valid(m, n) && !w->shown[n];
		     n = m->nodes[n].parent)
			w->shown[n] = true;
	}
	return 0;
}

/* The node's children in their order, into w->siblings. */
static int sort_children(struct walk *w, int32_t first)
{
	const struct gn_model *m = w->p->m;

	w->nsiblings = 0;
	/* no node has more children than there are nodes */
	for (int32_t n = first; valid(m, n) && w->nsiblings < m->nnodes;
	     n = m->nodes[n].next) {
		if (w->shown && !w->shown[n])
			continue;
		if (gn_grow(&w->siblings, &w->siblings_cap, w->nsiblings + 1,
			    sizeof(*w->siblings)))
			return -ENOMEM;
		w->siblings[w->nsiblings++] =
			gn_top_value(w->v, w->p, (uint32_t)n);
	}
	gn_top_sort(w->v, w->siblings, w->nsiblings);
	return 0;
}

static int push_children(struct walk *w, const struct gn_model_node *n,
			 uint64_t id, uint32_t depth)
{
	int err = sort_children(w, n->first_child);

	for (size_t i = w->nsiblings; !err && i > 0; i--) {
		if (gn_grow(&w->todo, &w->cap, w->ntodo + 1, sizeof(*w->todo)))
			return -ENOMEM;
		w->todo[w->ntodo++] = (struct pending){
			.node = w->siblings[i - 1].index,
			.depth = depth,
			.parent = id,
		};
	}
	return err;
}

static bool has_children(const struct walk *w, const struct gn_model_node *n)
{
	const struct gn_model *m = w->p->m;
	size_t seen = 0;

	for (int32_t c = n->first_child; valid(m, c) && seen++ < m->nnodes;
	     c = m->nodes[c].next) {
		if (!w->shown || w->shown[c])
			return true;
	}
	return false;
}

/* Adds a node's row, and queues its children if the node is open. */
static int visit(struct walk *w, struct pending at)
{
	const struct gn_model_node *n = &w->p->m->nodes[at.node];
	const char *module, *name = gn_top_node_name(w->p->m, n, &module);
	struct gn_top_row *row = gn_top_row_add(w->v);

	if (!row)
		return -ENOMEM;
	row->index = at.node;
	row->depth = at.depth;
	row->id = gn_top_id(gn_top_id(at.parent, module), name);
	row->parent = has_children(w, n);
	row->open = row->parent && is_open(w, row->id, n);
	if (!row->open)
		return 0;
	return push_children(w, n, row->id, at.depth + 1);
}

int gn_top_tree_make(struct gn_top_view *v, const struct gn_top_period *p)
{
	struct walk w = {.v = v, .p = p};
	int err;

	if (!p->m->nnodes)
		return 0;
	err = filter(&w);
	if (!err)
		err = push_children(&w, &p->m->nodes[0], 0, 0);
	/* each node once: it has one parent */
	while (!err && w.ntodo && v->nrows <= p->m->nnodes)
		err = visit(&w, w.todo[--w.ntodo]);
	free(w.shown);
	free(w.todo);
	free(w.siblings);
	return err;
}
