// SPDX-License-Identifier: BSD-2-Clause
/* The kernel's own account of a thread, against ours. */
#include "model/threads.h"

/* They differ when it is by more than both: a part of ours, and an amount. */
#define PART	 100 /* 1 % */
#define SLACK_NS 1000000u

static uint64_t add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void gn_sched_take(struct gn_thread *t, const struct gn_rec_sched *r)
{
	struct gn_sched_sums *s = &t->sched;

	s->known = true;
	s->kernel_cpu = add_sat(s->kernel_cpu, r->kernel_cpu);
	/* what is not told at one time is not known at all */
	s->kernel_delay = add_sat(s->kernel_delay, r->kernel_delay);
	s->cpu = add_sat(s->cpu, r->cpu);
	s->delay = add_sat(s->delay, r->delay);
}

/*
 * The sum of both, for the kernel itself knows their split less well: when a
 * thread that is woken preempts another, it takes the switch to have been when
 * it last read its clock, some time before; what the one then has too little
 * on the CPU it has too much on the run queue, or the other way round.
 */
bool gn_sched_differs(const struct gn_thread *t)
{
	const struct gn_sched_sums *s = &t->sched;
	uint64_t kernel = s->kernel_cpu, own = s->cpu, by;

	if (!s->known)
		return false;
	if (s->kernel_delay != UINT64_MAX) {
		kernel = add_sat(kernel, s->kernel_delay);
		own = add_sat(own, s->delay);
	}
	by = kernel > own ? kernel - own : own - kernel;
	return by > own / PART && by > SLACK_NS;
}
