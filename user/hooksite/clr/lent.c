// SPDX-License-Identifier: BSD-2-Clause
#include "lent.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../preload/lent.h"
#include "cor.h"
#include "profiler.h"

static const struct gn_guid profiler_info11 = {
	0x06398876,
	0x8987,
	0x4154,
	{0xb6, 0x21, 0x40, 0xa0, 0x0d, 0x6e, 0x4d, 0x04}};

typedef gn_hr (*query_fn)(void *, const struct gn_guid *, void **);
typedef uint32_t (*release_fn)(void *);
typedef gn_hr (*set_variable_fn)(void *, const gn_wchar *, const gn_wchar *);

/* gnomon preloads the library that has it. */
#pragma weak gn_lent_take_back

/* Decodes a character of UTF-8 that takes more than one byte. */
static uint32_t decode(const unsigned char **at)
{
	unsigned int lead = *(*at)++;
	int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
	uint32_t c = lead & (0x3fu >> more);

	for (; more && (**at & 0xc0) == 0x80; more--)
		c = c << 6 | (*(*at)++ & 0x3f);
	return more || lead < 0xc0 || c > 0x10ffff ? 0xfffd : c;
}

/* NULL: no memory. */
static gn_wchar *widen(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	gn_wchar *wide = malloc((strlen(text) + 1) * sizeof(*wide));
	gn_wchar *to = wide;

	while (wide && *at) {
		uint32_t c = *at < 0x80 ? *at++ : decode(&at);

		if (c >= 0x10000) {
			*to++ = (gn_wchar)(0xd800 + ((c - 0x10000) >> 10));
			c = 0xdc00 + (c & 0x3ff);
		}
		*to++ = (gn_wchar)c;
	}
	if (wide)
		*to = 0;
	return wide;
}

/* Managed code sees the runtime's own copy of the environment. */
static void set(void *info, const char *name, const char *value)
{
	gn_wchar *wide = widen(name);
	gn_wchar *wide_value = value ? widen(value) : NULL;

	if (wide && (wide_value || !value))
		GN_COM(info, GN_INFO_SET_VARIABLE, set_variable_fn)
	(info, wide, wide_value);
	free(wide);
	free(wide_value);
}

void gn_clr_find_lender(struct gn_clr *clr, void *unknown)
{
	void *info = NULL;

	if (gn_lent_take_back && GN_COM(unknown, GN_UNKNOWN_QUERY, query_fn)(
					 unknown, &profiler_info11, &info) >= 0)
		atomic_store(&clr->lender, info);
}

bool gn_clr_lends(const struct gn_clr *clr)
{
	return atomic_load_explicit(&clr->lender, memory_order_relaxed);
}

void gn_clr_give_back(struct gn_clr *clr)
{
	void *info;

	if (!gn_clr_lends(clr))
		return;
	info = atomic_exchange(&clr->lender, NULL);
	if (!info)
		return;
	gn_lent_take_back(set, info);
	GN_COM(info, GN_UNKNOWN_RELEASE, release_fn)(info);
}
