/* SPDX-License-Identifier: BSD-2-Clause */
/* The mappings of the one process of host.h, as a kernel keeps them: a tree.
 * Only one process at a time. */
#ifndef GNOMON_TESTS_BPF_MAPPINGS_H
#define GNOMON_TESTS_BPF_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

struct mm_struct;
struct vm_area_struct;

#define MAPPINGS_MAX 4096

struct mapping {
	uint64_t lo, hi;
};

/*
 * Replaces all mappings by these, which are in order; nodes have at most `fan`
 * slots. Where the last range of a node needs no end, its end is 0 if `open`:
 * kernels differ in that.
 */
void mappings_set(const struct mapping *m, size_t n, unsigned int fan,
		  int open);

/* The mapping with an address, NULL: none. */
struct vm_area_struct *mappings_find(uint64_t at);

/* From now on the tree says that all mappings are of another process. */
void mappings_foreign(void);

struct mm_struct *mappings_mm(void);

#endif
