// SPDX-License-Identifier: BSD-2-Clause
#include "model/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/build_parts.h"
#include "model/mem.h"
#include "model/threads.h"

void gn_samples_free(struct gn_samples *s)
{
	gn_tree_free(&s->tree);
	free(s->node);
}

/* Finds or makes the node of a process. */
static int process_node(struct gn_samples *s, uint32_t process, uint32_t *out)
{
	uint32_t had = s->nnodes;
	int err = 0;

	if (!s->tree.n) {
		err = gn_tree_init(&s->tree);
		s->tree.most = GN_MOST_NODES;
		s->tree.others = true;
	}
	if (!err && process >= had) {
		err = gn_grow(&s->node, &s->cap, (size_t)process + 1,
			      sizeof(*s->node));
		if (err)
			return err;
		s->nnodes = process + 1;
		memset(s->node + had, 0, (s->nnodes - had) * sizeof(*s->node));
	}
	if (!err && !s->node[process])
		err = gn_tree_process(&s->tree, process, &s->node[process]);
	*out = err ? 0 : s->node[process];
	return err;
}

int gn_samples_take(struct gn_pipeline *p, const struct gn_rec_sample *r)
{
	const __u32 *func = (const void *)(r + 1);
	uint32_t process = gn_table_get(&p->by_pid, r->pid), node, fn;
	int err;

	if (process == GN_NONE || p->opts.live)
		return 0;
	err = process_node(&p->samples, process, &node);
	for (uint32_t i = r->frames; i-- && !err;) {
		err = gn_names_find(&p->stage.names,
				    p->processes[process].program, func[i],
				    &fn);
		if (!err)
			err = gn_tree_child(&p->samples.tree, node, fn, &node);
	}
	if (!err)
		p->samples.tree.nodes[node].calls++;
	return err;
}

/* State while the model's samples are built. */
struct build {
	struct gn_pipeline *p;
	struct gn_model *m;
	const struct gn_tree *t;
	uint64_t *all;	/* samples of each node and of those below it */
	uint32_t *fns;	/* functions of the tree */
	uint32_t *rank; /* index in names -> row + 1 */
	size_t nfns;
};

static int by_name(const void *left, const void *right)
{
	const struct gn_model_sample *a = left, *b = right;
	int cmp = strcmp(a->of.name, b->of.name);

	cmp = cmp ? cmp : strcmp(a->of.module, b->of.module);
	return cmp ? cmp : (a->line > b->line) - (a->line < b->line);
}

static int by_self(const void *left, const void *right)
{
	const struct gn_model_sample *a = left, *b = right;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return by_name(left, right);
}

/* Makes one row for each name and line: several processes can have a
 * function. */
static int make_rows(struct build *b)
{
	struct gn_names *names = &b->p->stage.names;
	struct gn_model_sample *row;
	size_t n = 0;
	int err = 0;

	for (uint32_t i = 1; i < b->t->n; i++) {
		uint32_t fn = b->t->nodes[i].fn;

		if (b->t->nodes[i].process || b->rank[fn])
			continue;
		b->rank[fn] = 1;
		b->fns[b->nfns++] = fn;
	}
	row = calloc(b->nfns + 1, sizeof(*row));
	b->m->samples = row;
	for (size_t i = 0; row && !err && i < b->nfns; i++) {
		err = gn_build_name(names, b->fns[i], &row[i].of);
		row[i].place = b->fns[i];
		row[i].line = names->fns[b->fns[i]].line;
	}
	if (!row || err)
		return -ENOMEM;
	qsort(row, b->nfns, sizeof(*row), by_name);
	for (size_t i = 0; i < b->nfns; i++) {
		if (!n || by_name(&row[n - 1], &row[i]))
			row[n++] = row[i];
		b->rank[row[i].place] = (uint32_t)n;
	}
	b->m->nsamples = n;
	return 0;
}

/* Whether the node's function is also one of its callers. */
static bool recurs(const struct build *b, uint32_t node)
{
	uint32_t rank = b->rank[b->t->nodes[node].fn];
	uint32_t at = b->t->nodes[node].parent;

	for (; !b->t->nodes[at].process; at = b->t->nodes[at].parent)
		if (b->rank[b->t->nodes[at].fn] == rank)
			return true;
	return false;
}

static void sum(struct build *b)
{
	for (uint32_t i = b->t->n; --i;) {
		const struct gn_node *n = &b->t->nodes[i];
		struct gn_model_sample *row;

		b->all[i] += n->calls;
		b->all[n->parent] += b->all[i];
		if (n->process)
			continue;
		row = &b->m->samples[b->rank[n->fn] - 1];
		row->self += n->calls;
		if (!recurs(b, i))
			row->total += b->all[i];
	}
	b->m->sampled = b->all[0];
}

/* Sorts the rows by samples; `rank` becomes the index of the sorted row. */
static int sort(struct build *b)
{
	size_t n = b->m->nsamples;
	uint32_t *to = calloc(n + 1, sizeof(*to));

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		b->m->samples[i].place = (uint32_t)i;
	qsort(b->m->samples, n, sizeof(*b->m->samples), by_self);
	for (size_t i = 0; i < n; i++)
		to[b->m->samples[i].place] = (uint32_t)i;
	for (size_t i = 0; i < b->nfns; i++)
		b->rank[b->fns[i]] = to[b->rank[b->fns[i]] - 1];
	free(to);
	return 0;
}

static int make_nodes(struct build *b)
{
	struct gn_model_sample_node *to = calloc(b->t->n, sizeof(*to));

	b->m->sample_nodes = to;
	if (!to)
		return -ENOMEM;
	for (uint32_t i = 1; i < b->t->n; i++) {
		const struct gn_node *n = &b->t->nodes[i];

		to[i].parent = n->parent;
		to[i].self = n->calls;
		to[i].name = n->process ? b->p->processes[n->fn].name
					: b->m->samples[b->rank[n->fn]].of.name;
		to[i].shown = n->process
				      ? NULL
				      : b->m->samples[b->rank[n->fn]].of.shown;
	}
	b->m->nsample_nodes = b->t->n;
	return 0;
}

int gn_samples_build(struct gn_pipeline *p, struct gn_model *m)
{
	struct build b = {.p = p, .m = m, .t = &p->samples.tree};
	int err;

	if (!b.t->n)
		return 0;
	err = gn_build_name_others(p, &p->samples.tree);
	b.all = calloc(b.t->n, sizeof(*b.all));
	b.fns = calloc(b.t->n, sizeof(*b.fns));
	b.rank = calloc((size_t)p->stage.names.nfns + 1, sizeof(*b.rank));
	if (!b.all || !b.fns || !b.rank)
		err = -ENOMEM;
	if (!err)
		err = make_rows(&b);
	if (!err) {
		sum(&b);
		err = sort(&b);
	}
	if (!err)
		err = make_nodes(&b);
	free(b.all);
	free(b.fns);
	free(b.rank);
	return err;
}
