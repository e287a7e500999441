// SPDX-License-Identifier: BSD-2-Clause
/* The owner of precompiled code, in modules of a few bytes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "source/r2r_code.h"

#define HEADER	  40u
#define SECTIONS  4u
#define CONTENT	  (HEADER + 16 + 12 * SECTIONS)
#define SIZE	  320u
#define FUNCTIONS 5u

/* One section, whose addresses are its file offsets. */
struct module {
	uint8_t bytes[SIZE];
	uint32_t at;
	struct gn_pe pe;
};

/* Methods 1 and 3 begin at functions 0 and 2: the number of elements, the place
 * of their block, its tree of bits, and the elements. */
static const uint8_t methods[] = {3 << 3, 1, 2, 2, 30, 2, 0, 2, 2 << 2};
/* Only method 16 begins at function 1: a leaf has its number. */
static const uint8_t alone[] = {16 << 3, 1, 15 << 3, 1 << 2};
/* One bucket with method 4 of an instance of TypeDef 2 with int, which begins
 * at function 3. */
static const uint8_t instances[] = {0,	  2,	4,	0xaa, 4, 0, 0x40,
				    0x15, 0x12, 2 << 2, 1,    8, 4, 3 << 2};
/* One bucket with method 4 as the runtime suspends it, which begins at function
 * 3. */
static const uint8_t suspends[] = {0, 2, 4, 0xaa, 4, 0, 0x81, 0, 4, 3 << 2};
/* Function 4 is a separate part of function 3. */
static const uint8_t cold[] = {4, 0, 0, 0, 3, 0, 0, 0};

static bool readable(void *ctx, const uint8_t *at, size_t n)
{
	const struct module *m = ctx;

	return at >= m->bytes && n <= SIZE - (size_t)(at - m->bytes);
}

static void put(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

static void add(struct module *m, uint32_t type, const void *content, size_t n)
{
	uint32_t i = m->bytes[HEADER + 12]++;
	uint8_t *section = m->bytes + HEADER + 16 + 12 * i;

	assert_true(i < SECTIONS && m->at + n <= SIZE);
	put(section, type);
	put(section + 4, m->at);
	put(section + 8, (uint32_t)n);
	memcpy(m->bytes + m->at, content, n);
	m->at += (uint32_t)n;
}

/* Functions of 0x10 bytes from 0x1000 on, at a distance of 0x20. */
static void make(struct module *m, uint32_t flags)
{
	uint8_t functions[FUNCTIONS * 12] = {0};

	memset(m, 0, sizeof(*m));
	m->at = CONTENT;
	put(m->bytes + 16, SIZE);
	put(m->bytes + HEADER, 0x00525452);
	put(m->bytes + HEADER + 8, flags);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		put(functions + 12 * i, 0x1000 + 0x20 * i);
		put(functions + 12 * i + 4, 0x1010 + 0x20 * i);
	}
	add(m, 102, functions, sizeof(functions));
	m->pe = (struct gn_pe){
		.base = m->bytes,
		.flat = true,
		.readable = readable,
		.ctx = m,
		.nsections = 1,
		.native = {m->bytes + HEADER, CONTENT - HEADER},
	};
}

static void is_code(const struct gn_r2r_code *code, uint32_t start,
		    uint32_t end, uint32_t method)
{
	assert_int_equal(code->start, start);
	assert_int_equal(code->end, end);
	assert_int_equal(code->method, method);
}

static void code_goes_to_the_next_entry(void **state)
{
	struct gn_r2r_code *code;
	struct module m;
	size_t n;

	(void)state;
	make(&m, 0);
	add(&m, 103, methods, sizeof(methods));
	add(&m, 109, instances, sizeof(instances));
	assert_int_equal(gn_r2r_code_read(&m.pe, &code, &n), 0);
	assert_int_equal(n, 3);
	is_code(&code[0], 0x1000, 0x1030, 1);
	is_code(&code[1], 0x1040, 0x1050, 3);
	is_code(&code[2], 0x1060, 0x1090, 4);
	assert_int_equal(code[0].instance.n, 0);
	assert_int_equal(code[2].instance.n, 7);
	assert_null(gn_r2r_code_at(code, n, 0xfff));
	assert_ptr_equal(gn_r2r_code_at(code, n, 0x1000), &code[0]);
	assert_ptr_equal(gn_r2r_code_at(code, n, 0x102f), &code[0]);
	assert_null(gn_r2r_code_at(code, n, 0x1030));
	assert_ptr_equal(gn_r2r_code_at(code, n, 0x108f), &code[2]);
	assert_null(gn_r2r_code_at(code, n, 0x1090));
	free(code);
}

/* The code that resumes it has no entry point. */
static void a_method_has_the_code_that_resumes_it(void **state)
{
	struct gn_r2r_code *code;
	struct module m;
	size_t n;

	(void)state;
	make(&m, 0);
	add(&m, 103, methods, sizeof(methods));
	add(&m, 109, suspends, sizeof(suspends));
	assert_int_equal(gn_r2r_code_read(&m.pe, &code, &n), 0);
	assert_int_equal(n, 3);
	is_code(&code[2], 0x1060, 0x1090, 4);
	free(code);
}

static void what_is_apart_has_no_name(void **state)
{
	struct gn_r2r_code *code;
	struct module m;
	size_t n;

	(void)state;
	make(&m, 0);
	add(&m, 103, alone, sizeof(alone));
	add(&m, 120, cold, sizeof(cold));
	assert_int_equal(gn_r2r_code_read(&m.pe, &code, &n), 0);
	assert_int_equal(n, 1);
	is_code(&code[0], 0x1020, 0x1070, 16);
	free(code);
}

static void other_modules_have_none(void **state)
{
	struct gn_r2r_code *code;
	struct module m;
	size_t n;

	(void)state;
	/* the code is in another file, or the methods are */
	make(&m, 0x20);
	add(&m, 103, methods, sizeof(methods));
	assert_int_equal(gn_r2r_code_read(&m.pe, &code, &n), 0);
	assert_int_equal(n, 0);
	make(&m, 0);
	add(&m, 103, methods, sizeof(methods));
	assert_false(gn_r2r_code_composite(&m.pe));
	add(&m, 115, cold, sizeof(cold));
	assert_true(gn_r2r_code_composite(&m.pe));
	assert_int_equal(gn_r2r_code_read(&m.pe, &code, &n), 0);
	assert_int_equal(n, 0);
	m.pe.native = (struct gn_bytes){NULL, 0};
	assert_int_equal(gn_r2r_code_read(&m.pe, &code, &n), 0);
	assert_int_equal(n, 0);
}

/* Any truncation is recognised. */
static void cut_tables_are_refused(void **state)
{
	uint8_t far[sizeof(methods)];
	struct gn_r2r_code *code;
	struct module m;
	size_t n;

	(void)state;
	for (size_t size = 1; size < sizeof(methods); size++) {
		make(&m, 0);
		add(&m, 103, methods, size);
		assert_int_equal(gn_r2r_code_read(&m.pe, &code, &n), -EBADMSG);
		assert_null(code);
	}
	for (size_t size = 1; size < sizeof(instances); size++) {
		make(&m, 0);
		add(&m, 109, instances, size);
		assert_int_equal(gn_r2r_code_read(&m.pe, &code, &n), -EBADMSG);
	}
	/* a function that does not exist */
	memcpy(far, methods, sizeof(far));
	far[6] = FUNCTIONS << 2;
	make(&m, 0);
	add(&m, 103, far, sizeof(far));
	assert_int_equal(gn_r2r_code_read(&m.pe, &code, &n), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_goes_to_the_next_entry),
		cmocka_unit_test(a_method_has_the_code_that_resumes_it),
		cmocka_unit_test(what_is_apart_has_no_name),
		cmocka_unit_test(other_modules_have_none),
		cmocka_unit_test(cut_tables_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
