/* SPDX-License-Identifier: BSD-2-Clause */
/* Each function, with its callers above it and its callees below it. */
#include <errno.h>
#include <stdlib.h>

#include "output/busy.h"
#include "output/columns.h"
#include "output/rows.h"

/* Edges in groups: those of function i are edge[first[i]] to
 * edge[first[i + 1] - 1]. */
struct groups {
	uint32_t *edge;
	size_t *first;
};

static int32_t end_of(const struct gn_model_edge *e, bool callee)
{
	return callee ? e->callee : e->caller;
}

/* Groups the edges by one of their ends. Roots of threads have no group. */
static int group(const struct gn_model *m, bool callee, struct groups *g)
{
	g->edge = calloc(m->nedges + 1, sizeof(*g->edge));
	g->first = calloc(m->nfunctions + 2, sizeof(*g->first));
	if (!g->edge || !g->first)
		return -ENOMEM;
	/* first[i + 2] counts, then first[i + 1] is where the next edge goes */
	for (size_t i = 0; i < m->nedges; i++) {
		int32_t f = end_of(&m->edges[i], callee);

		if (f >= (int32_t)m->nfunctions)
			return -EBADMSG;
		if (f >= 0)
			g->first[f + 2]++;
	}
	for (size_t i = 2; i < m->nfunctions + 2; i++)
		g->first[i] += g->first[i - 1];
	for (size_t i = 0; i < m->nedges; i++) {
		int32_t f = end_of(&m->edges[i], callee);

		if (f >= 0)
			g->edge[g->first[f + 1]++] = (uint32_t)i;
	}
	return 0;
}

static void clear(struct groups *g)
{
	free(g->edge);
	free(g->first);
}

/* Adds a row for the other end of each of a function's edges, sorted. */
static int add_ends(const struct gn_model *m, const struct gn_output_opts *o,
		    const struct groups *g, uint32_t function,
		    enum gn_row_kind kind, struct gn_rows *out, size_t *room)
{
	uint64_t whole =
		o->min_pct > 0 ? gn_of_whole(m, o->of, GN_COLUMN_EI_PCT) : 0;
	size_t before = out->n;

	for (size_t i = g->first[function]; i < g->first[function + 1]; i++) {
		const struct gn_model_edge *e = &m->edges[g->edge[i]];
		struct gn_row *row;

		if (o->min_pct > 0 &&
		    gn_pct(e->v.elapsed_incl, whole) < o->min_pct) {
			out->below++;
			continue;
		}
		row = gn_rows_add(out, room);
		if (!row)
			return -ENOMEM;
		gn_row_function(row, m, end_of(e, kind == GN_ROW_CALLEE),
				&e->v);
		row->kind = kind;
	}
	/* without a row, there may be no list */
	return out->n == before ? 0
				: gn_rows_sort(out->row + before,
					       out->n - before, o->sort, o->by);
}

int gn_rows_callers(const struct gn_model *m, const struct gn_output_opts *o,
		    struct gn_rows *out)
{
	struct groups callers = {0}, callees = {0};
	struct gn_output_opts flat = *o;
	struct gn_rows functions;
	size_t room = 0;
	int err;

	flat.by = GN_BY_FUNCTION;
	err = gn_rows_flat(m, &flat, &functions);
	out->limited = functions.limited;
	if (!err)
		err = group(m, true, &callers);
	if (!err)
		err = group(m, false, &callees);
	for (size_t i = 0; !err && i < functions.n; i++) {
		uint32_t f = functions.row[i].id;
		struct gn_row *row;

		err = add_ends(m, o, &callers, f, GN_ROW_CALLER, out, &room);
		if (err)
			break;
		row = gn_rows_add(out, &room);
		if (!row) {
			err = -ENOMEM;
			break;
		}
		*row = functions.row[i];
		err = add_ends(m, o, &callees, f, GN_ROW_CALLEE, out, &room);
	}
	clear(&callees);
	clear(&callers);
	gn_rows_clear(&functions);
	return err;
}
