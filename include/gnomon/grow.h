/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_GROW_H
#define GNOMON_GROW_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `n` elements of `size` bytes in the array whose pointer is at
 * `array`; it has room for `*room`. -ENOMEM leaves everything unchanged. */
static inline int gn_grow(void *array, size_t *room, size_t n, size_t size)
{
	size_t more = *room ? *room : 16;
	void *p;

	if (n <= *room)
		return 0;
	while (more < n)
		more *= 2;
	memcpy(&p, array, sizeof(p));
	/* an older musl has no reallocarray(); what fits in memory twice is no
	 * overflow on 64 bits */
	p = realloc(p, more * size);
	if (!p)
		return -ENOMEM;
	memcpy(array, &p, sizeof(p));
	*room = more;
	return 0;
}

/* The same for one more element than the `count` that it has. */
static inline int gn_grow_by_one(void *array, size_t *room, size_t count,
				 size_t size)
{
	return gn_grow(array, room, count + 1, size);
}

#endif
