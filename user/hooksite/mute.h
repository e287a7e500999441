/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Muted functions: one byte for each function index. If it is not 0, the
 * function's hooks return at once. The library only reads the bytes. gnomon
 * writes them from outside into the running process, and finds them by the
 * exported symbol gnomon_mute. All are zero at the start, and pages that nobody
 * has written cost nothing.
 */
#ifndef GNOMON_HOOKSITE_MUTE_H
#define GNOMON_HOOKSITE_MUTE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The largest index of a function that a library of a runtime gives. */
#define GN_INDEX_MAX (1u << 20)

/* An alias of gnomon_mute that no other library's symbol can interpose. */
extern _Atomic(uint8_t) gn_mute[GN_INDEX_MAX + 1]
	__attribute__((visibility("hidden")));

static inline bool gn_muted(uint32_t index)
{
	return atomic_load_explicit(&gn_mute[index], memory_order_relaxed);
}

#endif
