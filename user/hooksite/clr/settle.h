/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits until threads are done with what they were doing. */
#ifndef GNOMON_CLR_SETTLE_H
#define GNOMON_CLR_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Waits until each other thread of the process has had this much CPU time, has
 * ended, or waits for something itself. On busy CPUs, or if the process has
 * used up its CPU quota, a thread can be kept off its CPU for long. At least
 * GN_SETTLE_LEAST_NS, since a thread can also wait for another one's lock for a
 * moment; at most GN_SETTLE_MOST_NS. False: that was too short.
 */
#define GN_SETTLE_LEAST_NS 100000000u
#define GN_SETTLE_MOST_NS  10000000000u
bool gn_settle(uint64_t cpu_ns);

#endif
