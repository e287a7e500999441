/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of unusual shapes: alloca, variable-length arrays, aligned, large. */
#include <alloca.h>
#include <string.h>

#include "../fragment.h"

COUNTED(frames_use)
KEEP long frames_use(char *p, unsigned long n)
{
	COUNT(frames_use);
	memset(p, (int)n, n);
	return p[n / 2];
}

COUNTED(frames_alloca)
KEEP long frames_alloca(unsigned long n)
{
	COUNT(frames_alloca);
	return frames_use((char *)alloca(n), n);
}

COUNTED(frames_loop)
KEEP long frames_loop(unsigned long n)
{
	long sum = 0;
	unsigned long i;

	COUNT(frames_loop);
	for (i = 1; i < n; i++) {
		char *p = (char *)alloca(i);

		memset(p, 1, i);
		OPAQUE(p);
		sum += p[i - 1];
	}
	return sum;
}

COUNTED(frames_vla)
KEEP long frames_vla(unsigned long n)
{
	char room[n + 1];

	COUNT(frames_vla);
	return frames_use(room, n);
}

COUNTED(frames_aligned)
KEEP long frames_aligned(unsigned long n)
{
	char room[256] __attribute__((aligned(128)));

	COUNT(frames_aligned);
	return frames_use(room, 1 + n % 255) +
	       (long)((unsigned long)room & 127);
}

COUNTED(frames_large)
KEEP long frames_large(unsigned long n)
{
	char room[20000];

	COUNT(frames_large);
	return frames_use(room + 9000, n);
}

FRAGMENT(frames)
{
	unsigned long n = 16 + how % 900 / 16 * 16;
	char *p = (char *)alloca(64);

	OPAQUE(p);
	return (frames_alloca(n) & 0xff) + frames_loop(n % 50) + frames_vla(n) +
	       frames_aligned(n) + frames_large(n);
}
