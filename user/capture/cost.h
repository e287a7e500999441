/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What probes cost here and now: gnomon traces itself for some milliseconds
 * with the programs and link types that the capture uses.
 */
#ifndef GNOMON_CAPTURE_COST_H
#define GNOMON_CAPTURE_COST_H

#include <gnomon/event.h>

struct gn_session;

/*
 * After the programs are loaded and the kernel is watched, before anything
 * else is traced. Writes a COST record for each class in use to the sink. Not
 * being able to measure is no error: then no such record says so.
 */
int gn_cost_measure(struct gn_session *s);

/* From the two clock readings around each hit and the time between that its
 * record tells: medians and spread. Sorts its arguments. */
void gn_cost_of_samples(__u64 *before, __u64 *after, unsigned int n,
			struct gn_rec_cost *out);

#endif
