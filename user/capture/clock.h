/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock of the records, as user space reads it. */
#ifndef GNOMON_CAPTURE_CLOCK_H
#define GNOMON_CAPTURE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t gn_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
