// SPDX-License-Identifier: BSD-2-Clause
/* Finds the capture side's ids of a function of a model. */
#include "model/threads.h"

#include <string.h>

static bool is_named(struct gn_names *n, uint32_t fn,
		     const struct gn_model_function *f)
{
	const char *name, *module;

	if (GN_FUNC_RUNTIME(n->fns[fn].func) != (uint32_t)f->runtime)
		return false;
	name = gn_names_text(n, fn);
	if (!name || strcmp(name, f->name))
		return false;
	module = gn_names_module_text(n, fn);
	return module && !strcmp(module, f->module);
}

static bool descends(const struct gn_names *n, uint32_t program, uint32_t from)
{
	for (int i = 0; i < GN_FORKS_MAX && program; i++) {
		if (program == from)
			return true;
		program = n->forked[program];
	}
	return false;
}

size_t gn_pipeline_ids(struct gn_pipeline *p, const struct gn_model_function *f,
		       struct gn_func_id *ids, size_t max)
{
	struct gn_names *names = &p->stage.names;
	size_t n = 0;

	for (uint32_t fn = 0; fn < names->nfns; fn++) {
		uint32_t program = names->fns[fn].program;

		if (!is_named(names, fn, f))
			continue;
		if (!program && n < max)
			ids[n++] = (struct gn_func_id){names->fns[fn].func, 0};
		for (uint32_t i = 0; program && i < p->nprocesses; i++) {
			const struct gn_process *proc = &p->processes[i];

			if (n < max && proc->live &&
			    descends(names, proc->program, program))
				ids[n++] = (struct gn_func_id){
					names->fns[fn].func, proc->pid};
		}
	}
	return n;
}
