/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs keep. */
#ifndef GNOMON_MAPS_BPF_H
#define GNOMON_MAPS_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/control.h>
#include <gnomon/event.h>
#include <gnomon/spec.h>
#include <gnomon/time_class.h>

/* A thread's sums up to a moment: the kernel's and ours. */
struct gn_sums {
	__u64 time; /* 0 = none */
	__u64 kernel_cpu;
	__u64 kernel_delay;
	__u64 switches;
	__u64 off; /* its time off the CPU, and of that on the run queue */
	__u64 delay;
	/* what our clock ran more than the scheduler's while it was on a CPU,
	 * and while it was off one and runnable */
	__u64 cpu_lag;
	__u64 delay_lag;
	/* what the kernel took out, and of that for interrupts */
	__u64 taken;
	__u64 irq;
};

/* Where the thread was at the stop of the capture: who comes first finds out.
 */
enum gn_settled { GN_SETTLED_NOT, GN_SETTLED_SOON, GN_SETTLED };

/* One traced thread; its presence is what makes a thread traced. */
struct gn_task {
	struct gn_os os;
	__u64 os_sent;	/* os.total when the last record was sent */
	__u64 stack_lo; /* the mapping that the thread's stack is in */
	__u64 stack_hi;
	__u32 events_sent; /* os.events when the last record was sent */
	__u32 seq;
	__u32 slice_seq;
	__u32 tid;
	__u32 live;	/* not yet or no longer: its events are ignored */
	__u32 in_probe; /* a probe program of it is under way */
	__u32 renamed;	/* by another thread: it tells itself, later */
	/* ours so far; and when the check of them begins and ends */
	struct gn_sums sums, first, last;
	/* the difference of our clock to the scheduler's at its last switch
	 * onto and off a CPU, 0 = there was none */
	__u64 skew;
	__u64 delay_skew;
	__u64 taken_in; /* what the kernel took out until its CPU was its */
	__u64 irq_in;
	__u64 first_skew; /* clock_skew() at `first` */
	__u64 run_delay;  /* the kernel's sum at its last switch off a CPU */
	__u32 queued;	  /* the run queue is in `first` */
	__u32 settled;	  /* enum gn_settled */
	__u32 prompt;	  /* its slices go out at once from now on */
	__u32 nkept;	  /* slices that have not gone out */
	__u32 hit; /* GN_F_EMULATED, GN_F_SILENT: flags of the next record */
	__u32 pad;
	struct gn_rec_slice kept[GN_SLICES];
};

/* A name that could not be sent: where it is in the traced process. */
struct gn_unsent {
	__u64 name;
	__u64 module;
	__u32 name_len;
	__u32 module_len;
};

struct gn_unsent_key {
	__u32 tgid;
	__u32 func;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20); /* set by user space before the load */
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct gn_task);
} tasks SEC(".maps");

/* Processes to trace, by tgid: read while the iterator runs only. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u32);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct gn_unsent_key);
	__type(value, struct gn_unsent);
} unsent SEC(".maps");

/* Of the probes that share a perf event: see GN_COOKIE_GROUP. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 18);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} cookies SEC(".maps");

/* Texts in a process that name a function: what is stable of them. */
struct gn_texts_key {
	__u64 process; /* also another after exec */
	__u64 at[GN_SPEC_TEXTS];
};

struct gn_interned {
	__u32 index;
	__u32 forgotten; /* control.forgotten when it was seen to be the same */
	__u64 lens;	 /* as in h.key of NAME */
	__u64 hash;
};

/* Not more than this many functions by their names, of all processes. */
#define GN_INTERNED_MAX (1u << 17)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, GN_INTERNED_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct gn_texts_key);
	__type(value, struct gn_interned);
} interned SEC(".maps");

/* What probes mean, by the index in their cookies. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GN_SPECS_MAX);
	__type(key, __u32);
	__type(value, struct gn_spec);
} specs SEC(".maps");

struct gn_control control;

/*
 * A pointer that was found in memory is read by a helper a step, or where the
 * kernel lets a program say what it points to (6.2), by plain loads.
 */
extern void *bpf_rdonly_cast(void *p, __u32 type) __ksym __weak;

const volatile bool can_cast = false; /* set by user space */

/*
 * The task by a pointer that the verifier does not trust, for loads of pointers
 * only. For each that is loaded from a trusted one, on each path, newer kernels
 * compare the names of all their types with some rules: half of the time that
 * gnomon took to start.
 */
static __always_inline struct task_struct *untrusted(struct task_struct *p)
{
	if (can_cast)
		return bpf_rdonly_cast(
			p, bpf_core_type_id_kernel(struct task_struct));
	return p;
}

static __always_inline void count_more(enum gn_counter which, __u64 n)
{
	__sync_fetch_and_add(&control.counters[which], n);
}

static __always_inline void count(enum gn_counter which)
{
	count_more(which, 1);
}

/* What a PID is called at a level of namespaces, not beyond its own. */
static __always_inline struct upid *upid_at(struct pid *id, __u32 level)
{
	return (struct upid *)((char *)id +
			       bpf_core_field_offset(struct pid, numbers) +
			       level * bpf_core_type_size(struct upid));
}

/* The number that a thread has where gnomon runs: in a container, not the
 * machine's. 0 = it is in another one. */
static __noinline __u32 nested_id(struct task_struct *p)
{
	__u32 level = control.pid_level;
	struct upid *at;
	struct pid *id;

	id = p ? BPF_CORE_READ(p, thread_pid) : 0;
	if (!id || BPF_CORE_READ(id, level) < level)
		return 0;
	at = upid_at(id, level);
	return (__u64)BPF_CORE_READ(at, ns) == control.pid_ns
		       ? (__u32)BPF_CORE_READ(at, nr)
		       : 0;
}

static __always_inline __u32 tid_of(struct task_struct *p)
{
	return control.pid_level ? nested_id(p) : (__u32)p->pid;
}

static __always_inline __u32 tgid_of(struct task_struct *p)
{
	return control.pid_level ? nested_id(untrusted(p)->group_leader)
				 : (__u32)p->tgid;
}

const volatile bool lookups_fail = false; /* set by user space */

/* What a task can have stored by others besides us. */
#define GN_STORAGES 16

/*
 * Where the kernel looks nothing up while it is at it already (6.1; on a CPU,
 * for any map: an interrupt that wakes a thread comes in between), what comes
 * then is lost if the task is one of ours: it has a value of our map.
 */
static __noinline int note_busy(struct task_struct *p)
{
	struct bpf_local_storage_elem *e;
	struct bpf_local_storage *s;
	struct hlist_node *n;
	int i;

	if (!p)
		return 0;
	s = untrusted(p)->bpf_storage;
	n = BPF_CORE_READ(s, list.first);
	for (i = 0; i < GN_STORAGES && n; i++) {
		e = (void *)n -
		    bpf_core_field_offset(struct bpf_local_storage_elem, snode);
		if ((__u64)BPF_CORE_READ(e, sdata.smap) == (__u64)&tasks) {
			count(GN_COUNTER_STORAGE_BUSY);
			return 0;
		}
		n = BPF_CORE_READ(n, next);
	}
	return 0;
}

/* The traced thread that a task is, or NULL. */
static __always_inline struct gn_task *task_of(struct task_struct *p)
{
	struct gn_task *t = bpf_task_storage_get(&tasks, p, 0, 0);

	if (!t && lookups_fail && untrusted(p)->bpf_storage)
		note_busy(p);
	return t && t->live ? t : 0;
}

/* The same, for programs that run for every thread of the machine: most have
 * nothing stored, and looking that up first is cheaper than the helper. */
static __always_inline struct gn_task *task_with_storage(struct task_struct *p)
{
	return p->bpf_storage ? task_of(p) : 0;
}

static __always_inline struct gn_task *task_new(struct task_struct *p)
{
	struct gn_task *t = bpf_task_storage_get(
		&tasks, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t)
		count(GN_COUNTER_NO_STORAGE);
	return t;
}

static __always_inline bool is_off(const struct gn_os *os)
{
	return os->state == GN_CPU_QUEUED || os->state == GN_CPU_WAITING ||
	       os->state == GN_CPU_WOKEN;
}

/* False outside of the session's bounds. */
static __always_inline bool in_session(__u64 now)
{
	return control.start && now < control.stop;
}

/* After the session. */
static __always_inline bool stopped(__u64 now)
{
	return control.start && now >= control.stop;
}

#endif
