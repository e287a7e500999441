// SPDX-License-Identifier: BSD-2-Clause
/* Takes records about the code of functions: which calls cannot be seen, and
 * which precompiled code was not used. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/mem.h"

int gn_code_take(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r)
{
	struct gn_fn *fn;
	uint32_t i;
	int err;

	if (r->h.kind == GN_KIND_COPIES_RAN) {
		p->code.copies_ran += r->h.key;
		return 0;
	}
	if (r->h.kind == GN_KIND_SELECTED) {
		if (GN_FUNC_INDEX(r->func) < GN_SELECTED_COUNT)
			p->code.selected[GN_FUNC_INDEX(r->func)] += r->h.key;
		return 0;
	}
	if (!GN_FUNC_INDEX(r->func)) {
		/* such a function is reported only once */
		p->code.refused += r->h.kind == GN_KIND_REFUSED;
		return 0;
	}
	err = gn_names_find(&p->stage.names, p->processes[t->process].program,
			    r->func, &i);
	if (err)
		return gn_thread_no_room(p, t, err);
	fn = &p->stage.names.fns[i];
	switch (r->h.kind) {
	case GN_KIND_INLINED:
		fn->inlined += fn->inlined < UINT32_MAX;
		p->code.sites++;
		break;
	case GN_KIND_UNHOOKED:
		fn->unhooked = true;
		break;
	default:
		p->code.refused += !fn->refused;
		fn->refused = true;
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct gn_model_unseen *x = a, *y = b;
	int cmp = strcmp(x->name, y->name);

	return cmp ? cmp : strcmp(x->module, y->module);
}

static int by_sites(const void *a, const void *b)
{
	const struct gn_model_unseen *x = a, *y = b;

	if (x->sites != y->sites)
		return x->sites > y->sites ? -1 : 1;
	return by_name(a, b);
}

/* Merges entries of the same name and module, also of different programs. */
static size_t merge(struct gn_model_unseen *all, size_t n)
{
	size_t kept = 0;

	qsort(all, n, sizeof(*all), by_name);
	for (size_t i = 0; i < n; i++) {
		if (kept && !by_name(&all[kept - 1], &all[i]))
			all[kept - 1].sites += all[i].sites;
		else
			all[kept++] = all[i];
	}
	qsort(all, kept, sizeof(*all), by_sites);
	return kept;
}

static int list(struct gn_names *names, bool unhooked,
		struct gn_model_unseen **out, size_t *n)
{
	struct gn_model_unseen *all;
	size_t count = 0;

	for (uint32_t i = 0; i < names->nfns; i++)
		count += unhooked ? names->fns[i].unhooked
				  : names->fns[i].inlined > 0;
	all = calloc(count + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	*out = all;
	count = 0;
	for (uint32_t i = 0; i < names->nfns; i++) {
		const struct gn_fn *fn = &names->fns[i];

		if (unhooked ? !fn->unhooked : !fn->inlined)
			continue;
		all[count].name = gn_names_text(names, i);
		all[count].module = gn_names_module_text(names, i);
		all[count].sites = fn->inlined;
		if (!all[count].name || !all[count].module)
			return -ENOMEM;
		count++;
	}
	*n = merge(all, count);
	return 0;
}

int gn_code_build(struct gn_pipeline *p, struct gn_model *m)
{
	struct gn_names *names = &p->stage.names;
	int err;

	m->code = p->code;
	if (p->opts.live)
		return 0; /* the names of ended programs are gone */
	err = list(names, false, &m->code.inlined, &m->code.ninlined);
	return err ? err
		   : list(names, true, &m->code.unhooked, &m->code.nunhooked);
}
