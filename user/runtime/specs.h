/* SPDX-License-Identifier: BSD-2-Clause */
/* The specs of a session's probes, by the index that cookies hold. */
#ifndef GNOMON_RUNTIME_SPECS_H
#define GNOMON_RUNTIME_SPECS_H

#include <stddef.h>
#include <stdint.h>

#include <gnomon/spec.h>

struct gn_specs {
	struct gn_spec *spec;
	size_t count;
};

/* Adds the specs of native functions. 0 or -ENOMEM. */
int gn_specs_init(struct gn_specs *s);
/* The index of this spec, which is added if it is new. -E2BIG, -ENOMEM. */
int gn_specs_add(struct gn_specs *s, const struct gn_spec *spec);
void gn_specs_free(struct gn_specs *s);

#endif
