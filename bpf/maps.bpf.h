/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The maps and global state of the programs, and how a task is looked up. */
#ifndef GNOMON_MAPS_BPF_H
#define GNOMON_MAPS_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/control.h>
#include <gnomon/event.h>
#include <gnomon/lock.h>
#include <gnomon/interpreter.h>
#include <gnomon/spec.h>
#include <gnomon/time_class.h>

/* A thread's sums up to a point in time: the kernel's and ours. */
struct gn_sums {
	__u64 time; /* 0 = none */
	__u64 kernel_cpu;
	__u64 kernel_delay;
	__u64 switches;
	__u64 off; /* time off the CPU; `delay`: the part of it on the run queue
		    */
	__u64 delay;
	/* how much more our clock advanced than the scheduler's: while the
	 * thread was on a CPU, and while it was off the CPU and runnable */
	__u64 cpu_lag;
	__u64 delay_lag;
	/* time on its CPU that the kernel did not charge to it; `irq`: the part
	 * of it that went to interrupts */
	__u64 taken;
	__u64 irq;
};

/* Whether it is known where the thread was at the stop of the capture. The
 * first program that looks finds it out. */
enum gn_settled { GN_SETTLED_NOT, GN_SETTLED_SOON, GN_SETTLED };

/* A thread's events are ignored until it is known, and after its end. */
enum gn_live { GN_LIVE_NOT, GN_LIVE_SOON, GN_LIVE };

/* One traced thread. A task that has this in its storage is traced. */
struct gn_task {
	struct gn_os os;
	__u64 os_sent;	/* os.total when the last record was sent */
	__u64 stack_lo; /* the mapping that the thread's stack is in */
	__u64 stack_hi;
	__u32 events_sent; /* os.events when the last record was sent */
	__u32 seq;
	__u32 slice_seq;
	__u32 tid;
	__u32 live;	/* enum gn_live */
	__u32 in_probe; /* a probe program runs in it now, or a record of its
			   name or end is being emitted */
	__u32 renamed;	/* another thread renamed it: it emits that later */
	/* the sums so far, and those at the start and the end of the check */
	struct gn_sums sums, first, last;
	/* our clock minus the scheduler's at its last switch onto a CPU and off
	 * a CPU; 0 = no switch yet */
	__u64 skew;
	__u64 delay_skew;
	__u64 taken_in; /* rq clock minus clock_task when it came onto its CPU
			 */
	__u64 irq_in;
	__u64 first_skew; /* clock_skew() at `first` */
	__u64 run_delay;  /* the kernel's sum at its last switch off a CPU */
	__u32 queued;	  /* the run queue is in `first` */
	__u32 settled;	  /* enum gn_settled */
	__u32 missing;	  /* a switch that was not seen is being made up for */
	__u32 prompt;	  /* its slices are sent at once */
	__u32 nkept;	  /* slices that are not sent yet */
	__u32 hit; /* GN_F_EMULATED, GN_F_SILENT: flags of the next record */
	__u32 has_page;	 /* the process has the page that probes need */
	__u32 sleds;	 /* its sleds are probably hooks */
	__u32 uncounted; /* the kernel does not count that it is runnable now */
	__u64 moves;	 /* to other CPUs, at its last switch off a CPU */
	__u64 fault_ip;	 /* where the program was at its last fault */
	__u64 fault_sp;
	/* a claim whose RING record had no room; it is emitted again before the
	 * next record */
	__u64 claimed; /* the slot; 0: none */
	__u64 claimed_sp;
	__u32 claimed_func;
	struct gn_lock lock; /* of its interpreter */
	/* the process's interpreter: its slot in `interpreters` + 1, the turn
	 * that the slot then had, and of CPython the thread's state, if known
	 */
	__u32 interpreter;
	__u32 interpreter_turn;
	/* the process that named its functions: 0, its own, or the one that it
	 * was forked from. A child can lack pages with names. */
	__u64 named_in;
	__u64 python_thread;
	struct gn_rec_slice kept[GN_SLICES];
};

/* A name that could not be sent, as addresses in the traced process. */
struct gn_unsent {
	__u64 name;
	__u64 module;
	__u32 name_len;
	__u32 module_len;
	__u64 key; /* of the record */
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

/* Thread states by the task's address, for kernels where look-ups in task
 * storage can fail. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1 << 17); /* 1 if unused */
	__type(key, __u64);
	__type(value, struct gn_task);
} addressed SEC(".maps");

/* Processes to trace, by tgid, with the lock of their interpreter. Read only
 * while the iterator runs. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct gn_lock);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct gn_unsent_key);
	__type(value, struct gn_unsent);
} unsent SEC(".maps");

/* Cookies of the probes that share a perf event: see GN_COOKIE_GROUP. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 18);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} cookies SEC(".maps");

/* Where the texts that name a function are in a process. */
struct gn_texts_key {
	__u64 process; /* changes at exec, too */
	__u64 at[GN_SPEC_TEXTS];
	__u64 number; /* as in struct gn_spec */
};

struct gn_interned {
	__u32 index;
	__u32 forgotten; /* control.forgotten when the texts were last compared
			  */
	__u64 lens;	 /* as in h.key of NAME; 0: not reported */
	__u64 hash;
	__u64 unread; /* not all texts could be read so far */
};

/* The limit of functions that texts name, over all processes, even those that
 * have ended. A JVM has some thousands. */
#define GN_INTERNED_MAX (1u << 19)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, GN_INTERNED_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct gn_texts_key);
	__type(value, struct gn_interned);
} interned SEC(".maps");

/*
 * A cache of recently called functions: a look-up here takes a third of the
 * time. An entry serves all functions with the same bits of a hash. While a
 * thread writes an entry, `writes` is odd, and other threads do not use it.
 */
struct gn_recent {
	struct gn_texts_key key;
	__u64 lens;
	__u32 forgotten;
	__u32 index; /* 0: no function */
	__u32 writes;
	__u32 pad;
};

#define GN_RECENT_BITS 12

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << GN_RECENT_BITS);
	__type(key, __u32);
	__type(value, struct gn_recent);
} recent SEC(".maps");

/* What each probe means, by the index in its cookie. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GN_SPECS_MAX);
	__type(key, __u32);
	__type(value, struct gn_spec);
} specs SEC(".maps");

struct gn_control control;

/* Processes that run interpreters. User space writes it. */
struct gn_interpreter interpreters[GN_INTERPRETERS];

/*
 * To follow a pointer that was loaded from memory takes a helper call a step.
 * Since 6.2 a program can tell the kernel the pointer's type, and use plain
 * loads.
 */
#ifdef __bpf__
static void *(*const call_cast)(void *p, __u32 type) = (void *)GN_CALL_CAST;
#else
void *call_cast(void *p, __u32 type);
#endif

/* Set by user space: whether it can be called, and the types by their ids in
 * the kernel's BTF. */
const volatile bool can_cast = false;
const volatile __u32 cast_ids[GN_CAST_COUNT];
#define GN_CAST_TO(type, p) \
	((struct type *)call_cast(p, cast_ids[GN_CAST_##type]))

/*
 * Between the two calls no other thread runs on this CPU. Otherwise the kernel
 * can preempt a uprobe program and run another thread, whose switch and probe
 * programs would find a half-written state. Worse, from 6.13 on such programs
 * have their stack in per-CPU memory, and the next program overwrites the stack
 * of a preempted one. That crashed a fully preemptible kernel (7.3).
 */
#ifdef __bpf__
static void (*const call_hold)(void) = (void *)GN_CALL_HOLD;
static void (*const call_let)(void) = (void *)GN_CALL_LET;
#else
void call_hold(void);
void call_let(void);
#endif

/* Set by user space: whether they can be called. */
const volatile bool can_hold = false;

static __always_inline void hold_cpu(void)
{
	if (can_hold)
		call_hold();
}

static __always_inline void let_cpu_go(void)
{
	if (can_hold)
		call_let();
}

#define GN_HELD(call)         \
	({                    \
		int ret;      \
                              \
		hold_cpu();   \
		ret = call;   \
		let_cpu_go(); \
		ret;          \
	})

/*
 * As BPF_PROG, but the program holds the CPU, because newer kernels preempt
 * programs of tracepoints, too. Not for programs that run under one of the
 * kernel's locks.
 */
#ifdef __bpf__
/* clang-format off */
#define GN_HELD_PROG(name, args...)					\
	name(unsigned long long *ctx);					\
	static __always_inline int					\
	name##_held(unsigned long long *ctx, ##args);			\
	int name(unsigned long long *ctx)				\
	{								\
		_Pragma("GCC diagnostic push")				\
		_Pragma("GCC diagnostic ignored \"-Wint-conversion\"")	\
		return GN_HELD(name##_held(___bpf_ctx_cast(args)));	\
		_Pragma("GCC diagnostic pop")				\
	}								\
	static __always_inline int					\
	name##_held(unsigned long long *ctx, ##args)
/* clang-format on */
#else
#define GN_HELD_PROG BPF_PROG
#endif

/*
 * The task as a pointer that the verifier does not trust, only to load other
 * pointers from. For each pointer loaded from a trusted one, on each path,
 * newer kernels compare type names with a list of rules. That took half of
 * gnomon's start-up time.
 */
static __always_inline struct task_struct *untrusted(struct task_struct *p)
{
	if (can_cast)
		return GN_CAST_TO(task_struct, p);
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

/* Where a struct pid has its id for a level of namespaces. The level must not
 * be deeper than the PID's own. */
static __always_inline struct upid *upid_at(struct pid *id, __u32 level)
{
	return (struct upid *)((char *)id +
			       bpf_core_field_offset(struct pid, numbers) +
			       level * bpf_core_type_size(struct upid));
}

/* The id of a thread in gnomon's own PID namespace: in a container that is not
 * the machine's id. 0 = the thread is not in that namespace. */
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

/*
 * On 6.1 a look-up in task storage fails while another one is under way on the
 * same CPU, in any map: an interrupt that wakes a thread can come in between.
 * There the states are in a hash map, which has no such restriction. Set by
 * user space.
 */
const volatile bool lookups_fail = false;

static __always_inline struct gn_task *state_of(struct task_struct *p)
{
	__u64 address = (__u64)p;

	if (lookups_fail)
		return bpf_map_lookup_elem(&addressed, &address);
	return bpf_task_storage_get(&tasks, p, 0, 0);
}

/* The task as a traced thread, or NULL. */
static __always_inline struct gn_task *task_of(struct task_struct *p)
{
	struct gn_task *t = state_of(p);

	return t && t->live == GN_LIVE ? t : 0;
}

/* The same for programs that run for every thread of the machine. Most threads
 * have no storage at all, and that test is cheaper than the helper. */
static __always_inline struct gn_task *task_with_storage(struct task_struct *p)
{
	if (!lookups_fail && !untrusted(p)->bpf_storage)
		return 0;
	return task_of(p);
}

static const struct gn_task blank;

static __always_inline struct gn_task *task_new(struct task_struct *p)
{
	__u64 address = (__u64)p;
	struct gn_task *t;

	if (lookups_fail) {
		/* there can be one already */
		bpf_map_update_elem(&addressed, &address, &blank, BPF_NOEXIST);
		t = state_of(p);
	} else {
		t = bpf_task_storage_get(&tasks, p, 0,
					 BPF_LOCAL_STORAGE_GET_F_CREATE);
	}
	if (!t)
		count(GN_COUNTER_NO_STORAGE);
	return t;
}

static __always_inline bool is_off(const struct gn_os *os)
{
	return os->state == GN_CPU_QUEUED || os->state == GN_CPU_WAITING ||
	       os->state == GN_CPU_WOKEN;
}

/* Whether `now` is within the session. */
static __always_inline bool in_session(__u64 now)
{
	return control.start && now < control.stop;
}

/* Whether `now` is after the session. */
static __always_inline bool stopped(__u64 now)
{
	return control.start && now >= control.stop;
}

#endif
