/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_FNV_H
#define GNOMON_FNV_H

#include <stddef.h>
#include <stdint.h>

/* Hashes a text by FNV-1a (64 bits) on top of `hash`, which is that of what
 * comes before, or GN_FNV. */
#define GN_FNV 0xcbf29ce484222325u
static inline uint64_t gn_fnv(uint64_t hash, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	return hash;
}

#endif
