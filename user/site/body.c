// SPDX-License-Identifier: BSD-2-Clause
/* Decodes a function: its parts, and the jumps between them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "site/site_internal.h"

/* How many names of one address are checked. */
#define NAMES_MAX 1024

void gn_body_free(struct gn_body *b)
{
	free(b->insns);
	free(b->marks);
	free(b->states);
	free(b->queue);
	free(b->deferred);
	free(b->exits);
	free(b->calls);
	memset(b, 0, sizeof(*b));
}

bool gn_body_holds(const struct gn_body *b, uint64_t addr)
{
	for (size_t i = 0; i < b->nparts; i++)
		if (addr >= b->parts[i].begin && addr < b->parts[i].end)
			return true;
	return false;
}

const uint8_t *gn_body_bytes(const struct gn_body *b, uint64_t addr,
			     size_t *size)
{
	for (size_t i = 0; i < b->nparts; i++) {
		const struct gn_part *p = &b->parts[i];

		if (addr < p->begin || addr >= p->end)
			continue;
		*size = p->end - addr;
		return p->bytes + (addr - p->begin);
	}
	return NULL;
}

size_t gn_body_find(const struct gn_body *b, uint64_t addr)
{
	for (size_t i = 0; i < b->nparts; i++) {
		const struct gn_part *p = &b->parts[i];
		size_t lo = p->first, hi = p->first + p->count;

		if (addr < p->begin || addr >= p->end)
			continue;
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (b->insns[mid].addr == addr)
				return mid;
			if (b->insns[mid].addr < addr)
				lo = mid + 1;
			else
				hi = mid;
		}
		/* libc can jump past a lock prefix if there is only one thread;
		 * without it the instruction is the same for us */
		if (lo > p->first && b->insns[lo - 1].addr + 1 == addr &&
		    p->bytes[addr - 1 - p->begin] == 0xf0)
			return lo - 1;
	}
	return SIZE_MAX;
}

/* The part in which instruction i is not the first one. */
static const struct gn_part *part_of_second(const struct gn_body *b, size_t i)
{
	for (size_t p = 0; p < b->nparts; p++)
		if (i > b->parts[p].first &&
		    i < b->parts[p].first + b->parts[p].count)
			return &b->parts[p];
	return NULL;
}

bool gn_body_jumps_nowhere(const struct gn_body *b, size_t i,
			   const struct gn_state *s)
{
	const struct gn_part *part = part_of_second(b, i);
	enum gn_flow before = part ? b->insns[i - 1].flow : GN_FLOW_NEXT;

	return (before == GN_FLOW_CALL || before == GN_FLOW_CALL_IND) &&
	       b->insns[i].flow == GN_FLOW_JMP &&
	       b->insns[i].target == part->end && !gn_rsp_is(s, 0);
}

bool gn_body_add_part(struct gn_body *b, uint64_t begin, uint64_t end)
{
	struct gn_part *p = &b->parts[b->nparts];

	if (b->nparts == GN_PARTS_MAX || end <= begin ||
	    end - begin > GN_BODY_MAX)
		return false;
	for (size_t i = 0; i < b->nparts; i++)
		if (begin < b->parts[i].end && end > b->parts[i].begin)
			return false;
	*p = (struct gn_part){
		.begin = begin,
		.end = end,
		.bytes = gn_elf_code(b->elf, begin, end - begin),
	};
	if (!p->bytes)
		return false;
	b->nparts++;
	return true;
}

/* Whether `cold` is a part of the function: its name is the function's plus
 * ".cold". */
static bool cold_of(struct gn_body *b, const struct gn_elf_symbol *cold)
{
	const size_t bytes = 64; /* that are compared in the time of a step */
	const struct gn_elf_symbol *all, *s = gn_symbol_at(b->elf, b->addr);
	const char *tail = strstr(cold->name, ".cold");
	size_t n = gn_elf_symbols(b->elf, &all), len;

	if (!s || !tail)
		return false;
	len = (size_t)(tail - cold->name);
	for (size_t i = 0; i < NAMES_MAX && s < all + n && s->addr == b->addr &&
			   gn_body_work(b, 1 + len / bytes);
	     i++, s++)
		if (!strncmp(s->name, cold->name, len) && !s->name[len])
			return true;
	return false;
}

/* Several empty cold parts can have their names at the address of another. */
static bool is_cold_part(struct gn_body *b, uint64_t part)
{
	const struct gn_elf_symbol *all, *s = gn_symbol_at(b->elf, part);
	size_t n = gn_elf_symbols(b->elf, &all);

	for (size_t i = 0; s && i < NAMES_MAX && s < all + n &&
			   s->addr == part && gn_body_work(b, 1);
	     i++, s++)
		if (s->is_cold && cold_of(b, s))
			return true;
	return false;
}

bool gn_body_add_cold(struct gn_body *b, uint64_t target)
{
	const struct gn_elf_symbol *s;

	if (gn_body_holds(b, target))
		return false;
	s = gn_symbol_over(b->elf, target);
	return s && is_cold_part(b, s->addr) &&
	       gn_body_add_part(b, s->addr, s->addr + s->size);
}

int gn_body_place(const struct gn_body *b, uint64_t addr)
{
	if (!b->references || gn_symbol_over(b->elf, addr))
		return GN_PLACE_UNKNOWN;
	return gn_references_place(b->references, addr);
}

/* Jumps of a new part can lead to further cold parts. */
static void find_cold(struct gn_body *b, const struct gn_part *part)
{
	for (size_t i = 0; i < part->count; i++) {
		const struct gn_insn *in = &b->insns[part->first + i];

		if (in->flow == GN_FLOW_JMP || in->flow == GN_FLOW_JCC)
			gn_body_add_cold(b, in->target);
	}
}

static int decode_part(struct gn_body *b, struct gn_part *part)
{
	uint64_t at = part->begin;

	part->first = b->ninsns;
	part->count = 0;
	while (at < part->end) {
		int err = gn_grow_by_one(&b->insns, &b->insns_room, b->ninsns,
					 sizeof(*b->insns));

		if (err)
			return err;
		if (b->ninsns == GN_INSNS_MAX) {
			b->whole = GN_BODY_TOO_LONG;
			break;
		}
		if (!gn_decode(part->bytes + (at - part->begin), part->end - at,
			       at, &b->insns[b->ninsns])) {
			b->whole = "its bytes are not all instructions";
			break;
		}
		at += b->insns[b->ninsns].len;
		b->ninsns++;
		part->count++;
	}
	return 0;
}

static void mark_targets(struct gn_body *b)
{
	for (size_t i = 0; i < b->ninsns; i++) {
		const struct gn_insn *in = &b->insns[i];
		size_t to;

		if (in->flow == GN_FLOW_JCC && i + 1 < b->ninsns)
			b->marks[i + 1].flags |= GN_MARK_LEADER;
		if ((in->flow != GN_FLOW_JMP && in->flow != GN_FLOW_JCC &&
		     in->flow != GN_FLOW_CALL) ||
		    !gn_body_holds(b, in->target))
			continue;
		/* a recursive call is not a jump */
		if (in->flow == GN_FLOW_CALL && in->target == b->addr)
			continue;
		to = gn_body_find(b, in->target);
		if (to == SIZE_MAX) {
			b->whole = "a jump goes between its instructions";
			continue;
		}
		if (in->flow == GN_FLOW_CALL)
			b->whole = "it calls into its own middle";
		b->marks[to].flags |= GN_MARK_LEADER | GN_MARK_TARGET;
	}
}

int gn_body_decode(struct gn_body *b)
{
	b->ninsns = 0;
	b->whole = NULL;
	for (size_t i = 0; i < b->nparts; i++) {
		int err = decode_part(b, &b->parts[i]);

		if (err)
			return err;
		find_cold(b, &b->parts[i]);
	}
	if (b->marks_room < b->ninsns) {
		struct gn_mark_of *m =
			reallocarray(b->marks, b->ninsns, sizeof(*m));

		if (!m)
			return -ENOMEM;
		b->marks = m;
		b->marks_room = b->ninsns;
	}
	if (b->ninsns)
		memset(b->marks, 0, b->ninsns * sizeof(*b->marks));
	mark_targets(b);
	return 0;
}

bool gn_body_work(struct gn_body *b, size_t steps)
{
	const size_t most = 1000000 + 64 * b->ninsns;

	b->work += steps;
	if (b->work <= most)
		return true;
	gn_body_give_up(b);
	return false;
}

int gn_body_give_up(struct gn_body *b)
{
	if (!b->whole)
		b->whole = "its jumps could not be followed to an end";
	b->nqueue = b->ndeferred = 0;
	return 0;
}
