/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the scheduler's clock is the same on all CPUs. The kernel side tells
 * our clock minus the scheduler's (ns) when gnomon's thread goes to sleep.
 * Either clock can be ahead: they began at different moments of the boot.
 */
#ifndef GNOMON_CAPTURE_CLOCKS_H
#define GNOMON_CAPTURE_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gn_control;

/* The name of the clock that the kernel tells the time by. False: unknown. */
bool gn_clock_source(char *name, size_t size);

/*
 * Whether the scheduler's clock then runs evenly. Where the kernel does not
 * trust the processor's counters, it corrects that clock at each tick, on each
 * CPU (kernel/sched/clock.c): by more than many waits last.
 */
bool gn_clock_source_steady(const char *name);

/* The difference on a CPU. What comes between the two readings makes it larger,
 * so the least is the nearest. */
struct gn_clock_gap {
	int64_t ns;
	bool known;
};

/* Takes one more difference into `gap`. */
void gn_clock_gap_add(struct gn_clock_gap *gap, int64_t ns);

/* Returns false when CPUs differ, or nothing is known. `out`: the least of all,
 * set only where it returns true. */
bool gn_clock_gaps_same(const struct gn_clock_gap *gaps, size_t n,
			int64_t *out);

/* Sleeps on each CPU that gnomon may run on. Returns whether all have one
 * steady clock; `control` has the difference then. */
bool gn_clocks_compare(struct gn_control *control);

#endif
