/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the scheduler's clock is the same on all CPUs. The kernel side
 * measures our clock minus the scheduler's (ns) when gnomon's thread goes to
 * sleep. Either clock can be ahead, because they started at different moments
 * of the boot.
 */
#ifndef GNOMON_CAPTURE_CLOCKS_H
#define GNOMON_CAPTURE_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gn_control;

/* The name of the kernel's clock source. False: unknown. */
bool gn_clock_source(char *name, size_t size);

/*
 * Whether the scheduler's clock runs evenly with that source. If the kernel
 * does not trust the processor's counters, it corrects the clock at each tick,
 * on each CPU (kernel/sched/clock.c), by more than the length of many waits.
 */
bool gn_clock_source_steady(const char *name);

/* Calls `look` on each CPU that gnomon may use. False: they are not known. */
bool gn_clocks_each_cpu(void (*look)(void *ctx, int cpu), void *ctx);

/* The difference on a CPU. Anything between the two readings makes it larger,
 * so the smallest value is the most exact. */
struct gn_clock_gap {
	int64_t ns;
	bool known;
};

/* Adds a measured difference to `gap`. */
void gn_clock_gap_add(struct gn_clock_gap *gap, int64_t ns);

/* False if CPUs differ, or no difference is known. Else `out` is the smallest
 * of all. */
bool gn_clock_gaps_same(const struct gn_clock_gap *gaps, size_t n,
			int64_t *out);

/* Sleeps on each CPU that gnomon may use. Returns whether all have one steady
 * clock; then sets the difference in `control`. */
bool gn_clocks_compare(struct gn_control *control);

#endif
