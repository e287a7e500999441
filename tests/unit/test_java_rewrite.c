/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks in methods of Java: what the new code is, byte by byte. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "java_class.h"

/* Constants that are added: the class, the type, then a name, a NameAndType and
 * a Methodref for each hook, Throwable, the name of a StackMapTable. */
#define ENTER	   (JC_COUNT + 5)
#define LEAVE	   (JC_COUNT + 8)
#define UNWOUND	   (JC_COUNT + 11)
#define THROWABLE  (JC_COUNT + 13)
#define STACK_MAP  (JC_COUNT + 14)
#define FIRST_FREE (JC_COUNT + 15)

#define CALL(hook) 184, 0, hook

struct test {
	uint32_t index;
	int refused; /* enum gn_java_refusal, 0: not */
	int blocks, blocks_max;
	void *block[64];
	uint8_t *out;
	size_t out_len;
	struct jc_read read;
};

static void *get(void *ctx, size_t size)
{
	struct test *t = ctx;

	if (t->blocks == t->blocks_max)
		return NULL;
	assert_true(t->blocks < 64);
	return t->block[t->blocks++] = malloc(size);
}

static uint32_t choose(void *ctx, const struct gn_java_method *m)
{
	struct test *t = ctx;

	assert_int_equal(m->class_len, 1);
	assert_memory_equal(m->class, "A", 1);
	return t->index;
}

static void refused(void *ctx, uint32_t index, enum gn_java_refusal why)
{
	struct test *t = ctx;

	assert_int_equal(index, t->index);
	t->refused = (int)why;
}

static int rewrite_bytes(struct test *t, const uint8_t *at, size_t n)
{
	static const struct gn_java_hooks hooks = {"H", "enter", "leave",
						   "unwound"};

	return gn_java_rewrite(at, n, &hooks, choose, refused, get, t, &t->out,
			       &t->out_len);
}

static int rewrite(struct test *t, const struct jc_method *m)
{
	struct jc_class c = jc_make(m);
	int n;

	if (!t->blocks_max)
		t->blocks_max = 64;
	n = rewrite_bytes(t, c.at, c.n);
	if (n == 1)
		jc_read(t->out, t->out_len, &t->read);
	free(c.at);
	return n;
}

static void drop(struct test *t)
{
	while (t->blocks)
		free(t->block[--t->blocks]);
}

static void check(struct jc_part is, struct jc_part should)
{
	assert_int_equal(is.n, should.n);
	assert_memory_equal(is.at, should.at, should.n);
}

/* enter, leave before the return, a handler for what is between, its frame */
static void test_plain(void **state)
{
	struct test t = {.index = 7};
	uint16_t name;

	(void)state;
	assert_int_equal(rewrite(&t, &(struct jc_method){.name = "m",
							 .type = "()V",
							 .stack = 1,
							 .code = JC(0, 177)}),
			 1);
	check(t.read.code, JC(16, 7, CALL(ENTER), 0, 16, 7, CALL(LEAVE), 177,
			      16, 7, CALL(UNWOUND), 191));
	check(t.read.handlers, JC(0, 5, 0, 6, 0, 12, 0, 0));
	assert_int_equal(t.read.stack, 2);
	assert_int_equal(t.read.nattributes, 1);
	check(jc_attribute(&t.read, 0, &name),
	      JC(0, 1, 255, 0, 12, 0, 0, 0, 1, 7, 0, THROWABLE));
	assert_int_equal(name, STACK_MAP);
	assert_int_equal(t.read.constants, FIRST_FREE);
	drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
