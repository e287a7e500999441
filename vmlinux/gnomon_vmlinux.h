/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel types that gnomon's BPF programs touch, with only the fields that
 * they touch. Each access is relocated against the running kernel's BTF when
 * the object is loaded (CO-RE), so offsets and omitted fields do not matter
 * and a machine without BTF can build.
 */
#ifndef GNOMON_VMLINUX_H
#define GNOMON_VMLINUX_H

#include <linux/bpf.h>
#include <stdbool.h>

/* What a probe program gets: x86-64's ABI, never relocated. */
struct pt_regs {
	unsigned long r15;
	unsigned long r14;
	unsigned long r13;
	unsigned long r12;
	unsigned long bp;
	unsigned long bx;
	unsigned long r11;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long ax;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long cs;
	unsigned long flags;
	unsigned long sp;
	unsigned long ss;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), \
			     apply_to = record)

struct pcpu_hot {
	int preempt_count;
};

/* CONFIG_IRQ_TIME_ACCOUNTING, CONFIG_PARAVIRT_TIME_ACCOUNTING: clock_task
 * stands still while the CPU is not the task's; the former counts for how long
 * it did for interrupts. */
struct rq {
	unsigned long long clock;
	unsigned long long clock_task;
	unsigned long long prev_irq_time;
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
	unsigned long long exec_start;
	unsigned long long sum_exec_runtime;
	unsigned long long nr_migrations;
};

struct sched_info {
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long last_queued;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

/* One number a level of PID namespaces, the machine's first. */
struct pid {
	unsigned int level;
	struct upid numbers[1];
};

typedef struct {
	unsigned long sig[1];
} sigset_t;

struct sigpending {
	sigset_t signal;
};

struct signal_struct {
	unsigned int flags;
	struct {
		int counter;
	} live; /* atomic_t: threads that have not ended */
	struct sigpending shared_pending;
	int group_exit_code;
	struct mm_struct *oom_mm; /* if it is killed because memory ran out */
};

struct timespec64 {
	long long tv_sec;
	long tv_nsec;
};

/* A clock's time in the namespace, less the machine's. */
struct timens_offsets {
	struct timespec64 monotonic;
};

struct time_namespace {
	struct timens_offsets offsets;
};

struct nsproxy {
	struct time_namespace *time_ns;
};

struct thread_info {
	unsigned int status;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

/* What BPF programs keep of a task: a list of elements, one a map. */
struct bpf_local_storage {
	struct hlist_head list;
};

struct bpf_local_storage_data {
	struct bpf_local_storage_map *smap;
};

struct bpf_local_storage_elem {
	struct hlist_node snode;
	struct bpf_local_storage_data sdata;
};

struct robust_list_head;

/* How restart_syscall goes on: see restarted(). A nanosleep has its clock and
 * type where the others have uaddr. */
struct restart_block {
	union {
		struct {
			unsigned int *uaddr;
			unsigned long long time;
		} futex;
		struct {
			unsigned long long expires;
		} nanosleep;
		struct {
			int has_timeout;
			unsigned long tv_sec;
			unsigned long tv_nsec;
			struct timespec64 end_time; /* since 6.19 */
		} poll;
	};
};

struct thread_struct {
	unsigned long fsbase;
};

struct task_struct {
	struct thread_info thread_info;
	struct sched_entity se;
	struct sched_info sched_info;
	void *stack;
	unsigned int flags;
	struct mm_struct *mm;
	int pid;
	int tgid;
	unsigned int __state;
	unsigned int on_cpu; /* a byte since 7.2: only unsigned may differ */
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	unsigned long long start_time;
	unsigned long long self_exec_id;
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct sigpending pending;
	sigset_t blocked;
	unsigned long sas_ss_sp;
	unsigned long sas_ss_size;
	struct files_struct *files;
	struct nsproxy *nsproxy;
	unsigned long nvcsw;
	unsigned long nivcsw;
	struct bpf_local_storage *bpf_storage;
	struct uprobe_task *utask;
	unsigned in_iowait : 1;
	unsigned frozen : 1; /* CONFIG_CGROUPS: by a control group of v2 */
	char comm[16];
	struct restart_block restart_block;
	struct robust_list_head *robust_list;
	struct thread_struct thread;
};

struct uprobe_task {
	unsigned long vaddr;
};

struct uprobe_dispatch_data {
	unsigned long bp_addr;
};

struct files_struct {
	struct fdtable *fdt;
};

struct list_head {
	struct list_head *next;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct file {
	const void *f_op;
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
};

struct rb_node {
	struct rb_node *rb_right;
	struct rb_node *rb_left;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
};

/* What an epoll file watches: a tree of them. */
struct eventpoll {
	struct rb_root_cached rbr;
};

struct epoll_filefd {
	struct file *file;
};

struct epitem {
	struct rb_node rbn;
	struct epoll_filefd ffd;
};

struct super_block {
	unsigned long s_magic;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
};

struct sock_common {
	unsigned short skc_family;
};

struct sock {
	struct sock_common __sk_common;
	struct pid *sk_peer_pid;
};

struct socket {
	struct sock *sk;
};

/* Nodes of the tree of mappings. Those of the second form only have other
 * nodes, and tell how large the gaps in them are. */
struct maple_range_64 {
	void *parent;
	unsigned long pivot[15];
	void *slot[16];
};

struct maple_arange_64 {
	void *parent;
	unsigned long pivot[9];
	void *slot[10];
};

enum maple_type {
	maple_dense,
	maple_leaf_64,
	maple_range_64,
	maple_arange_64,
};

struct maple_tree {
	void *ma_root;
};

struct xol_area;

struct uprobes_state {
	struct xol_area *xol_area;
};

struct mm_struct {
	struct maple_tree mm_mt;
	struct uprobes_state uprobes_state;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct mm_struct *vm_mm;
};

struct linux_binprm {
	unsigned int secureexec : 1;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
};

struct bpf_iter__task {
	union {
		struct bpf_iter_meta *meta;
	};
	union {
		struct task_struct *task;
	};
};

#pragma clang attribute pop

#endif
