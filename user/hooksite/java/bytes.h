/* SPDX-License-Identifier: BSD-2-Clause */
/* Big-endian numbers of a class file: a reader that never reads beyond its
 * part, and a writer. */
#ifndef GNOMON_JAVA_BYTES_H
#define GNOMON_JAVA_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rewrite.h"

/* What is read from. Beyond the end all numbers are 0, and `bad` is set. */
struct gn_java_in {
	const uint8_t *at;
	size_t n, pos;
	bool bad;
};

static inline uint16_t gn_java_get_u2(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t gn_java_get_u4(const uint8_t *p)
{
	return (uint32_t)gn_java_get_u2(p) << 16 | gn_java_get_u2(p + 2);
}

/* The next n bytes, or NULL. */
static inline const uint8_t *gn_java_take(struct gn_java_in *in, size_t n)
{
	const uint8_t *p = in->at + in->pos;

	if (in->bad || n > in->n - in->pos) {
		in->bad = true;
		return NULL;
	}
	in->pos += n;
	return p;
}

static inline uint8_t gn_java_u1(struct gn_java_in *in)
{
	const uint8_t *p = gn_java_take(in, 1);

	return p ? *p : 0;
}

static inline uint16_t gn_java_u2(struct gn_java_in *in)
{
	const uint8_t *p = gn_java_take(in, 2);

	return p ? gn_java_get_u2(p) : 0;
}

static inline uint32_t gn_java_u4(struct gn_java_in *in)
{
	const uint8_t *p = gn_java_take(in, 4);

	return p ? gn_java_get_u4(p) : 0;
}

/* What is written to. When memory ends `failed` is set, and the rest is
 * dropped. */
struct gn_java_out {
	uint8_t *at;
	size_t n, size;
	gn_java_alloc_fn alloc;
	void *ctx;
	bool failed;
};

/* Makes place for n more bytes. Returns where they go, or NULL. */
uint8_t *gn_java_room(struct gn_java_out *out, size_t n);

static inline void gn_java_put(struct gn_java_out *out, const void *p, size_t n)
{
	uint8_t *to = gn_java_room(out, n);

	if (to && n)
		memcpy(to, p, n);
}

static inline void gn_java_put_u1(struct gn_java_out *out, uint32_t v)
{
	uint8_t *to = gn_java_room(out, 1);

	if (to)
		to[0] = (uint8_t)v;
}

static inline void gn_java_set_u2(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void gn_java_put_u2(struct gn_java_out *out, uint32_t v)
{
	uint8_t *to = gn_java_room(out, 2);

	if (to)
		gn_java_set_u2(to, v);
}

static inline void gn_java_put_u4(struct gn_java_out *out, uint32_t v)
{
	gn_java_put_u2(out, v >> 16);
	gn_java_put_u2(out, v);
}

/* Writes numbers into what was written before at `pos`. */
static inline void gn_java_patch_u2(struct gn_java_out *out, size_t pos,
				    uint32_t v)
{
	if (!out->failed)
		gn_java_set_u2(out->at + pos, v);
}

static inline void gn_java_patch_u4(struct gn_java_out *out, size_t pos,
				    uint32_t v)
{
	gn_java_patch_u2(out, pos, v >> 16);
	gn_java_patch_u2(out, pos + 2, v);
}

#endif
