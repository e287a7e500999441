// SPDX-License-Identifier: BSD-2-Clause
/*
 * The minimum that can report a call's begin and end: a session program that
 * takes the time and sends a record of 32 bytes at each. The benchmark measures
 * what gnomon adds to it (which thread, how much OS time, which function, what
 * was lost).
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct record {
	__u64 time;
	__u64 rest[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20); /* as gnomon's */
} ring SEC(".maps");

__u64 lost;

SEC("uprobe")
int bare(void *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	struct record *r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);

	if (!r) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	r->time = now;
	r->rest[0] = (__u64)ctx;
	r->rest[1] = 0;
	r->rest[2] = 0;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}

/* At each switch of the machine, like gnomon's: the cost of being called. */
SEC("tp_btf/sched_switch")
int nothing(void *ctx)
{
	(void)ctx;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
