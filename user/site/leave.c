// SPDX-License-Identifier: BSD-2-Clause
/*
 * Chooses the sites at which a function's end is seen. A probe on a return is
 * single-stepped. A probe on a jump is not, and serves as well if the jump
 * leads only to the epilogue: instructions that touch only registers and the
 * function's own stack. Every path to the return must pass one such place. A
 * conditional jump can be a place when it is taken, or when it is not: the
 * probe's program reads the flags.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/hook.h>

#include "site/site_internal.h"

/* Limit of instructions between such a place and the return. They take some
 * tens of nanoseconds, which count as the caller's. */
#define EPILOGUE_MAX 16
/* Limits of paths to one return, and of conditional ones: a hit of a jump that
 * does not leave is wasted. */
#define WAYS_MAX       64
#define CONDITIONS_MAX 4

struct way {
	size_t from, to; /* index of a jump, and of its target */
};

/* An instruction `at` which control leaves the function. */
struct place {
	size_t at;
	enum gn_site_kind kind;
	uint8_t when; /* enum gn_when */
};

/* What is known of an instruction. */
struct spot {
	int32_t loops; /* number of jumps back over it */
	uint32_t site; /* index of its leave + 1 */
};

struct search {
	const struct gn_body *b;
	uint64_t enter;	  /* the enter site: already taken */
	bool at_exits;	  /* use no other places */
	struct way *ways; /* sorted by target */
	size_t nways;
	struct spot *spots;	       /* by instruction, and one more */
	struct place places[WAYS_MAX]; /* of one exit */
	size_t nplaces, nconditions;
};

static int by_target(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

/* Finds all direct jumps within the function, and the loops that they make. */
static int find_ways(struct search *s)
{
	const struct gn_body *b = s->b;

	s->ways = calloc(b->ninsns + 1, sizeof(*s->ways));
	s->spots = calloc(b->ninsns + 1, sizeof(*s->spots));
	if (!s->ways || !s->spots)
		return -ENOMEM;
	for (size_t i = 0; i < b->ninsns; i++) {
		const struct gn_insn *in = &b->insns[i];
		size_t to;

		if ((in->flow != GN_FLOW_JMP && in->flow != GN_FLOW_JCC) ||
		    !gn_body_holds(b, in->target))
			continue;
		to = gn_body_find(b, in->target);
		if (to == SIZE_MAX)
			continue;
		s->ways[s->nways++] = (struct way){i, to};
		if (to <= i) {
			s->spots[to].loops++;
			s->spots[i + 1].loops--;
		}
	}
	for (size_t i = 1; i < b->ninsns; i++)
		s->spots[i].loops += s->spots[i - 1].loops;
	qsort(s->ways, s->nways, sizeof(*s->ways), by_target);
	return 0;
}

/* Whether instruction i accesses only registers and its own frame. */
static bool in_epilogue(const struct gn_body *b, size_t i)
{
	const struct gn_insn *in = &b->insns[i];

	if (!in->light)
		return false;
	if (!in->mem.used || in->nop || in->effect == GN_EFF_COPY)
		return true;
	return in->mem.index == GN_NO_REG &&
	       (in->mem.base == GN_RSP ||
		(in->mem.base == GN_RBP && b->marks[i].flags & GN_MARK_FRAME));
}

/* Whether a probe there is emulated, and the frame key is known. */
static bool serves(const struct search *s, size_t i)
{
	const struct gn_body *b = s->b;
	int32_t depth = b->marks[i].depth;
	const uint8_t *bytes;
	size_t size;

	if (depth == GN_NO_DEPTH || depth > 0 || 8 - depth > GN_ADJUST_MAX ||
	    b->insns[i].addr == s->enter)
		return false;
	bytes = gn_body_bytes(b, b->insns[i].addr, &size);
	return gn_cost_of(bytes, size, b->insns[i].addr, NULL, NULL) ==
	       GN_COST_EMULATED;
}

static bool add_place(struct search *s, size_t at, enum gn_site_kind kind,
		      uint8_t when)
{
	if (s->nplaces == WAYS_MAX)
		return false;
	if (when && (s->spots[at].loops || ++s->nconditions > CONDITIONS_MAX))
		return false;
	s->places[s->nplaces++] = (struct place){at, kind, when};
	return true;
}

/* Instruction q falls through into the epilogue. 1: it is a place, or cannot be
 * reached; 0: continue the search before it; -1: this path has no place. */
static int before(struct search *s, size_t q, enum gn_site_kind kind)
{
	const struct gn_insn *in = &s->b->insns[q];

	switch (in->flow) {
	case GN_FLOW_JMP:
	case GN_FLOW_JMP_IND:
	case GN_FLOW_RET:
	case GN_FLOW_STOP:
		return 1;
	case GN_FLOW_JCC:
		return serves(s, q) && add_place(s, q, kind,
						 GN_WHEN(in->condition ^ 1))
			       ? 1
			       : -1;
	case GN_FLOW_NEXT:
		if ((in->nop || in->effect == GN_EFF_PUSH) && serves(s, q))
			return add_place(s, q, kind, GN_WHEN_ALWAYS) ? 1 : -1;
		return in_epilogue(s->b, q) ? 0 : -1;
	default:
		return -1;
	}
}

/* Whether instruction i may be data. */
static bool no_code(const struct gn_body *b, size_t i)
{
	return b->marks[i].flags & GN_MARK_STRAY && !b->strays_run;
}

/* Takes the jumps to instruction p as places; false if one cannot be. */
static bool jumps_to(struct search *s, size_t p, enum gn_site_kind kind)
{
	size_t lo = 0, hi = s->nways;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->ways[mid].to < p)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < s->nways && s->ways[lo].to == p; lo++) {
		size_t from = s->ways[lo].from;
		const struct gn_insn *in = &s->b->insns[from];

		if (!(s->b->marks[from].flags & GN_MARK_SEEN))
			continue;
		if (no_code(s->b, from) || !serves(s, from) ||
		    !add_place(s, from, kind,
			       in->flow == GN_FLOW_JMP
				       ? GN_WHEN_ALWAYS
				       : GN_WHEN(in->condition)))
			return false;
	}
	return true;
}

static bool begins_part(const struct gn_body *b, size_t i)
{
	for (size_t p = 0; p < b->nparts; p++)
		if (b->parts[p].first == i)
			return true;
	return false;
}

/* Searches backwards from an exit. True: every path to it passes a place. */
static bool find_places(struct search *s, const struct gn_exit *e)
{
	const struct gn_body *b = s->b;
	size_t p = e->insn;

	for (int n = 0; n < EPILOGUE_MAX; n++, p--) {
		uint16_t flags = b->marks[p].flags;
		int found;

		if (flags & (GN_MARK_SEED | GN_MARK_TABLE) || !p ||
		    !jumps_to(s, p, e->kind))
			return false;
		if (begins_part(b, p))
			return true;
		if (!(b->marks[p - 1].flags & GN_MARK_SEEN))
			return true;
		if (no_code(b, p - 1))
			return false;
		found = before(s, p - 1, e->kind);
		if (found)
			return found > 0;
	}
	return false;
}

/* Adds a site for an exit. Two sites at one instruction become one that always
 * leaves. */
static void add_site(struct search *s, const struct place *place,
		     const struct gn_insn *exit, struct gn_plan *plan)
{
	const struct gn_insn *in = &s->b->insns[place->at];
	struct spot *spot = &s->spots[place->at];
	int32_t depth = s->b->marks[place->at].depth;
	struct gn_site *site;

	if (spot->site) {
		site = &plan->leaves[spot->site - 1];
		site->when = GN_WHEN_ALWAYS;
		site->kind = GN_SITE_LEAVE;
		site->exit = 0;
		return;
	}
	site = &plan->leaves[plan->nleaves++];
	spot->site = (uint32_t)plan->nleaves;
	*site = (struct gn_site){
		.kind = place->kind,
		.addr = in->addr,
		.exit = exit->addr,
		.when = place->when,
		/* a return ends the function whatever rsp is believed to be */
		.adjust = depth == GN_NO_DEPTH ? 8 : (uint32_t)(8 - depth),
	};
	if (gn_site_fill(s->b->elf, site))
		plan->refused = "a leave has no place in the file";
	else if (site->cost == GN_COST_REFUSED)
		plan->refused = "the kernel does not probe one of its leaves";
}

static int add_exit(struct search *s, const struct gn_exit *e,
		    struct gn_plan *plan)
{
	const struct gn_insn *in = &s->b->insns[e->insn];
	struct place own = {e->insn, e->kind,
			    in->flow == GN_FLOW_JCC ? GN_WHEN(in->condition)
						    : GN_WHEN_ALWAYS};
	struct gn_site *more;

	s->nplaces = s->nconditions = 0;
	if (s->at_exits || in->flow == GN_FLOW_JMP || in->flow == GN_FLOW_JCC ||
	    s->b->jumps_unknown || s->b->marks[e->insn].depth ||
	    !find_places(s, e) || !s->nplaces) {
		s->places[0] = own;
		s->nplaces = 1;
	}
	more = reallocarray(plan->leaves, plan->nleaves + s->nplaces,
			    sizeof(*more));
	if (!more)
		return -ENOMEM;
	plan->leaves = more;
	for (size_t i = 0; i < s->nplaces; i++)
		add_site(s, &s->places[i], in, plan);
	return 0;
}

int gn_leaves_choose(const struct gn_body *b, bool at_exits,
		     struct gn_plan *plan)
{
	struct search s = {
		.b = b, .enter = plan->enter.addr, .at_exits = at_exits};
	int err = b->nexits ? find_ways(&s) : 0;

	for (size_t i = 0; !err && i < b->nexits; i++)
		err = add_exit(&s, &b->exits[i], plan);
	free(s.spots);
	free(s.ways);
	return err;
}
