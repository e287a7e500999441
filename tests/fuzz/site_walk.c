/* SPDX-License-Identifier: BSD-2-Clause */
#include "site_walk.h"

#include "site/decode.h"
#include "fuzz.h"

#define STEPS_MAX 2000

struct value {
	bool known;
	int64_t off; /* from the stack pointer at the entry */
};

struct walk {
	const struct gn_elf *elf;
	const struct gn_elf_symbol *sym;
	const struct gn_plan *plan;
	uint32_t random;
	uint64_t addr;
	struct value rsp, rbp;
	bool called; /* passed a call, which perhaps never returns */
	unsigned int enters, leaves;
};

static bool toss(struct walk *w)
{
	w->random = w->random * 1664525 + 1013904223;
	return w->random >> 31;
}

static bool inside(const struct walk *w, uint64_t addr)
{
	return addr >= w->sym->addr && addr - w->sym->addr < w->sym->size;
}

static const struct gn_site *leave_at(const struct gn_plan *plan, uint64_t addr)
{
	for (size_t i = 0; i < plan->nleaves; i++)
		if (plan->leaves[i].addr == addr)
			return &plan->leaves[i];
	return NULL;
}

/* Decodes the instruction at addr, within the symbol. */
static bool decode(const struct gn_elf *elf, const struct gn_elf_symbol *sym,
		   uint64_t addr, struct gn_insn *in)
{
	uint64_t left = sym->size - (addr - sym->addr);
	const uint8_t *bytes = gn_elf_code(elf, addr, left);

	return bytes && gn_decode(bytes, left, addr, in);
}

static void check_site(const struct gn_elf *elf,
		       const struct gn_elf_symbol *sym,
		       const struct gn_site *site)
{
	const uint8_t *bytes = gn_elf_code(elf, site->addr, 1);
	const uint8_t *two = gn_elf_code(elf, site->addr, 2);
	struct gn_insn in;
	uint64_t offset, at = sym->addr;

	must(!gn_elf_offset(elf, site->addr, &offset) && offset == site->offset,
	     "a site is in the file");
	must(site->cost < GN_COST_REFUSED, "the kernel probes a site");
	/* stepped out of line, a pushf would push the trap flag, and a system
	 * call would return to the wrong place */
	must(*bytes != 0x9c && !(two && two[0] == 0x0f && two[1] == 0x05),
	     "a site can be stepped");
	if (site->addr - sym->addr >= sym->size)
		return; /* in another part of the function */
	while (at < site->addr && decode(elf, sym, at, &in))
		at += in.len;
	must(at == site->addr, "a site is where an instruction begins");
}

void gn_walk_sites(const struct gn_elf *elf, const struct gn_elf_symbol *sym,
		   const struct gn_plan *plan)
{
	check_site(elf, sym, &plan->enter);
	must(plan->enter.addr - sym->addr < sym->size,
	     "the enter site is in the function");
	for (size_t i = 0; i < plan->nleaves; i++) {
		check_site(elf, sym, &plan->leaves[i]);
		must(plan->leaves[i].addr != plan->enter.addr,
		     "a site is an enter or a leave");
		for (size_t k = 0; k < i; k++)
			must(plan->leaves[i].addr != plan->leaves[k].addr,
			     "a leave is one site");
	}
}

/* The key of the frame is the stack pointer above the return address. */
static bool key_right(const struct walk *w, const struct gn_site *site)
{
	return !w->rsp.known || w->rsp.off + (int64_t)site->adjust == 8;
}

/* Whether the instruction itself leaves the function. */
static bool leaves(const struct walk *w, const struct gn_insn *in)
{
	return in->flow == GN_FLOW_RET || in->flow == GN_FLOW_JMP_IND ||
	       (in->flow == GN_FLOW_JMP && !inside(w, in->target));
}

/*
 * Checks the sites at the instruction. False: the walk proves nothing from here
 * on. After a call that does not return, code can have another stack depth, and
 * the planner may know that. And the planner assumes that a return has one
 * stack depth, because no compiler reaches a return with two.
 */
static bool pass(struct walk *w, const struct gn_insn *in, bool taken)
{
	const struct gn_site *leave = leave_at(w->plan, w->addr);

	if (w->addr == w->plan->enter.addr) {
		w->enters++;
		if (w->called &&
		    (w->enters > 1 || !key_right(w, &w->plan->enter)))
			return false;
		must(w->enters == 1, "the enter site is passed once");
		must(key_right(w, &w->plan->enter), "the enter's key is right");
	}
	if (leave && leave->when)
		must(in->flow == GN_FLOW_JCC && leave->when >> 4 == 1,
		     "a condition is a jump's");
	if (leave && leave->when &&
	    taken != (GN_WHEN(in->condition) == leave->when))
		leave = NULL; /* not in this direction */
	if (leave) {
		w->leaves++;
		if (!key_right(w, leave) && (w->called || leaves(w, in)))
			return false;
		must(key_right(w, leave), "the leave's key is right");
	}
	return true;
}

static void set(struct value *v, const struct value *from, int64_t add)
{
	v->known = from->known &&
		   !__builtin_add_overflow(from->off, add, &v->off) &&
		   v->off > -(1 << 20) && v->off < 1 << 20;
}

static struct value *value_of(struct walk *w, uint8_t reg)
{
	return reg == GN_RSP ? &w->rsp : reg == GN_RBP ? &w->rbp : NULL;
}

static void follow(struct walk *w, const struct gn_insn *in)
{
	struct value *dst = value_of(w, in->dst), *src = value_of(w, in->src);
	const struct value nothing = {0};

	if (in->effect == GN_EFF_LEAVE) {
		set(&w->rsp, &w->rbp, 8);
		w->rbp = nothing;
	} else if (in->effect == GN_EFF_PUSH) {
		set(&w->rsp, &w->rsp, -in->imm);
	} else if (in->effect == GN_EFF_POP) {
		set(&w->rsp, &w->rsp, in->imm);
		if (dst)
			*dst = nothing;
	} else if (in->effect == GN_EFF_ADD && dst) {
		set(dst, dst, in->imm);
	} else if (in->effect == GN_EFF_COPY && dst) {
		set(dst, src ? src : &nothing, in->imm);
	} else if (dst && in->effect != GN_EFF_NONE &&
		   in->effect != GN_EFF_STORE) {
		*dst = nothing;
	}
	if (in->kills & 1u << GN_RSP)
		w->rsp = nothing;
	if (in->kills & 1u << GN_RBP)
		w->rbp = nothing;
}

/* The walk is at a return. If the frame is known to be gone, checks which sites
 * the walk has passed. */
static void leave(const struct walk *w)
{
	if (!w->rsp.known || w->rsp.off || w->called)
		return;
	must(w->enters == 1, "who returns has entered");
	/* the entry of a program has no caller */
	must(w->plan->leave != GN_LEAVE_RET || w->leaves == 1 ||
		     w->sym->addr == gn_elf_entry(w->elf),
	     "who returns passed one leave");
}

/* Goes to the next instruction. False: the walk ends. */
static bool step(struct walk *w, const struct gn_insn *in, bool taken)
{
	switch (in->flow) {
	case GN_FLOW_RET:
		leave(w);
		return false;
	case GN_FLOW_CALL:
	case GN_FLOW_CALL_IND:
		w->called = true;
		break;
	case GN_FLOW_NEXT:
	case GN_FLOW_JMP:
	case GN_FLOW_JCC:
		break;
	default:
		return false;
	}
	follow(w, in);
	w->addr = taken ? in->target : w->addr + in->len;
	return inside(w, w->addr); /* outside: a tail jump, or another part */
}

void gn_walk(const struct gn_elf *elf, const struct gn_elf_symbol *sym,
	     const struct gn_plan *plan, uint32_t seed)
{
	struct walk w = {
		.elf = elf,
		.sym = sym,
		.plan = plan,
		.random = seed,
		.addr = sym->addr,
		.rsp.known = true,
	};
	struct gn_insn in;

	for (int i = 0; i < STEPS_MAX; i++) {
		bool taken;

		if (!decode(elf, sym, w.addr, &in))
			return;
		taken = in.flow == GN_FLOW_JMP ||
			(in.flow == GN_FLOW_JCC && toss(&w));
		if (!pass(&w, &in, taken) || !step(&w, &in, taken))
			return;
	}
}
