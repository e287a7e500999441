/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow. */
#ifndef GNOMON_MODEL_MEM_H
#define GNOMON_MODEL_MEM_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Advises the kernel to back a large block with large pages. Page faults in a
 * block that has grown would stall gnomon, and with it a program that has
 * filled its ring. */
void gn_use_large_pages(void *block, size_t bytes);

/*
 * Makes room for `need` elements of `elem` bytes in the array whose pointer is
 * at `parray` and whose capacity is `*cap`. -ENOMEM leaves both unchanged.
 * Indexes stay below 2^31: they are int32_t in the finished model.
 */
static inline int gn_grow(void *parray, uint32_t *cap, size_t need, size_t elem)
{
	size_t n = *cap ? *cap : 16;
	size_t bytes;
	void *array;

	if (need <= *cap)
		return 0;
	if (need > INT32_MAX)
		return -ENOMEM;
	while (n < need)
		n *= 2;
	if (__builtin_mul_overflow(n, elem, &bytes))
		return -ENOMEM;
	memcpy(&array, parray, sizeof(array));
	array = realloc(array, bytes);
	if (!array)
		return -ENOMEM;
	memcpy(parray, &array, sizeof(array));
	*cap = (uint32_t)n;
	return 0;
}

/* Grows the array so that `index` is valid. New elements are zeros. 0 or
 * -ENOMEM. */
static inline int gn_grow_to(void *parray, uint32_t *n, uint32_t *cap,
			     size_t index, size_t elem)
{
	int err = gn_grow(parray, cap, index + 1, elem);
	char *array;

	if (err || index < *n)
		return err;
	memcpy(&array, parray, sizeof(array));
	memset(array + *n * elem, 0, (index + 1 - *n) * elem);
	*n = (uint32_t)index + 1;
	return 0;
}

/* Frees the unused capacity of an array if it is large. */
static inline void gn_shrink(void *parray, uint32_t *cap, size_t n, size_t elem)
{
	size_t room = n < 16 ? 32 : 2 * n;
	void *array;

	if (room >= *cap / 2)
		return;
	memcpy(&array, parray, sizeof(array));
	array = realloc(array, room * elem);
	if (!array)
		return;
	memcpy(parray, &array, sizeof(array));
	*cap = (uint32_t)room;
}

#endif
