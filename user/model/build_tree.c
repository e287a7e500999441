// SPDX-License-Identifier: BSD-2-Clause
/* Builds the call tree of a model: merges paths of the same functions, and
 * sorts it. */
#include <errno.h>
#include <stdlib.h>

#include "model/build_parts.h"

/* A node, to be sorted among its siblings. */
struct sibling {
	uint64_t value;
	uint32_t parent;
	uint32_t rank; /* by name */
	uint32_t node;
};

static void merge_node(struct gn_tree *t, uint32_t into, uint32_t from)
{
	struct gn_node *a = &t->nodes[into];
	const struct gn_node *b = &t->nodes[from];
	int c;

	a->calls += b->calls;
	a->unwound += b->unwound;
	a->elapsed += b->elapsed;
	a->app += b->app;
	a->error += b->error;
	a->gap |= b->gap;
	if (b->finished && (!a->finished || b->min < a->min))
		a->min = b->min;
	if (b->max > a->max)
		a->max = b->max;
	a->finished += b->finished;
	a->spent += b->spent;
	if (!a->classes)
		a->classes = b->classes;
	else if (b->classes)
		for (c = 0; c < GN_CLASS_COUNT; c++)
			t->classes[a->classes].ns[c] +=
				t->classes[b->classes].ns[c];
}

/* Merges call paths of the same functions: a function can have several ids. */
static int merge_nodes(struct gn_build *b)
{
	struct gn_tree *t = b->tree;
	struct gn_table seen = {0};
	uint32_t i;
	int err = 0;

	for (i = 0; i < t->n && !err; i++) {
		struct gn_node *n = &t->nodes[i];
		uint64_t key;

		b->same[i] = i;
		n->parent = b->same[n->parent];
		if (n->process)
			continue;
		if (!GN_FN_IS_ACTIVITY(n->fn))
			n->fn = b->function_of[n->fn];
		key = (uint64_t)n->parent << 32 | n->fn;
		b->same[i] = gn_table_get(&seen, key);
		if (b->same[i] != GN_NONE) {
			merge_node(t, b->same[i], i);
			continue;
		}
		b->same[i] = i;
		err = gn_table_put(&seen, key, i);
	}
	gn_table_free(&seen);
	return err;
}

static int compare_siblings(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

bool gn_build_shows(const struct gn_build *b, uint32_t process)
{
	const struct gn_process *proc = &b->p->processes[process];
	const struct gn_node *n = &b->tree->nodes[proc->node];

	return proc->threads || n->last_child || n->elapsed;
}

static uint32_t list_siblings(struct gn_build *b, const uint64_t *value,
			      struct sibling *list)
{
	const struct gn_tree *t = b->tree;
	uint32_t i, n = 0;

	for (i = 1; i < t->n; i++) {
		const struct gn_node *node = &t->nodes[i];

		if (b->same[i] != i ||
		    (node->process && !gn_build_shows(b, node->fn)))
			continue;
		list[n++] = (struct sibling){
			.value = value[i],
			.parent = node->parent,
			.rank = node->process ? b->rank_of[node->fn] : node->fn,
			.node = i,
		};
	}
	qsort(list, n, sizeof(*list), compare_siblings);
	return n;
}

/* Links the children of each node in their sorted order. */
static int order_nodes(struct gn_build *b)
{
	const struct gn_tree *t = b->tree;
	uint64_t *value = calloc(t->n, sizeof(*value));
	struct sibling *list = calloc(t->n, sizeof(*list));
	uint32_t i, n;

	if (!value || !list) {
		free(value);
		free(list);
		return -ENOMEM;
	}
	for (i = t->n - 1; i > 0; i--) {
		if (b->same[i] != i)
			continue;
		value[i] += t->nodes[i].elapsed;
		value[t->nodes[i].parent] += value[i];
	}
	n = list_siblings(b, value, list);
	for (i = n; i > 0; i--) {
		const struct sibling *s = &list[i - 1];

		b->next[s->node] = b->first[s->parent];
		b->first[s->parent] = s->node;
	}
	b->m->nnodes = (size_t)n + 1;
	free(value);
	free(list);
	return 0;
}

const char *gn_activity_text(enum gn_activity_node activity)
{
	static const char *const names[GN_ACTIVITY_COUNT] = {
#define NAME(name, text) [GN_ACTIVITY_NODE_##name] = (text),
		GN_ACTIVITY_NODE_LIST(NAME)
#undef NAME
	};

	return names[activity];
}

static enum gn_activity_node activity_of(uint32_t fn)
{
	switch (fn) {
	case GN_FN_ACTIVITY(GN_CLASS_GC):
		return GN_ACTIVITY_NODE_GC;
	case GN_FN_ACTIVITY(GN_CLASS_JIT):
		return GN_ACTIVITY_NODE_JIT;
	default:
		return GN_ACTIVITY_NODE_NATIVE;
	}
}

static void fill_node(struct gn_build *b, uint32_t from,
		      struct gn_model_node *n)
{
	const struct gn_tree *t = b->tree;
	const struct gn_node *r = &t->nodes[from];
	const struct gn_values *of;
	uint64_t rest = r->elapsed;
	int c;

	n->v.calls = r->calls;
	n->v.unwound = r->unwound;
	n->v.elapsed_incl = n->v.elapsed_excl = r->elapsed;
	n->v.app_incl = n->v.app_excl = r->app;
	n->v.error_incl = n->v.error_excl = gn_not_below_0(r->error);
	n->v.min = r->min;
	n->v.max = r->max;
	n->v.finished = r->finished;
	n->v.spent = r->spent;
	n->v.gap = r->gap;
	if (r->classes) {
		const uint64_t *ns = t->classes[r->classes].ns;

		for (c = 0; c < GN_CLASS_COUNT; c++) {
			n->v.class_incl[c] = n->v.class_excl[c] = ns[c];
			rest -= ns[c];
		}
	}
	n->v.class_incl[GN_CLASS_APP] = n->v.class_excl[GN_CLASS_APP] = rest;
	n->function = -1;
	if (!from) {
		n->name = "session";
	} else if (r->process) {
		n->name = b->p->processes[r->fn].name;
	} else if (GN_FN_IS_ACTIVITY(r->fn)) {
		n->activity = activity_of(r->fn);
		n->name = gn_activity_text(n->activity);
		b->m->nactivities = GN_ACTIVITY_COUNT - 1;
	} else {
		n->function = (int32_t)r->fn;
		n->name = b->m->functions[r->fn].name;
	}
	if (n->function < 0)
		return;
	of = &b->m->functions[n->function].v;
	n->v.unprobed = of->unprobed;
	n->v.inlined = of->inlined;
	n->v.moved = of->moved;
}

static void link_node(const struct gn_build *b, uint32_t from,
		      struct gn_model_node *n)
{
	uint32_t parent = b->tree->nodes[from].parent;

	n->parent = from ? (int32_t)b->place[parent] : -1;
	n->first_child =
		b->first[from] ? (int32_t)b->place[b->first[from]] : -1;
	n->next = b->next[from] ? (int32_t)b->place[b->next[from]] : -1;
}

/* The next node in pre-order. 0: there is none. */
static uint32_t step(const struct gn_build *b, uint32_t at)
{
	if (b->first[at])
		return b->first[at];
	while (at && !b->next[at])
		at = b->tree->nodes[at].parent;
	return at ? b->next[at] : 0;
}

/* Sums inclusive values, and the calls of processes and of the session. */
static void sum_nodes(struct gn_model *m)
{
	size_t i, process = 0;

	for (i = m->nnodes - 1; i > 0; i--) {
		struct gn_values *up = &m->nodes[m->nodes[i].parent].v;

		gn_values_add_incl(up, &m->nodes[i].v);
		up->gap |= m->nodes[i].v.gap;
	}
	for (i = 1; i < m->nnodes; i++) {
		if (m->nodes[i].activity)
			continue;
		if (m->nodes[i].function < 0) {
			process = i;
			continue;
		}
		m->nodes[process].v.calls += m->nodes[i].v.calls;
		m->nodes[process].v.unwound += m->nodes[i].v.unwound;
		m->nodes[0].v.calls += m->nodes[i].v.calls;
		m->nodes[0].v.unwound += m->nodes[i].v.unwound;
	}
}

int gn_build_nodes(struct gn_build *b)
{
	struct gn_model *m = b->m;
	uint32_t at = 0, i = 0;
	int err;

	err = merge_nodes(b);
	if (!err)
		err = order_nodes(b);
	if (err)
		return err;
	m->nodes = calloc(m->nnodes, sizeof(*m->nodes));
	if (!m->nodes)
		return -ENOMEM;
	do {
		b->place[at] = i;
		fill_node(b, at, &m->nodes[i++]);
		at = step(b, at);
	} while (at);
	do {
		link_node(b, at, &m->nodes[b->place[at]]);
		at = step(b, at);
	} while (at);
	sum_nodes(m);
	return 0;
}

int gn_build_name_others(struct gn_pipeline *p, struct gn_tree *tree)
{
	uint32_t fn = GN_NONE;
	int err = 0;

	for (uint32_t i = 1; i < tree->n && !err; i++) {
		struct gn_node *n = &tree->nodes[i];

		if (n->process || n->fn != GN_FN_OTHER)
			continue;
		if (fn == GN_NONE)
			err = gn_names_made(&p->stage.names, "[other]", &fn);
		n->fn = fn;
	}
	return err;
}
