/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Composite images: the precompiled code of several modules, the components, in
 * a separate file beside them. Any code there can hold copies of methods of any
 * component (ReadyToRun images of .NET 6 to 11; readytorun-format.md and
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
	const uint8_t *bytes; /* the file, mapped for good */
	size_t size;
	struct gn_pe pe;
	/* for each component: where its sections are, and its module's id */
	struct gn_bytes components, ids;
	uint32_t n;
	/* by component: the place of its module; 0: not loaded yet */
	_Atomic uint32_t place[];
};

/* All zeros: none is open. Any thread may ask at any time. */
struct gn_composites {
	struct gn_composite *_Atomic of[GN_COMPOSITES_MAX];
};

/* The image that holds a module's code, and the module's number among its
 * components. NULL: there is none, or it is not in the runtime's format. */
struct gn_composite *gn_composites_get(struct gn_composites *all,
				       const struct gn_image *image,
				       uint32_t *component);

/* Reads what gn_composites_get() looks in, of a file whose `bytes` and `size`
 * are set. False: it is not a composite image, or of a newer format. */
bool gn_composite_read(struct gn_composite *c);

/* Calls `each` for the copies in a component's code that are asked for;
 * `module` is the component of the copied method. False: the code may hold
 * copies that are not listed. */
bool gn_composite_copies(const struct gn_composite *c, uint32_t component,
			 const struct gn_r2r_asker *asker);

/* Whether the component has code for the method in this row, as gn_r2r_has().
 */
bool gn_composite_has(const struct gn_composite *c, uint32_t component,
		      uint32_t row);

#endif
