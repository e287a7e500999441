/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry point for libFuzzer and replay.c. */
#include <time.h>

#include "fuzz.h"

/* No input may use more CPU time than this, even with sanitizers: the cost of a
 * hostile file is bounded. Wall time would include pauses. */
#define CPU_MAX 10.0 /* seconds */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	double begin = cpu_seconds();

	gn_fuzz(bytes, size);
	must(cpu_seconds() - begin < CPU_MAX, "the work is bounded");
	return 0;
}
