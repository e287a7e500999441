// SPDX-License-Identifier: BSD-2-Clause
/* Inlined methods that a composite image lists for one of its components. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hooksite/clr/composite.h"
#include "hooksite/clr/copies.h"

#define OPTIONAL   88u
#define SECTIONS   328u
#define CLI	   384u
#define METADATA   460u
#define NATIVE	   464u
#define COMPONENTS 512u
#define IDS	   544u
#define CORE	   576u
#define TABLE	   640u
#define METHODS	   704u
#define SIZE	   768u
#define N	   2u

static void put(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

static void put_section(uint8_t *at, uint32_t type, uint32_t where, uint32_t n)
{
	put(at, type);
	put(at + 4, where);
	put(at + 8, n);
}

/* One bucket: method 5 of the component itself is inlined in 7; method 9 of the
 * first component, which is module 2, in 7 and in 10. */
static const uint8_t table[] = {0,    2,       6,      0xaa,	6,
				0xab, 8,       4,      10 << 1, 14 << 1,
				8,    19 << 1, 2 << 1, 14 << 1, 6 << 1};
/* Only row 1 has code. */
static const uint8_t methods[] = {1 << 4, 1, 0, 2};

/* A file with one section, whose addresses are its file offsets; of the second
 * component it has only the tables. */
static void make(uint8_t file[SIZE], uint32_t major)
{
	memset(file, 0, SIZE);
	memcpy(file, "MZ", 2);
	put(file + 60, 64);
	memcpy(file + 64, "PE\0\0", 4);
	put(file + 64 + 6, 1);
	put(file + 64 + 20, SECTIONS - OPTIONAL);
	put(file + OPTIONAL, 0x20b);
	put(file + OPTIONAL + 108, 16);
	put(file + OPTIONAL + 112 + 14 * 8, CLI);
	put(file + OPTIONAL + 112 + 14 * 8 + 4, 72);
	put(file + SECTIONS + 16, SIZE);
	put(file + CLI + 8, METADATA);
	put(file + CLI + 12, 4);
	put(file + CLI + 64, NATIVE);
	put(file + CLI + 68, 40);
	put(file + NATIVE, 0x00525452);
	put(file + NATIVE + 4, major);
	put(file + NATIVE + 12, 2);
	put_section(file + NATIVE + 16, 115, COMPONENTS, N * 16);
	put_section(file + NATIVE + 28, 118, IDS, N * 16);
	memset(file + IDS, 'a', 16);
	memset(file + IDS + 16, 'b', 16);
	put(file + COMPONENTS + 16 + 8, CORE);
	put(file + COMPONENTS + 16 + 12, 32);
	put(file + CORE, 0x20);
	put(file + CORE + 4, 2);
	put_section(file + CORE + 8, 114, TABLE, sizeof(table));
	put_section(file + CORE + 20, 103, METHODS, sizeof(methods));
	memcpy(file + TABLE, table, sizeof(table));
	memcpy(file + METHODS, methods, sizeof(methods));
}

static void save(const uint8_t file[SIZE])
{
	FILE *f = fopen("composite.r2r.dll", "w");

	assert_non_null(f);
	assert_int_equal(fwrite(file, SIZE, 1, f), 1);
	assert_int_equal(fclose(f), 0);
}

static bool readable(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx, (void)at, (void)n;
	return true;
}

/* A module whose code is in that file. */
struct module {
	uint8_t bytes[128], row[10], id[16];
	struct gn_image image;
};

static void make_module(struct module *m, char id, const char *owner)
{
	uint32_t n = (uint32_t)strlen(owner) + 1;
	char cwd[GN_MODULE_MAX - 8];

	memset(m, 0, sizeof(*m));
	put(m->bytes + 16, sizeof(m->bytes));
	put(m->bytes + 40, 0x00525452);
	put(m->bytes + 48, 0x20);
	put(m->bytes + 52, 1);
	put_section(m->bytes + 56, 116, 80, n);
	memcpy(m->bytes + 80, owner, n);
	m->image.pe = (struct gn_pe){
		.base = m->bytes,
		.flat = true,
		.readable = readable,
		.nsections = 1,
		.native = {m->bytes + 40, 28},
	};
	memset(m->id, id, sizeof(m->id));
	m->row[4] = 1;
	m->image.md.guids = (struct gn_bytes){m->id, sizeof(m->id)};
	m->image.md.table[0] = (struct gn_md_table){
		.rows = m->row,
		.count = 1,
		.size = 10,
		.column = {0, 2, 4, 6, 8},
		.width = {2, 2, 2, 2, 2},
	};
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(m->image.path, sizeof(m->image.path), "%s/a.dll", cwd);
}

static bool asks(void *ctx, uint32_t module, uint32_t method)
{
	(void)ctx, (void)method;
	assert_true(module < N);
	return true;
}

static void take(void *ctx, const struct gn_r2r_copy *copy)
{
	assert_true(gn_copies_add(ctx, copy));
}

/* Images are kept for good, so their callers are, too. */
static void test_copies(void **state)
{
	static struct gn_composites all;
	const struct gn_r2r_copy *held;
	struct gn_copies copies = {0};
	struct gn_composite *c;
	uint32_t component, n;
	uint8_t file[SIZE];
	struct module m;

	(void)state;
	make(file, 26);
	save(file);
	make_module(&m, 'b', "composite.r2r.dll");
	c = gn_composites_get(&all, &m.image, &component);
	assert_non_null(c);
	assert_int_equal(component, 1);
	assert_int_equal(c->n, N);
	assert_true(gn_composite_copies(
		c, component, &(struct gn_r2r_asker){asks, take, &copies}));
	gn_copies_sort(&copies);
	assert_int_equal(copies.n, 3);
	held = gn_copies_in(&copies, 7, &n);
	assert_int_equal(n, 2);
	assert_int_equal(held[0].module + held[1].module, 1);
	assert_int_equal(held[0].method + held[1].method, 5 + 9);
	held = gn_copies_in(&copies, 10, &n);
	assert_int_equal(n, 1);
	assert_int_equal(held->module, 0);
	assert_int_equal(held->method, 9);
	assert_null(gn_copies_in(&copies, 8, &n));
	gn_copies_free(&copies);
	assert_true(gn_composite_has(c, component, 1));
	assert_false(gn_composite_has(c, component, 2));
	/* the other component has no data */
	assert_false(gn_composite_copies(
		c, 0, &(struct gn_r2r_asker){asks, take, &copies}));
	assert_false(gn_composite_has(c, 0, 1));
	/* it is opened only once */
	make_module(&m, 'a', "composite.r2r.dll");
	assert_ptr_equal(gn_composites_get(&all, &m.image, &component), c);
	assert_int_equal(component, 0);
	unlink("composite.r2r.dll");
}

/* A module without such a component, and one without such a file. */
static void test_none(void **state)
{
	static struct gn_composites all;
	uint8_t file[SIZE];
	uint32_t component;
	struct module m;

	(void)state;
	make_module(&m, 'b', "composite.r2r.dll");
	assert_null(gn_composites_get(&all, &m.image, &component));
	/* a newer format may number modules differently */
	make(file, 27);
	save(file);
	assert_null(gn_composites_get(&all, &m.image, &component));
	make(file, 16);
	save(file);
	make_module(&m, 'c', "composite.r2r.dll");
	assert_null(gn_composites_get(&all, &m.image, &component));
	make_module(&m, 'b', "./composite.r2r.dll");
	assert_null(gn_composites_get(&all, &m.image, &component));
	make_module(&m, 'b', "composite.r2r.dll");
	put(m.bytes + 48, 0);
	assert_null(gn_composites_get(&all, &m.image, &component));
	unlink("composite.r2r.dll");
}

/* A truncated file, and a table that names a module after the last one. */
static void test_broken(void **state)
{
	static struct gn_composites cut[METHODS / 7 + 1], named[8];
	uint8_t file[SIZE];
	struct module m;

	(void)state;
	make_module(&m, 'b', "composite.r2r.dll");
	for (size_t n = 0; n < METHODS; n += 7) {
		struct gn_copies copies = {0};
		struct gn_composite *c;
		uint32_t component;

		make(file, 16);
		save(file);
		assert_int_equal(truncate("composite.r2r.dll", (off_t)n), 0);
		c = gn_composites_get(&cut[n / 7], &m.image, &component);
		assert_true(!c || n >= TABLE ||
			    !gn_composite_copies(c, component,
						 &(struct gn_r2r_asker){
							 asks, take, &copies}));
		gn_copies_free(&copies);
	}
	for (uint32_t module = 0; module < 8; module++) {
		struct gn_copies copies = {0};
		struct gn_composite *c;
		uint32_t component;

		make(file, 16);
		file[TABLE + 12] = (uint8_t)(module << 1);
		save(file);
		c = gn_composites_get(&named[module], &m.image, &component);
		assert_non_null(c);
		assert_int_equal(
			gn_composite_copies(
				c, component,
				&(struct gn_r2r_asker){asks, take, &copies}),
			module == 0 || module == 2 || module == 3);
		gn_copies_free(&copies);
	}
	unlink("composite.r2r.dll");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
