/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon list for programs: CSV with a row for each site, and JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/listing.h"
#include "output/emit.h"
#include "output/text.h"

/* Writes a field of CSV and what comes after it. */
static int csv_text(FILE *f, const char *text, const char *after)
{
	int err = gn_csv_text(f, text ? text : "");

	if (!err)
		fputs(after, f);
	return err;
}

/* One row. Fields that it does not have are empty. */
struct csv_row {
	const char *kind, *name, *module;
	bool has_addr, has_delta;
	uint64_t addr, delta, offset;
	const char *insn, *cost, *leave, *reason;
	size_t rets, tails;
};

static int csv_row(FILE *f, const struct csv_row *r)
{
	int err = csv_text(f, r->kind, ",");

	if (!err)
		err = csv_text(f, r->name, ",");
	if (!err)
		err = csv_text(f, r->module, ",");
	if (r->has_addr)
		fprintf(f, "0x%" PRIx64, r->addr);
	fputc(',', f);
	if (r->has_delta)
		fprintf(f, "%" PRIu64, r->delta);
	fputc(',', f);
	if (r->cost && strcmp(r->cost, gn_cost_name(GN_COST_REFUSED)))
		fprintf(f, "0x%" PRIx64, r->offset);
	fputc(',', f);
	if (!err)
		err = csv_text(f, r->insn, ",");
	if (!err)
		err = csv_text(f, r->cost, ",");
	if (!err)
		err = csv_text(f, r->leave, ",");
	if (r->leave)
		fprintf(f, "%zu,%zu,", r->rets, r->tails);
	else
		fputs(",,", f);
	if (!err)
		err = csv_text(f, r->reason, "\r\n");
	return err ?: gn_stream_status(f);
}

static const char *leave_name(const struct gn_plan *p)
{
	if (p->refused)
		return NULL;
	return p->leave == GN_LEAVE_RETURN ? "return" : "ret";
}

static const char *site_name(enum gn_site_kind kind)
{
	switch (kind) {
	case GN_SITE_ENTER:
		return "enter";
	case GN_SITE_LEAVE:
		return "ret";
	default:
		return "jump";
	}
}

static int csv_site(const struct gn_listing *l,
		    const struct gn_list_function *fn, const struct gn_site *s,
		    FILE *f)
{
	bool enter = s->kind == GN_SITE_ENTER;
	const struct gn_plan *p = &fn->plan;
	struct csv_row r = {
		.kind = enter ? "function" : site_name(s->kind),
		.name = fn->name,
		.module = l->files.file[fn->file].path,
		.has_addr = true,
		.has_delta = !p->refused,
		.addr = p->refused ? fn->addr : s->addr,
		.delta = s->addr - fn->addr,
		.offset = s->offset,
		.insn = p->refused ? NULL : s->insn,
		.cost = gn_cost_name(p->refused ? GN_COST_REFUSED : s->cost),
		.leave = enter ? leave_name(p) : NULL,
		.rets = fn->rets,
		.tails = fn->tails,
		.reason = enter ? (p->refused ?: p->reason) : NULL,
	};

	return csv_row(f, &r);
}

static int csv_insn(FILE *f, const char *kind, const char *name,
		    const char *module, const struct gn_list_insn *in,
		    const char *reason)
{
	struct csv_row r = {
		.kind = kind,
		.name = name,
		.module = module,
		.offset = in->offset,
		.insn = in->text,
		.cost = gn_cost_name(in->cost),
		.reason = reason,
	};

	return csv_row(f, &r);
}

static int csv_managed(const struct gn_listing *l, FILE *f)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->nmanaged; i++) {
		const struct gn_list_managed *m = &l->managed[i];
		struct csv_row r = {
			.kind = "managed",
			.name = m->name,
			.module = l->module[m->module].path,
			.reason = gn_list_unhooked_why(m->unhooked),
		};

		err = csv_row(f, &r);
	}
	return err;
}

static int csv_runtime(const struct gn_list_runtime *r, FILE *f)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->nhooks; i++) {
		const struct gn_list_hook *h = &r->hook[i];
		const char *kind = gn_list_kind_name(h);

		err = csv_insn(f, "hook-nop1", h->name, r->library, &h->nop1,
			       kind);
		if (!err && r->runtime->library)
			err = csv_insn(f, "hook-nop5", h->name, r->library,
				       &h->nop5, kind);
	}
	return err;
}

int gn_listing_csv(const struct gn_listing *l, bool verbose, FILE *f)
{
	int err = 0;

	fputs("kind,name,module,address,function_offset,file_offset,"
	      "instruction,cost,leave,rets,jumps,reason\r\n",
	      f);
	for (size_t i = 0; !err && i < l->nfunctions; i++) {
		const struct gn_list_function *fn = &l->function[i];

		err = csv_site(l, fn, &fn->plan.enter, f);
		for (size_t k = 0; !err && verbose && k < fn->plan.nleaves; k++)
			err = csv_site(l, fn, &fn->plan.leaves[k], f);
	}
	if (!err)
		err = csv_managed(l, f);
	for (size_t i = 0; !err && i < l->nruntimes; i++)
		err = csv_runtime(&l->runtime[i], f);
	for (size_t i = 0; !err && i < l->nusdt; i++) {
		const struct gn_list_usdt *u = &l->usdt[i];
		char name[sizeof(u->note.provider) + sizeof(u->note.name) + 1];
		char arguments[GN_LIST_ARGUMENTS];

		snprintf(name, sizeof(name), "%s:%s", u->note.provider,
			 u->note.name);
		gn_list_arguments(&u->note, arguments);
		err = csv_insn(f, "usdt", name, l->files.file[u->file].path,
			       &u->insn, arguments);
	}
	return err ?: gn_stream_status(f);
}

static void json_site(struct gn_emit *e, const char *key,
		      const struct gn_site *s)
{
	gn_emit_open(e, key, '{');
	gn_emit_text(e, "kind", site_name(s->kind));
	gn_emit_u64(e, "address", s->addr);
	gn_emit_u64(e, "file_offset", s->offset);
	gn_emit_u64(e, "frame_adjust", s->adjust);
	gn_emit_text(e, "instruction", s->insn);
	gn_emit_text(e, "cost", gn_cost_name(s->cost));
	gn_emit_close(e, '}');
}

static void json_function(struct gn_emit *e, const struct gn_listing *l,
			  const struct gn_list_function *fn)
{
	const struct gn_plan *p = &fn->plan;

	gn_emit_line(e);
	gn_emit_open(e, NULL, '{');
	gn_emit_text(e, "name", fn->name);
	gn_emit_text(e, "symbol", fn->symbol);
	gn_emit_text(e, "module", l->files.file[fn->file].path);
	gn_emit_u64(e, "address", fn->addr);
	gn_emit_u64(e, "size", fn->size);
	if (fn->sleds) {
		gn_emit_open(e, "sleds", '{');
		gn_emit_text(e, "kind", gn_sled_name(fn->sled));
		gn_emit_u64(e, "enters", fn->sleds);
		gn_emit_u64(e, "ends", fn->end_sleds);
		gn_emit_close(e, '}');
	}
	if (p->refused) {
		gn_emit_text(e, "refused", p->refused);
		gn_emit_close(e, '}');
		return;
	}
	json_site(e, "enter", &p->enter);
	gn_emit_text(e, "leave", leave_name(p));
	if (p->reason)
		gn_emit_text(e, "reason", p->reason);
	gn_emit_open(e, "leaves", '[');
	for (size_t i = 0; i < p->nleaves; i++)
		json_site(e, NULL, &p->leaves[i]);
	gn_emit_close(e, ']');
	gn_emit_close(e, '}');
}

static void json_insn(struct gn_emit *e, const char *key,
		      const struct gn_list_insn *in)
{
	gn_emit_open(e, key, '{');
	gn_emit_u64(e, "file_offset", in->offset);
	gn_emit_text(e, "instruction", in->text);
	gn_emit_text(e, "cost", gn_cost_name(in->cost));
	gn_emit_close(e, '}');
}

static void json_runtime(struct gn_emit *e, const struct gn_list_runtime *r)
{
	gn_emit_line(e);
	gn_emit_open(e, NULL, '{');
	gn_emit_text(e, "name", r->runtime->title);
	gn_emit_text(e, "why", r->why);
	if (*r->library)
		gn_emit_text(e, "library", r->library);
	if (r->error)
		gn_emit_text(e, "error", strerror(-r->error));
	gn_emit_open(e, "sites", '[');
	for (size_t i = 0; i < r->nhooks; i++) {
		const char *kind = gn_list_kind_name(&r->hook[i]);

		gn_emit_line(e);
		gn_emit_open(e, NULL, '{');
		gn_emit_text(e, "name", r->hook[i].name);
		if (kind)
			gn_emit_text(e, "kind", kind);
		json_insn(e, "nop1", &r->hook[i].nop1);
		if (r->runtime->library)
			json_insn(e, "nop5", &r->hook[i].nop5);
		gn_emit_close(e, '}');
	}
	gn_emit_close(e, ']');
	gn_emit_open(e, "limits", '[');
	for (const char *const *l = r->runtime->limits; l && *l; l++)
		gn_emit_text(e, NULL, *l);
	gn_emit_close(e, ']');
	gn_emit_close(e, '}');
}

static void json_module(struct gn_emit *e, const struct gn_list_module *m)
{
	gn_emit_line(e);
	gn_emit_open(e, NULL, '{');
	gn_emit_text(e, "module", m->path);
	gn_emit_bool(e, "in_memory", m->in_memory);
	if (m->error)
		gn_emit_text(e, "error", strerror(-m->error));
	gn_emit_u64(e, "functions", m->functions);
	gn_emit_u64(e, "generic", m->generic);
	gn_emit_u64(e, "no_il", m->unhooked[GN_UNHOOKED_NO_IL]);
	gn_emit_u64(e, "suspended", m->unhooked[GN_UNHOOKED_SUSPENDED]);
	gn_emit_u64(e, "poll", m->unhooked[GN_UNHOOKED_POLL]);
	gn_emit_u64(e, "helper", m->unhooked[GN_UNHOOKED_HELPER]);
	gn_emit_close(e, '}');
}

static void json_managed(struct gn_emit *e, const struct gn_listing *l)
{
	gn_emit_line(e);
	gn_emit_open(e, "managed_modules", '[');
	for (size_t i = 0; i < l->nmodules; i++)
		json_module(e, &l->module[i]);
	gn_emit_close(e, ']');
	gn_emit_line(e);
	gn_emit_open(e, "managed_functions", '[');
	for (size_t i = 0; i < l->nmanaged && !ferror(e->f); i++) {
		const struct gn_list_managed *m = &l->managed[i];

		gn_emit_line(e);
		gn_emit_open(e, NULL, '{');
		gn_emit_text(e, "name", m->name);
		gn_emit_text(e, "module", l->module[m->module].path);
		gn_emit_bool(e, "generic", m->generic);
		if (m->unhooked)
			gn_emit_text(e, "unhooked",
				     gn_list_unhooked_word(m->unhooked));
		gn_emit_close(e, '}');
	}
	gn_emit_close(e, ']');
	gn_emit_line(e);
	gn_emit_open(e, "managed_limits", '[');
	for (const char *const *line = l->running ? l->running->unhooked : NULL;
	     line && *line; line++)
		gn_emit_text(e, NULL, *line);
	gn_emit_close(e, ']');
}

static void json_usdt(struct gn_emit *e, const struct gn_listing *l,
		      const struct gn_list_usdt *u)
{
	gn_emit_line(e);
	gn_emit_open(e, NULL, '{');
	gn_emit_text(e, "provider", u->note.provider);
	gn_emit_text(e, "name", u->note.name);
	gn_emit_text(e, "arguments", u->note.args);
	gn_emit_open(e, "unreadable", '[');
	for (size_t i = 0; i < u->note.nargs; i++)
		if (!gn_list_readable(&u->note, i))
			gn_emit_u64(e, NULL, i + 1);
	gn_emit_close(e, ']');
	if (u->note.semaphore)
		gn_emit_u64(e, "semaphore", u->note.semaphore);
	gn_emit_text(e, "module", l->files.file[u->file].path);
	json_insn(e, "site", &u->insn);
	gn_emit_close(e, '}');
}

static void json_summary(struct gn_emit *e, const struct gn_listing *l)
{
	gn_emit_line(e);
	gn_emit_open(e, "summary", '{');
	gn_emit_u64(e, "functions", l->stats.functions);
	gn_emit_u64(e, "return", l->stats.by_return);
	gn_emit_u64(e, "ret", l->stats.by_ret);
	gn_emit_u64(e, "refused", l->stats.refused);
	gn_emit_u64(e, "packed", l->npacked);
	gn_emit_u64(e, "usdt_left_out",
		    l->left.long_names + l->left.broken + l->left.too_many);
	if (l->nfunctions)
		gn_emit_text(e, "verdict", l->stats.verdict);
	gn_emit_text(e, "links", gn_attach_mode_name(l->links));
	gn_emit_bool(e, "links_known", l->links_known);
	gn_emit_close(e, '}');
}

int gn_listing_json(const struct gn_listing *l, bool verbose, FILE *f)
{
	struct gn_emit e = {.f = f};

	(void)verbose; /* JSON always has all of it */
	gn_emit_open(&e, NULL, '{');
	gn_emit_u64(&e, "version", 1);
	gn_emit_text(&e, "gnomon", GNOMON_VERSION);
	gn_emit_open(&e, "functions", '[');
	for (size_t i = 0; i < l->nfunctions && !ferror(f); i++)
		json_function(&e, l, &l->function[i]);
	gn_emit_close(&e, ']');
	gn_emit_line(&e);
	gn_emit_open(&e, "runtimes", '[');
	for (size_t i = 0; i < l->nruntimes; i++)
		json_runtime(&e, &l->runtime[i]);
	gn_emit_close(&e, ']');
	json_managed(&e, l);
	gn_emit_line(&e);
	gn_emit_open(&e, "usdt", '[');
	for (size_t i = 0; i < l->nusdt && !ferror(f); i++)
		json_usdt(&e, l, &l->usdt[i]);
	gn_emit_close(&e, ']');
	json_summary(&e, l);
	gn_emit_close(&e, '}');
	fputc('\n', f);
	return gn_stream_status(f);
}
