// SPDX-License-Identifier: BSD-2-Clause
/* The planner: which probes a function gets, and why. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/sleds.h>

#include "site/site_internal.h"

struct gn_planner {
	enum gn_leave_mode wanted;
	bool at_exits; /* do not use places before the exits */
	struct gn_world world;
	const char *open; /* why more code may be loaded later, or NULL */
	struct gn_proof **proofs;
	size_t nproofs, proofs_room;
	struct gn_body body, scratch;
	char verdict[256];
};

static void set_verdict(struct gn_planner *p)
{
	const struct gn_world *w = &p->world;
	const struct gn_fault *f =
		w->any_time.what ? &w->any_time : &w->by_call;

	if (!w->scanned)
		snprintf(p->verdict, sizeof(p->verdict),
			 "the process has not been looked at");
	else if (!w->any_time.what && p->open)
		snprintf(p->verdict, sizeof(p->verdict),
			 "no return probes: further code may come (%s)",
			 p->open);
	else if (f->what)
		snprintf(p->verdict, sizeof(p->verdict), "%s: %s %s",
			 w->any_time.what
				 ? "no return probes"
				 : "return probes only where they are safe",
			 f->file, f->what);
	else
		snprintf(p->verdict, sizeof(p->verdict),
			 "no file of the process unwinds, switches stacks or "
			 "handles signals");
}

struct gn_planner *gn_planner_new(enum gn_leave_mode wanted)
{
	struct gn_planner *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->wanted = wanted;
	set_verdict(p);
	return p;
}

void gn_planner_free(struct gn_planner *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nproofs; i++)
		gn_proof_free(p->proofs[i]);
	free(p->proofs);
	gn_body_free(&p->body);
	gn_body_free(&p->scratch);
	free(p);
}

int gn_planner_scan(struct gn_planner *p, struct gn_elf *const *elf, size_t n)
{
	int err = gn_world_scan(&p->world, elf, n, &p->scratch);

	set_verdict(p);
	return err;
}

void gn_planner_share(struct gn_planner *p, const struct gn_planner *from)
{
	p->world = from->world;
	set_verdict(p);
}

void gn_planner_open_world(struct gn_planner *p, const char *reason)
{
	if (!p->open)
		p->open = reason;
	set_verdict(p);
}

void gn_planner_at_exits(struct gn_planner *p, bool at_exits)
{
	p->at_exits = at_exits;
}

const char *gn_planner_verdict(const struct gn_planner *p)
{
	return p->verdict;
}

static int find_proof(struct gn_planner *p, const struct gn_elf *elf,
		      struct gn_proof **out)
{
	int err;

	for (size_t i = p->nproofs; i--;)
		if (gn_proof_elf(p->proofs[i]) == elf) {
			*out = p->proofs[i];
			return 0;
		}
	err = gn_grow_by_one(&p->proofs, &p->proofs_room, p->nproofs,
			     sizeof(*p->proofs));
	if (err)
		return err;
	*out = gn_proof_new(elf);
	if (!*out)
		return -ENOMEM;
	p->proofs[p->nproofs++] = *out;
	return 0;
}

/* Reasons that the symbol alone gives. */
static const char *bad_symbol(const struct gn_elf_symbol *sym)
{
	if (sym->is_ifunc)
		return "it chooses an implementation when the program starts; "
		       "probe that one";
	if (sym->is_cold)
		return "it is a part of another function";
	if (!sym->size)
		return "its length is not known";
	return NULL;
}

/* Whether another symbol's code overlaps the function's. Then its returns may
 * be another function's. */
static const char *overlap(const struct gn_elf *elf,
			   const struct gn_elf_symbol *sym)
{
	const struct gn_elf_symbol *over;

	if (gn_symbol_next(elf, sym->addr) - sym->addr < sym->size)
		return "another function begins inside it";
	over = sym->addr ? gn_symbol_over(elf, sym->addr - 1) : NULL;
	if (over && sym->addr - over->addr < over->size)
		return "it begins inside another function";
	return NULL;
}

/* Whether the function may have a return probe. 1, 0 with *why, or -ENOMEM.
 * There are two proofs: nothing interrupts it on the way to its return, and
 * nothing that it does itself leaves it otherwise. */
static int return_safe(struct gn_planner *p, struct gn_proof *proof,
		       const char **why)
{
	const struct gn_world *w = &p->world;
	int ok;

	if (!w->scanned || p->open || w->any_time.what) {
		*why = p->open	    ? "code to come may unwind it"
		       : w->scanned ? "what may interrupt it can unwind it"
				    : "what may interrupt it is not known";
		return 0;
	}
	ok = gn_proof_benign(proof, &p->body, &p->scratch, why);
	if (ok <= 0)
		return ok;
	if (!w->by_call.what) {
		*why = "nothing in the process unwinds, switches stacks or "
		       "handles signals";
		return 1;
	}
	ok = gn_proof_closed(proof, &p->body, &p->scratch, why);
	if (ok > 0)
		*why = "it can only be left by its own return";
	return ok;
}

static int choose_ret(struct gn_planner *p, struct gn_plan *plan,
		      const char *why)
{
	plan->leave = GN_LEAVE_RET;
	plan->reason = why;
	plan->refused = p->body.leaves;
	if (!plan->refused)
		gn_enter_choose(&p->body, GN_LEAVE_RET, plan);
	return plan->refused ? 0
			     : gn_leaves_choose(&p->body, p->at_exits, plan);
}

static void choose_return(struct gn_planner *p, struct gn_plan *plan,
			  const char *why)
{
	plan->leave = GN_LEAVE_RETURN;
	plan->reason = why;
	gn_enter_choose(&p->body, GN_LEAVE_RETURN, plan);
}

/* The rough cost of a call, in single-stepped probes. */
static unsigned int stepped(const struct gn_plan *plan)
{
	unsigned int leave = 0;

	for (size_t i = 0; i < plan->nleaves; i++)
		leave |= plan->leaves[i].cost == GN_COST_STEPPED;
	return leave + (plan->enter.cost == GN_COST_STEPPED);
}

/* A return probe is allowed. Uses it if it is cheaper. */
static int choose_cheaper(struct gn_planner *p, struct gn_plan *plan,
			  const char *why)
{
	struct gn_plan other = {0};
	int err;

	choose_return(p, plan, why);
	err = choose_ret(p, &other,
			 "a return probe would be safe, but not cheaper");
	if (!err && !other.refused &&
	    (plan->refused || stepped(&other) <= stepped(plan)))
		*plan = other;
	else
		gn_plan_clear(&other);
	return err;
}

/* The reason if a runtime in the file reads the return addresses on its stacks:
 * at a return probe's, it ends the program. */
static const char *reads_returns(const struct gn_elf *elf)
{
	if (gn_elf_is_go(elf))
		return "Go's runtime reads its return address";
	if (gn_elf_has_section(elf, GN_AOT_SECTION))
		return "Native AOT's runtime reads its return address";
	return NULL;
}

/* Whether a return probe may be recommended for its cost: not where code that
 * leaves functions by other ways than their returns is in the process, as it
 * throws or switches stacks, or could be. */
static bool may_recommend(const struct gn_planner *p)
{
	return p->world.scanned && !p->world.by_call.what &&
	       !reads_returns(p->body.elf);
}

/* A return probe is not allowed, or not wanted. */
static int choose_own(struct gn_planner *p, struct gn_plan *plan,
		      const char *why)
{
	struct gn_plan other = {0};
	int err = choose_ret(p, plan, why);

	if (err || plan->refused || !may_recommend(p))
		return err;
	choose_return(p, &other, why);
	plan->dear = !other.refused && stepped(&other) < stepped(plan);
	return 0;
}

static int choose(struct gn_planner *p, struct gn_proof *proof,
		  struct gn_plan *plan)
{
	const char *why;
	int safe;

	if (!p->body.nexits || p->body.addr == gn_elf_entry(p->body.elf)) {
		p->body.nexits = 0;
		return choose_ret(p, plan, "it never returns");
	}
	if (p->wanted == GN_LEAVE_RET)
		return choose_own(p, plan, "asked for");
	why = reads_returns(p->body.elf);
	if (why)
		return choose_own(p, plan, why);
	safe = return_safe(p, proof, &why);
	if (safe < 0)
		return safe;
	if (p->wanted == GN_LEAVE_AUTO)
		return safe ? choose_cheaper(p, plan, why)
			    : choose_own(p, plan, why);
	choose_return(p, plan, safe ? why : "forced: not proved safe");
	return 0;
}

/*
 * NativeAOT puts a function's handlers (funclets of catch, filter, finally)
 * after it, under its symbol. The runtime calls them, so their returns are not
 * the function's. Each has its own entry in the unwind table.
 */
static uint64_t size_without_handlers(const struct gn_elf *elf,
				      const struct gn_elf_symbol *sym)
{
	const uint64_t *starts;
	size_t n = gn_elf_starts(elf, &starts), i;

	if (!gn_elf_has_section(elf, GN_AOT_SECTION) ||
	    !gn_start_at(elf, sym->addr, &i))
		return sym->size;
	while (i < n && starts[i] == sym->addr)
		i++;
	return i < n && starts[i] - sym->addr < sym->size
		       ? starts[i] - sym->addr
		       : sym->size;
}

int gn_planner_plan(struct gn_planner *p, struct gn_elf *elf,
		    const struct gn_elf_symbol *sym, struct gn_plan *plan)
{
	struct gn_proof *proof;
	const char *shared;
	int err;

	*plan = (struct gn_plan){.leave = GN_LEAVE_RET, .reason = ""};
	plan->refused = bad_symbol(sym);
	if (plan->refused)
		return 0;
	err = find_proof(p, elf, &proof);
	if (err)
		return err;
	if (!gn_proof_afford(proof, sym->size)) {
		plan->refused = "its file is too tangled";
		return 0;
	}
	shared = overlap(elf, sym);
	err = gn_body_read(&p->body, elf, gn_proof_facts(proof), sym->addr,
			   size_without_handlers(elf, sym));
	gn_proof_charge(proof, &p->body);
	if (err)
		return err;
	if (p->body.whole) {
		plan->refused = p->body.whole;
		return 0;
	}
	if (shared && !p->body.leaves)
		p->body.leaves = shared;
	err = choose(p, proof, plan);
	if (err)
		gn_plan_clear(plan);
	return err;
}

static bool has_end(const struct gn_sled *sled, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (sled[i].ends && sled[i].addr == addr)
			return true;
	return false;
}

bool gn_plan_sleds_end(const struct gn_plan *plan)
{
	for (size_t i = 0; i < plan->nsleds; i++)
		if (plan->sleds[i].ends)
			return true;
	return false;
}

/* Whether a leave is at a nop of the sled. */
static bool has_leave(const struct gn_sled *sled, const struct gn_plan *plan)
{
	for (size_t i = 0; i < plan->nleaves; i++)
		if (plan->leaves[i].addr - sled->addr < GN_SLED_BYTES)
			return true;
	return false;
}

bool gn_planner_sleds_fit(const struct gn_planner *p,
			  const struct gn_plan *plan,
			  const struct gn_sled *sled, size_t n)
{
	const struct gn_body *b = &p->body;
	uint64_t first = b->addr;
	bool ends = false;

	if (!n || b->whole || b->leaves || !b->ninsns)
		return false;
	if (b->insns[0].endbr)
		first += b->insns[0].len;
	if (sled->addr != first || sled->ends)
		return false;
	for (size_t i = 1; i < n; i++) {
		if (!sled[i].ends)
			return false;
		ends = true;
	}
	for (size_t i = 0; ends && i < b->nexits; i++) {
		const struct gn_insn *in = &b->insns[b->exits[i].insn];

		if (in->flow == GN_FLOW_JCC ||
		    !has_end(sled, n,
			     b->exits[i].kind == GN_SITE_TAIL
				     ? in->addr - GN_SLED_TAIL
				     : in->addr))
			return false;
	}
	return ends || !has_leave(sled, plan);
}

void gn_plan_clear(struct gn_plan *plan)
{
	free(plan->leaves);
	memset(plan, 0, sizeof(*plan));
}
