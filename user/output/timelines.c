// SPDX-License-Identifier: BSD-2-Clause
/* The list of timelines. */
#include <string.h>

#include "output/timeline.h"

static const struct gn_timeline timelines[] = {
#define TIMELINE(name, help, binary, needs, ending) \
	{#name,                                     \
	 help,                                      \
	 binary,                                    \
	 GN_BUILT_##needs(gn_##name##_begin),       \
	 GN_BUILT_##needs(gn_##name##_finish),      \
	 GN_BUILT_##needs(gn_##name##_free),        \
	 GN_NEEDS_##needs,                          \
	 ending},
	GN_TIMELINE_LIST(TIMELINE)
#undef TIMELINE
};

const struct gn_timeline *gn_timeline_at(size_t i)
{
	return i < sizeof(timelines) / sizeof(timelines[0]) ? &timelines[i]
							    : NULL;
}

const struct gn_timeline *gn_timeline_find(const char *name)
{
	const struct gn_timeline *t;

	for (size_t i = 0; (t = gn_timeline_at(i)); i++) {
		if (strcmp(t->name, name) == 0)
			return t;
	}
	return NULL;
}
