/* SPDX-License-Identifier: BSD-2-Clause */
/* Patches the sleds of this process. */
#ifndef GNOMON_HOOKSITE_NATIVE_PATCH_H
#define GNOMON_HOOKSITE_NATIVE_PATCH_H

#include <stddef.h>
#include <stdint.h>

#include <gnomon/sleds.h>
#include "hooksite/native/stubs.h"

/* Set in `form`: the entry is not used. */
#define GN_SLED_SKIPPED 0x80

/* What patching needs; the memory is the caller's. */
struct gn_patches {
	struct gn_sled_entry *entry; /* those that are skipped stay as is */
	size_t count;
	const uint64_t *base;	      /* load addresses, by file */
	const struct gn_stubs *stubs; /* GN_SLED_FORMS of each file */
};

/*
 * Writes code through /proc/self/mem, so that no page of code is ever writable.
 * Where a write fails, each event is reported once all the same: by its probe
 * where the sled is as before, by its hook where there is a jump. So hooks must
 * go on once there is a jump. -1: there is none.
 */
int gn_patch(const struct gn_patches *p);

#endif
