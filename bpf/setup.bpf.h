/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports the start of a runtime whose options user space sets. The programs
 * cannot set them: locked-down kernels refuse programs that write to a process.
 */
#ifndef GNOMON_SETUP_BPF_H
#define GNOMON_SETUP_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/setup.h>

#include "hooks.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 16);
} setups SEC(".maps");

struct gn_awaited {
	__u64 at, until;
	/* where an option is that must point there, too; 0: there is none */
	__u64 pointer, to;
	__u32 is, pad;
};

/* A runtime that begins again in a process sets its options anew. */
static __always_inline bool points(const struct gn_awaited *w)
{
	__u64 to = 0;

	return !w->pointer ||
	       (!bpf_probe_read_user(&to, sizeof(to), (void *)w->pointer) &&
		to == w->to);
}

/* Checks whether the option is set. Returns 1 to end the loop. */
static long look_at_option(__u32 i, struct gn_awaited *w)
{
	__u8 value = 0;

	if (!bpf_probe_read_user(&value, 1, (void *)w->at) && value &&
	    points(w))
		w->is = 1;
	return w->is || bpf_ktime_get_ns() >= w->until;
}

static __noinline int ask_setup(__u64 c, __u64 at, __u32 state)
{
	struct gn_setup *s = bpf_ringbuf_reserve(&setups, sizeof(*s), 0);

	if (!s)
		return 0;
	s->pid = tgid_of(bpf_get_current_task_btf());
	s->which = GN_FUNC_INDEX(GN_COOKIE_FUNC(c));
	s->at = at;
	s->state = state;
	s->pad = 0;
	bpf_ringbuf_submit(s, BPF_RB_FORCE_WAKEUP);
	return 0;
}

/* Two sites: one where options can be set, which its spec's func says, and one
 * where the runtime reads them. The key is the distance to the option that must
 * be set; 0: when the first one is hit, it cannot have been set. The values are
 * those to an option that is a pointer, and to where it must point. */
static __always_inline int setup(struct pt_regs *ctx, bool can_share)
{
	struct task_struct *self = bpf_get_current_task_btf();
	__u64 c = cookie_of(ctx, can_share), at = reg(ctx, GN_REG_IP);
	const struct gn_spec *spec = spec_of(c);
	struct gn_awaited w = {};

	if (!spec || !control.sets_up || !task_of(self))
		return 0;
	w.at = at + spec->key.value;
	if (spec->value[0].how) {
		w.pointer = at + spec->value[0].value;
		w.to = at + spec->value[1].value;
	}
	if (spec->key.value)
		look_at_option(0, &w);
	if (w.is)
		return 0;
	if (spec->func.value)
		return ask_setup(c, at, GN_SETUP_BEGINS);
	ask_setup(c, at, GN_SETUP_WAITS);
	w.until = bpf_ktime_get_ns() + GN_SETUP_WAIT_NS;
	bpf_loop(1 << 22, look_at_option, &w, 0);
	return w.is ? 0 : ask_setup(c, at, GN_SETUP_LATE);
}

GN_PROBE(setup)

#endif
