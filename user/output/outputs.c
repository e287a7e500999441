/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of formats and the texts of their options. */
#include <string.h>

#include "output/formats.h"

#ifdef GNOMON_PROTOBUF
#define PROTOBUF(write) write
#else
#define PROTOBUF(write) NULL
#endif

static const struct gn_output outputs[] = {
	{"table", "aligned columns, for people", false, false, gn_table_write,
	 NULL},
	{"csv", "RFC 4180, exact nanoseconds", false, false, gn_csv_write,
	 NULL},
	{"json", "everything, exact nanoseconds", false, false, gn_json_write,
	 NULL},
	{"collapsed", "stacks for flame graphs", true, false,
	 gn_collapsed_write, NULL},
	{"speedscope", "stacks for speedscope.app", true, false,
	 gn_speedscope_write, NULL},
	{"pprof", "stacks for go tool pprof", true, true,
	 PROTOBUF(gn_pprof_write), "protobuf-c"},
	{"callgrind", "calls for callgrind_annotate and KCachegrind", true,
	 false, gn_callgrind_write, NULL},
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

int gn_by_find(const char *text)
{
#define BY_MATCH(name, word, meaning) \
	if (strcmp(text, word) == 0)  \
		return GN_BY_##name;
	GN_BY_LIST(BY_MATCH)
#undef BY_MATCH
	return -1;
}
