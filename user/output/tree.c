/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The call tree as rows, parents before their children. Trees can be as deep as
 * the program recursed, so the walk does not recurse but keeps its own stack.
 */
#include <errno.h>
#include <stdlib.h>

#include "output/busy.h"
#include "output/columns.h"
#include "output/rows.h"

/* Children of all nodes, grouped by parent: the children of node i are
 * kid[first[i]] to kid[first[i + 1] - 1]. */
struct kids {
	struct gn_row *kid;
	size_t *first;
};

/* The rows of one level that are left to visit. */
struct level {
	size_t at, end;
};

static void node_row(struct gn_row *row, const struct gn_model *m, int32_t i)
{
	const struct gn_model_node *node = &m->nodes[i];

	gn_row_function(row, m, node->function, &node->v);
	if (node->function < 0)
		row->name = node->name ? node->name : "(unknown)";
	row->id = (uint32_t)i;
	row->parent = node->parent;
}

/* Lists the children of all nodes, sorted. Each node has one parent and so is
 * listed once; a longer list is not a tree. */
static int gather(const struct gn_model *m, const char *sort, struct kids *k)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nnodes; i++) {
		int32_t c = m->nodes[i].first_child;
		int err;

		k->first[i] = n;
		for (; c >= 0; c = m->nodes[c].next) {
			if ((size_t)c >= m->nnodes || n >= m->nnodes - 1)
				return -EBADMSG;
			node_row(&k->kid[n++], m, c);
		}
		err = gn_rows_sort(k->kid + k->first[i], n - k->first[i], sort,
				   GN_BY_TREE);
		if (err)
			return err;
	}
	k->first[m->nnodes] = n;
	return 0;
}

static bool is_below(const struct gn_row *row, uint64_t whole, double min_pct)
{
	return min_pct > 0 && gn_pct(row->v->elapsed_incl, whole) < min_pct;
}

static int walk(const struct gn_model *m, const struct gn_output_opts *o,
		const struct kids *k, struct level *stack, struct gn_rows *out)
{
	uint64_t whole = gn_of_whole(m, o->of, GN_COLUMN_EI_PCT);
	uint32_t depth = 0;
	size_t seen = 1;

	node_row(&out->row[0], m, 0);
	out->n = 1;
	stack[0] = (struct level){k->first[0], k->first[1]};
	for (;;) {
		const struct gn_row *kid;

		if (stack[depth].at == stack[depth].end) {
			if (!depth--)
				return 0;
			continue;
		}
		kid = &k->kid[stack[depth].at++];
		if (is_below(kid, whole, o->min_pct)) {
			out->below++;
			continue;
		}
		if (++seen > m->nnodes)
			return -EBADMSG;
		depth++;
		stack[depth].at = k->first[kid->id];
		stack[depth].end = k->first[kid->id + 1];
		if (o->limit && out->n >= o->limit) {
			out->limited++;
			continue;
		}
		out->row[out->n] = *kid;
		out->row[out->n++].depth = depth;
	}
}

int gn_rows_tree(const struct gn_model *m, const struct gn_output_opts *o,
		 struct gn_rows *out)
{
	struct level *stack = NULL;
	struct kids k = {0};
	int err = -ENOMEM;

	if (!m->nnodes)
		return gn_rows_sort(NULL, 0, o->sort, GN_BY_TREE);
	out->row = calloc(m->nnodes, sizeof(*out->row));
	k.kid = calloc(m->nnodes, sizeof(*k.kid));
	k.first = calloc(m->nnodes + 1, sizeof(*k.first));
	stack = calloc(m->nnodes + 1, sizeof(*stack));
	if (out->row && k.kid && k.first && stack)
		err = gather(m, o->sort, &k);
	if (!err)
		err = walk(m, o, &k, stack, out);
	free(stack);
	free(k.first);
	free(k.kid);
	return err;
}
