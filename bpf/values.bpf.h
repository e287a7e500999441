/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments and results of functions, where their spec asks for them. */
#ifndef GNOMON_VALUES_BPF_H
#define GNOMON_VALUES_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/spec.h>

#include "emit.bpf.h"
#include "maps.bpf.h"
#include "operand.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GN_SPECS_MAX);
	__type(key, __u32);
	__type(value, struct gn_value_specs);
} values SEC(".maps");

/* The text that the number points to. For an empty one some kernels return 0,
 * not 1 for its NUL. */
static __always_inline void read_value(struct gn_rec_value *r)
{
	/* a byte more than is told, and the NUL: so a cut is seen */
	long n = bpf_probe_read_user_str(r->text, GN_VALUE_TEXT + 2,
					 (void *)r->number);

	if (n < 0) {
		r->h.flags |= GN_F_UNREADABLE;
		count(GN_COUNTER_UNREADABLE);
		return;
	}
	if (n > GN_VALUE_TEXT + 1) {
		r->h.flags |= GN_F_CUT;
		n = GN_VALUE_TEXT + 1;
	}
	r->len = n ? n - 1 : 0;
}

static __noinline int emit_value(struct pt_regs *ctx, struct gn_task *t,
				 const struct gn_value_spec *v, __u32 func)
{
	struct gn_rec_value *r;

	if (!t || !v)
		return 0;
	r = reserve(sizeof(*r));
	t->seq++;
	if (!r) {
		lost();
		return 0;
	}
	__builtin_memset(r->text, 0, sizeof(r->text));
	fill(&r->h, bpf_ktime_get_ns(), t, t->seq, GN_KIND_VALUE, 0, 0);
	r->func = func;
	r->which = v->which;
	r->type = v->type;
	r->len = 0;
	r->pad = 0;
	r->number = operand(ctx, &v->at);
	if (v->type == GN_VALUE_STR && r->number)
		read_value(r);
	submit(r);
	return 0;
}

/* At the function's enter its arguments, at its leave its result: that goes
 * before the leave, the arguments behind the enter. */
static __noinline int tell_values(struct pt_regs *ctx, struct gn_task *t,
				  __u64 cookie, bool leaves)
{
	__u32 i = GN_COOKIE_SPEC(cookie);
	const struct gn_value_specs *all;
	int k;

	if (!t || !in_session(bpf_ktime_get_ns()))
		return 0;
	all = bpf_map_lookup_elem(&values, &i);
	if (!all)
		return 0;
	if (!t->prompt)
		be_prompt(t);
	for (k = 0; k < GN_VALUES_MAX; k++) {
		const struct gn_value_spec *v = &all->value[k];

		if (v->type && leaves == !v->which)
			emit_value(ctx, t, v, GN_COOKIE_FUNC(cookie));
	}
	return 0;
}

#endif
