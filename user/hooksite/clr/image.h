/* SPDX-License-Identifier: BSD-2-Clause */
/* A module of the runtime in memory, and which of its methods are asked for. */
#ifndef GNOMON_CLR_IMAGE_H
#define GNOMON_CLR_IMAGE_H

#include "filter.h"
#include "metadata.h"
#include "methods.h"
#include "names.h"
#include "pe.h"

struct gn_image {
	struct gn_pe pe;
	struct gn_md md;
	bool collectible; /* it can be unloaded */
	char path[GN_MODULE_MAX];
};

/* `info`: an ICorProfilerInfo. Valid while the module is loaded. False: the
 * module was made in memory, or is malformed. */
bool gn_image_open(void *info, gn_cor_id module, struct gn_image *image);

/* Images by their modules, each opened once. Any thread may ask at any time. */
struct gn_images {
	void *info; /* an ICorProfilerInfo */
	struct gn_modules modules;
	struct gn_image *_Atomic image[GN_MODULES_MAX]; /* by place - 1 */
};

/* Valid for good; NULL: it cannot be opened, or the module can be unloaded. */
const struct gn_image *gn_images_get(struct gn_images *images,
				     gn_cor_id module);

/* Whether the filter can ask for the method in this row, with any type
 * arguments if it is generic. `name`: its type's; the method's own is added. */
bool gn_image_asks_method(const struct gn_image *image,
			  const struct gn_filter_lines *lines,
			  struct gn_text *name, uint32_t row,
			  const struct gn_md_method *m);

/* Calls `each` for the methods that the filter can ask for. `type`: the name of
 * the method's type, valid during the call. */
typedef void (*gn_image_asked_fn)(void *ctx, struct gn_text *type, uint32_t row,
				  const struct gn_md_method *m);
void gn_image_visit(const struct gn_image *image,
		    const struct gn_filter_lines *lines, gn_image_asked_fn each,
		    void *ctx);

/* GN_METHOD of a function; 0: its module is not in `modules`. */
uint64_t gn_image_method(void *info, const struct gn_modules *modules,
			 gn_cor_id function);

bool gn_image_is_core(const struct gn_image *image);
/* Whether it is the core library and its metadata has this name. */
bool gn_image_core_names(const struct gn_image *image, const char *name);

#endif
