/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rec.h"

/* Records that determine their own size. */
#define GN_KIND_SIZE(type)                                   \
	_Generic((struct type *)0, struct gn_rec_text * : 0, \
		 struct gn_rec_sample * : 0, default         \
		 : sizeof(struct type))

#define GN_KIND_ROW(enumerator, value, text, str, type) \
	[(value)] = {                                   \
		.name = (text),                         \
		.size = GN_KIND_SIZE(type),             \
		.stream = GN_STREAM_##str,              \
	},

static const struct gn_kind_info kinds[GN_KIND_LIMIT] = {
	GN_KIND_LIST(GN_KIND_ROW)};

#define GN_KIND_CHECK(enumerator, value, text, str, type)             \
	_Static_assert((value) > 0 && (value) < GN_KIND_LIMIT, text); \
	_Static_assert(sizeof(struct type) % 8 == 0, text);
GN_KIND_LIST(GN_KIND_CHECK)

const struct gn_kind_info *gn_kind_info(uint8_t kind)
{
	return &kinds[kind];
}

static size_t text_size(const struct gn_rec *rec, size_t avail)
{
	const struct gn_rec_text *t = (const struct gn_rec_text *)rec;

	if (avail < sizeof(*t))
		return 0;
	if (t->size > avail || t->size > GN_TEXT_MAX || t->size % 8)
		return 0;
	if (sizeof(*t) + t->len[0] + t->len[1] > t->size)
		return 0;
	return t->size;
}

static size_t sample_size(const struct gn_rec *rec, size_t avail)
{
	const struct gn_rec_sample *s = (const struct gn_rec_sample *)rec;

	if (avail < sizeof(*s) || s->frames > GN_SAMPLE_FRAMES)
		return 0;
	return s->size == gn_sample_size(s->frames) && s->size <= avail
		       ? s->size
		       : 0;
}

size_t gn_rec_size_of(const struct gn_rec *rec, size_t avail)
{
	const struct gn_kind_info *k;

	if (avail < sizeof(*rec))
		return 0;
	k = &kinds[rec->kind];
	if (!k->name)
		return 0;
	if (rec->kind == GN_KIND_SAMPLE)
		return sample_size(rec, avail);
	if (!k->size)
		return text_size(rec, avail);
	return k->size <= avail ? k->size : 0;
}
