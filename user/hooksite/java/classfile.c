/* SPDX-License-Identifier: BSD-2-Clause */
#include "classfile.h"

#include <errno.h>

#define MAGIC 0xcafebabe

uint8_t *gn_java_room(struct gn_java_out *out, size_t n)
{
	size_t size = out->size;
	uint8_t *to;

	if (out->failed)
		return NULL;
	if (n > size - out->n) {
		size += size / 2 + n;
		to = out->alloc(out->ctx, size);
		if (!to) {
			out->failed = true;
			return NULL;
		}
		if (out->n)
			memcpy(to, out->at, out->n);
		out->at = to;
		out->size = size;
	}
	to = out->at + out->n;
	out->n += n;
	return to;
}

const uint8_t *gn_java_constant(const struct gn_java_class *c, uint16_t index,
				enum gn_java_tag tag)
{
	if (index >= c->nconstants || !c->constant[index] ||
	    c->at[c->constant[index]] != tag)
		return NULL;
	return c->at + c->constant[index] + 1;
}

struct gn_java_text gn_java_utf8(const struct gn_java_class *c, uint16_t index)
{
	const uint8_t *p = gn_java_constant(c, index, GN_JAVA_UTF8);

	if (!p)
		return (struct gn_java_text){NULL, 0};
	return (struct gn_java_text){(const char *)p + 2, gn_java_get_u2(p)};
}

bool gn_java_is(struct gn_java_text text, const char *name)
{
	return text.at && text.n == strlen(name) &&
	       !memcmp(text.at, name, text.n);
}

/* The length of a constant after its tag, or 0. */
static size_t constant_len(struct gn_java_in *in, uint8_t tag)
{
	static const uint8_t len[] = {
		[3] = 4,  [4] = 4,  [5] = 8,  [6] = 8,	[7] = 2,  [8] = 2,
		[9] = 4,  [10] = 4, [11] = 4, [12] = 4, [15] = 3, [16] = 2,
		[17] = 4, [18] = 4, [19] = 2, [20] = 2,
	};

	if (tag == GN_JAVA_UTF8)
		return gn_java_u2(in);
	return tag < sizeof(len) ? len[tag] : 0;
}

static int read_pool(struct gn_java_class *c, struct gn_java_in *in,
		     gn_java_alloc_fn alloc, void *ctx)
{
	c->nconstants = gn_java_u2(in);
	if (in->bad || !c->nconstants)
		return -EBADMSG;
	c->constant = alloc(ctx, c->nconstants * sizeof(*c->constant));
	if (!c->constant)
		return -ENOMEM;
	memset(c->constant, 0, c->nconstants * sizeof(*c->constant));
	for (uint32_t i = 1; i < c->nconstants; i++) {
		size_t at = in->pos;
		uint8_t tag = gn_java_u1(in);
		size_t len = constant_len(in, tag);

		gn_java_take(in, len);
		if (in->bad || (!len && tag != GN_JAVA_UTF8))
			return -EBADMSG;
		c->constant[i] = (uint32_t)at;
		/* these take two places */
		if (tag != GN_JAVA_LONG && tag != GN_JAVA_DOUBLE)
			continue;
		if (++i == c->nconstants)
			return -EBADMSG;
	}
	c->pool_end = (uint32_t)in->pos;
	return 0;
}

static void skip_attributes(struct gn_java_in *in)
{
	for (uint16_t n = gn_java_u2(in); n && !in->bad; n--) {
		gn_java_u2(in);
		gn_java_take(in, gn_java_u4(in));
	}
}

static void read_method(const struct gn_java_class *c, struct gn_java_in *in,
			struct gn_java_member *m)
{
	*m = (struct gn_java_member){.begin = (uint32_t)in->pos};
	m->access = gn_java_u2(in);
	m->name = gn_java_utf8(c, gn_java_u2(in));
	m->descriptor = gn_java_utf8(c, gn_java_u2(in));
	for (uint16_t n = gn_java_u2(in); n && !in->bad; n--) {
		uint32_t at = (uint32_t)in->pos;
		bool code = gn_java_is(gn_java_utf8(c, gn_java_u2(in)), "Code");

		gn_java_take(in, gn_java_u4(in));
		if (!code)
			continue;
		if (m->code)
			in->bad = true;
		m->code = at;
		m->code_end = (uint32_t)in->pos;
	}
	m->end = (uint32_t)in->pos;
	if (!m->name.at || !m->descriptor.at)
		in->bad = true;
}

static int read_methods(struct gn_java_class *c, struct gn_java_in *in,
			gn_java_alloc_fn alloc, void *ctx)
{
	c->nmethods = gn_java_u2(in);
	c->methods_begin = (uint32_t)in->pos;
	/* a method has eight bytes at least */
	if (in->bad || c->nmethods > (in->n - in->pos) / 8)
		return -EBADMSG;
	if (!c->nmethods)
		return 0;
	c->method = alloc(ctx, c->nmethods * sizeof(*c->method));
	if (!c->method)
		return -ENOMEM;
	for (uint16_t i = 0; i < c->nmethods && !in->bad; i++)
		read_method(c, in, &c->method[i]);
	c->methods_end = (uint32_t)in->pos;
	return in->bad ? -EBADMSG : 0;
}

/* From the flags of the class to its fields. */
static void read_middle(struct gn_java_class *c, struct gn_java_in *in)
{
	const uint8_t *class;

	gn_java_u2(in);
	class = gn_java_constant(c, gn_java_u2(in), GN_JAVA_CLASS);
	if (class)
		c->name = gn_java_utf8(c, gn_java_get_u2(class));
	if (!c->name.at)
		in->bad = true;
	gn_java_u2(in);
	gn_java_take(in, 2 * (size_t)gn_java_u2(in));
	for (uint16_t n = gn_java_u2(in); n && !in->bad; n--) {
		gn_java_take(in, 6);
		skip_attributes(in);
	}
}

int gn_java_class_read(struct gn_java_class *c, const uint8_t *bytes,
		       size_t len, gn_java_alloc_fn alloc, void *ctx)
{
	struct gn_java_in in = {bytes, len, 0, len > INT32_MAX};
	uint16_t minor;
	int err;

	*c = (struct gn_java_class){.at = bytes, .len = len};
	if (gn_java_u4(&in) != MAGIC)
		return -EBADMSG;
	minor = gn_java_u2(&in);
	c->major = gn_java_u2(&in);
	c->ancient = c->major < 45 || (c->major == 45 && minor < 3);
	err = read_pool(c, &in, alloc, ctx);
	if (err)
		return err;
	read_middle(c, &in);
	err = read_methods(c, &in, alloc, ctx);
	if (err)
		return err;
	skip_attributes(&in);
	return in.bad || in.pos != len ? -EBADMSG : 0;
}

bool gn_java_code_read(const struct gn_java_class *c,
		       const struct gn_java_member *m,
		       struct gn_java_code *code)
{
	struct gn_java_in in = {c->at + m->code, m->code_end - m->code, 6,
				false};

	code->max_stack = gn_java_u2(&in);
	code->max_locals = gn_java_u2(&in);
	code->len = gn_java_u4(&in);
	code->code = gn_java_take(&in, code->len);
	code->nhandlers = gn_java_u2(&in);
	code->handler = gn_java_take(&in, 8 * (size_t)code->nhandlers);
	code->nattributes = gn_java_u2(&in);
	code->attributes = in;
	for (uint16_t n = code->nattributes; n && !in.bad; n--) {
		gn_java_u2(&in);
		gn_java_take(&in, gn_java_u4(&in));
	}
	return !c->ancient && !in.bad && in.pos == in.n && code->len &&
	       code->len <= UINT16_MAX;
}
