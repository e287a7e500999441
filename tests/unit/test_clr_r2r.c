// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hooksite/clr/r2r.h"

#define HEADER 64u
#define TABLE  128u
#define SIZE   256u

/* A module with one section, whose addresses are its file offsets. */
struct module {
	uint8_t bytes[SIZE];
	struct gn_pe pe;
	uint32_t asked, pairs[8][2];
	size_t n;
};

static bool readable(void *ctx, const uint8_t *at, size_t n)
{
	const struct module *m = ctx;

	return at >= m->bytes && n <= SIZE - (size_t)(at - m->bytes);
}

static void put(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

/* The module's precompiled code has `flags` and a table of inlined methods. */
static void make(struct module *m, uint32_t flags, uint32_t type,
		 const uint8_t *table, size_t n)
{
	memset(m, 0, sizeof(*m));
	put(m->bytes + 16, SIZE); /* the section begins at address 0 */
	put(m->bytes + HEADER, 0x00525452);
	put(m->bytes + HEADER + 8, flags);
	put(m->bytes + HEADER + 12, 1);
	put(m->bytes + HEADER + 16, type);
	put(m->bytes + HEADER + 20, TABLE);
	put(m->bytes + HEADER + 24, (uint32_t)n);
	memcpy(m->bytes + TABLE, table, n);
	m->pe = (struct gn_pe){
		.base = m->bytes,
		.flat = true,
		.readable = readable,
		.ctx = m,
		.nsections = 1,
		.native = {m->bytes + HEADER, 28},
	};
}

static void take(void *ctx, const struct gn_r2r_copy *copy)
{
	struct module *m = ctx;

	assert_true(m->n < 8);
	m->pairs[m->n][0] = copy->method;
	m->pairs[m->n++][1] = copy->holder;
}

static bool asks(void *ctx, uint32_t module, uint32_t method)
{
	const struct module *m = ctx;

	assert_int_equal(module, 0);
	return method == m->asked;
}

static enum gn_r2r copies_of(struct module *m, uint32_t method)
{
	m->asked = method;
	return gn_r2r_copies(&m->pe, &(struct gn_r2r_asker){asks, take, m});
}

static void expect(const struct module *m, uint32_t method, uint32_t a,
		   uint32_t b)
{
	assert_int_equal(m->n, 2);
	assert_int_equal(m->pairs[0][0], method);
	assert_int_equal(m->pairs[0][1], a);
	assert_int_equal(m->pairs[1][0], method);
	assert_int_equal(m->pairs[1][1], b);
}

/* One bucket from byte 3 to 5: a hash, and the place of its entry, two bytes
 * on. Method 5 of the module itself is inlined in 7 and in 7 + 300. */
static const uint8_t several[] = {0, 2,	     4,	    0xaa,   4,	  0,
				  8, 20 * 2, 0 * 2, 14 * 2, 0x61, 9};
/* The same without the numbers of modules. */
static const uint8_t single[] = {0, 2,	    4,	   0xaa, 4, 0,
				 6, 20 * 2, 7 * 2, 0xb1, 4};
/* The same in the older form. */
static const uint8_t own[] = {0, 2, 4, 0xaa, 4, 0, 6, 10 * 2, 14 * 2, 0x61, 9};

static void test_told(void **state)
{
	struct module m;

	(void)state;
	make(&m, 0x40, 119, several, sizeof(several));
	assert_int_equal(copies_of(&m, 5), GN_R2R_TOLD);
	expect(&m, 5, 7, 307);
	make(&m, 0, 119, single, sizeof(single));
	assert_int_equal(copies_of(&m, 5), GN_R2R_TOLD);
	expect(&m, 5, 7, 307);
	make(&m, 0, 114, own, sizeof(own));
	assert_int_equal(copies_of(&m, 5), GN_R2R_TOLD);
	expect(&m, 5, 7, 307);
}

/* If no method of the module is requested. */
static void test_nobody_asks(void **state)
{
	uint8_t foreign[sizeof(several)];
	struct module m;

	(void)state;
	make(&m, 0x40, 119, several, sizeof(several));
	assert_int_equal(gn_r2r_copies(&m.pe, NULL), GN_R2R_TOLD);
	memcpy(foreign, several, sizeof(foreign));
	foreign[8] = 1 * 2;
	make(&m, 0x40, 119, foreign, sizeof(foreign));
	assert_int_equal(gn_r2r_copies(&m.pe, NULL), GN_R2R_UNTOLD);
	make(&m, 0x20, 114, own, sizeof(own));
	assert_int_equal(gn_r2r_copies(&m.pe, NULL), GN_R2R_UNTOLD);
	/* of the module alone: the table is not read */
	make(&m, 0, 114, own, 1);
	assert_int_equal(gn_r2r_copies(&m.pe, NULL), GN_R2R_TOLD);
	make(&m, 0x40, 114, own, 1);
	assert_int_equal(gn_r2r_copies(&m.pe, NULL), GN_R2R_UNTOLD);
}

/* The copies of other methods do not matter, not even where they are not
 * told. */
static void test_others(void **state)
{
	uint8_t foreign[sizeof(several)];
	struct module m;

	(void)state;
	make(&m, 0, 114, own, sizeof(own));
	assert_int_equal(copies_of(&m, 7), GN_R2R_TOLD);
	assert_int_equal(m.n, 0);
	memcpy(foreign, several, sizeof(foreign));
	foreign[9] = 15 * 2; /* a holder in another module */
	make(&m, 0x40, 119, foreign, sizeof(foreign));
	assert_int_equal(copies_of(&m, 7), GN_R2R_TOLD);
	assert_int_equal(m.n, 0);
	assert_int_equal(copies_of(&m, 5), GN_R2R_UNTOLD);
}

static void test_untold(void **state)
{
	uint8_t foreign[sizeof(several)];
	struct module m;

	(void)state;
	/* a method of another module; a holder in another module; both */
	memcpy(foreign, several, sizeof(foreign));
	foreign[8] = 1 * 2;
	make(&m, 0x40, 119, foreign, sizeof(foreign));
	assert_int_equal(copies_of(&m, 5), GN_R2R_UNTOLD);
	foreign[8] = 0;
	foreign[9] = 15 * 2;
	make(&m, 0x40, 119, foreign, sizeof(foreign));
	assert_int_equal(copies_of(&m, 5), GN_R2R_UNTOLD);
	foreign[7] = 21 * 2;
	make(&m, 0x40, 119, foreign, sizeof(foreign));
	assert_int_equal(copies_of(&m, 5), GN_R2R_UNTOLD);
	/* the code is in another file; there is no table */
	make(&m, 0x20, 119, several, sizeof(several));
	assert_int_equal(copies_of(&m, 5), GN_R2R_UNTOLD);
	make(&m, 0x40, 110, several, sizeof(several));
	assert_int_equal(copies_of(&m, 5), GN_R2R_UNTOLD);
}

/* Each truncated table is recognised. */
static void test_cut(void **state)
{
	struct module m;

	(void)state;
	for (size_t n = 0; n < sizeof(several); n++) {
		make(&m, 0x40, 119, several, n);
		assert_int_equal(copies_of(&m, 5), GN_R2R_UNTOLD);
	}
	make(&m, 0x40, 119, several, sizeof(several));
	m.pe.native = (struct gn_bytes){NULL, 0};
	assert_int_equal(copies_of(&m, 5), GN_R2R_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_nobody_asks),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_untold),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
