/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace files: see feed.h. */
#include "feed.h"
#include "fuzz.h"

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	gn_feed(bytes, size);
}
