/* SPDX-License-Identifier: BSD-2-Clause */
#include "debug.h"

/* Values of annotations are in one another at most so deep. */
#define NESTED_MAX 32

int gn_java_put_lines(const struct gn_java_layout *l, struct gn_java_in *in,
		      struct gn_java_out *out)
{
	uint16_t n = gn_java_u2(in);

	gn_java_put_u2(out, n);
	while (n-- && !in->bad) {
		uint16_t at = gn_java_u2(in);

		if (at >= l->old.len)
			return GN_JAVA_MALFORMED;
		gn_java_put_u2(out, gn_java_begin(l, at));
		gn_java_put_u2(out, gn_java_u2(in));
	}
	return in->bad || in->pos != in->n ? GN_JAVA_MALFORMED : 0;
}

/* Begin and length of a variable's range. */
static void put_range(const struct gn_java_layout *l, struct gn_java_in *in,
		      struct gn_java_out *out)
{
	uint32_t begin = gn_java_u2(in);
	uint32_t end = begin + gn_java_u2(in);

	if (end > l->old.len) {
		in->bad = true;
		return;
	}
	begin = gn_java_begin(l, begin);
	gn_java_put_u2(out, begin);
	end = gn_java_begin(l, end);
	gn_java_put_u2(out, end - begin);
}

int gn_java_put_variables(const struct gn_java_layout *l, struct gn_java_in *in,
			  struct gn_java_out *out)
{
	uint16_t n = gn_java_u2(in);

	gn_java_put_u2(out, n);
	while (n-- && !in->bad) {
		put_range(l, in, out);
		/* name, type, local */
		for (int i = 0; i < 3; i++)
			gn_java_put_u2(out, gn_java_u2(in));
	}
	return in->bad || in->pos != in->n ? GN_JAVA_MALFORMED : 0;
}

static void copy(struct gn_java_in *in, struct gn_java_out *out, size_t n)
{
	const uint8_t *p = gn_java_take(in, n);

	if (p)
		gn_java_put(out, p, n);
}

static uint16_t copy_u2(struct gn_java_in *in, struct gn_java_out *out)
{
	uint16_t v = gn_java_u2(in);

	gn_java_put_u2(out, v);
	return v;
}

static uint8_t copy_u1(struct gn_java_in *in, struct gn_java_out *out)
{
	uint8_t v = gn_java_u1(in);

	gn_java_put_u1(out, v);
	return v;
}

static void copy_annotation(struct gn_java_in *in, struct gn_java_out *out,
			    int depth);

static void copy_value(struct gn_java_in *in, struct gn_java_out *out,
		       int depth)
{
	switch (copy_u1(in, out)) {
	case '@':
		copy_annotation(in, out, depth + 1);
		break;
	case '[':
		if (depth > NESTED_MAX)
			in->bad = true;
		for (uint16_t n = copy_u2(in, out); n && !in->bad; n--)
			copy_value(in, out, depth + 1);
		break;
	case 'e':
		copy(in, out, 4);
		break;
	default:
		copy(in, out, 2);
	}
}

static void copy_annotation(struct gn_java_in *in, struct gn_java_out *out,
			    int depth)
{
	if (depth > NESTED_MAX)
		in->bad = true;
	/* its type, and pairs of name and value */
	copy(in, out, 2);
	for (uint16_t n = copy_u2(in, out); n && !in->bad; n--) {
		copy(in, out, 2);
		copy_value(in, out, depth);
	}
}

static void put_target(const struct gn_java_layout *l, struct gn_java_in *in,
		       struct gn_java_out *out)
{
	uint8_t type = copy_u1(in, out);
	uint16_t at;

	switch (type) {
	case 0x40: /* a variable, or one of try-with-resources */
	case 0x41:
		for (uint16_t n = copy_u2(in, out); n && !in->bad; n--) {
			put_range(l, in, out);
			copy(in, out, 2);
		}
		break;
	case 0x42: /* a handler by its number: ours are the last */
		copy(in, out, 2);
		break;
	case 0x43: /* instanceof, new, ::new, :: */
	case 0x44:
	case 0x45:
	case 0x46:
	case 0x47: /* a cast, or the argument of a type */
	case 0x48:
	case 0x49:
	case 0x4a:
	case 0x4b:
		at = gn_java_u2(in);
		if (at >= l->old.len)
			in->bad = true;
		else
			gn_java_put_u2(out, l->map[at]);
		copy(in, out, type >= 0x47);
		break;
	default:
		in->bad = true;
	}
}

void gn_java_put_annotations(const struct gn_java_layout *l,
			     struct gn_java_in *in, struct gn_java_out *out)
{
	size_t begin = out->n;

	for (uint16_t n = copy_u2(in, out); n && !in->bad; n--) {
		put_target(l, in, out);
		copy(in, out, 2 * (size_t)copy_u1(in, out));
		copy_annotation(in, out, 0);
	}
	if (!in->bad && in->pos == in->n)
		return;
	out->n = begin;
	gn_java_put(out, in->at, in->n);
}
