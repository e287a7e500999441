/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads named "sent" that the kernel moves to another CPU while they are
 * runnable come there 2 ms late, as they do when a host takes the CPU that
 * moves them: between the two run queues the kernel counts no time.
 */
#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define LATE_NS 2000000

char LICENSE[] SEC("license") = "GPL";

__u64 moves, late_ns;

static long pass(__u32 i, __u64 *until)
{
	return bpf_ktime_get_ns() >= *until;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *p, int cpu)
{
	static const char name[] = "sent";
	__u64 begin = bpf_ktime_get_ns(), until = begin + LATE_NS;

	for (unsigned int i = 0; i < sizeof(name); i++)
		if (p->comm[i] != name[i])
			return 0;
	if (p->__state)
		return 0;
	bpf_loop(1 << 20, pass, &until, 0);
	__sync_fetch_and_add(&moves, 1);
	__sync_fetch_and_add(&late_ns, bpf_ktime_get_ns() - begin);
	return 0;
}
