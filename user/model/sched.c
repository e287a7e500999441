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

static bool differ(uint64_t kernel, uint64_t own)
{
	uint64_t by = kernel > own ? kernel - own : own - kernel;

	return by > own / PART && by > SLACK_NS;
}

/* A sum of UINT64_MAX is not told. */
static bool sums_differ(const struct gn_sched_sums *s)
{
	return s->known && (differ(s->kernel_cpu, s->cpu) ||
			    (s->kernel_delay != UINT64_MAX &&
			     differ(s->kernel_delay, s->delay)));
}

bool gn_sched_differs(const struct gn_thread *t)
{
	return sums_differ(&t->sched);
}

bool gn_model_thread_differs(const struct gn_model_thread *t)
{
	struct gn_sched_sums s = {
		.known = t->sched_known,
		.kernel_cpu = t->kernel_cpu,
		.kernel_delay = t->kernel_delay,
		.cpu = t->cpu,
		.delay = t->delay,
	};

	return sums_differ(&s);
}
