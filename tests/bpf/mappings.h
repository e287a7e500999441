/* SPDX-License-Identifier: BSD-2-Clause */
/* The mappings of the one process of host.h, in a tree as the kernel keeps
 * them. There can be only one process at a time. */
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
 * Replaces all mappings by these, which are sorted. Nodes have at most `fan`
 * slots. If `open`, the end of each node's last range, which the node above
 * implies, is 0. Kernels differ in that.
 */
void mappings_set(const struct mapping *m, size_t n, unsigned int fan,
		  int open);

/* The mapping that contains an address. NULL: none. */
struct vm_area_struct *mappings_find(uint64_t at);

/* From now on all mappings in the tree belong to another process. */
void mappings_foreign(void);

struct mm_struct *mappings_mm(void);

#endif
