/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/compare.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include "compare/names.h"
#include "compare/nested.h"
#include "compare/paths.h"
#include "output/classes.h"
#include "output/text.h"

static const struct {
	const char *word;
	bool time;
	int whole;
} metrics[] = {
#define COUNT				 false
#define TIME				 true
#define WHOLE_NONE			 -1
#define WHOLE_ELAPSED			 GN_METRIC_elapsed_incl
#define WHOLE_APP			 GN_METRIC_app_incl
#define METRIC(field, word, kind, whole) {word, kind, WHOLE_##whole},
	GN_METRIC_LIST(METRIC)
#undef METRIC
#undef COUNT
#undef TIME
};

const char *gn_metric_word(int metric)
{
	return metric < GN_METRIC_CLASS
		       ? metrics[metric].word
		       : gn_class_text(metric - GN_METRIC_CLASS);
}

int gn_metric_find(const char *word)
{
	for (int i = 0; i < GN_METRIC_COUNT; i++)
		if (!strcmp(word, gn_metric_word(i)))
			return i;
	return -1;
}

bool gn_metric_is_time(int metric)
{
	return metric >= GN_METRIC_CLASS || metrics[metric].time;
}

int gn_metric_whole(int metric)
{
	return metric < GN_METRIC_CLASS ? metrics[metric].whole
					: GN_METRIC_elapsed_incl;
}

static int compare_items(const void *a, const void *b)
{
	const struct gn_item *x = a, *y = b;
	int order = (int)x->part - (int)y->part;

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->module, y->module);
}

static size_t runs_of(const struct gn_comparison *c)
{
	return c->runs[GN_BASE] + c->runs[GN_NEW];
}

static void item_free(struct gn_item *item)
{
	if (!item)
		return;
	free(item->name);
	free(item->shown);
	free(item->module);
	free(item->lasting);
	free(item);
}

static struct gn_item *item_new(const struct gn_comparison *c,
				enum gn_part part, const char *name,
				const char *module)
{
	struct gn_item *item;

	item = calloc(1, sizeof(*item) + runs_of(c) * sizeof(item->runs[0]));
	if (!item)
		return NULL;
	item->part = part;
	item->name = strdup(name);
	item->module = gn_lasting_module(module);
	item->lasting = part == GN_PART_MODULE ? gn_lasting_module(name)
					       : gn_lasting_function(name);
	if (item->name && item->module && item->lasting)
		return item;
	item_free(item);
	return NULL;
}

static int keep(struct gn_comparison *c, struct gn_item *item)
{
	struct gn_item **grown;

	grown = reallocarray(c->items, c->nitems + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	c->items = grown;
	c->items[c->nitems++] = item;
	return 0;
}

/* Finds the item of that name, or makes it. NULL: no memory. */
static struct gn_item *find(struct gn_comparison *c, enum gn_part part,
			    const char *name, const char *module)
{
	struct gn_item *item = item_new(c, part, name, module), **found;

	if (!item)
		return NULL;
	found = tfind(item, &c->index, compare_items);
	if (found) {
		item_free(item);
		return *found;
	}
	if (keep(c, item)) {
		item_free(item);
		return NULL;
	}
	/* the array owns it from here on */
	return tsearch(item, &c->index, compare_items) ? item : NULL;
}

int gn_comparison_begin(struct gn_comparison *c, size_t base, size_t new)
{
	*c = (struct gn_comparison){.runs = {base, new}};
	return find(c, GN_PART_TOTAL, "", "") ? 0 : -ENOMEM;
}

int gn_comparison_keep_paths(struct gn_comparison *c)
{
	c->paths = calloc(1, sizeof(*c->paths));
	return c->paths ? 0 : -ENOMEM;
}

static void no_free(void *item)
{
	(void)item;
}

void gn_comparison_clear(struct gn_comparison *c)
{
	tdestroy(c->index, no_free);
	for (size_t i = 0; i < c->nitems; i++)
		item_free(c->items[i]);
	free(c->items);
	gn_paths_free(c->paths);
	*c = (struct gn_comparison){0};
}

/* Where the values of a capture go. */
struct place {
	struct gn_comparison *c;
	enum gn_side side;
	size_t run;
};

static size_t run_of(const struct place *p)
{
	return p->run + (p->side == GN_NEW ? p->c->runs[GN_BASE] : 0);
}

static struct gn_measure *of_item(const struct place *p, struct gn_item *item)
{
	struct gn_measure *m;

	if (!item)
		return NULL;
	m = &item->runs[run_of(p)];
	item->in[p->side] = true;
	m->seen = true;
	return m;
}

static struct gn_measure *at(const struct place *p, enum gn_part part,
			     const char *name, const char *module)
{
	return of_item(p, find(p->c, part, name, module));
}

/* Adds the values of several with one name; of longest ones takes the
 * maximum. */
static void sum(uint64_t *to, const uint64_t *from)
{
	for (int i = 0; i < GN_METRIC_COUNT; i++) {
		bool longest =
			i == GN_METRIC_longest || i == GN_METRIC_gc_pause;

		if (!longest)
			to[i] += from[i];
		else if (from[i] > to[i])
			to[i] = from[i];
	}
}

static int add(struct gn_measure *to, const struct gn_values *v,
	       const uint64_t *classes, bool doubtful)
{
	uint64_t value[GN_METRIC_COUNT] = {
		[GN_METRIC_calls] = v->calls,
		[GN_METRIC_elapsed_incl] = v->elapsed_incl,
		[GN_METRIC_elapsed_excl] = v->elapsed_excl,
		[GN_METRIC_app_incl] = v->app_incl,
		[GN_METRIC_app_excl] = v->app_excl,
		[GN_METRIC_longest] = v->max,
	};

	if (!to)
		return -ENOMEM;
	memcpy(value + GN_METRIC_CLASS, classes,
	       GN_CLASS_COUNT * sizeof(*classes));
	sum(to->value, value);
	to->error_incl += v->error_incl;
	to->error_excl += v->error_excl;
	to->doubtful = to->doubtful || doubtful || v->gap || v->unprobed;
	return 0;
}

static int add_thread(const struct place *p, const struct gn_model_thread *t)
{
	char *role = gn_lasting_thread(t->name);
	int err = -ENOMEM;

	if (role)
		err = add(at(p, GN_PART_THREAD, role, ""), &t->v, t->classes,
			  t->gaps);
	free(role);
	return err;
}

static int add_function(const struct place *p,
			const struct gn_model_function *f, struct gn_item **out)
{
	struct gn_item *item = find(p->c, GN_PART_FUNCTION, f->name, f->module);
	struct gn_measure *m = of_item(p, item);

	*out = item;
	if (item && !item->shown && f->short_name) {
		item->shown = strdup(f->short_name);
		if (!item->shown)
			return -ENOMEM;
	}
	if (m)
		m->copied |= f->v.inlined;
	return add(m, &f->v, f->v.class_excl, f->muted);
}

static int add_functions(const struct place *p, const struct gn_model *m)
{
	struct gn_item **item = calloc(m->nfunctions + 1, sizeof(*item));
	int err = item ? 0 : -ENOMEM;

	for (size_t i = 0; i < m->nfunctions && !err; i++)
		err = add_function(p, &m->functions[i], &item[i]);
	if (!err)
		err = gn_nested_add(m, item, run_of(p));
	free(item);
	return err;
}

static int add_module(const struct place *p, const struct gn_model_module *mod)
{
	const char *name = mod->name[0] ? gn_base_name(mod->name) : "(unknown)";

	return add(at(p, GN_PART_MODULE, name, ""), &mod->v, mod->v.class_excl,
		   false);
}

static uint64_t lost(const struct gn_model *m)
{
	uint64_t n = gn_model_losses(m);

	return n || !gn_model_lossy(m) ? n : 1;
}

int gn_comparison_add(struct gn_comparison *c, enum gn_side side,
		      const struct gn_model *m, uint64_t pause)
{
	struct place p = {c, side, c->filled[side]};
	struct gn_measure *total;
	int err;

	if (p.run >= c->runs[side])
		return -E2BIG;
	c->filled[side]++;
	total = at(&p, GN_PART_TOTAL, "", "");
	err = add(total, &m->session, m->session.class_incl, false);
	if (!err) {
		total->value[GN_METRIC_gc_pause] = pause;
		total->value[GN_METRIC_lost] = lost(m);
	}
	for (size_t i = 0; i < m->nthreads && !err; i++)
		err = add_thread(&p, &m->threads[i]);
	for (size_t i = 0; i < m->nmodules && !err; i++)
		err = add_module(&p, &m->modules[i]);
	if (!err)
		err = add_functions(&p, m);
	if (!err && c->paths)
		err = gn_paths_add(c->paths, side, m);
	return err;
}

/* --- one thing under two names --- */

static bool one_sided(const struct gn_item *item)
{
	return item->in[GN_BASE] != item->in[GN_NEW];
}

void gn_item_sum(const struct gn_comparison *c, struct gn_item *to,
		 const struct gn_item *from)
{
	for (size_t i = 0; i < runs_of(c); i++) {
		sum(to->runs[i].value, from->runs[i].value);
		to->runs[i].seen |= from->runs[i].seen;
		to->runs[i].error_incl += from->runs[i].error_incl;
		to->runs[i].error_excl += from->runs[i].error_excl;
		to->runs[i].doubtful |= from->runs[i].doubtful;
		to->runs[i].copied |= from->runs[i].copied;
	}
	for (int side = 0; side < GN_SIDE_COUNT; side++)
		to->in[side] |= from->in[side];
}

/* Adds `from` to `to`. The part GN_PART_COUNT marks that `from` is no item any
 * more. */
static void merge(struct gn_comparison *c, struct gn_item *to,
		  struct gn_item *from)
{
	gn_item_sum(c, to, from);
	from->part = GN_PART_COUNT;
}

typedef int (*order_fn)(const void *a, const void *b);

static int by_lasting(const void *a, const void *b)
{
	const struct gn_item *x = *(struct gn_item *const *)a;
	const struct gn_item *y = *(struct gn_item *const *)b;
	int order = (int)x->part - (int)y->part;

	return order ? order : strcmp(x->lasting, y->lasting);
}

static int by_lasting_in_module(const void *a, const void *b)
{
	const struct gn_item *x = *(struct gn_item *const *)a;
	const struct gn_item *y = *(struct gn_item *const *)b;
	int order = by_lasting(a, b);

	return order ? order : strcmp(x->module, y->module);
}

/* What is known of a group's items. */
struct group {
	struct gn_item *only[GN_SIDE_COUNT]; /* the first that is only on this
						side */
	bool numbered; /* some name differs from its lasting name */
	bool in[GN_SIDE_COUNT];
};

static struct group look_at(struct gn_item **items, size_t n)
{
	struct group g = {0};

	for (size_t i = 0; i < n; i++) {
		struct gn_item *item = items[i];

		g.numbered |= strcmp(item->name, item->lasting) != 0;
		for (int side = 0; side < GN_SIDE_COUNT; side++) {
			g.in[side] |= item->in[side];
			if (one_sided(item) && item->in[side] && !g.only[side])
				g.only[side] = item;
		}
	}
	return g;
}

static void rename_item(struct gn_item *item)
{
	free(item->name);
	item->name = item->lasting;
	item->lasting = strdup(item->name);
	if (item->shown) {
		char *shown = item->shown;

		item->shown = gn_lasting_function(shown);
		free(shown);
	}
}

/* Removes the time in calls from others of the lasting name, because all of
 * these become one item. */
static void drop_nested(const struct gn_comparison *c, struct gn_item *item)
{
	for (size_t i = 0; i < runs_of(c); i++) {
		struct gn_measure *m = &item->runs[i];

		m->value[GN_METRIC_elapsed_incl] -= m->nested_elapsed;
		m->value[GN_METRIC_app_incl] -= m->nested_app;
	}
}

/* Lambdas of one function: if one came or went, their numbers do not identify
 * them. */
static int merge_numbered(struct gn_comparison *c, struct gn_item **items,
			  size_t n)
{
	struct group g = look_at(items, n);

	if (n < 2 || !g.numbered || !g.in[GN_BASE] || !g.in[GN_NEW] ||
	    (!g.only[GN_BASE] && !g.only[GN_NEW]))
		return 0;
	for (size_t i = 0; i < n; i++)
		drop_nested(c, items[i]);
	for (size_t i = 1; i < n; i++)
		merge(c, items[0], items[i]);
	rename_item(items[0]);
	return items[0]->lasting ? 0 : -ENOMEM;
}

/* Merges the modules of two functions, if one module is gone and the other is
 * new. */
static void merge_modules(struct gn_comparison *c, const char *gone,
			  const char *new)
{
	struct gn_item *of[GN_SIDE_COUNT] = {NULL};

	for (size_t i = 0; i < c->nitems; i++) {
		struct gn_item *item = c->items[i];

		if (item->part == GN_PART_FUNCTION)
			break; /* functions come after the modules */
		if (item->part != GN_PART_MODULE || !one_sided(item))
			continue;
		if (item->in[GN_BASE] && !strcmp(item->lasting, gone))
			of[GN_BASE] = item;
		if (item->in[GN_NEW] && !strcmp(item->lasting, new))
			of[GN_NEW] = item;
	}
	if (of[GN_BASE] && of[GN_NEW])
		merge(c, of[GN_NEW], of[GN_BASE]);
}

/* Merges functions of the same name in a module that is gone and in a new
 * one. */
static int merge_moved(struct gn_comparison *c, struct gn_item **items,
		       size_t n)
{
	struct group g = look_at(items, n);
	struct gn_item *to = g.only[GN_NEW];

	if (!g.only[GN_BASE] || !to)
		return 0;
	if (to->part == GN_PART_FUNCTION)
		merge_modules(c, g.only[GN_BASE]->module, to->module);
	for (size_t i = 0; i < n; i++)
		if (items[i] != to && one_sided(items[i]) &&
		    items[i]->part == to->part && !items[i]->in[GN_NEW])
			merge(c, to, items[i]);
	return 0;
}

static int each_group(struct gn_comparison *c, order_fn order,
		      int (*visit)(struct gn_comparison *c,
				   struct gn_item **items, size_t n))
{
	struct gn_item **sorted = c->items;
	size_t end;
	int err = 0;

	qsort(c->items, c->nitems, sizeof(*c->items), order);
	for (size_t i = 0; i < c->nitems && !err; i = end) {
		for (end = i + 1;
		     end < c->nitems && !order(&sorted[i], &sorted[end]);)
			end++;
		if (sorted[i]->part != GN_PART_TOTAL &&
		    sorted[i]->part != GN_PART_COUNT)
			err = visit(c, sorted + i, end - i);
	}
	return err;
}

static int in_order(const void *a, const void *b)
{
	return compare_items(*(struct gn_item *const *)a,
			     *(struct gn_item *const *)b);
}

int gn_comparison_end(struct gn_comparison *c)
{
	int err = 0;

	tdestroy(c->index, no_free);
	c->index = NULL;
	if (c->runs[GN_BASE] && c->runs[GN_NEW]) {
		err = each_group(c, by_lasting_in_module, merge_numbered);
		if (!err)
			err = each_group(c, by_lasting, merge_moved);
	}
	qsort(c->items, c->nitems, sizeof(*c->items), in_order);
	while (c->nitems && c->items[c->nitems - 1]->part == GN_PART_COUNT)
		item_free(c->items[--c->nitems]);
	return err;
}
