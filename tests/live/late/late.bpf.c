/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Effects of a host that takes a CPU at a bad moment.
 *
 * Threads named "sent" that the kernel moves to another CPU while they are
 * runnable arrive there 2 ms late, as if a host took the CPU that moves them.
 * The kernel counts no time between the two run queues.
 *
 * When a thread named "gnomon" that may only run on CPU 1 goes to sleep, 100 us
 * pass between the kernel's reading of its clock and everything after it; only
 * the first `naps` times.
 */
#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define LATE_NS 2000000
#define NAP_NS	100000

struct task_struct___late {
	int nr_cpus_allowed;
} __attribute__((preserve_access_index));

char LICENSE[] SEC("license") = "GPL";

__u64 moves, late_ns, naps;

static long pass(__u32 i, __u64 *until)
{
	return bpf_ktime_get_ns() >= *until;
}

static __always_inline bool named(const struct task_struct *p, const char *name,
				  unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		if (p->comm[i] != name[i])
			return false;
	return true;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_nap, bool preempt, struct task_struct *prev,
	     struct task_struct *next, unsigned int prev_state)
{
	const struct task_struct___late *task = (const void *)prev;
	__u64 until;

	if (!naps || preempt || !prev_state || !named(prev, "gnomon", 7) ||
	    task->nr_cpus_allowed != 1 || bpf_get_smp_processor_id() != 1)
		return 0;
	until = bpf_ktime_get_ns() + NAP_NS;
	naps--;
	bpf_loop(1 << 20, pass, &until, 0);
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *p, int cpu)
{
	__u64 begin = bpf_ktime_get_ns(), until = begin + LATE_NS;

	if (!named(p, "sent", 5) || p->__state)
		return 0;
	bpf_loop(1 << 20, pass, &until, 0);
	__sync_fetch_and_add(&moves, 1);
	__sync_fetch_and_add(&late_ns, bpf_ktime_get_ns() - begin);
	return 0;
}
