/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a program runs for the current thread, or for what interrupted it. */
#ifndef GNOMON_CONTEXT_BPF_H
#define GNOMON_CONTEXT_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "clock.bpf.h"
#include "maps.bpf.h"

/* linux/preempt.h. The bit above is not part of the count. */
#define GN_PREEMPT_OFF 0x000000ff /* how often it is off */
#define GN_IN_SOFTIRQ  0x00000100
#define GN_IN_HARDIRQ  0x7fff0000 /* or an NMI */

/*
 * Set by user space: the offset of a CPU's preempt_count from its run queue; 0:
 * not known. A program cannot name the variable, because kernels without
 * CONFIG_KALLSYMS_ALL do not export its address.
 */
const volatile __s64 preempt_at = 0;

enum gn_context {
	GN_CONTEXT_UNKNOWN,
	GN_CONTEXT_THREAD,
	GN_CONTEXT_INTERRUPT, /* not on behalf of the thread */
	GN_CONTEXT_PACKETS,   /* for the thread if it sends packets to this
				 machine */
};

static __always_inline __s64 preempt_offset(void)
{
	struct pcpu_hot *hot = 0;
	__s64 at = preempt_at;

	/* from 6.2 to 6.14 it is a field of struct pcpu_hot */
	if (bpf_core_field_exists(hot->preempt_count))
		at += bpf_core_field_offset(hot->preempt_count);
	return at;
}

/*
 * Packets that a thread sends to its own machine are received in a soft
 * interrupt that it runs itself, with preemption off. A soft interrupt at the
 * end of an interrupt leaves preemption as it was. So with preemption on it is
 * surely not the thread's.
 */
static __always_inline enum gn_context context_now(struct task_struct *self)
{
	__u32 count;

	if (!preempt_at || !clock_known() ||
	    bpf_probe_read_kernel(&count, sizeof(count),
				  (char *)rq_of(self) + preempt_offset()))
		return GN_CONTEXT_UNKNOWN;
	if (count & GN_IN_HARDIRQ)
		return GN_CONTEXT_INTERRUPT;
	if (!(count & GN_IN_SOFTIRQ))
		return GN_CONTEXT_THREAD;
	return count & GN_PREEMPT_OFF ? GN_CONTEXT_PACKETS
				      : GN_CONTEXT_INTERRUPT;
}

#endif
