/* SPDX-License-Identifier: BSD-2-Clause */
#include "java_class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put(struct jc_class *c, const void *p, size_t n)
{
	c->at = realloc(c->at, c->n + n + 1);
	assert_non_null(c->at);
	if (n)
		memcpy(c->at + c->n, p, n);
	c->n += n;
}

static void put_n(struct jc_class *c, uint64_t v, int size)
{
	while (size--)
		put(c, &(uint8_t){(uint8_t)(v >> (8 * size))}, 1);
}

static void put_text(struct jc_class *c, const char *text)
{
	put_n(c, 1, 1);
	put_n(c, strlen(text), 2);
	put(c, text, strlen(text));
}

/* A constant with the numbers of two others, or one if b is 0. */
static void put_pair(struct jc_class *c, int tag, int a, int b)
{
	put_n(c, (uint64_t)tag, 1);
	put_n(c, (uint64_t)a, 2);
	if (b)
		put_n(c, (uint64_t)b, 2);
}

static void put_pool(struct jc_class *c, const struct jc_method *m)
{
	put_n(c, JC_COUNT, 2);
	put_text(c, "A");
	put_pair(c, 7, 1, 0);
	put_text(c, "java/lang/Object");
	put_pair(c, 7, 3, 0);
	put_text(c, m->name);
	put_text(c, m->type);
	put_text(c, "Code");
	put_text(c, "<init>");
	put_text(c, "()V");
	put_pair(c, 12, 8, 9);
	put_pair(c, 10, 4, 10);
	put_text(c, "StackMapTable");
	put_text(c, "LineNumberTable");
	put_text(c, "LocalVariableTable");
	put_text(c, "RuntimeVisibleTypeAnnotations");
	put_text(c, "Other");
	put_text(c, "J");
	put_pair(c, 12, 17, 17);
	put_pair(c, 9, 4, 18);
}

struct jc_class jc_make(const struct jc_method *m)
{
	struct jc_class c = {NULL, 0};
	size_t len = 12 + m->code.n + m->handlers.n + m->attributes.n;

	put_n(&c, 0xcafebabe, 4);
	put_n(&c, m->major ? m->major : 61, 4);
	put_pool(&c, m);
	/* flags, class, super class, no interfaces, no fields, a method */
	put_n(&c, 0x21, 2);
	put_n(&c, JC_THIS, 2);
	put_n(&c, JC_OBJECT, 2);
	put_n(&c, 0, 4);
	put_n(&c, 1, 2);
	put_n(&c, m->access, 2);
	put_n(&c, 5, 2);
	put_n(&c, 6, 2);
	put_n(&c, m->code.n ? 1 : 0, 2);
	if (m->code.n) {
		put_n(&c, 7, 2);
		put_n(&c, len, 4);
		put_n(&c, m->stack, 2);
		put_n(&c, m->locals, 2);
		put_n(&c, m->code.n, 4);
		put(&c, m->code.at, m->code.n);
		put_n(&c, m->handlers.n / 8, 2);
		put(&c, m->handlers.at, m->handlers.n);
		put_n(&c, m->nattributes, 2);
		put(&c, m->attributes.at, m->attributes.n);
	}
	put_n(&c, 0, 2);
	return c;
}

/* What is left to read. */
static struct jc_part rest;

static struct jc_part take(size_t n)
{
	struct jc_part p = {rest.at, n};

	assert_true(n <= rest.n);
	rest.at += n;
	rest.n -= n;
	return p;
}

static uint32_t get(size_t size)
{
	const uint8_t *p = take(size).at;
	uint32_t v = 0;

	while (size--)
		v = v << 8 | *p++;
	return v;
}

static void skip_pool(uint16_t n)
{
	while (--n)
		switch (get(1)) {
		case 1:
			take(get(2));
			break;
		case 7:
			get(2);
			break;
		case 3:
		case 9:
		case 10:
		case 12:
			get(4);
			break;
		default:
			fail_msg("a constant that was not expected");
		}
}

/* One that was rewritten, whose constants are those of jc_make() and others. */
static void read_class(const uint8_t *at, size_t n, struct jc_read *r)
{
	size_t code;

	rest = (struct jc_part){at, n};
	assert_int_equal(get(4), 0xcafebabe);
	get(4);
	r->constants = (uint16_t)get(2);
	r->pool = rest;
	skip_pool(r->constants);
	r->pool.n -= rest.n;
	take(10);
	assert_int_equal(get(2), 1);
	take(6);
	assert_int_equal(get(2), 1);
	assert_int_equal(get(2), 7);
	code = get(4);
	assert_int_equal(code, rest.n - 2);
	r->stack = (uint16_t)get(2);
	r->locals = (uint16_t)get(2);
	r->code = take(get(4));
	r->handlers = take(8 * get(2));
	r->nattributes = (uint16_t)get(2);
	r->attributes = take(rest.n - 2);
	assert_int_equal(get(2), 0);
}

struct jc_part jc_attribute(const struct jc_read *r, int n, uint16_t *name)
{
	struct jc_part content;

	rest = r->attributes;
	do {
		*name = (uint16_t)get(2);
		content = take(get(4));
	} while (n--);
	return content;
}

static void *get_memory(void *ctx, size_t size)
{
	struct jc_test *t = ctx;

	if (t->max && t->blocks == t->max)
		return NULL;
	assert_true(t->blocks < 64);
	return t->block[t->blocks++] = malloc(size);
}

static uint32_t choose(void *ctx, const struct gn_java_method *m)
{
	struct jc_test *t = ctx;

	assert_int_equal(m->class_len, 1);
	assert_memory_equal(m->class, "A", 1);
	return t->index;
}

static void refused(void *ctx, uint32_t index, enum gn_java_refusal why)
{
	struct jc_test *t = ctx;

	assert_int_equal(index, t->index);
	t->refused = (int)why;
}

int jc_rewrite_bytes(struct jc_test *t, const uint8_t *at, size_t n)
{
	static const struct gn_java_hooks hooks = {"H", "enter", "leave",
						   "unwound"};

	return gn_java_rewrite(at, n, &hooks, choose, refused, get_memory, t,
			       &t->out, &t->out_len);
}

int jc_rewrite(struct jc_test *t, const struct jc_method *m)
{
	struct jc_class c = jc_make(m);
	int n;

	n = jc_rewrite_bytes(t, c.at, c.n);
	if (n == 1)
		read_class(t->out, t->out_len, &t->read);
	free(c.at);
	return n;
}

void jc_drop(struct jc_test *t)
{
	while (t->blocks)
		free(t->block[--t->blocks]);
}

void jc_check(struct jc_part is, struct jc_part should)
{
	assert_int_equal(is.n, should.n);
	assert_memory_equal(is.at, should.at, should.n);
}
