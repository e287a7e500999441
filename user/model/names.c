// SPDX-License-Identifier: BSD-2-Clause
#include "model/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/event.h>
#include "model/mem.h"

int gn_names_init(struct gn_names *n)
{
	uint32_t native;

	*n = (struct gn_names){.last_fn = GN_NONE};
	/* program 0, the session, has the native functions */
	return gn_names_program(n, 0, &native);
}

void gn_names_free(struct gn_names *n)
{
	gn_pool_free(&n->pool);
	gn_table_free(&n->by_func);
	gn_table_free(&n->by_module);
	gn_table_free(&n->by_muted);
	free(n->fns);
	free(n->muted);
	free(n->modules);
	free(n->forked);
	free(n->late);
	*n = (struct gn_names){0};
}

int gn_names_program(struct gn_names *n, uint32_t forked_from, uint32_t *out)
{
	if (gn_grow(&n->forked, &n->forked_cap, (size_t)n->nprograms + 1,
		    sizeof(*n->forked)) ||
	    gn_grow(&n->late, &n->late_cap, (size_t)n->nprograms + 1,
		    sizeof(*n->late)))
		return -ENOMEM;
	n->epoch++;
	n->late[n->nprograms] = 0;
	n->forked[n->nprograms] = forked_from;
	*out = n->nprograms++;
	return 0;
}

static uint64_t func_key(uint32_t program, uint32_t func)
{
	if (GN_FUNC_RUNTIME(func) == GN_RUNTIME_NATIVE)
		program = 0;
	return (uint64_t)program << 32 | func;
}

/* A call, its end and their costs look up the same function in a row. */
static uint32_t look_up(struct gn_names *n, uint64_t key)
{
	if (n->last_key != key || n->last_fn == GN_NONE) {
		n->last_fn = gn_table_get(&n->by_func, key);
		n->last_key = key;
	}
	return n->last_fn;
}

static int add_fn(struct gn_names *n, const struct gn_fn *def, uint32_t *out)
{
	int err;

	if (n->most_fns && n->nfns >= n->most_fns &&
	    GN_FUNC_RUNTIME(def->func) != GN_RUNTIME_NATIVE)
		return -ENOSPC;
	err = gn_grow(&n->fns, &n->fns_cap, (size_t)n->nfns + 1,
		      sizeof(*n->fns));
	if (err)
		return err;
	err = gn_table_put(&n->by_func, func_key(def->program, def->func),
			   n->nfns);
	if (err)
		return err;
	n->last_fn = GN_NONE;
	n->fns[n->nfns] = *def;
	if (GN_FUNC_RUNTIME(def->func) == GN_RUNTIME_NATIVE)
		n->fns[n->nfns].program = 0;
	*out = n->nfns++;
	return 0;
}

int gn_names_made(struct gn_names *n, const char *name, uint32_t *out)
{
	struct gn_fn fn = {.program = GN_NONE};

	fn.name = gn_pool_add(&n->pool, name, strlen(name));
	if (!fn.name ||
	    gn_grow(&n->fns, &n->fns_cap, (size_t)n->nfns + 1, sizeof(*n->fns)))
		return -ENOMEM;
	n->fns[n->nfns] = fn;
	*out = n->nfns++;
	return 0;
}

/* A forked process has its parent's functions, which are not named again. */
static uint32_t find_inherited(const struct gn_names *n, uint32_t program,
			       uint32_t func)
{
	uint32_t fn = GN_NONE;
	int i;

	for (i = 0; i < GN_FORKS_MAX && fn == GN_NONE; i++) {
		program = n->forked[program];
		if (!program)
			break;
		fn = gn_table_get(&n->by_func, func_key(program, func));
	}
	return fn;
}

int gn_names_find(struct gn_names *n, uint32_t program, uint32_t func,
		  uint32_t *out)
{
	struct gn_fn unknown = {.func = func, .program = program};
	uint64_t key = func_key(program, func);
	uint32_t fn = look_up(n, key);

	if (fn == GN_NONE && key >> 32 && n->forked[program]) {
		fn = find_inherited(n, program, func);
		if (fn != GN_NONE && gn_table_put(&n->by_func, key, fn))
			return -ENOMEM;
	}
	if (fn == GN_NONE)
		return add_fn(n, &unknown, out);
	*out = fn;
	return 0;
}

uint32_t gn_names_native(struct gn_names *n, uint32_t func)
{
	return look_up(n, func_key(0, func));
}

static bool same_module(const struct gn_fn *a, const struct gn_fn *b)
{
	return a->module == b->module && a->module_id == b->module_id;
}

int gn_names_define(struct gn_names *n, const struct gn_fn *def)
{
	uint32_t fn =
		gn_table_get(&n->by_func, func_key(def->program, def->func));
	struct gn_fn *old;

	if (fn == GN_NONE)
		return add_fn(n, def, &fn);
	old = &n->fns[fn];
	if (!old->name) {
		old->name = def->name;
		old->role = def->role;
		old->module = def->module;
		old->module_id = def->module_id;
		old->clr_name = def->clr_name;
		old->suspends = def->suspends;
		old->leave_return = def->leave_return;
		old->enter_class = def->enter_class;
		old->leave_class = def->leave_class;
		return 0;
	}
	/* names are interned: equal texts are equal pointers */
	if (old->name == def->name && same_module(old, def) &&
	    old->leave_return == def->leave_return &&
	    old->enter_class == def->enter_class &&
	    old->leave_class == def->leave_class)
		return 0;
	n->epoch++;
	return add_fn(n, def, &fn);
}

void gn_names_source(struct gn_names *n, uint32_t program, uint32_t func,
		     const char *file, uint32_t line)
{
	uint32_t fn = gn_table_get(&n->by_func, func_key(program, func));

	if (fn == GN_NONE)
		return;
	n->fns[fn].file = file;
	n->fns[fn].line = line;
}

int gn_names_module(struct gn_names *n, uint32_t id,
		    const struct gn_module *module)
{
	uint32_t i = gn_table_get(&n->by_module, id);

	/* Keep the first definition: functions already refer to it. */
	if (i != GN_NONE)
		return 0;
	if (gn_grow(&n->modules, &n->modules_cap, (size_t)n->nmodules + 1,
		    sizeof(*n->modules)) ||
	    gn_table_put(&n->by_module, id, n->nmodules))
		return -ENOMEM;
	n->modules[n->nmodules++] = *module;
	return 0;
}

bool gn_names_moved(struct gn_names *n, uint32_t func)
{
	uint32_t fn = gn_names_native(n, func), at;

	if (fn == GN_NONE || !n->fns[fn].module_id)
		return false;
	at = gn_table_get(&n->by_module, n->fns[fn].module_id);
	if (at == GN_NONE || !n->modules[at].moves_stacks)
		return false;
	n->fns[fn].moved = true;
	return true;
}

const char *gn_names_unprobed(struct gn_names *n, uint32_t module)
{
	uint32_t at = gn_table_get(&n->by_module, module);

	if (at == GN_NONE)
		return NULL;
	if (module)
		n->unprobed = n->modules[at].unprobed = true;
	return n->modules[at].name;
}

void gn_names_tell_unprobed(struct gn_names *n)
{
	for (uint32_t i = 0; n->unprobed && i < n->nfns; i++) {
		uint32_t at = gn_table_get(&n->by_module, n->fns[i].module_id);

		if (n->fns[i].module_id && at != GN_NONE)
			n->fns[i].unprobed |= n->modules[at].unprobed;
	}
	for (uint32_t i = 0; n->unprobed && i < n->nmodules; i++)
		n->modules[i].unprobed = false;
	n->unprobed = false;
}

int gn_names_mute(struct gn_names *n, uint32_t program, uint32_t func)
{
	uint32_t fn;
	int err;

	if (gn_names_muted(n, program, func))
		return 0;
	err = gn_names_find(n, program, func, &fn);
	if (err)
		return err;
	if (gn_grow(&n->muted, &n->muted_cap, (size_t)n->nmuted + 1,
		    sizeof(*n->muted)) ||
	    gn_table_put(&n->by_muted, func_key(program, func), n->nmuted))
		return -ENOMEM;
	n->muted[n->nmuted++] = fn;
	return 0;
}

bool gn_names_muted(const struct gn_names *n, uint32_t program, uint32_t func)
{
	return n->nmuted &&
	       gn_table_get(&n->by_muted, func_key(program, func)) != GN_NONE;
}

const char *gn_names_text(struct gn_names *n, uint32_t fn)
{
	char text[32];
	int len;

	if (n->fns[fn].name)
		return n->fns[fn].name;
	len = snprintf(text, sizeof(text), "[func 0x%x]", n->fns[fn].func);
	return gn_pool_add(&n->pool, text, (size_t)len);
}

bool gn_names_short(const struct gn_fn *fn, const char *name, char *text,
		    size_t size)
{
	/* a name without parameters is a class or a module */
	return (GN_RUNTIME_IS_DOTNET(GN_FUNC_RUNTIME(fn->func)) ||
		fn->clr_name) &&
	       name[gn_clr_plain(name)] &&
	       gn_clr_spell(name, GN_CLR_SHORT, text, size) &&
	       strcmp(name, text) != 0;
}

bool gn_names_short_class(const struct gn_fn *fn, const char *name, char *text,
			  size_t size)
{
	return GN_RUNTIME_IS_DOTNET(GN_FUNC_RUNTIME(fn->func)) && fn->name &&
	       gn_clr_spell_type(name, text, size) && strcmp(name, text) != 0;
}

const char *gn_names_module_text(struct gn_names *n, uint32_t fn)
{
	const struct gn_fn *f = &n->fns[fn];
	uint32_t i;

	if (f->module)
		return f->module;
	i = f->name ? gn_table_get(&n->by_module, f->module_id) : GN_NONE;
	if (i != GN_NONE)
		return n->modules[i].name;
	return gn_pool_add(&n->pool, "", 0);
}
