/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that are muted: a byte each, by index; anything but 0 and its hooks
 * return at once. The library only reads it: gnomon writes it from outside,
 * into the memory of the running process, and finds it by the exported symbol
 * gnomon_mute. All zeros at the start, and pages that nobody wrote cost
 * nothing.
 */
#ifndef GNOMON_CLR_MUTE_H
#define GNOMON_CLR_MUTE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ids.h"

/* The same memory as gnomon_mute, which no other library's symbol of that name
 * can take the place of. */
extern _Atomic(uint8_t) gn_mute[GN_IDS_MAX + 1]
	__attribute__((visibility("hidden")));

static inline bool gn_muted(uint32_t index)
{
	return atomic_load_explicit(&gn_mute[index], memory_order_relaxed);
}

#endif
