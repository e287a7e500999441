/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Composite images: the precompiled code of several modules, its components, in
 * a file of its own beside them. Any code there can hold copies of methods of
 * any component (ReadyToRun images of .NET 6 to 10; readytorun-format.md and
 * ManifestMetadataTableNode.cs of the runtime). The image is hostile.
 */
#ifndef GNOMON_CLR_COMPOSITE_H
#define GNOMON_CLR_COMPOSITE_H

#include <stdatomic.h>

#include "image.h"
#include "r2r.h"

#define GN_COMPOSITES_MAX 8

struct gn_composite {
	char *path;
	const uint8_t *bytes; /* the file, mapped; for good */
	size_t size;
	struct gn_pe pe;
	/* of each component: where its sections are, and its module's id */
	struct gn_bytes components, ids;
	uint32_t n;
	/* by component: the place of its module; 0: it is not loaded yet */
	_Atomic uint32_t place[];
};

/* All zeros is an empty one. Any thread may ask at any time. */
struct gn_composites {
	struct gn_composite *_Atomic of[GN_COMPOSITES_MAX];
};

/* The image that a module's code is in, and which of its components that is.
 * NULL: it is not found, or is not as the runtime has it. */
struct gn_composite *gn_composites_get(struct gn_composites *all,
				       const struct gn_image *image,
				       uint32_t *component);

/* Calls `each` for all copies in a component's code; `module` is the component
 * that the method is of. False: it can hold copies that are not told. */
bool gn_composite_copies(const struct gn_composite *c, uint32_t component,
			 gn_r2r_fn each, void *ctx);

/* Whether the component has code for the method of this row, as gn_r2r_has().
 */
bool gn_composite_has(const struct gn_composite *c, uint32_t component,
		      uint32_t row);

#endif
