/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a function: its instructions, and the ways through them. */
#include "site/site_internal.h"

static void body_reset(struct gn_body *b, const struct gn_elf *elf,
		       struct gn_references *references, uint64_t addr,
		       uint64_t end)
{
	struct gn_body old = *b;

	*b = (struct gn_body){
		.elf = elf,
		.references = references,
		.addr = addr,
		.end = end,
		.insns = old.insns,
		.insns_room = old.insns_room,
		.marks = old.marks,
		.marks_room = old.marks_room,
		.states = old.states,
		.states_room = old.states_room,
		.queue = old.queue,
		.queue_room = old.queue_room,
		.deferred = old.deferred,
		.deferred_room = old.deferred_room,
		.exits = old.exits,
		.exits_room = old.exits_room,
		.calls = old.calls,
		.calls_room = old.calls_room,
		.drap = GN_NO_REG,
	};
}

int gn_body_read(struct gn_body *b, const struct gn_elf *elf,
		 struct gn_references *references, uint64_t addr, uint64_t size)
{
	int err;

	body_reset(b, elf, references, addr, addr + size);
	if (!size || addr > UINT64_MAX - size ||
	    !gn_body_add_part(b, addr, addr + size)) {
		b->whole = size > GN_BODY_MAX
				   ? GN_BODY_TOO_LONG
				   : "it does not lie in executable code";
		b->leaves = b->closed = b->benign = b->whole;
		return 0;
	}
	err = gn_body_decode(b);
	if (!err)
		err = gn_body_follow(b);
	if (b->whole && !b->leaves)
		b->leaves = b->whole;
	if (b->whole && !b->closed)
		b->closed = b->whole;
	if (b->whole && !b->benign)
		b->benign = b->whole;
	return err;
}
