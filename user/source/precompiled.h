/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of a module's precompiled code, by offsets in its file. */
#ifndef GNOMON_SOURCE_PRECOMPILED_H
#define GNOMON_SOURCE_PRECOMPILED_H

#include "source/module.h"
#include "source/r2r_code.h"

#define GN_PRECOMPILED_NAME_MAX 1024 /* bytes with the NUL, as in names.h */

struct gn_precompiled_code {
	struct gn_source_module module;
	struct gn_r2r_code *code;
	size_t n;
};

/* Opens the code of an open file. NULL: it is no module with such code, or
 * there is no memory. `composite`: it has the code of several modules, whose
 * names are in other files. */
struct gn_precompiled_code *gn_precompiled_open(int file, bool *composite);
void gn_precompiled_close(struct gn_precompiled_code *p); /* NULL is fine */

/* The index of the code at an offset of the file, below p->n; SIZE_MAX: there
 * is none, or it has no name. */
size_t gn_precompiled_at(const struct gn_precompiled_code *p, uint64_t offset);
void gn_precompiled_name(const struct gn_precompiled_code *p, size_t i,
			 struct gn_text *name);

#endif
