/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of formats, and look-ups by name. */
#include <string.h>

#include "output/formats.h"

static const struct gn_output outputs[] = {
#define FORMAT(name, help, shape, binary, needs, ending) \
	{#name,                                          \
	 help,                                           \
	 GN_SHAPE_##shape,                               \
	 binary,                                         \
	 GN_BUILT_##needs(gn_##name##_write),            \
	 GN_NEEDS_##needs,                               \
	 ending},
	GN_FORMAT_LIST(FORMAT)
#undef FORMAT
};

const struct gn_output *gn_output_at(size_t i)
{
	return i < sizeof(outputs) / sizeof(outputs[0]) ? &outputs[i] : NULL;
}

const struct gn_output *gn_output_find(const char *name)
{
	const struct gn_output *o;

	for (size_t i = 0; (o = gn_output_at(i)); i++) {
		if (strcmp(o->name, name) == 0)
			return o;
	}
	return NULL;
}
