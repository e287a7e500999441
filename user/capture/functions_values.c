/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that -a asks for of native functions. */
#include "capture/functions_parts.h"

#include <errno.h>

#include "capture/tell.h"
#include "runtime/values.h"

/* Moves the enter to the function's first instruction: only there are the
 * arguments where the ABI says, and the return address is on top of the stack.
 * Returns why it cannot be probed, or NULL. */
static const char *enter_first(struct gn_elf *elf,
			       const struct gn_elf_symbol *sym,
			       struct gn_plan *plan)
{
	struct gn_site *enter = &plan->enter;
	const uint8_t *code = NULL;
	uint64_t size = 16;
	size_t len;

	for (; size && !code; size -= !code)
		code = gn_elf_code(elf, sym->addr, size);
	if (!code || gn_elf_offset(elf, sym->addr, &enter->offset))
		return "its code has no place in the file";
	if (plan->begins_again)
		return "a jump can come back to its first instruction";
	enter->addr = sym->addr;
	enter->adjust = 8;
	enter->cost = gn_cost_of(code, size, sym->addr, enter->insn, &len);
	if (enter->cost == GN_COST_REFUSED)
		return "the kernel does not probe its first instruction";
	return enter->cost == GN_COST_OPTIMIZED ? GN_NOP5 : NULL;
}

/* Counts the symbols at the same address: they follow one another. */
static size_t count_names(const struct gn_elf *elf,
			  const struct gn_elf_symbol *sym)
{
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all), names = 1;

	if (sym < all || sym >= all + n)
		return 1;
	while (sym + names < all + n && sym[names].addr == sym->addr)
		names++;
	return names;
}

/* The next -a, from `from` on, that asks for values of the function by any of
 * its names. */
static struct gn_valued *find_valued(const struct gn_functions *f, size_t from,
				     size_t file, const struct gn_elf *elf,
				     const struct gn_elf_symbol *sym)
{
	size_t names = f->nvalued ? count_names(elf, sym) : 0;
	const struct gn_file *at = &f->files->file[file];

	for (size_t i = from; i < f->nvalued; i++)
		for (size_t k = 0; k < names; k++)
			if (gn_filter_function(f->valued[i].filter, at->path,
					       at->program, sym[k].name,
					       sym[k].demangled))
				return &f->valued[i];
	return NULL;
}

/* Adds the values that `all` does not have yet. False: there are none. */
static bool unite(struct gn_value_specs *all, const struct gn_value_specs *more)
{
	size_t n = 0, had, k;

	while (n < GN_VALUES_MAX && all->value[n].type)
		n++;
	had = n;
	for (size_t i = 0; i < GN_VALUES_MAX && more->value[i].type; i++) {
		for (k = 0; k < n; k++)
			if (gn_asked_same(&all->value[k], &more->value[i]))
				break;
		if (k == n && n < GN_VALUES_MAX &&
		    gn_asked_by_register(more->value[i].type))
			all->value[n++] = more->value[i];
	}
	return n > had;
}

bool gn_functions_result(const void *functions, size_t file, struct gn_elf *elf,
			 const struct gn_elf_symbol *sym)
{
	const struct gn_functions *f = functions;
	const struct gn_valued *v = find_valued(f, 0, file, elf, sym);

	for (; v;
	     v = find_valued(f, (size_t)(v - f->valued) + 1, file, elf, sym))
		for (size_t i = 0; i < GN_VALUES_MAX; i++)
			if (v->values->value[i].type &&
			    !v->values->value[i].which)
				return true;
	return false;
}

/* Reports, once for each -a, that native functions do not have some of its
 * values. */
static void tell_unreported(struct gn_valued *v, const char *name,
			    const char *path)
{
	for (size_t i = 0; i < GN_VALUES_MAX && !v->told; i++) {
		uint8_t type = v->values->value[i].type;

		v->told = type && !gn_asked_by_register(type);
		if (v->told)
			gn_error("%.200s of '%s' is native, so 'this' and "
				 "values of type f32, f64 and class are not "
				 "reported; gnomon reports them for .NET "
				 "functions only",
				 name, path);
	}
}

/* Sets `out` to the first -a or, if others ask for more values of the function,
 * to the values of all together. 0 or -errno. */
static int unite_valued(const struct gn_functions *f, size_t file,
			const struct gn_elf *elf,
			const struct gn_elf_symbol *sym,
			struct gn_valued *first, struct gn_valued *out)
{
	struct gn_value_specs all = {0};
	struct gn_valued *v = first;
	bool more = false;

	*out = *first;
	/* only values that native functions can have: there is room for them */
	unite(&all, first->values);
	while ((v = find_valued(f, (size_t)(v - f->valued) + 1, file, elf,
				sym))) {
		tell_unreported(v, sym->demangled, f->files->file[file].path);
		more |= unite(&all, v->values);
	}
	return more ? f->call(f->hits, &all, out) : 0;
}

/* Go passes arguments in registers of its own, and begins a function again when
 * its stack has grown. Reported once for each -a. */
static void tell_go(struct gn_valued *v, const char *name, const char *path)
{
	if (!v->told)
		gn_error("%.200s of '%s' is a Go function: its calls are "
			 "reported, but its values are not, because Go does "
			 "not pass them as C does",
			 name, path);
	v->told = true;
}

int gn_functions_values(struct gn_functions *f, size_t file, struct gn_elf *elf,
			const struct gn_elf_symbol *sym, struct gn_plan *plan,
			struct gn_valued *out)
{
	const char *path = f->files->file[file].path, *name = sym->demangled;
	struct gn_valued *v = find_valued(f, 0, file, elf, sym);
	struct gn_plan own = *plan;
	const char *why;
	int err;

	if (!v)
		return 0;
	if (gn_elf_is_go(elf)) {
		tell_go(v, name, path);
		return 0;
	}
	why = enter_first(elf, sym, &own);
	if (why) {
		gn_error("%.200s of '%s': its values cannot be read, because "
			 "%s; trace the functions that it calls",
			 name, path, why);
		return 0;
	}
	tell_unreported(v, name, path);
	err = unite_valued(f, file, elf, sym, v, out);
	if (err == -E2BIG)
		gn_error("%.200s of '%s': there is only room for the values of "
			 "its first -a; ask for fewer values",
			 name, path);
	else if (err)
		return err;
	*plan = own;
	return 1;
}
