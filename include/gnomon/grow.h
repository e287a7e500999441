/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_GROW_H
#define GNOMON_GROW_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more element in the array whose pointer is at `array`: it
 * has room for `*room` elements of `size` bytes, of which `count` are used.
 * -ENOMEM leaves everything unchanged. */
static inline int gn_grow_by_one(void *array, size_t *room, size_t count,
				 size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *p;

	if (count < *room)
		return 0;
	memcpy(&p, array, sizeof(p));
	p = reallocarray(p, more, size);
	if (!p)
		return -ENOMEM;
	memcpy(array, &p, sizeof(p));
	*room = more;
	return 0;
}

#endif
