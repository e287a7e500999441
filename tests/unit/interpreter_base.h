/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a library is mapped in this process. Include after cmocka.h. */
#ifndef GNOMON_TESTS_INTERPRETER_BASE_H
#define GNOMON_TESTS_INTERPRETER_BASE_H

#include <stdint.h>
#include <stdio.h>

/* Where the first byte of the file would be that has this code. */
static inline uint64_t base_of(uint64_t code)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t start, end, offset, base = 0;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) ==
			    3 &&
		    code >= start && code < end)
			base = start - offset;
	fclose(f);
	assert_int_not_equal(base, 0);
	return base;
}

#endif
