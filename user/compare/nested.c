/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/nested.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	const struct gn_model *m;
	struct gn_item *const *item;
	size_t run;
	uint32_t *group; /* of each function; a group can become one item */
	/* how often each one is on the path */
	uint32_t *open_function, *open_group;
};

struct member {
	const struct gn_item *item;
	size_t function;
};

static int by_lasting(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->item->lasting, y->item->lasting);

	return order ? order : strcmp(x->item->module, y->item->module);
}

static int make_groups(struct walk *w)
{
	size_t n = w->m->nfunctions;
	struct member *all = calloc(n + 1, sizeof(*all));
	uint32_t group = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		all[i] = (struct member){w->item[i], i};
	qsort(all, n, sizeof(*all), by_lasting);
	for (size_t i = 0; i < n; i++) {
		if (i && by_lasting(&all[i - 1], &all[i]))
			group++;
		w->group[all[i].function] = group;
	}
	free(all);
	return 0;
}

static void visit(struct walk *w, const struct gn_model_node *n)
{
	struct gn_measure *to;

	if (n->function < 0)
		return;
	to = &w->item[n->function]->runs[w->run];
	/* only the outermost call: inclusive times contain recursion once */
	if (!w->open_function[n->function]++ &&
	    w->open_group[w->group[n->function]]) {
		to->nested_elapsed += n->v.elapsed_incl;
		to->nested_app += n->v.app_incl;
	}
	w->open_group[w->group[n->function]]++;
}

static void depart(struct walk *w, const struct gn_model_node *n)
{
	if (n->function < 0)
		return;
	w->open_function[n->function]--;
	w->open_group[w->group[n->function]]--;
}

/* Nodes are in pre-order. */
static void walk(struct walk *w)
{
	const struct gn_model_node *nodes = w->m->nodes;
	int32_t at = -1;

	for (size_t i = 0; i < w->m->nnodes; i++) {
		for (; at != nodes[i].parent; at = nodes[at].parent)
			depart(w, &nodes[at]);
		visit(w, &nodes[i]);
		at = (int32_t)i;
	}
}

int gn_nested_add(const struct gn_model *m, struct gn_item *const *item,
		  size_t run)
{
	size_t n = m->nfunctions + 1;
	struct walk w = {.m = m, .item = item, .run = run};
	int err = -ENOMEM;

	w.group = calloc(n, sizeof(*w.group));
	w.open_function = calloc(n, sizeof(*w.open_function));
	w.open_group = calloc(n, sizeof(*w.open_group));
	if (w.group && w.open_function && w.open_group)
		err = make_groups(&w);
	if (!err)
		walk(&w);
	free(w.group);
	free(w.open_function);
	free(w.open_group);
	return err;
}
