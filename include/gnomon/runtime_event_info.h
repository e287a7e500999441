/* SPDX-License-Identifier: BSD-2-Clause */
/* The list in runtime_event.h as a table; not for BPF. */
#ifndef GNOMON_RUNTIME_EVENT_INFO_H
#define GNOMON_RUNTIME_EVENT_INFO_H

#include <gnomon/runtime_event.h>

struct gn_rt_info {
	const char *text; /* NULL: there is no such event */
	enum gn_family family;
	enum gn_rt_phase phase;
	enum gn_rt_value value[GN_RT_VALUES];
};

/* Accepts any number; never returns NULL. */
static inline const struct gn_rt_info *gn_rt_info(__u32 event)
{
	static const struct gn_rt_info infos[GN_RT_LIMIT] = {
#define GN_RT_ROW(name, number, of, what, when, first, second) \
	[(number)] = {                                         \
		.text = (what),                                \
		.family = GN_FAMILY_##of,                      \
		.phase = GN_RT_##when,                         \
		.value = {GN_RT_##first, GN_RT_##second},      \
	},
		GN_RT_LIST(GN_RT_ROW)
#undef GN_RT_ROW
	};

	return &infos[event < GN_RT_LIMIT ? event : 0];
}

/* The name of the family with this bit number; NULL if there is none. */
static inline const char *gn_family_text(__u32 bit)
{
	static const char *const texts[] = {
#define GN_FAMILY_TEXT(name, number, text, usual, meaning) [(number)] = (text),
		GN_FAMILY_LIST(GN_FAMILY_TEXT)
#undef GN_FAMILY_TEXT
	};

	return bit < sizeof(texts) / sizeof(texts[0]) ? texts[bit] : 0;
}

#endif
