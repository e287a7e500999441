/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A .NET module and its portable PDB. An input is the PDB's size (3 bytes,
 * little-endian; 0: the PDB is in the module), the PDB, and the module.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "source/module.h"

#define METHODS_MAX 64

static void take_await(void *ctx, int32_t state,
		       const struct gn_pdb_point *point)
{
	(void)ctx;
	must(state >= 0 || state <= -4, "a state is one of a suspension");
	must(point->line, "a place has a line");
}

static void walk(struct gn_source_module *m)
{
	for (uint32_t row = 1; row <= METHODS_MAX; row++) {
		struct gn_pdb_point point;
		char name[GN_PDB_FILE_MAX];

		if (gn_pdb_first(&m->pdb, row, &point)) {
			must(point.line, "a place has a line");
			if (gn_pdb_file(&m->pdb, point.document, name))
				must(*name && strlen(name) < sizeof(name),
				     "a name has one end, within its room");
		}
		gn_source_awaits(m, row, take_await, NULL);
	}
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	size_t n = gn_fuzz_take(&in, 1);
	struct gn_bytes file, beside = {NULL, 0};
	struct gn_source_module m;
	enum gn_source got;

	n |= (size_t)gn_fuzz_take(&in, 1) << 8;
	n |= (size_t)gn_fuzz_take(&in, 1) << 16;
	if (n) {
		beside.at = gn_fuzz_take_bytes(&in, &n);
		beside.n = n;
	}
	n = in.left;
	file.at = gn_fuzz_take_bytes(&in, &n);
	file.n = n;
	got = gn_source_take(&m, &file, &beside);
	if (got == GN_SOURCE_READ)
		walk(&m);
	/* a PDB of another build must still be safe to read */
	if (got == GN_SOURCE_OTHER)
		walk(&m);
	gn_source_close(&m);
}
