/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions, told without a trap. */
#ifndef GNOMON_HOOKSITE_FAST_NAMES_H
#define GNOMON_HOOKSITE_FAST_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct gn_fast_text {
	const char *at;
	uint16_t len;
};

/* False: gnomon does not read, or there is no room now; it is to be told by the
 * library's site. Not to be called while the memory can go (gn_fast_leave()).
 */
bool gn_fast_tell_name(uint32_t index, uint64_t token, struct gn_fast_text name,
		       struct gn_fast_text module);

#endif
