// SPDX-License-Identifier: BSD-2-Clause
#include "top/view_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"

#define FNV_START 0xcbf29ce484222325
#define FNV_PRIME 0x100000001b3

/* FNV-1a: over a name and its end, so that "ab","c" is not "a","bc". */
uint64_t gn_top_id(uint64_t seed, const char *name)
{
	uint64_t h = seed ^ FNV_START;

	do {
		h = (h ^ (unsigned char)*name) * FNV_PRIME;
	} while (*name++);
	return h;
}

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Without regard to case, of ASCII: it must not depend on the locale. */
static bool contains(const char *text, const char *part)
{
	for (; *text; text++) {
		size_t i = 0;

		while (part[i] && fold(text[i]) == fold(part[i]))
			i++;
		if (!part[i])
			return true;
	}
	return !*part;
}

bool gn_top_matches(const struct gn_top_view *v, const char *name)
{
	return !v->filter[0] || contains(name, v->filter);
}

struct gn_top_row *gn_top_row_add(struct gn_top_view *v)
{
	if (v->nrows == v->rows_cap) {
		size_t cap = v->rows_cap ? v->rows_cap * 2 : 64;
		struct gn_top_row *rows =
			reallocarray(v->rows, cap, sizeof(*rows));

		if (!rows)
			return NULL;
		v->rows = rows;
		v->rows_cap = cap;
	}
	memset(&v->rows[v->nrows], 0, sizeof(*v->rows));
	return &v->rows[v->nrows++];
}

static int compare(const struct gn_top_sortable *a,
		   const struct gn_top_sortable *b)
{
	if (a->text && b->text)
		return strcmp(a->text, b->text);
	return a->number < b->number ? 1 : a->number > b->number ? -1 : 0;
}

static int by_index(const struct gn_top_sortable *a,
		    const struct gn_top_sortable *b)
{
	return a->index < b->index ? -1 : a->index > b->index;
}

static int compare_usual(const void *a, const void *b)
{
	int c = compare(a, b);

	return c ? c : by_index(a, b);
}

static int compare_inverted(const void *a, const void *b)
{
	int c = compare(b, a);

	return c ? c : by_index(a, b);
}

void gn_top_sort(const struct gn_top_view *v, struct gn_top_sortable *s,
		 size_t n)
{
	if (n < 2)
		return;
	qsort(s, n, sizeof(*s),
	      v->list[v->mode].inverted ? compare_inverted : compare_usual);
}

const char *gn_top_node_name(const struct gn_model *m,
			     const struct gn_model_node *n, const char **module)
{
	const struct gn_model_function *f = gn_top_function(m, n->function);

	if (module)
		*module = f ? f->module : "";
	if (f)
		return f->name;
	return n->name ? n->name : "?";
}

static const char *function_name(const struct gn_model *m, int32_t index)
{
	const struct gn_model_function *f = gn_top_function(m, index);

	return f ? f->name : "";
}

static struct gn_top_sortable thread_value(const struct gn_model *m,
					   const struct gn_model_thread *t,
					   int column)
{
	struct gn_top_sortable s = {0};

	if (column >= GN_TOP_CLASS) {
		s.number =
			gn_pct(t->classes[column - GN_TOP_CLASS], t->elapsed);
		return s;
	}
	switch (column) {
	case GN_TOP_NAME:
		s.text = t->name;
		break;
	case GN_TOP_RUNTIME:
		s.text = gn_top_runtime(m, t);
		break;
	case GN_TOP_STATE:
		s.text = gn_top_state(t);
		break;
	case GN_TOP_CURRENT:
		s.text = function_name(m, gn_top_current(t));
		break;
	case GN_TOP_HOTTEST:
		s.text = function_name(m, gn_top_hottest(t));
		break;
	case GN_TOP_PID:
		s.number = -(double)t->pid; /* ids are sorted ascending */
		break;
	case GN_TOP_TID:
		s.number = -(double)t->tid;
		break;
	case GN_TOP_CPU:
		s.number = gn_pct(gn_top_cpu_ns(t->classes), t->elapsed);
		break;
	default:
		s.number = (double)t->v.calls;
	}
	return s;
}

static struct gn_top_sortable value(const struct gn_values *v, const char *name,
				    const char *module, int column)
{
	struct gn_top_sortable s = {0};

	if (column >= GN_TOP_CLASS) {
		s.number = gn_pct(v->class_excl[column - GN_TOP_CLASS],
				  v->elapsed_excl);
		return s;
	}
	switch (column) {
	case GN_TOP_NAME:
		s.text = name;
		break;
	case GN_TOP_MODULE:
		s.text = module;
		break;
	case GN_TOP_EI:
		s.number = (double)v->elapsed_incl;
		break;
	case GN_TOP_EE:
		s.number = (double)v->elapsed_excl;
		break;
	case GN_TOP_AI:
		s.number = (double)v->app_incl;
		break;
	case GN_TOP_AE:
		s.number = (double)v->app_excl;
		break;
	default:
		s.number = (double)v->calls;
	}
	return s;
}

struct gn_top_sortable gn_top_value(const struct gn_top_view *v,
				    const struct gn_top_period *p,
				    uint32_t index)
{
	const struct gn_model *m = p->m;
	int column = v->list[v->mode].sort;
	struct gn_top_sortable s;
	const char *name, *module;

	switch (v->mode) {
	case GN_TOP_THREADS:
		s = thread_value(m, &m->threads[index], column);
		break;
	case GN_TOP_FUNCTIONS:
		s = value(&m->functions[index].v, m->functions[index].name,
			  m->functions[index].module, column);
		break;
	case GN_TOP_MODULES:
		s = value(&m->modules[index].v, m->modules[index].name, "",
			  column);
		break;
	default:
		name = gn_top_node_name(m, &m->nodes[index], &module);
		s = value(&m->nodes[index].v, name, module, column);
	}
	s.index = index;
	return s;
}

/* It did not occur in the period, only earlier. */
static bool idle(const struct gn_values *v)
{
	return !v->calls && !v->elapsed_incl;
}

/* Whether the entry is to be shown, and what it is of. */
static bool wanted(const struct gn_top_view *v, const struct gn_model *m,
		   uint32_t i, uint64_t *id)
{
	char tid[16];

	switch (v->mode) {
	case GN_TOP_THREADS:
		snprintf(tid, sizeof(tid), "%u", m->threads[i].tid);
		*id = (uint64_t)m->threads[i].pid << 32 | m->threads[i].tid;
		return gn_top_matches(v, m->threads[i].name) ||
		       gn_top_matches(v, tid);
	case GN_TOP_FUNCTIONS:
		*id = gn_top_id(gn_top_id(0, m->functions[i].module),
				m->functions[i].name);
		return (!idle(&m->functions[i].v) || m->functions[i].muted) &&
		       (gn_top_matches(v, m->functions[i].name) ||
			gn_top_matches(v, m->functions[i].module));
	default:
		*id = gn_top_id(0, m->modules[i].name);
		return !idle(&m->modules[i].v) &&
		       gn_top_matches(v, m->modules[i].name);
	}
}

static size_t entries(const struct gn_top_view *v, const struct gn_model *m)
{
	switch (v->mode) {
	case GN_TOP_THREADS:
		return m->nthreads;
	case GN_TOP_FUNCTIONS:
		return m->nfunctions;
	default:
		return m->nmodules;
	}
}

int gn_top_rows_make(struct gn_top_view *v, const struct gn_top_period *p)
{
	size_t n = entries(v, p->m), kept = 0;
	struct gn_top_sortable *s;
	uint64_t id;
	int err = 0;

	v->nrows = 0;
	if (v->mode == GN_TOP_TREE)
		return gn_top_tree_make(v, p);
	s = calloc(n ? n : 1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (wanted(v, p->m, i, &id))
			s[kept++] = gn_top_value(v, p, i);
	}
	gn_top_sort(v, s, kept);
	for (size_t i = 0; i < kept; i++) {
		struct gn_top_row *row = gn_top_row_add(v);

		if (!row) {
			err = -ENOMEM;
			break;
		}
		row->index = s[i].index;
		wanted(v, p->m, s[i].index, &row->id);
	}
	free(s);
	return err;
}
