/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/shown.h"

#include <stddef.h>
#include <stdio.h>

struct gn_shown gn_shown(const char *name)
{
	struct gn_shown s = {""};

	for (size_t at = 0; *name && at < sizeof(s.text) - 5; name++) {
		unsigned char c = (unsigned char)*name;

		at += (size_t)snprintf(s.text + at, sizeof(s.text) - at,
				       c < 0x20 || c == 0x7f ? "\\x%02x" : "%c",
				       c);
	}
	return s;
}
