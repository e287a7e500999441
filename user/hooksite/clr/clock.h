/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock by which the library measures how long something takes. */
#ifndef GNOMON_CLR_CLOCK_H
#define GNOMON_CLR_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t gn_clr_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
