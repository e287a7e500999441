/* SPDX-License-Identifier: BSD-2-Clause */
/* The sleds that are patched in this process. */
#ifndef GNOMON_HOOKSITE_NATIVE_PATCH_H
#define GNOMON_HOOKSITE_NATIVE_PATCH_H

#include <stddef.h>
#include <stdint.h>

#include <gnomon/sleds.h>
#include "hooksite/native/stubs.h"

/* An entry of the table that is not taken. */
#define GN_SLED_SKIPPED 0x80

/* What patching needs; it stays as long as the process. */
struct gn_patches {
	struct gn_sled_entry *entry; /* of them those that are not skipped */
	size_t count;
	const uint64_t *base;	      /* load addresses, by file */
	const struct gn_stubs *stubs; /* GN_SLED_FORMS of each file */
};

/* Code is written through /proc/self/mem, so that no page of it is ever
 * writable. -1: not all could be done; what was done is undone. */
int gn_patch(const struct gn_patches *p);

#endif
