// SPDX-License-Identifier: BSD-2-Clause
#include "top/view_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"

#define FNV_START 0xcbf29ce484222325
#define FNV_PRIME 0x100000001b3

/* FNV-1a over a name and its NUL, so that "ab","c" and "a","bc" differ. */
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

/* Ignores the case of ASCII letters only: it must not depend on the locale. */
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

/* Not in the model's order, which is by time: idle threads would change their
 * places in each period. */
static int by_name(const struct gn_top_sortable *a,
		   const struct gn_top_sortable *b)
{
	int c = strcmp(a->name, b->name);

	if (c)
		return c;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static int compare_usual(const void *a, const void *b)
{
	int c = compare(a, b);

	return c ? c : by_name(a, b);
}

static int compare_inverted(const void *a, const void *b)
{
	int c = compare(b, a);

	return c ? c : by_name(a, b);
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
	const struct gn_model_function *f = gn_now_find(m, n->function);

	if (module)
		*module = f ? f->module : "";
	if (f)
		return gn_function_shown(f);
	return n->name ? n->name : "?";
}

void gn_top_make_row(struct gn_row *row, const struct gn_model *m,
		     enum gn_top_mode mode, uint32_t index)
{
	static const enum gn_by by[] = {
		[GN_TOP_THREADS] = GN_BY_THREAD,
		[GN_TOP_FUNCTIONS] = GN_BY_FUNCTION,
		[GN_TOP_MODULES] = GN_BY_MODULE,
	};

	if (mode != GN_TOP_TREE) {
		gn_row_make(row, m, by[mode], index);
		return;
	}
	gn_row_function(row, m, m->nodes[index].function, &m->nodes[index].v);
	row->name = gn_top_node_name(m, &m->nodes[index], &row->module);
}

struct gn_top_sortable gn_top_value(const struct gn_top_view *v,
				    const struct gn_top_period *p,
				    uint32_t index)
{
	struct gn_top_sortable s = {.index = index};
	int column = v->list[v->mode].sort;
	struct gn_row r;

	gn_top_make_row(&r, p->m, v->mode, index);
	s.name = r.name;
	s.thread = (uint64_t)r.pid << 32 | r.tid;
	s.text = gn_column_text(p->m, &r, column);
	if (s.text)
		return s;
	if (gn_column_show(column) == GN_SHOW_TIME)
		s.number = gn_pct(gn_column_value(&r, column), gn_row_own(&r));
	else
		s.number = (double)gn_column_value(&r, column);
	if (gn_top_column_up(column))
		s.number = -s.number;
	return s;
}

/* Whether it occurred only before this period. */
static bool idle(const struct gn_values *v)
{
	return !v->calls && !v->elapsed_incl;
}

/* Whether to show the entry; sets its id. */
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
			gn_top_matches(v,
				       gn_function_shown(&m->functions[i])) ||
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
