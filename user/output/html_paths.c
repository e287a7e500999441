/* SPDX-License-Identifier: BSD-2-Clause */
/* Who calls whom, for the page: the call tree, parents first, and the edges
 * between functions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/html.h"
#include "output/rows.h"

static int downwards(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? 1 : a > b ? -1 : 0;
}

int gn_html_cut(const uint64_t *value, size_t n, size_t most,
		struct gn_html_cut *out)
{
	uint64_t *sorted;
	size_t above = most;

	*out = (struct gn_html_cut){.on_it = SIZE_MAX};
	if (n <= most)
		return 0;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, value, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), downwards);
	out->line = sorted[most - 1];
	while (above && sorted[above - 1] == out->line)
		above--;
	out->on_it = most - above;
	free(sorted);
	return 0;
}

bool gn_html_remains(struct gn_html_cut *cut, uint64_t value)
{
	if (value != cut->line)
		return value > cut->line;
	if (!cut->on_it)
		return false;
	cut->on_it--;
	return true;
}

/* The rows on the page, and the parent of each. */
struct paths {
	struct gn_rows rows;
	uint32_t *row;	 /* kept ones, parents first */
	int32_t *parent; /* index in that list, -1: none */
	size_t n;
};

static int choose(struct paths *p)
{
	size_t all = p->rows.n;
	uint64_t *value = calloc(all + 1, sizeof(*value));
	int32_t *path = calloc(all + 1, sizeof(*path));
	struct gn_html_cut cut;
	int err = -ENOMEM;

	p->row = calloc(all + 1, sizeof(*p->row));
	p->parent = calloc(all + 1, sizeof(*p->parent));
	if (value && path && p->row && p->parent) {
		for (size_t i = 0; i < all; i++)
			value[i] = p->rows.row[i].v->elapsed_incl;
		err = gn_html_cut(value, all, GN_HTML_PATHS, &cut);
	}
	for (size_t i = 0; i < all && !err; i++) {
		uint32_t depth = p->rows.row[i].depth;

		/* parents come first and have at least their children's time,
		 * so the parent of a remaining row remains, too */
		if (!gn_html_remains(&cut, value[i]))
			continue;
		p->row[p->n] = (uint32_t)i;
		p->parent[p->n] = depth ? path[depth - 1] : -1;
		path[depth] = (int32_t)p->n++;
	}
	free(path);
	free(value);
	return err;
}

static void put_tree(struct gn_emit *e, const struct gn_model *m,
		     const struct paths *p)
{
#define COLUMN(key, how, value)                                              \
	do {                                                                 \
		gn_emit_line(e);                                             \
		gn_emit_open(e, key, '[');                                   \
		for (size_t i = 0; i < p->n; i++) {                          \
			const struct gn_row *r = &p->rows.row[p->row[i]];    \
			const struct gn_model_node *node = &m->nodes[r->id]; \
			gn_emit_##how(e, NULL, value);                       \
			(void)node;                                          \
		}                                                            \
		gn_emit_close(e, ']');                                       \
	} while (0)
	gn_emit_open(e, "nodes", '{');
	COLUMN("parent", i64, p->parent[i]);
	COLUMN("function", i64, node->function);
	COLUMN("name", text, node->function < 0 ? r->name : "");
	COLUMN("calls", u64, r->depth > 1 ? r->v->calls : 0);
	COLUMN("ei", u64, r->v->elapsed_incl);
	COLUMN("ai", u64, r->v->app_incl);
#undef COLUMN
	gn_emit_line(e);
	gn_emit_open(e, "classes", '[');
	for (size_t i = 0; i < p->n; i++)
		gn_html_times(e, NULL, p->rows.row[p->row[i]].v->class_incl);
	gn_emit_close(e, ']');
	gn_emit_close(e, '}');
	gn_emit_u64(e, "nodes_left_out", p->rows.n - p->n);
}

static int put_edges(struct gn_emit *e, const struct gn_model *m)
{
	uint64_t *value = calloc(m->nedges + 1, sizeof(*value));
	struct gn_html_cut cut;
	size_t n = 0;
	int err;

	if (!value)
		return -ENOMEM;
	for (size_t i = 0; i < m->nedges; i++)
		value[i] = m->edges[i].v.elapsed_incl;
	err = gn_html_cut(value, m->nedges, GN_HTML_EDGES, &cut);
	gn_emit_line(e);
	/* caller, callee, calls, Elapsed Inclusive, Application Inclusive */
	gn_emit_open(e, "edges", '[');
	for (size_t i = 0; i < m->nedges && !err; i++) {
		const struct gn_model_edge *edge = &m->edges[i];

		if (!gn_html_remains(&cut, value[i]))
			continue;
		n++;
		gn_emit_i64(e, NULL, edge->caller);
		gn_emit_i64(e, NULL, edge->callee);
		gn_emit_u64(e, NULL, edge->v.calls);
		gn_emit_u64(e, NULL, edge->v.elapsed_incl);
		gn_emit_u64(e, NULL, edge->v.app_incl);
	}
	gn_emit_close(e, ']');
	gn_emit_u64(e, "edges_left_out", m->nedges - n);
	free(value);
	return err;
}

int gn_html_paths(const struct gn_model *m, FILE *f)
{
	struct gn_output_opts opts = {.by = GN_BY_TREE};
	struct paths p = {0};
	struct gn_emit e;
	int err = gn_rows_make(m, &opts, &p.rows);

	if (!err)
		err = choose(&p);
	if (!err) {
		gn_html_begin_data(&e, f, "paths");
		put_tree(&e, m, &p);
		err = put_edges(&e, m);
	}
	if (!err)
		err = gn_html_end_data(&e);
	free(p.parent);
	free(p.row);
	gn_rows_clear(&p.rows);
	return err;
}
