/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes records into the ring. Each has a number, and those that do not fit
 * are counted as lost. */
#ifndef GNOMON_EMIT_BPF_H
#define GNOMON_EMIT_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/fast.h>
#include <gnomon/time_class.h>

#include "maps.bpf.h"

/* gnomon polls the ring: to wake it at each record would cost the traced
 * program 6 us. */
#define GN_RING_FLAGS BPF_RB_NO_WAKEUP

/* Callers test the result for NULL. There is no test here, because the verifier
 * of 6.1 takes a second test for a reference that is never released. */
static __always_inline void *reserve(__u64 size)
{
	return bpf_ringbuf_reserve(&ring, size, 0);
}

static __always_inline void lost(void)
{
	count(GN_COUNTER_RING_FULL);
}

static __always_inline void submit(void *p)
{
	bpf_ringbuf_submit(p, GN_RING_FLAGS);
}

/*
 * Reserving room in the ring is the most expensive step at a switch. So a
 * thread's slices are kept and sent together, at a point where no other thread
 * waits for this one. They must be sent before each record that ends an
 * interval, because the slices belong to that interval, and before a record
 * that ends the thread or changes its id.
 *
 * The room is reserved before the slices are taken, so that an interrupt
 * between the two steps sends its slices after these.
 */
__noinline int send_kept(struct gn_task *t)
{
	struct gn_rec_slice *r;
	__u32 n;

	if (!t)
		return 0;
	r = reserve(sizeof(t->kept));
	n = __sync_lock_test_and_set(&t->nkept, 0);
	if (!r) {
		count_more(GN_COUNTER_RING_FULL, n);
		return 0;
	}
	__builtin_memcpy(r, t->kept, sizeof(t->kept));
	barrier_var(n);
	if (n < GN_SLICES)
		r[n].h.kind = 0;
	submit(r);
	return 0;
}

static __always_inline void send_any(struct gn_task *t)
{
	if (t->nkept)
		send_kept(t);
}

/* From now on the thread's slices are sent at once, so that they stay in order
 * with its other records. */
static __always_inline void be_prompt(struct gn_task *t)
{
	t->prompt = 1;
	barrier();
	send_any(t);
}

/* The same for a thread that may be prompt already. */
static __always_inline void ensure_prompt(struct gn_task *t)
{
	if (!t->prompt)
		be_prompt(t);
}

static __always_inline void fill(struct gn_rec *h, __u64 time,
				 struct gn_task *t, __u32 seq,
				 enum gn_kind kind, __u64 flags, __u64 key)
{
	h->time = time;
	h->tid = t->tid;
	h->seq = seq;
	/* one store for the three bit fields */
	((__u64 *)h)[2] = (__u64)kind | flags << 8 | key << 16;
}

/* A point in time of a thread, and the OS time of the thread up to it. */
struct gn_moment {
	__u64 time;
	__u64 os;
	__u32 events;
	__u32 flags; /* GN_F_IN_DOUBT, GN_F_PROCESS_ENDS, GN_F_SECURE */
};

/*
 * Reads the time and the sums together. A switch between the reads would pair
 * the sums after it with the time before it, so read again until no switch came
 * between.
 */
static __always_inline struct gn_moment moment(struct gn_task *t)
{
	volatile struct gn_os *os = &t->os;
	struct gn_moment m = {};
	int i;

	for (i = 0; i < 4; i++) {
		m.events = os->events;
		m.os = os->total;
		m.time = bpf_ktime_get_ns();
		if (os->events == m.events)
			return m;
	}
	count(GN_COUNTER_TORN);
	m.flags = GN_F_IN_DOUBT;
	return m;
}

/*
 * Returns the OS time of the interval that ends. A value that does not fit into
 * the record goes out in an OS_NS before it. OS time whose record is lost stays
 * in the sums and goes out with the next one.
 */
static __always_inline __u32 interval_os(struct gn_task *t,
					 const struct gn_moment *m)
{
	__u64 os = m->os - t->os_sent;
	struct gn_rec_os_ns *wide;

	if (os <= 0xffffffff)
		return os;
	wide = reserve(sizeof(*wide));
	t->seq++;
	if (!wide) {
		lost();
		return 0xffffffff; /* the lost record makes this a gap */
	}
	fill(&wide->h, m->time, t, t->seq, GN_KIND_OS_NS, 0, 0);
	wide->ns = os;
	submit(wide);
	return 0;
}

static __always_inline __u64 interval_flags(struct gn_task *t,
					    const struct gn_moment *m)
{
	return (m->events != t->events_sent ? GN_F_OS_EVENT : 0) | m->flags;
}

static __always_inline void interval_sent(struct gn_task *t,
					  const struct gn_moment *m)
{
	t->os_sent = m->os;
	t->events_sent = m->events;
}

static __always_inline void emit_func(struct gn_task *t,
				      const struct gn_moment *m,
				      enum gn_kind kind, __u32 func, __u64 key)
{
	__u32 os = interval_os(t, m);
	struct gn_rec_func *r = reserve(sizeof(*r));

	t->seq++;
	if (!r) {
		lost();
		return;
	}
	fill(&r->h, m->time, t, t->seq, kind, interval_flags(t, m) | t->hit,
	     key);
	t->hit = 0;
	r->func = func;
	r->os_ns = os;
	submit(r);
	interval_sent(t, m);
}

static __always_inline void
emit_thread(struct gn_task *t, const struct gn_moment *m, enum gn_kind kind,
	    struct task_struct *p, __u32 parent, const char *comm)
{
	__u32 os = kind == GN_KIND_EXEC ? interval_os(t, m) : 0;
	struct gn_rec_thread *r;

	send_any(t);
	r = reserve(sizeof(*r));

	/* exec gives a thread its process's id, and a new name before this
	 * record. All records from before exec have the old id. */
	if (kind != GN_KIND_RENAME)
		t->tid = tid_of(p);
	t->seq++;
	if (!r) {
		lost();
		return;
	}
	fill(&r->f.h, m->time, t, t->seq, kind,
	     kind == GN_KIND_EXEC ? interval_flags(t, m) : 0, 0);
	r->f.func = 0;
	r->f.os_ns = os;
	r->pid = tgid_of(p);
	r->parent = parent;
	/* p->comm has more kernel memory behind its NUL */
	__builtin_memset(r->comm, 0, sizeof(r->comm));
	bpf_probe_read_kernel_str(r->comm, sizeof(r->comm), comm ?: p->comm);
	/* a new process or program may need probes: wake gnomon */
	if (control.attend && kind != GN_KIND_RENAME && t->tid == r->pid)
		bpf_ringbuf_submit(r, BPF_RB_FORCE_WAKEUP);
	else
		submit(r);
	if (kind == GN_KIND_EXEC)
		interval_sent(t, m);
}

/* The same for the current thread. With in_probe set, an interrupt that wakes
 * another thread does not number a record of this one in between. */
static __always_inline void
tell_thread(struct gn_task *t, const struct gn_moment *m, enum gn_kind kind,
	    struct task_struct *p, __u32 parent, const char *comm)
{
	t->in_probe = 1;
	barrier();
	emit_thread(t, m, kind, p, parent, comm);
	barrier();
	t->in_probe = 0;
}

/* Wakes user space so that it reads the ring now. */
static __always_inline void wake_user(void)
{
	__u64 *p = reserve(sizeof(*p));

	if (p)
		bpf_ringbuf_discard(p, BPF_RB_FORCE_WAKEUP);
}

/* The pid comes from the kernel, because a process could report another one. */
static __always_inline void send_ring(struct gn_rec_ring *r, struct gn_task *t,
				      const struct gn_moment *m, __u32 func,
				      __u64 key, __u64 sp, __u32 os)
{
	fill(&r->f.h, m->time, t, t->seq, GN_KIND_RING, interval_flags(t, m),
	     key);
	r->f.func = func;
	r->f.os_ns = os;
	r->pid = tgid_of(bpf_get_current_task_btf());
	r->pad = 0;
	r->sp = sp;
	r->unused = 0;
	submit(r);
	interval_sent(t, m);
}

static __always_inline void emit_ring(struct gn_task *t,
				      const struct gn_moment *m, __u32 func,
				      __u64 key, __u64 sp)
{
	__u32 os = interval_os(t, m);
	struct gn_rec_ring *r = reserve(sizeof(*r));

	t->seq++;
	if (!r) {
		lost();
		if (GN_FUNC_INDEX(func) == GN_FAST_CLAIM) {
			t->claimed = key;
			t->claimed_sp = sp;
			t->claimed_func = func;
		}
		return;
	}
	send_ring(r, t, m, func, key, sp, os);
}

/*
 * Nobody reads the ring of a claim that was lost. So the claim is emitted
 * again, at a later time than all records in the ring, which are lost. The
 * claim was counted as lost before. It left a gap, so OS time that does not fit
 * into 32 bits needs no record.
 */
__noinline int claim_again(struct gn_task *t, const struct gn_moment *m)
{
	struct gn_rec_ring *r;
	__u64 os;

	if (!t || !m)
		return 0;
	r = reserve(sizeof(*r));
	if (!r)
		return 0;
	os = m->os - t->os_sent;
	t->seq++;
	send_ring(r, t, m, t->claimed_func, t->claimed, t->claimed_sp,
		  os > 0xffffffff ? 0xffffffff : os);
	t->claimed = 0;
	return 0;
}

static __always_inline void emit_stack(struct gn_task *t, __u64 time,
				       __u64 flags)
{
	struct gn_rec_stack *r = reserve(sizeof(*r));

	t->seq++;
	if (!r) {
		lost();
		/* Make the next hook emit it again: no stack pointer is below
		 * 1, and stack_hi must not be 0, which means no stack so
		 * far. */
		t->stack_lo = 1;
		t->stack_hi = 1;
		return;
	}
	fill(&r->h, time, t, t->seq, GN_KIND_STACK, flags, 0);
	r->lo = t->stack_lo;
	r->hi = t->stack_hi;
	submit(r);
}

static __always_inline void emit_wake(struct gn_task *waker, __u64 time,
				      __u32 woken)
{
	struct gn_rec *r;

	if (!in_session(time))
		return;
	r = reserve(sizeof(*r));
	waker->seq++;
	if (!r) {
		lost();
		return;
	}
	fill(r, time, waker, waker->seq, GN_KIND_WAKE, 0, woken);
	submit(r);
}

static __always_inline void emit_code(struct gn_task *t, __u64 time,
				      enum gn_kind kind, __u32 func, __u64 key,
				      __u32 size)
{
	struct gn_rec_func *r = reserve(sizeof(*r));

	t->seq++;
	if (!r) {
		lost();
		return;
	}
	fill(&r->h, time, t, t->seq, kind, 0, key);
	r->func = func;
	r->os_ns = size;
	submit(r);
}

static __always_inline void emit_event(struct gn_task *t, __u64 time,
				       const struct gn_rec_event *event)
{
	struct gn_rec_event *r = reserve(sizeof(*r));

	t->seq++;
	if (!r) {
		lost();
		return;
	}
	fill(&r->h, time, t, t->seq, GN_KIND_EVENT, 0, 0);
	r->func = event->func;
	r->event = event->event;
	r->pad = 0;
	r->value[0] = event->value[0];
	r->value[1] = event->value[1];
	submit(r);
}

/* Writes one or two slices as one record. The second is the run queue. */
static __always_inline void fill_slices(struct gn_rec_slice *r,
					struct gn_task *t,
					const struct gn_slice s[2], int n)
{
	__u64 queued = n > 1 ? s[1].end - s[1].start : 0;
	__u64 flags = t->in_probe ? GN_F_IN_PROBE : 0;

	if (n > 1)
		flags |= GN_F_THEN_QUEUED;
	if (s[0].class == GN_CLASS_SYSCALL)
		flags |= s[0].detail;
	fill(&r->h, n > 1 ? s[1].end : s[0].end, t, t->slice_seq, GN_KIND_SLICE,
	     flags, queued);
	r->start = s[0].start;
	r->waker = s[0].waker;
	r->reason = s[0].reason;
	r->class = s[0].class;
	r->detail = s[0].class == GN_CLASS_SYSCALL ? 0 : s[0].detail;
}

struct gn_slices {
	struct gn_slice s[2];
};

static __always_inline bool keep_slices(struct gn_task *t,
					const struct gn_slice s[2], int n)
{
	__u32 at = t->nkept;

	barrier_var(at);
	if (!control.gather || t->prompt || at >= GN_SLICES)
		return false;
	fill_slices(&t->kept[at], t, s, n);
	t->nkept = at + 1;
	if (at + 1 == GN_SLICES)
		send_kept(t);
	return true;
}

/*
 * The verifier checks a function that is not static once, not once per caller.
 * So larger functions that several programs call are not static: their check
 * takes a tenth of the time. Such a function accepts a pointer to memory only
 * if the type gives the size, and must test it for NULL.
 */
__noinline int emit_slices(struct gn_task *t, const struct gn_slices *slices,
			   int n)
{
	struct gn_rec_slice *r;

	if (!t || !slices || n <= 0)
		return 0;
	t->slice_seq += n;
	if (n > 1 && (slices->s[1].end - slices->s[1].start) >> GN_KEY_BITS) {
		lost();
		return 0;
	}
	if (keep_slices(t, slices->s, n))
		return 0;
	send_any(t);
	r = reserve(sizeof(*r));
	if (!r) {
		lost();
		return 0;
	}
	fill_slices(r, t, slices->s, n);
	submit(r);
	return 0;
}

#endif
