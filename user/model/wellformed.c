// SPDX-License-Identifier: BSD-2-Clause
/* Checks a record before anything uses it: it can be hostile. */
#include <string.h>

#include "model/take.h"

size_t gn_rec_kind_size(enum gn_kind kind, enum gn_stream *stream)
{
	switch (kind) {
#define KIND_SIZE(name, value, text, s, type) \
	case GN_KIND_##name:                  \
		*stream = GN_STREAM_##s;      \
		return sizeof(struct type);
		GN_KIND_LIST(KIND_SIZE)
#undef KIND_SIZE
	default:
		return 0;
	}
}

static bool text_ok(const struct gn_rec_text *r, size_t size)
{
	size_t len = (size_t)r->len[0] + r->len[1];

	if (r->size > size || r->size < sizeof(*r) + len)
		return false;
	if (r->h.kind == GN_KIND_NAME && r->size > GN_TEXT_MAX)
		return false;
	if (r->h.kind == GN_KIND_FUNCTION &&
	    GN_FUNC_RUNTIME(r->id) != GN_RUNTIME_NATIVE)
		return false;
	return !memchr(r->text, '\0', len);
}

/* The classes that a slice can have: all but those of user mode. */
static bool slice_class_ok(uint32_t class)
{
	enum gn_group group = gn_class_group((enum gn_class) class);

	return class < GN_CLASS_COUNT && group != GN_GROUP_APP &&
	       group != GN_GROUP_RUNTIME;
}

static bool now_ok(const struct gn_rec_now *r)
{
	switch (r->state) {
	case GN_CPU_ON:
		return r->class == GN_CLASS_APP || slice_class_ok(r->class);
	case GN_CPU_WAITING:
	case GN_CPU_WOKEN:
		return slice_class_ok(r->class);
	default:
		return r->state <= GN_CPU_DEAD;
	}
}

static bool sample_ok(const struct gn_rec_sample *r, size_t size)
{
	return r->frames && r->frames <= GN_SAMPLE_FRAMES &&
	       gn_sample_size(r->frames) <= size;
}

bool gn_rec_well_formed(const struct gn_rec *rec, size_t size)
{
	const struct gn_rec_stack *stack = (const void *)rec;

	switch (rec->kind) {
	case GN_KIND_NAME:
	case GN_KIND_INFO:
	case GN_KIND_MODULE:
	case GN_KIND_FUNCTION:
	case GN_KIND_SOURCE:
		return text_ok((const void *)rec, size);
	case GN_KIND_SLICE:
		return slice_class_ok(
			((const struct gn_rec_slice *)rec)->class);
	case GN_KIND_NOW:
		return now_ok((const void *)rec);
	case GN_KIND_VALUE:
		return ((const struct gn_rec_value *)rec)->len <= GN_VALUE_TEXT;
	case GN_KIND_SAMPLE:
		return sample_ok((const void *)rec, size);
	case GN_KIND_STACK:
		return stack->lo < stack->hi;
	default:
		return true;
	}
}
