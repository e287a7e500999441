/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon list as a table: a block for each file, and the reasons as notes
 * below. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/listing.h"
#include "output/text.h"

/* Notes that rows refer to by number. */
struct reasons {
	const char **text; /* static texts of the plans */
	size_t n;
};

struct widths {
	int addr, off, cost, insn, leave;
};

/* The number of a note, from 1. 0: no memory. */
static size_t reason_number(struct reasons *r, const char *text)
{
	const char **grown;

	for (size_t i = 0; i < r->n; i++)
		if (r->text[i] == text || !strcmp(r->text[i], text))
			return i + 1;
	grown = reallocarray(r->text, r->n + 1, sizeof(*grown));
	if (!grown)
		return 0;
	r->text = grown;
	r->text[r->n++] = text;
	return r->n;
}

/* How the function's end is seen: "return", "2 rets + 1 jump, 1 stepped". */
static void leave_text(const struct gn_list_function *fn, char *buf,
		       size_t size)
{
	const char *rets = fn->rets == 1 ? "ret" : "rets";
	const char *jumps = fn->tails == 1 ? "jump" : "jumps";
	size_t stepped = 0;
	int n;

	for (size_t i = 0; i < fn->plan.nleaves; i++)
		stepped += fn->plan.leaves[i].cost == GN_COST_STEPPED;
	if (fn->plan.refused ||
	    (fn->plan.leave == GN_LEAVE_RET && !fn->rets && !fn->tails))
		n = snprintf(buf, size, "-");
	else if (fn->plan.leave == GN_LEAVE_RETURN)
		n = snprintf(buf, size, "return");
	else if (!fn->tails)
		n = snprintf(buf, size, "%zu %s", fn->rets, rets);
	else if (!fn->rets)
		n = snprintf(buf, size, "%zu %s", fn->tails, jumps);
	else
		n = snprintf(buf, size, "%zu %s + %zu %s", fn->rets, rets,
			     fn->tails, jumps);
	if (stepped && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, ", %zu stepped", stepped);
}

static int longer(int width, const char *text)
{
	int len = (int)strlen(text);

	return len > width ? len : width;
}

static void addr_text(uint64_t addr, char *buf, size_t size)
{
	snprintf(buf, size, "0x%" PRIx64, addr);
}

static void off_text(uint64_t from, uint64_t to, char *buf, size_t size)
{
	snprintf(buf, size, "+%" PRIu64, to - from);
}

static void measure_site(const struct gn_list_function *fn,
			 const struct gn_site *s, struct widths *w)
{
	char text[64];

	addr_text(s->addr, text, sizeof(text));
	w->addr = longer(w->addr, text);
	off_text(fn->addr, s->addr, text, sizeof(text));
	w->off = longer(w->off, text);
	w->cost = longer(w->cost, gn_cost_name(s->cost));
	w->insn = longer(w->insn, s->insn);
}

static void measure(const struct gn_listing *l, bool verbose, struct widths *w)
{
	*w = (struct widths){7, 4, 7, 11, 5};
	for (size_t i = 0; i < l->nfunctions; i++) {
		const struct gn_list_function *fn = &l->function[i];
		char text[64];

		leave_text(fn, text, sizeof(text));
		w->leave = longer(w->leave, text);
		addr_text(fn->addr, text, sizeof(text));
		w->addr = longer(w->addr, text);
		if (!fn->plan.refused)
			measure_site(fn, &fn->plan.enter, w);
		for (size_t k = 0; verbose && k < fn->plan.nleaves; k++)
			measure_site(fn, &fn->plan.leaves[k], w);
	}
}

/* Where a probe is, and what it costs. With -v also how far in the function it
 * is, and on which instruction. */
static void put_place(const char *addr, const char *off, const char *cost,
		      const char *insn, bool verbose, const struct widths *w,
		      FILE *f)
{
	fprintf(f, "%*s  ", w->addr, addr);
	if (verbose)
		fprintf(f, "%*s  ", w->off, off);
	fprintf(f, "%-*s  ", w->cost, cost);
	if (verbose)
		fprintf(f, "%-*s  ", w->insn, insn);
}

static void put_site(const struct gn_list_function *fn, const struct gn_site *s,
		     bool verbose, const struct widths *w, FILE *f)
{
	char addr[32], off[32];

	addr_text(s->addr, addr, sizeof(addr));
	off_text(fn->addr, s->addr, off, sizeof(off));
	put_place(addr, off, gn_cost_name(s->cost), s->insn, verbose, w, f);
}

static int put_function(const struct gn_list_function *fn, bool verbose,
			const struct widths *w, struct reasons *r, FILE *f)
{
	const char *reason = fn->plan.refused ?: fn->plan.reason;
	size_t number = reason ? reason_number(r, reason) : 0;
	char text[64];
	int err;

	if (reason && !number)
		return -ENOMEM;
	if (fn->plan.refused) {
		addr_text(fn->addr, text, sizeof(text));
		put_place(text, "-", gn_cost_name(GN_COST_REFUSED), "-",
			  verbose, w, f);
	} else {
		put_site(fn, &fn->plan.enter, verbose, w, f);
	}
	leave_text(fn, text, sizeof(text));
	fprintf(f, "%-*s", w->leave, text);
	if (number)
		fprintf(f, " (%zu)%s  ", number, number < 10 ? " " : "");
	else
		fputs("       ", f);
	err = gn_list_put_name(f, "", fn->name, "\n");
	for (size_t i = 0; !err && verbose && i < fn->plan.nleaves; i++) {
		const struct gn_site *s = &fn->plan.leaves[i];

		put_site(fn, s, true, w, f);
		fprintf(f, "  %s%s\n", s->kind == GN_SITE_TAIL ? "jump" : "ret",
			s->when ? ", on a condition" : "");
	}
	return err ?: gn_stream_status(f);
}

static int put_functions(const struct gn_listing *l, bool verbose,
			 struct reasons *r, FILE *f)
{
	size_t file = SIZE_MAX;
	struct widths w;
	int err = 0;

	measure(l, verbose, &w);
	for (size_t i = 0; !err && i < l->nfunctions; i++) {
		const struct gn_list_function *fn = &l->function[i];

		if (fn->file != file) {
			err = gn_list_put_name(f, i ? "\n" : "",
					       l->files.file[fn->file].path,
					       "\n");
			file = fn->file;
			put_place("ADDRESS", "+OFF", "COST", "INSTRUCTION",
				  verbose, &w, f);
			fprintf(f, "%-*s       FUNCTION\n", w.leave, "LEAVE");
		}
		if (!err)
			err = put_function(fn, verbose, &w, r, f);
	}
	return err;
}

static void put_reasons(const struct gn_listing *l, const struct reasons *r,
			FILE *f)
{
	if (l->nfunctions)
		fputc('\n', f);
	for (size_t i = 0; i < r->n; i++)
		fprintf(f, "(%zu) %s\n", i + 1, r->text[i]);
}

/* "0x1234 emulated" */
static void put_nop(const struct gn_list_insn *in, FILE *f)
{
	char offset[32];

	addr_text(in->offset, offset, sizeof(offset));
	fprintf(f, "%10s %-14s  ", offset, gn_cost_name(in->cost));
}

static int put_hook(const struct gn_list_hook *h, FILE *f)
{
	const char *kind = gn_list_kind_name(h);
	int err;

	put_nop(&h->nop1, f);
	if (h->nop5.offset)
		put_nop(&h->nop5, f);
	else
		fprintf(f, "%10s %-14s  ", "-", "");
	fprintf(f, "%-12s  ", kind ? kind : "unused");
	err = gn_list_put_name(f, "", h->name, "\n");
	return err ?: gn_stream_status(f);
}

static int put_runtime(const struct gn_list_runtime *r, FILE *f)
{
	int err;

	fprintf(f, "%s (%s): ", r->runtime->title, r->why);
	if (r->error == -ENOENT && !*r->library) {
		fprintf(f, "%s %s not found\n",
			r->runtime->library ? "hook-site library"
					    : "its own library",
			r->runtime->library ? r->runtime->library
					    : r->runtime->core);
		return gn_stream_status(f);
	}
	err = gn_list_put_name(f, "", r->library, "\n");
	if (err)
		return err;
	if (r->error == -ENOENT && r->runtime->methods) {
		fprintf(f, "it has no probes; hooks of gnomon report %s\n",
			r->runtime->hooks_all ? "its functions"
					      : "methods that -f names");
		return gn_stream_status(f);
	}
	if (r->error) {
		fprintf(f, "its hook sites cannot be read (%s)\n",
			strerror(-r->error));
		return gn_stream_status(f);
	}
	fprintf(f, "%10s %-14s  %10s %-14s  %-12s  %s\n", "NOP1", "", "NOP5",
		"", "KIND", "SITE");
	for (size_t i = 0; !err && i < r->nhooks; i++)
		err = put_hook(&r->hook[i], f);
	for (const char *const *l = r->runtime->limits; l && *l; l++)
		fprintf(f, "limit: %s\n", *l);
	return err;
}

static int put_usdt(const struct gn_listing *l, FILE *f)
{
	size_t file = SIZE_MAX;
	int err = 0;

	for (size_t i = 0; !err && i < l->nusdt; i++) {
		const struct gn_list_usdt *u = &l->usdt[i];
		char arguments[GN_LIST_ARGUMENTS];

		gn_list_arguments(&u->note, arguments);
		if (u->file != file) {
			err = gn_list_put_name(
				f, i ? "\nUSDT probes of " : "USDT probes of ",
				l->files.file[u->file].path, "\n");
			fprintf(f, "%10s %-14s  %s\n", "OFFSET", "COST",
				"PROVIDER:NAME ARGUMENTS");
			file = u->file;
		}
		put_nop(&u->insn, f);
		if (!err)
			err = gn_list_put_name(f, "", u->note.provider, ":");
		if (!err)
			err = gn_list_put_name(f, "", u->note.name, " ");
		if (!err)
			err = gn_list_put_name(f, "", arguments, "\n");
	}
	return err ?: gn_stream_status(f);
}

int gn_listing_table(const struct gn_listing *l, bool verbose, FILE *f)
{
	struct reasons reasons = {0};
	bool above = l->nfunctions;
	int err = put_functions(l, verbose, &reasons, f);

	if (!err)
		put_reasons(l, &reasons, f);
	free(reasons.text);
	if (!err && l->running) {
		fputs(above ? "\n" : "", f);
		err = gn_list_managed_table(l, verbose, f);
		above = true;
	}
	/* with managed functions, sites are listed with -v only */
	for (size_t i = 0; !err && (!l->running || verbose) && i < l->nruntimes;
	     i++) {
		fputs(above ? "\n" : "", f);
		err = put_runtime(&l->runtime[i], f);
		above = true;
	}
	if (!err && l->nusdt) {
		fputs(above ? "\n" : "", f);
		err = put_usdt(l, f);
	}
	return err;
}
