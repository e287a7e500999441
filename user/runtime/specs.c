/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/specs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int gn_specs_init(struct gn_specs *s)
{
	static const uint8_t kinds[] = {
		[GN_SPEC_NONE] = 0,
		[GN_SPEC_ENTER] = GN_KIND_ENTER,
		[GN_SPEC_LEAVE] = GN_KIND_LEAVE,
		[GN_SPEC_TAILCALL] = GN_KIND_TAILCALL,
		[GN_SPEC_HIT] = GN_KIND_HIT,
		[GN_SPEC_LANDED] = GN_KIND_LANDED,
	};
	int got = 0;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; got >= 0 && i < GN_SPEC_NATIVE_COUNT; i++) {
		struct gn_spec spec = {.kind = kinds[i]};

		spec.func.how = spec.key.how = i ? GN_HOW_COOKIE : GN_HOW_NONE;
		got = gn_specs_add(s, &spec);
	}
	return got < 0 ? got : 0;
}

int gn_specs_add(struct gn_specs *s, const struct gn_spec *spec)
{
	struct gn_spec *grown;

	for (size_t i = 0; i < s->count; i++)
		if (!memcmp(&s->spec[i], spec, sizeof(*spec)))
			return (int)i;
	if (s->count == GN_SPECS_MAX)
		return -E2BIG;
	grown = reallocarray(s->spec, s->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->spec = grown;
	grown[s->count] = *spec;
	return (int)s->count++;
}

void gn_specs_free(struct gn_specs *s)
{
	free(s->spec);
	memset(s, 0, sizeof(*s));
}
