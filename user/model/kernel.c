// SPDX-License-Identifier: BSD-2-Clause
/* Compares the kernel's own account of a thread with ours. */
#include "model/threads.h"

/* The accounts differ if the unexplained rest exceeds both this part of our
 * time and this fixed amount. */
#define PART	 100 /* 1 % */
#define SLACK_NS 1000000u

/* For sums and products of times, which must not overflow with numbers from a
 * file. */
typedef __int128 wide;

static uint64_t add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static int64_t clamp(wide n)
{
	if (n > INT64_MAX)
		return INT64_MAX;
	return n < -INT64_MAX ? -INT64_MAX : (int64_t)n;
}

static void add_to(int64_t *sum, wide n)
{
	*sum = clamp(*sum + n);
}

/* How much more our clock advanced than the scheduler's within `ns`. */
static wide drifted(const struct gn_rec_kernel *r, uint64_t ns)
{
	if (!r->span)
		return 0;
	return clamp((wide)(int64_t)r->drift * ns / r->span);
}

void gn_kernel_take(struct gn_thread *t, const struct gn_rec_kernel *r)
{
	struct gn_kernel_account *k = &t->kernel;
	wide cpu = (wide)(int64_t)r->cpu_apart - drifted(r, r->cpu);
	wide delay = (wide)(int64_t)r->delay_apart - drifted(r, r->delay);

	k->known = true;
	k->cpu = add_sat(k->cpu, r->kernel_cpu);
	k->our_cpu = add_sat(k->our_cpu, r->cpu);
	k->irq = add_sat(k->irq, r->irq);
	k->stolen = add_sat(k->stolen, r->stolen);
	k->switches = add_sat(k->switches, r->switches);
	add_to(&k->cpu_switch, cpu - r->irq - r->stolen);
	add_to(&k->cpu_rest, (wide)r->cpu - r->kernel_cpu - cpu);
	/* if one record lacks the delay, the sum is unknown */
	k->delay = add_sat(k->delay, r->kernel_delay);
	k->our_delay = add_sat(k->our_delay, r->delay);
	if (k->delay == UINT64_MAX) {
		k->delay_switch = k->delay_rest = 0;
		return;
	}
	add_to(&k->delay_switch, delay);
	add_to(&k->delay_rest, (wide)r->delay - r->kernel_delay - delay);
}

void gn_kernel_take_old(struct gn_thread *t, const struct gn_rec_sched *r)
{
	int64_t kernel = clamp((wide)r->kernel_cpu - (int64_t)r->lag);

	gn_kernel_take(t,
		       &(struct gn_rec_kernel){
			       .kernel_cpu = kernel > 0 ? (uint64_t)kernel : 0,
			       .cpu_apart = r->lag,
			       .kernel_delay = r->kernel_delay,
			       .cpu = r->cpu,
			       .delay = r->delay,
		       });
}

static bool too_much(int64_t rest, uint64_t own)
{
	uint64_t by = rest < 0 ? -(uint64_t)rest : (uint64_t)rest;

	return by > own / PART && by > SLACK_NS;
}

bool gn_kernel_differs(const struct gn_kernel_account *k)
{
	return too_much(k->cpu_rest, k->our_cpu) ||
	       too_much(k->delay_rest, k->our_delay);
}
