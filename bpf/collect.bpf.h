/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What all hook sites share: the probe's cookie, the thread's stack, and the
 * record of an event that ends an interval. */
#ifndef GNOMON_COLLECT_BPF_H
#define GNOMON_COLLECT_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/hook.h>

#include "emit.bpf.h"
#include "mapping.bpf.h"
#include "maps.bpf.h"
#include "settle.bpf.h"

/* The kernel's own test for the signal stack. */
static __always_inline bool on_signal_stack(__u64 sp)
{
	struct task_struct *self = bpf_get_current_task_btf();

	return sp > self->sas_ss_sp &&
	       sp - self->sas_ss_sp <= self->sas_ss_size;
}

/*
 * Finds the stack that the thread is on: the mapping of its stack pointer. A
 * mapping with the same end is the same stack after it has grown. Returns -1 if
 * the stack is not known and the thread was on another one before.
 */
static __noinline int find_stack(struct gn_task *t, __u64 sp, __u64 time)
{
	struct gn_range range = {};

	if (!t)
		return 0;
	if (!find_mapping(sp, &range)) {
		count(GN_COUNTER_STACK_BUSY);
		return t->stack_hi ? -1 : 0;
	}
	t->stack_lo = range.lo;
	if (t->stack_hi == range.hi)
		return 0;
	t->stack_hi = range.hi;
	emit_stack(t, time, on_signal_stack(sp) ? GN_F_SIGNAL_STACK : 0);
	return 0;
}

static __always_inline void note_stack(struct gn_task *t, __u64 sp,
				       struct gn_moment *m)
{
	if ((sp < t->stack_lo || sp >= t->stack_hi) &&
	    find_stack(t, sp, m->time))
		m->flags |= GN_F_IN_DOUBT;
}

/* What comes before the record of an event: all that the thread has not told
 * yet. False: there is no record. */
static __always_inline bool begin_event(struct pt_regs *ctx, struct gn_task *t,
					struct gn_moment *m)
{
	ensure_prompt(t);
	t->in_probe = 1; /* see tell_thread() */
	barrier();
	*m = moment(t);
	if (!in_session(m->time))
		return false;
	note_stack(t, ctx->sp, m);
	if (t->claimed)
		claim_again(t, m);
	return true;
}

static __always_inline void end_event(struct gn_task *t)
{
	barrier();
	t->in_probe = 0;
}

static __always_inline void collect(struct pt_regs *ctx, struct gn_task *t,
				    enum gn_kind kind, __u32 func, __u64 key)
{
	struct gn_moment m;

	if (begin_event(ctx, t, &m))
		emit_func(t, &m, kind, func, key);
	end_event(t);
}

/* The function whose return probe was hit. The kernel passes it to its own
 * handlers by a pointer in the task. */
static __always_inline __u64 returned_from(void)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct uprobe_dispatch_data *data;

	if (!bpf_core_type_exists(struct uprobe_dispatch_data))
		return 0; /* user space has tested that, too */
	data = (void *)BPF_CORE_READ(self, utask, vaddr);
	return BPF_CORE_READ(data, bp_addr);
}

/* The cookie of a probe that shares its perf event with others. 0: its function
 * is left out. */
static __noinline __u64 own_cookie(struct pt_regs *ctx, __u64 shared)
{
	__u64 at = shared & GN_COOKIE_RETURN ? returned_from() : ctx->ip;
	__u32 key = GN_GROUP_KEY(shared, at);
	__u64 *cookie = bpf_map_lookup_elem(&cookies, &key);

	return cookie ? *cookie : 0;
}

static __always_inline __u64 cookie_of(struct pt_regs *ctx, bool can_share)
{
	__u64 c = bpf_get_attach_cookie(ctx);

	return can_share && c & GN_COOKIE_GROUP ? own_cookie(ctx, c) : c;
}

#endif
