/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_HOOKSITE_ARRAY_H
#define GNOMON_HOOKSITE_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `n` elements of `size` bytes in the array whose pointer is at
 * `array`; it has room for `*room`. False leaves everything unchanged. */
static inline bool gn_array_reserve(void *array, uint32_t *room, uint32_t n,
				    size_t size)
{
	uint32_t more = *room ? *room : 64;
	void *p;

	if (n <= *room)
		return true;
	while (more < n)
		more *= 2;
	memcpy(&p, array, sizeof(p));
	/* an older musl has no reallocarray(); on 64 bits this is no overflow
	 */
	p = realloc(p, more * size);
	if (!p)
		return false;
	memcpy(array, &p, sizeof(p));
	*room = more;
	return true;
}

#endif
