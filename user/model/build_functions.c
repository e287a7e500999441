// SPDX-License-Identifier: BSD-2-Clause
/* Makes the functions of a model, and sorts processes by name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/build_parts.h"
#include "model/mem.h"

struct named {
	const char *name, *module;
	uint32_t runtime;
	uint32_t id;	/* processes: the pid */
	uint32_t index; /* in names, or in processes */
	bool known;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int cmp = strcmp(x->name, y->name);

	if (!cmp)
		cmp = strcmp(x->module, y->module);
	if (cmp)
		return cmp;
	if (x->runtime != y->runtime)
		return x->runtime < y->runtime ? -1 : 1;
	if (x->known != y->known)
		return x->known ? 1 : -1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int add_fn(struct gn_build *b, uint32_t fn)
{
	if (fn == GN_NONE || b->function_of[fn])
		return 0;
	if (gn_grow(&b->fns, &b->fns_cap, (size_t)b->nfns + 1, sizeof(*b->fns)))
		return -ENOMEM;
	b->function_of[fn] = 1;
	b->fns[b->nfns++] = fn;
	return 0;
}

/* Lists the functions that the model refers to. */
static int list_fns(struct gn_build *b)
{
	const struct gn_pipeline *p = b->p;
	const struct gn_names *names = &p->stage.names;
	uint32_t i, k;
	int err = 0;

	for (i = 0; i < b->tree->n; i++)
		if (!b->tree->nodes[i].process &&
		    !GN_FN_IS_ACTIVITY(b->tree->nodes[i].fn))
			err |= add_fn(b, b->tree->nodes[i].fn);
	for (i = 0; i < p->waits.n; i++) {
		err |= add_fn(b, p->waits.rows[i].fn);
		err |= add_fn(b, p->waits.rows[i].waker_fn);
	}
	for (i = 0; i < p->nthreads; i++)
		for (k = 0; k < gn_live_activities(&p->threads[i]->live); k++)
			err |= add_fn(b,
				      gn_live_at(&p->threads[i]->live, k)->fn);
	for (i = 0; i < p->shares.n; i++)
		err |= add_fn(b, p->shares.rows[i].fn);
	for (i = 0; i < names->nmuted; i++)
		err |= add_fn(b, names->muted[i]);
	for (i = 0; i < p->asyncs.nmethods; i++)
		err |= add_fn(b, p->asyncs.methods[i].fn);
	return err;
}

/* Lists their names, sorted. 0 or -ENOMEM. */
static int list_named(struct gn_build *b, struct named *list)
{
	struct gn_names *names = &b->p->stage.names;
	uint32_t i;

	for (i = 0; i < b->nfns; i++) {
		uint32_t fn = b->fns[i];

		list[i] = (struct named){
			.index = fn,
			.name = gn_names_text(names, fn),
			.module = gn_names_module_text(names, fn),
			.runtime = GN_FUNC_RUNTIME(names->fns[fn].func),
			.known = names->fns[fn].name,
		};
		if (!list[i].name || !list[i].module)
			return -ENOMEM;
	}
	qsort(list, b->nfns, sizeof(*list), compare_named);
	return 0;
}

static void note_muted(struct gn_build *b)
{
	const struct gn_names *names = &b->p->stage.names;
	uint32_t i;

	for (i = 0; i < names->nmuted; i++)
		b->m->functions[b->function_of[names->muted[i]]].muted = true;
}

static enum gn_runtime_id runtime_of(const struct named *f)
{
	return f->runtime < GN_RUNTIME_COUNT ? f->runtime : GN_RUNTIME_NATIVE;
}

/* 0 or -ENOMEM. */
static int add_function(struct gn_build *b, const struct named *f)
{
	struct gn_names *names = &b->p->stage.names;
	struct gn_model *m = b->m;
	struct gn_model_function *to = &m->functions[m->nfunctions++];
	char text[GN_CLR_NAME_MAX];

	*to = (struct gn_model_function){
		.name = f->name,
		.module = f->module,
		.runtime = runtime_of(f),
	};
	if (!gn_names_short(&names->fns[f->index], f->name, text, sizeof(text)))
		return 0;
	to->short_name = gn_pool_add(&names->pool, text, strlen(text));
	return to->short_name ? 0 : -ENOMEM;
}

/* The model's function of that name, or NULL. */
static struct gn_model_function *
find_function(struct gn_model *m, const char *name, const char *module)
{
	size_t from = 0, to = m->nfunctions;

	while (from < to) {
		size_t at = from + (to - from) / 2;
		struct gn_model_function *f = &m->functions[at];
		int cmp = strcmp(name, f->name);

		cmp = cmp ? cmp : strcmp(module, f->module);
		if (!cmp)
			return f;
		if (cmp < 0)
			to = at;
		else
			from = at + 1;
	}
	return NULL;
}

/* Instances of a generic method have one row. One that was only inlined is none
 * of those that the model refers to. 0 or -ENOMEM. */
static int mark_inlined(struct gn_build *b)
{
	struct gn_names *names = &b->p->stage.names;
	struct gn_model_function *f;

	for (uint32_t i = 0; i < names->nfns; i++) {
		const char *name, *module;

		if (!names->fns[i].inlined)
			continue;
		name = gn_names_text(names, i);
		module = gn_names_module_text(names, i);
		if (!name || !module)
			return -ENOMEM;
		f = find_function(b->m, name, module);
		if (f)
			f->v.inlined = true;
	}
	return 0;
}

/* Adds what is known of one of the functions that a row stands for. */
static void merge_fn(struct gn_model_function *to, struct gn_fn *fn)
{
	to->v.unprobed |= fn->unprobed;
	to->v.moved |= fn->moved;
	if (fn->file) {
		to->file = fn->file;
		to->line = fn->line;
	}
	fn->unprobed = false; /* this model tells it */
}

int gn_build_functions(struct gn_build *b)
{
	struct gn_names *names = &b->p->stage.names;
	struct gn_model *m = b->m;
	struct named *list;
	uint32_t i;
	int err;

	err = list_fns(b);
	if (err)
		return err;
	list = calloc((size_t)b->nfns + 1, sizeof(*list));
	m->functions = calloc((size_t)b->nfns + 1, sizeof(*m->functions));
	err = list && m->functions ? list_named(b, list) : -ENOMEM;
	if (err)
		goto out;
	for (i = 0; i < b->nfns; i++) {
		const struct named *f = &list[i], *last = i ? f - 1 : NULL;

		if (!last || !f->known || !last->known ||
		    f->name != last->name || f->module != last->module ||
		    f->runtime != last->runtime)
			err = add_function(b, f);
		if (err)
			goto out;
		merge_fn(&m->functions[m->nfunctions - 1],
			 &names->fns[f->index]);
		b->function_of[f->index] = (uint32_t)m->nfunctions - 1;
	}
	note_muted(b);
	err = mark_inlined(b);
out:
	free(list);
	return err;
}

int gn_build_ranks(struct gn_build *b)
{
	struct gn_pipeline *p = b->p;
	struct named *list = calloc((size_t)p->nprocesses + 1, sizeof(*list));
	uint32_t i;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < p->nprocesses; i++)
		list[i] = (struct named){.name = p->processes[i].name,
					 .module = "",
					 .id = p->processes[i].pid,
					 .index = i};
	qsort(list, p->nprocesses, sizeof(*list), compare_named);
	for (i = 0; i < p->nprocesses; i++)
		b->rank_of[list[i].index] = i;
	free(list);
	return 0;
}
