/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/hook.h>
#include "capture/drain.h"
#include "capture/functions_parts.h"
#include "capture/sleds.h"
#include "capture/tell.h"
#include "runtime/values.h"

#define REFUSED_SHOWN 3
#define NAME_SHOWN    77 /* bytes of a name */

static enum gn_probe_class class_of(enum gn_cost cost)
{
	return cost == GN_COST_STEPPED ? GN_PROBE_STEPPED : GN_PROBE_EMULATED;
}

/* The most expensive class among the function's own leaves. */
static enum gn_probe_class leave_class(const struct gn_plan *plan)
{
	enum gn_probe_class class = GN_PROBE_NONE;

	for (size_t i = 0; i < plan->nleaves; i++)
		if (class != GN_PROBE_STEPPED)
			class = class_of(plan->leaves[i].cost);
	return class;
}

static uint8_t function_flags(const struct gn_plan *plan)
{
	enum gn_probe_class enter = class_of(plan->enter.cost);

	if (plan->leave == GN_LEAVE_RETURN)
		return GN_F_LEAVE_RETURN |
		       GN_F_CLASSES(enter == GN_PROBE_STEPPED ? enter
							      : GN_PROBE_CALL,
				    GN_PROBE_RETURN);
	return GN_F_CLASSES(enter, leave_class(plan));
}

static uint64_t page(enum gn_cost cost)
{
	return cost == GN_COST_STEPPED ? GN_COOKIE_PAGE : 0;
}

/*
 * The spec of a probe beside a sled that reports the same event. If the library
 * uses the sled, it removes the probe, but the kernel puts the probe back when
 * another tracer comes to that place: see GN_SPEC_BESIDE. A probe that takes
 * values keeps its spec.
 */
static uint32_t beside_sled(const struct gn_plan *plan, uint64_t sled,
			    bool ends, const struct gn_site *site,
			    uint32_t spec)
{
	int64_t far = (int64_t)(sled - site->addr);

	if (spec > GN_SPEC_TAILCALL || !far || far < -GN_SLED_FAR ||
	    far >= GN_SLED_FAR)
		return spec;
	for (size_t i = 0; i < plan->nsleds; i++)
		if (plan->sleds[i].addr == sled && plan->sleds[i].ends == ends)
			return GN_SPEC_BESIDE(spec, far);
	return spec;
}

/* The cookie of a leave. It is marked if this site is emulated while other
 * leaves of the function are single-stepped. */
static uint64_t leave_cookie(uint32_t func, const struct gn_plan *plan,
			     const struct gn_site *site, uint32_t leave)
{
	bool other = class_of(site->cost) != leave_class(plan);
	bool tail = site->kind == GN_SITE_TAIL;
	uint64_t sled = site->exit - (tail ? GN_SLED_TAIL : 0);
	uint32_t spec = beside_sled(plan, sled, true, site,
				    tail ? GN_SPEC_TAILCALL : leave);

	return GN_COOKIE(func, site->adjust, spec) | page(site->cost) |
	       (other ? GN_COOKIE_EMULATED : 0) |
	       (site->when ? GN_COOKIE_IF(site->when) : 0);
}

/* The leaves come before the enter: probes are attached one after the other,
 * and a call whose leave has no probe yet lasts until its caller's leave. */
static int add_probes(struct gn_functions *f, size_t file, uint32_t func,
		      const struct gn_plan *plan, const struct gn_valued *v)
{
	uint32_t enter = v ? v->enter : GN_SPEC_ENTER;
	uint32_t leave = v ? v->leave : GN_SPEC_LEAVE;
	bool returns = plan->leave == GN_LEAVE_RETURN;
	bool session = f->session && returns;
	uint64_t sled = plan->nsleds ? plan->sleds->addr : 0;
	uint64_t cookie =
		GN_COOKIE(func, plan->enter.adjust,
			  beside_sled(plan, sled, false, &plan->enter, enter)) |
		(returns ? GN_COOKIE_PAGE : page(plan->enter.cost));
	int err = 0;

	/* after the return, rsp is the frame key itself */
	if (!session && returns)
		err = gn_probes_add(f->probes, file, GN_PROG_NATIVE_RETURN,
				    plan->enter.offset, 0,
				    GN_COOKIE(func, 0, leave));
	for (size_t i = 0; !err && i < plan->nleaves; i++)
		err = gn_probes_add(
			f->probes, file, GN_PROG_NATIVE, plan->leaves[i].offset,
			0, leave_cookie(func, plan, &plan->leaves[i], leave));
	return err
		       ?: gn_probes_add(f->probes, file,
					session ? GN_PROG_SESSION
						: GN_PROG_NATIVE,
					plan->enter.offset, 0, cookie);
}

static void keep_name(struct gn_functions *f, uint32_t index, const char *name)
{
	char **list;

	if (!f->verbose)
		return;
	list = reallocarray(f->name, (size_t)index + 1, sizeof(*list));
	if (!list)
		return;
	f->name = list;
	while (f->names <= index)
		list[f->names++] = NULL;
	list[index] = strdup(name);
}

void gn_functions_left_out(void *functions, uint64_t cookie, int err)
{
	uint32_t index = GN_FUNC_INDEX(GN_COOKIE_FUNC(cookie));
	struct gn_functions *f = functions;

	if (!f->nrefused++)
		snprintf(f->refused, sizeof(f->refused),
			 "the kernel does not probe some (%s)",
			 strerrordesc_np(-err) ?: "it gives no reason");
	if (f->verbose && index < f->names && f->name[index])
		gn_error("left out: %.200s: the kernel does not probe it "
			 "(%s)",
			 f->name[index], strerror(-err));
}

void gn_functions_tell_left(const struct gn_native_stats *stats)
{
	char text[GN_NOTES_LEFT_TEXT], whose[GN_NATIVE_TEXT];
	const char *left = gn_notes_left_text(&stats->left, text);
	const char *unknown = gn_native_unknown(stats, whose);

	if (left)
		gn_error("USDT probes are left out: %s", left);
	if (unknown)
		gn_error("%s", unknown);
}

void gn_functions_clear(struct gn_functions *f)
{
	for (size_t i = 0; i < f->names; i++)
		free(f->name[i]);
	free(f->name);
	f->name = NULL;
	f->names = 0;
}

static uint32_t module_of(const struct gn_functions *f, size_t file)
{
	return f->modules + (uint32_t)file + 1;
}

/* Emits the MODULE record before the first function of a file. */
static int put_module(struct gn_functions *f, size_t file, struct gn_elf *elf)
{
	if (f->last_file == file + 1)
		return 0;
	f->last_file = file + 1;
	return gn_text_record_to(
		f->put, f->ctx, GN_KIND_MODULE, module_of(f, file), 0, 0,
		gn_elf_is_go(elf) ? GN_F_MOVES_STACKS : 0,
		f->files->file[file].path, gn_elf_build_id(elf));
}

/* Names a function that is refused: on stderr, and the first few in reports. */
static void refuse(struct gn_functions *f, const char *name, const char *path,
		   const char *why)
{
	size_t used = strlen(f->refused);

	if (f->verbose)
		gn_error("left out: %.200s of '%s': %s", name, path, why);
	if (f->nrefused++ < REFUSED_SHOWN)
		snprintf(f->refused + used, sizeof(f->refused) - used,
			 "%s%.*s%s: %s", used ? "; " : "", NAME_SHOWN, name,
			 strlen(name) > NAME_SHOWN ? "..." : "", why);
}

int gn_functions_take(void *functions, size_t file, struct gn_elf *elf,
		      const struct gn_elf_symbol *sym,
		      const struct gn_plan *plan)
{
	struct gn_functions *f = functions;
	uint32_t func;
	const char *path = f->files->file[file].path;
	const struct gn_valued *v;
	struct gn_plan own = *plan;
	struct gn_valued valued;
	int err;

	if (plan->refused) {
		refuse(f, sym->demangled, path, plan->refused);
		return 0;
	}
	err = gn_functions_values(f, file, elf, sym, &own, &valued);
	if (err < 0)
		return err;
	v = err ? &valued : NULL;
	keep_name(f, f->next, sym->demangled);
	func = GN_FUNC(GN_RUNTIME_NATIVE, f->next++);
	err = put_module(f, file, elf);
	if (!err)
		err = gn_text_record_to(f->put, f->ctx, GN_KIND_FUNCTION, func,
					module_of(f, file), sym->addr,
					function_flags(&own), sym->demangled,
					"");
	if (!err && f->sleds && plan->nsleds && !v)
		err = gn_sled_table_add(f->sleds, file,
					f->files->file[file].program ? ""
								     : path,
					elf, func, plan);
	return err ?: add_probes(f, file, func, &own, v);
}

/* Whether the kernel takes no probe there, or one that does harm. */
static bool is_left_out(enum gn_cost cost)
{
	return cost == GN_COST_REFUSED || cost == GN_COST_OPTIMIZED;
}

/* The highest cost of its sites. */
static enum gn_cost usdt_cost(const struct gn_functions *f, size_t file,
			      const struct gn_note *site, size_t count)
{
	enum gn_cost most = GN_COST_EMULATED;
	char insn[32];

	for (size_t i = 0; i < count; i++) {
		enum gn_cost cost = gn_usdt_cost(f->files->file[file].fd,
						 site[i].offset, insn);

		if (is_left_out(cost))
			return cost;
		if (cost == GN_COST_STEPPED)
			most = cost;
	}
	return most;
}

static const struct gn_valued *find_hit(const struct gn_functions *f,
					size_t file, const struct gn_note *note)
{
	const struct gn_file *at = &f->files->file[file];

	for (size_t i = 0; i < f->nvalued; i++)
		if (gn_filter_usdt(f->valued[i].filter, at->path, at->program,
				   note->provider, note->name))
			return &f->valued[i];
	return NULL;
}

/* Reports which values cannot be read at the probe's sites, and why. */
static void tell_untold(const struct gn_value_specs *asked,
			const struct gn_note *site, size_t count,
			const char *name, const char *path)
{
	for (size_t k = 0; k < GN_VALUES_MAX && asked->value[k].type; k++) {
		const char *why = NULL, *first = NULL;
		struct gn_value_spec to;
		size_t n = 0;

		for (size_t i = 0; i < count; i++) {
			why = gn_asked_of_probe(&asked->value[k], &site[i],
						&to);
			first = first ?: why;
			n += why != NULL;
		}
		if (n)
			gn_error("%.200s of '%s': arg%u is not reported at "
				 "%zu of %zu sites: %s; gnomon list --usdt "
				 "shows them",
				 name, path, asked->value[k].which, n, count,
				 first);
	}
}

/* The spec of a site. */
static int hit_spec(const struct gn_functions *f, const struct gn_valued *v,
		    const struct gn_note *site)
{
	struct gn_value_specs told = {0};
	size_t n = 0;

	for (size_t i = 0; v && i < GN_VALUES_MAX; i++) {
		const struct gn_value_spec *asked = &v->values->value[i];

		n += asked->type &&
		     !gn_asked_of_probe(asked, site, &told.value[n]);
	}
	return n ? f->hit(f->hits, &told) : GN_SPEC_HIT;
}

static int add_hits(struct gn_functions *f, size_t file, uint32_t func,
		    enum gn_cost cost, const char *name,
		    const struct gn_note *site, size_t count)
{
	const char *path = f->files->file[file].path;
	const struct gn_valued *v = find_hit(f, file, site);
	int err = 0, spec;

	if (v)
		tell_untold(v->values, site, count, name, path);
	for (size_t i = 0; !err && i < count; i++) {
		spec = hit_spec(f, v, &site[i]);
		if (spec == -E2BIG) {
			gn_error("%.200s of '%s': there is no room for the "
				 "arguments of %zu of its sites; ask for fewer "
				 "probes",
				 name, path, count - i);
			v = NULL;
			spec = GN_SPEC_HIT;
		}
		if (spec < 0)
			return spec;
		err = gn_probes_add(f->probes, file, GN_PROG_NATIVE,
				    site[i].offset, site[i].semaphore,
				    GN_COOKIE(func, 0, (uint32_t)spec) |
					    page(cost));
	}
	return err;
}

int gn_functions_take_usdt(void *functions, size_t file, struct gn_elf *elf,
			   const struct gn_note *site, size_t count)
{
	struct gn_functions *f = functions;
	char name[sizeof(site->provider) + sizeof(site->name) + 8];
	enum gn_cost cost = usdt_cost(f, file, site, count);
	uint32_t func;
	int err;

	snprintf(name, sizeof(name), "usdt:%s:%s", site->provider, site->name);
	if (is_left_out(cost)) {
		gn_error("left out: %.200s of '%s': %s", name,
			 f->files->file[file].path,
			 cost == GN_COST_OPTIMIZED
				 ? GN_NOP5
				 : "the kernel does not probe its instruction");
		f->usdt_refused++;
		return 0;
	}
	keep_name(f, f->next, name);
	func = GN_FUNC(GN_RUNTIME_NATIVE, f->next++);
	err = put_module(f, file, elf);
	if (!err)
		err = gn_text_record_to(
			f->put, f->ctx, GN_KIND_FUNCTION, func,
			module_of(f, file), site->addr,
			GN_F_CLASSES(class_of(cost), GN_PROBE_NONE), name, "");
	return err ?: add_hits(f, file, func, cost, name, site, count);
}

int gn_functions_take_landing(void *functions, size_t file,
			      const struct gn_site *enter)
{
	struct gn_functions *f = functions;
	bool emulated = class_of(enter->cost) == GN_PROBE_EMULATED;

	return gn_probes_add(f->probes, file, GN_PROG_NATIVE, enter->offset, 0,
			     GN_COOKIE(GN_FUNC(GN_RUNTIME_NATIVE, 0),
				       enter->adjust, GN_SPEC_LANDED) |
				     page(enter->cost) |
				     (emulated ? GN_COOKIE_EMULATED : 0));
}
