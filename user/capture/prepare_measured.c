/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites on which a session measures what a hit costs whose function is named by
 * texts. */
#include "capture/prepare.h"

#include <stdint.h>

#include "runtime/runtime.h"

static bool is_sized(const struct gn_runtime *rt)
{
	for (size_t i = 0; i < rt->nsites; i++)
		if (rt->sites[i].flags & GN_SPEC_SIZED)
			return true;
	return false;
}

/* A text of gnomon's own, as a runtime would tell it. */
static const struct {
	uint64_t len;
	char text[32];
} told = {25, "what a runtime would tell"};
static const char *const told_at = told.text;

/* What a runtime tells of its names is in registers and in memory; without the
 * lengths, it is more. */
static void take_told(struct gn_spec *spec, bool sized)
{
	const struct gn_operand in_memory = {.how = GN_HOW_MEMORY,
					     .reg = GN_REG_NONE,
					     .index = GN_REG_NONE,
					     .size = 8,
					     .value = (intptr_t)&told_at};

	for (int k = 0; k < GN_SPEC_TEXTS; k++) {
		spec->text[k].at.how = GN_HOW_CONSTANT;
		spec->text[k].at.value = (intptr_t)told.text;
		if (!sized) {
			spec->text[k].len.how = GN_HOW_CONSTANT;
			spec->text[k].len.value = (__s64)told.len;
		}
	}
	if (!sized)
		return;
	spec->flags = GN_SPEC_SIZED;
	spec->text[1].at = in_memory;
	spec->func = in_memory;
	spec->func.value = (intptr_t)&told.len; /* no text is absent */
	if (spec->kind != GN_KIND_ENTER)
		return;
	spec->value[0] = in_memory;
	spec->value[0].value = (intptr_t)&told.len;
	spec->resumes = 1u << 31;
	spec->function = 1;
}

int gn_prepare_measured(struct gn_session *s, const struct gn_runtime *rt)
{
	for (int i = 0; !s->measured[1] && i < 2; i++) {
		struct gn_spec spec = {
			.kind = i ? GN_KIND_LEAVE : GN_KIND_ENTER,
			.ntexts = GN_SPEC_TEXTS,
			.key.how = GN_HOW_COOKIE,
		};
		int index;

		take_told(&spec, is_sized(rt));
		index = gn_specs_add(&s->specs, &spec);
		if (index < 0)
			return index;
		s->measured[i] = (unsigned int)index;
	}
	return 0;
}
