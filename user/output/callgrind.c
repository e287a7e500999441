// SPDX-License-Identifier: BSD-2-Clause
/*
 * callgrind's profile format, for callgrind_annotate and KCachegrind: the own
 * costs of each function, and for each callee the calls and their costs. The
 * format is written without source lines: all costs are at line 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "output/caveats.h"
#include "output/formats.h"
#include "output/paths.h"

#define USUAL "ee,ae"

struct callgrind {
	const struct gn_model *m;
	struct gn_picks picks;
	bool utf8;
	FILE *f;
};

/* The inclusive value that corresponds to a column of own time. */
static uint64_t inclusive(const struct gn_values *v, int column)
{
	switch (column) {
	case GN_COLUMN_CALLS:
		return v->calls;
	case GN_COLUMN_EE:
		return v->elapsed_incl;
	case GN_COLUMN_AE:
		return v->app_incl;
	default:
		return v->class_incl[gn_column_class(column)];
	}
}

static uint64_t exclusive(const struct gn_values *v, int column)
{
	struct gn_row r = {.v = v, .classes = v->class_excl};

	return gn_column_value(&r, column);
}

/* The part of the session that no function owns. */
static uint64_t outside(const struct gn_model *m, int column)
{
	uint64_t all =
		column == GN_COLUMN_CALLS ? 0 : inclusive(&m->session, column);
	uint64_t owned = 0;

	for (size_t i = 0; i < m->nfunctions; i++)
		owned += exclusive(&m->functions[i].v, column);
	return all > owned ? all - owned : 0;
}

/* Numbers functions from 1 on; 0 is outside of any function. */
static int put_name(struct callgrind *w, const char *key, int32_t function)
{
	const struct gn_model_function *fn =
		function < 0 ? NULL : &w->m->functions[function];
	char *name =
		gn_escape(fn ? gn_function_shown(fn) : "(outside)", w->utf8);

	if (!name)
		return -ENOMEM;
	fprintf(w->f, "%s=(%" PRId32 ") %s\n", key, function + 1, name);
	free(name);
	return 0;
}

static int put_file(struct callgrind *w, const char *key, int32_t function)
{
	const char *module =
		function < 0 ? "" : w->m->functions[function].module;
	char *name = gn_escape(module[0] ? module : "(unknown)", w->utf8);

	if (!name)
		return -ENOMEM;
	fprintf(w->f, "%s=%s\n", key, name);
	free(name);
	return 0;
}

static void put_costs(struct callgrind *w, const struct gn_values *v,
		      uint64_t (*cost)(const struct gn_values *v, int column))
{
	fputc('0', w->f);
	for (int i = 0; i < w->picks.n; i++)
		fprintf(w->f, " %" PRIu64, cost(v, w->picks.pick[i].column));
	fputc('\n', w->f);
}

static int put_function(struct callgrind *w, int32_t function)
{
	int err = put_file(w, "fl", function);

	if (!err)
		err = put_name(w, "fn", function);
	if (err)
		return err;
	if (function >= 0) {
		put_costs(w, &w->m->functions[function].v, exclusive);
		return 0;
	}
	fputc('0', w->f);
	for (int i = 0; i < w->picks.n; i++)
		fprintf(w->f, " %" PRIu64,
			outside(w->m, w->picks.pick[i].column));
	fputc('\n', w->f);
	return 0;
}

/* Skips edges without calls. The callee of such an edge continued under this
 * caller after its own caller was unwound, and callgrind_annotate would add its
 * costs to this caller's own. */
static int put_call(struct callgrind *w, const struct gn_model_edge *e)
{
	int err;

	if (!e->v.calls)
		return 0;
	err = put_file(w, "cfi", e->callee);
	if (!err)
		err = put_name(w, "cfn", e->callee);
	if (err)
		return err;
	fprintf(w->f, "calls=%" PRIu64 " 0\n", e->v.calls);
	put_costs(w, &e->v, inclusive);
	return gn_stream_status(w->f);
}

static int by_caller(const void *a, const void *b)
{
	const struct gn_model_edge *x = *(const struct gn_model_edge *const *)a;
	const struct gn_model_edge *y = *(const struct gn_model_edge *const *)b;

	return x->caller != y->caller
		       ? (x->caller > y->caller) - (x->caller < y->caller)
		       : (x > y) - (x < y);
}

static int put_all(struct callgrind *w, const struct gn_model_edge **edges)
{
	const struct gn_model *m = w->m;
	size_t e = 0;
	int err = 0;

	for (int32_t i = -1; i < (int32_t)m->nfunctions && !err; i++) {
		fputc('\n', w->f);
		err = put_function(w, i);
		for (; e < m->nedges && edges[e]->caller == i && !err; e++)
			err = put_call(w, edges[e]);
		if (!err)
			err = gn_stream_status(w->f);
	}
	return err;
}

static const char *event(int column)
{
	switch (column) {
	case GN_COLUMN_EE:
		return "elapsed_ns";
	case GN_COLUMN_AE:
		return "application_ns";
	default: /* calls, and classes in nanoseconds */
		return gn_column_name(column);
	}
}

static void put_head(struct callgrind *w)
{
	struct gn_caveats caveats;

	fputs("# callgrind format\nversion: 1\ncreator: gnomon\n", w->f);
	gn_caveats_make(w->m, &caveats);
	for (size_t i = 0; i < caveats.n; i++)
		fprintf(w->f, "desc: Note: %s\n", caveats.line[i]);
	fputs("positions: line\nevents:", w->f);
	for (int i = 0; i < w->picks.n; i++) {
		fprintf(w->f, " %s", event(w->picks.pick[i].column));
	}
	fputc('\n', w->f);
}

int gn_callgrind_write(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	const struct gn_model_edge **edges;
	struct callgrind w = {.m = m, .utf8 = o->utf8, .f = f};
	int err;

	err = gn_paths_check(o->columns);
	if (!err)
		err = gn_picks_parse(o->columns, USUAL, false, GN_BY_FUNCTION,
				     &w.picks);
	if (err)
		return err;
	edges = calloc(m->nedges + 1, sizeof(*edges));
	if (!edges)
		return -ENOMEM;
	for (size_t i = 0; i < m->nedges; i++)
		edges[i] = &m->edges[i];
	qsort(edges, m->nedges, sizeof(*edges), by_caller);
	put_head(&w);
	err = put_all(&w, edges);
	free(edges);
	return err;
}
