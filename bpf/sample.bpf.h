/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples the stacks of the traced threads by a timer. */
#ifndef GNOMON_SAMPLE_BPF_H
#define GNOMON_SAMPLE_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>

#include "emit.bpf.h"
#include "interpreter.bpf.h"
#include "maps.bpf.h"

struct gn_sample {
	struct gn_rec_sample r;
	/* indexes of an interpreter's functions, then addresses */
	__u64 at[GN_INTERPRETED_FRAMES / 2 + GN_SAMPLE_FRAMES];
	__u64 last; /* time of this CPU's last sample */
	struct gn_walk walk;
};

/* One per CPU: the interrupt of a sample is not interrupted by that of
 * another. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct gn_sample);
} sample SEC(".maps");

/*
 * Samples are missing if the kernel throttles them, if one of its programs
 * runs, or if a host has taken the CPU. The next sample counts the missing
 * ones: how often the timer was due since the CPU's last sample, or since the
 * thread came onto it.
 */
static __always_inline void note_late(const struct gn_task *t,
				      const struct gn_sample *s, __u64 now)
{
	__u64 every = control.sample_ns, since = s->last;

	if (t->os.since > since || since < control.start)
		since = t->os.since > control.start ? t->os.since
						    : control.start;
	if (every && t->os.state == GN_CPU_ON && now > since + every)
		count_more(GN_COUNTER_SAMPLES_LATE,
			   (now - since + every / 2) / every - 1);
}

/*
 * A sample has no sequence number, because it interrupts the programs that
 * count those. The timer goes on while a thread is in the kernel; the user
 * stack is then the one at its system call.
 */
SEC("perf_event")
int on_sample(void *ctx)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_with_storage(self);
	__u64 now = bpf_ktime_get_ns();
	__u32 zero = 0, flags = 0, n;
	struct gn_sample *s;
	long size;

	s = bpf_map_lookup_elem(&sample, &zero);
	if (!s)
		return 0;
	if (!t || !in_session(now)) {
		s->last = now;
		return 0;
	}
	note_late(t, s, now);
	s->last = now;
	if (control.interpreters && interpreter_stack(&s->walk, t, self, now))
		flags = GN_F_INTERPRETED |
			(s->walk.cut || (s->walk.no && s->walk.n)
				 ? GN_F_INTERPRETED_CUT
				 : 0);
	n = flags ? s->walk.n : 0;
	barrier_var(n);
	if (n > GN_INTERPRETED_FRAMES)
		return 0;
	if (n && bpf_probe_read_kernel(s->at, n * sizeof(__u32), s->walk.index))
		return 0;
	size = bpf_get_stack(ctx, s->at + (n + 1) / 2,
			     GN_SAMPLE_FRAMES * sizeof(s->at[0]),
			     BPF_F_USER_STACK);
	if (size <= 0) {
		count(GN_COUNTER_SAMPLES_EMPTY);
		return 0;
	}
	fill(&s->r.h, now, t, 0, GN_KIND_SAMPLE, flags, 0);
	s->r.pid = tgid_of(self);
	s->r.frames = size / sizeof(s->at[0]);
	s->r.pad = n;
	size += (n + 1) / 2 * sizeof(s->at[0]);
	/* the verifier tracks registers: test the one that is used */
	barrier_var(size);
	if (size < 0 || size > (long)sizeof(s->at))
		return 0;
	s->r.size = sizeof(s->r) + size;
	if (bpf_ringbuf_output(&ring, s, sizeof(s->r) + size, GN_RING_FLAGS))
		count(GN_COUNTER_SAMPLES_FULL);
	return 0;
}

#endif
