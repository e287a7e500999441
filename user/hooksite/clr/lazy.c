// SPDX-License-Identifier: BSD-2-Clause
#include "lazy.h"

#include <sys/mman.h>

void *gn_lazy_replace(gn_lazy *at, void *old, size_t size)
{
	void *made = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (made == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(at, &old, made))
		return made;
	munmap(made, size);
	return old;
}

void *gn_lazy_get(gn_lazy *at, size_t size)
{
	void *is = atomic_load(at);

	return is ? is : gn_lazy_replace(at, NULL, size);
}
