// SPDX-License-Identifier: BSD-2-Clause
#include "model/mem.h"

#include <sys/mman.h>

#define LARGE_PAGE ((uintptr_t)2 << 20)

void gn_use_large_pages(void *block, size_t bytes)
{
	uintptr_t from = ((uintptr_t)block + LARGE_PAGE - 1) & -LARGE_PAGE;
	uintptr_t to = ((uintptr_t)block + bytes) & -LARGE_PAGE;

	if (bytes >= 4 * LARGE_PAGE)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}
