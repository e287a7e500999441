/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the names of functions without a trap. */
#ifndef GNOMON_HOOKSITE_FAST_NAMES_H
#define GNOMON_HOOKSITE_FAST_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct gn_fast_text {
	const char *at;
	uint16_t len;
};

/* False: gnomon does not read, or there is no room now. The caller then reports
 * the name at the library's site. gn_fast_leave() must not run meanwhile. */
bool gn_fast_tell_name(uint32_t index, uint64_t token, struct gn_fast_text name,
		       struct gn_fast_text module);

#endif
