/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libbpf's header of this name, for a BPF program that is compiled for the
 * machine that builds it: the helpers are functions of host.c.
 */
#ifndef GNOMON_HOST_BPF_HELPERS_H
#define GNOMON_HOST_BPF_HELPERS_H

#include <linux/bpf.h>

#define SEC(name)
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline	__attribute__((noinline))
#define __weak		__attribute__((weak))
#define __ksym

#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name

#define barrier()	 asm volatile("" ::: "memory")
#define barrier_var(var) asm volatile("" : "+r"(var))

struct task_struct;
struct pt_regs;
struct vm_area_struct;

__u64 bpf_ktime_get_ns(void);
struct task_struct *bpf_get_current_task_btf(void);
__u64 bpf_get_current_pid_tgid(void);
long bpf_task_pt_regs(struct task_struct *task);
void *bpf_task_storage_get(void *map, struct task_struct *task, void *value,
			   __u64 flags);
void *bpf_ringbuf_reserve(void *ring, __u64 size, __u64 flags);
void bpf_ringbuf_submit(void *data, __u64 flags);
void bpf_ringbuf_discard(void *data, __u64 flags);
long bpf_ringbuf_output(void *ring, void *data, __u64 size, __u64 flags);
long bpf_get_stack(void *ctx, void *to, __u32 size, __u64 flags);
void *bpf_map_lookup_elem(void *map, const void *key);
long bpf_map_update_elem(void *map, const void *key, const void *value,
			 __u64 flags);
long bpf_map_delete_elem(void *map, const void *key);
long bpf_for_each_map_elem(void *map, void *callback, void *ctx, __u64 flags);
long bpf_loop(__u32 n, void *callback, void *ctx, __u64 flags);
long bpf_find_vma(struct task_struct *task, __u64 address, void *callback,
		  void *ctx, __u64 flags);
__u64 bpf_get_attach_cookie(void *ctx);
__u64 bpf_get_func_ip(void *ctx);
long bpf_probe_read_kernel(void *to, __u32 size, const void *from);
long bpf_probe_read_user(void *to, __u32 size, const void *from);
long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from);
long bpf_probe_read_user_str(void *to, __u32 size, const void *from);

#endif
