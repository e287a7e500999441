// SPDX-License-Identifier: BSD-2-Clause
#include "capture/sampler_parts.h"

static struct gn_interpreter *slot_of(struct gn_interpreter *slots,
				      uint32_t pid, uint32_t i)
{
	return &slots[(GN_INTERPRETER_SLOT(pid) + i) % GN_INTERPRETERS];
}

void gn_interpreters_end(struct gn_sampler_interpreters *in, uint32_t pid)
{
	for (uint32_t i = 0; in->slots && i < GN_INTERPRETER_SLOTS; i++) {
		struct gn_interpreter *at = slot_of(in->slots, pid, i);

		if (at->pid != pid)
			continue;
		__atomic_store_n(&at->turn, at->turn + 1, __ATOMIC_RELEASE);
		__atomic_store_n(&at->pid, 0, __ATOMIC_RELEASE);
	}
}

static void fill(struct gn_interpreter *to, uint64_t base,
		 const struct gn_interpreter *its)
{
	uint32_t turn = to->turn;

	*to = *its;
	to->turn = turn;
	for (int i = 0; i < GN_INTERPRETER_ADDRESSES; i++)
		to->addr[i] = its->addr[i] ? base + its->addr[i] : 0;
}

/* Tells the BPF programs where the process has its interpreter. */
static void tell(struct gn_sampler_interpreters *in,
		 const struct gn_place_process *p)
{
	gn_interpreters_end(in, p->pid);
	if (!p->its->known)
		return;
	for (uint32_t i = 0; in->slots && i < GN_INTERPRETER_SLOTS; i++) {
		struct gn_interpreter *to = slot_of(in->slots, p->pid, i);

		if (to->pid)
			continue;
		fill(to, p->base, &p->its->its);
		__atomic_store_n(&to->turn, to->turn + 1, __ATOMIC_RELEASE);
		__atomic_store_n(&to->pid, p->pid, __ATOMIC_RELEASE);
		__atomic_store_n(in->any, 1, __ATOMIC_RELAXED);
		return;
	}
}

void gn_interpreters_note(struct gn_sampler_interpreters *in,
			  struct gn_place_process *p, const struct gn_place *at)
{
	if (p->its || !at->what || !in->slots)
		return;
	p->its = gn_sampler_names_interpreter(in->names, p->pid, at->what);
	if (!p->its)
		return;
	p->module = at->what;
	p->base = at->start - at->offset;
	tell(in, p);
}

void gn_interpreters_forget(struct gn_sampler_interpreters *in,
			    struct gn_place_process *p)
{
	gn_interpreters_end(in, p->pid);
	p->its = NULL;
	p->module = 0;
}

void gn_interpreters_inherit(struct gn_sampler_interpreters *in,
			     struct gn_place_process *p,
			     const struct gn_place_process *parent)
{
	gn_interpreters_forget(in, p);
	if (!parent || !parent->its)
		return;
	p->its = parent->its;
	p->module = parent->module;
	p->base = parent->base;
	tell(in, p);
}

void gn_interpreters_missed(struct gn_sampler_interpreters *in,
			    const struct gn_place_process *p)
{
	if (p->its)
		++*(p->its->known ? &in->early[p->its->its.kind]
				  : &in->unknown[p->its->its.kind]);
}

uint64_t gn_interpreters_count(const struct gn_sampler_interpreters *in,
			       uint32_t counter)
{
	for (uint32_t i = 0; i < GN_INTERPRETER_KINDS; i++) {
		if (counter == GN_COUNTER_INTERPRETED(i, GN_INTERPRETED_EARLY))
			return in->early[i];
		if (counter ==
		    GN_COUNTER_INTERPRETED(i, GN_INTERPRETED_UNKNOWN))
			return in->unknown[i];
	}
	return 0;
}
