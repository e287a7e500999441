// SPDX-License-Identifier: BSD-2-Clause
#include "events.h"

#include <stddef.h>

/* the names in the list's rows */
enum {
	START = GN_WANT_START,
	ATTACHED = GN_WANT_ATTACHED,
	HOOKED = GN_WANT_HOOKED,
	HOOKS = GN_WANT_HOOKS,
	IL = GN_WANT_IL,
	STARTED_IL = GN_WANT_STARTED_IL,
	BETWEEN = GN_WANT_BETWEEN,
	BESIDE = GN_WANT_BESIDE,
	UNLOADS = GN_WANT_UNLOADS,
#define FAMILY(name, ...) name = GN_FAMILY_##name,
	GN_FAMILY_LIST(FAMILY)
#undef FAMILY
};

uint64_t gn_events_mask(uint32_t wants, uint32_t families)
{
	static const struct {
		uint64_t event;
		uint32_t wants, families;
	} rows[] = {
#define ROW(name, value, whose, of) {value, whose, of},
		GN_EVENT_LIST(ROW)
#undef ROW
	};
	uint64_t mask = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].wants & wants || rows[i].families & families)
			mask |= rows[i].event;
	return mask;
}
