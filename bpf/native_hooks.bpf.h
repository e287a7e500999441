/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hook sites of native functions. */
#ifndef GNOMON_NATIVE_HOOKS_BPF_H
#define GNOMON_NATIVE_HOOKS_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/hook.h>

#include "collect.bpf.h"
#include "emit.bpf.h"
#include "maps.bpf.h"
#include "values.bpf.h"

/* Whether a conditional jump with these flags jumps. */
static __always_inline bool holds(__u64 flags, __u32 condition)
{
	bool carry = flags & 0x1, parity = flags & 0x4, zero = flags & 0x40;
	bool sign = flags & 0x80, overflow = flags & 0x800, yes;

	switch (condition >> 1) {
	case 0:
		yes = overflow;
		break;
	case 1:
		yes = carry;
		break;
	case 2:
		yes = zero;
		break;
	case 3:
		yes = carry || zero;
		break;
	case 4:
		yes = sign;
		break;
	case 5:
		yes = parity;
		break;
	case 6:
		yes = sign != overflow;
		break;
	default:
		yes = zero || sign != overflow;
		break;
	}
	return yes != (condition & 1);
}

/*
 * Marks the first probe of a process that needs the kernel's page: the kernel
 * makes the page after the probe's record. Processes that share their memory
 * share the page, and a child has it from its birth if a probed function of its
 * parent has yet to return.
 */
static __always_inline void look_for_page(struct task_struct *self,
					  struct gn_task *t)
{
	if (t->has_page)
		return;
	if (!bpf_core_field_exists(self->mm->uprobes_state.xol_area) ||
	    BPF_CORE_READ(self, mm, uprobes_state.xol_area))
		t->has_page = 1;
	else
		t->hit |= GN_F_FIRST;
}

/*
 * Whether a sled beside the probe reports the same event: then the sled is a
 * jump to a hook. The sled cannot be read while the kernel puts a probe into
 * its page.
 */
static __always_inline bool told_by_sled(struct pt_regs *ctx,
					 const struct gn_task *t, __u64 c)
{
	__s64 far = GN_SPEC_SLED(GN_COOKIE_SPEC(c));
	__u8 code;

	if (!far)
		return false;
	if (bpf_probe_read_user(&code, sizeof(code), (void *)(ctx->ip + far)))
		return t->sleds;
	return code == 0xe9;
}

/* Native sites: the function is in the cookie, and the frame key is computed
 * from the stack pointer. */
static __always_inline int native(struct pt_regs *ctx, bool can_share)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_here(self);
	const struct gn_spec *spec;
	__u64 c;

	if (!t)
		return 0;
	c = cookie_of(ctx, can_share);
	spec = spec_of(c);
	if (!spec)
		return 0;
	if (c & GN_COOKIE_JUMP && !holds(ctx->flags, GN_COOKIE_CONDITION(c))) {
		/*
		 * the next record carries the number of hits without a record
		 */
		if (GN_F_SILENT(t->hit) < GN_F_SILENT(~0))
			t->hit += GN_F_SILENT_ONE;
		return 0;
	}
	if (told_by_sled(ctx, t, c))
		return 0;
	if (spec->flags & GN_SPEC_VALUES && spec->kind != GN_KIND_ENTER)
		tell_values(ctx, t, GN_COOKIE_SPEC(c), GN_COOKIE_FUNC(c),
			    spec->kind == GN_KIND_LEAVE);
	if (c & GN_COOKIE_EMULATED)
		t->hit |= GN_F_EMULATED;
	if (c & GN_COOKIE_PAGE)
		look_for_page(self, t);
	collect(ctx, t, spec->kind, GN_COOKIE_FUNC(c),
		ctx->sp + GN_COOKIE_ADJUST(c));
	t->hit &= ~(GN_F_EMULATED | GN_F_FIRST);
	if (spec->flags & GN_SPEC_VALUES && spec->kind == GN_KIND_ENTER)
		tell_values(ctx, t, GN_COOKIE_SPEC(c), GN_COOKIE_FUNC(c),
			    false);
	return 0;
}

/*
 * Enter and leave by one link. At the enter the instruction pointer is the
 * site; at the return it is the return address. That tells the two apart
 * without bpf_session_is_return(), whose prototype changed in 7.0.
 */
static __always_inline int session(struct pt_regs *ctx)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_here(self);
	bool valued; /* arguments or results are recorded */
	__u64 c;

	if (!t)
		return 1; /* not traced: no return probe either */
	c = bpf_get_attach_cookie(ctx);
	valued = GN_COOKIE_SPEC(c) >= GN_SPEC_NATIVE_COUNT;
	if (ctx->ip == bpf_get_func_ip(ctx)) {
		look_for_page(self, t);
		collect(ctx, t, GN_KIND_ENTER, GN_COOKIE_FUNC(c),
			ctx->sp + GN_COOKIE_ADJUST(c));
		t->hit &= ~GN_F_FIRST;
		if (valued)
			tell_values(ctx, t, GN_COOKIE_SPEC(c),
				    GN_COOKIE_FUNC(c), false);
		return 0;
	}
	if (valued)
		tell_values(ctx, t, GN_COOKIE_SPEC(c), GN_COOKIE_FUNC(c), true);
	collect(ctx, t, GN_KIND_LEAVE, GN_COOKIE_FUNC(c), ctx->sp);
	return 0;
}

#endif
