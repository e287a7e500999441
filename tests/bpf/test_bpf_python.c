/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of CPython as gnomon's BPF programs read them in a process's memory:
 * here, objects with known characters in each form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host.h"

/* In CPython's state of a text. */
#define STATE(width, compact, ascii) \
	((width) << 2 | (compact) << 5 | (ascii) << 6)

static const uint64_t type_str[8] = {[3] = (uintptr_t) "str"};
static const uint64_t type_bytes[8] = {[3] = (uintptr_t) "bytes"};
/* CPython names it by three letters and a NUL. */
static const uint64_t type_strict[8] = {[3] = (uintptr_t) "stra"};

struct object {
	uint64_t refs, type, length, hash, state;
	char bytes[4096];
};

/* Versions of CPython before 3.12, and since. */
static const struct gn_interpreter versions[] = {
	{.python = {.ascii = 48, .compact = 72}},
	{.python = {.ascii = 40, .compact = 56}},
};

/* Makes an object of `n` characters of this width. */
static void make(struct object *o, const struct gn_interpreter *py, int width,
		 bool ascii, const void *at, uint64_t n)
{
	size_t head = ascii ? py->python.ascii : py->python.compact;

	memset(o, 0xa5, sizeof(*o));
	o->type = (uintptr_t)type_str;
	o->length = n;
	o->state = 0xa5a5a5a500000000 | (uint32_t)STATE(width, 1, ascii);
	memcpy((char *)o + head, at, n * (size_t)width);
}

static void expect(const struct object *o, const struct gn_interpreter *py,
		   uint32_t width, const void *at, uint32_t bytes)
{
	struct gn_interpreted_text text = {.width = 7};

	assert_true(host_python_text(&text, o, py));
	assert_int_equal(text.width, width);
	assert_int_equal(text.bytes, bytes);
	assert_memory_equal(text.text, at, bytes);
}

static void each_form(void **state)
{
	static const struct {
		int width;
		bool ascii;
		const void *at;
		uint64_t n;
	} rows[] = {
		{1, true, "fib", 3},	      {1, true, "", 0},
		{1, false, "na\xefve", 5},    {2, false, u"\u03b1\u65e5", 2},
		{4, false, U"\U0001f40d", 1},
	};
	struct object o;

	(void)state;
	for (size_t v = 0; v < sizeof(versions) / sizeof(versions[0]); v++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			make(&o, &versions[v], rows[i].width, rows[i].ascii,
			     rows[i].at, rows[i].n);
			expect(&o, &versions[v], (uint32_t)rows[i].width,
			       rows[i].at,
			       (uint32_t)rows[i].n * (uint32_t)rows[i].width);
		}
}

/* What is longer is cut, between two characters. */
static void long_texts(void **state)
{
	static const int widths[] = {1, 2, 4};
	static const uint64_t lengths[] = {GN_INTERPRETED_TEXT - 1,
					   GN_INTERPRETED_TEXT,
					   GN_INTERPRETED_TEXT + 1,
					   1u << 31,
					   UINT64_MAX,
					   1ull << 62};
	char bytes[4 * GN_INTERPRETED_TEXT];
	struct object o;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)i;
	for (size_t w = 0; w < 3; w++)
		for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths);
		     i++) {
			uint64_t most =
				GN_INTERPRETED_TEXT / (unsigned)widths[w];
			uint64_t n = lengths[i] < most ? lengths[i] : most;

			make(&o, versions, widths[w], false, bytes, most);
			o.length = lengths[i];
			expect(&o, versions, (uint32_t)widths[w], bytes,
			       (uint32_t)n * (uint32_t)widths[w]);
		}
}

/* An object of a type that CPython in this file exports, or has a copy of. */
static void by_its_type(void **state)
{
	struct gn_interpreter py = versions[1];
	struct gn_interpreted_text text;
	struct object o;

	(void)state;
	make(&o, &py, 1, true, "f", 1);
	py.addr[GN_PYTHON_STR] = (uintptr_t)type_bytes;
	assert_true(host_python_text(&text, &o, &py));
	o.type = (uintptr_t)type_bytes;
	assert_true(host_python_text(&text, &o, &py));
	py.addr[GN_PYTHON_STR] = 0;
	assert_false(host_python_text(&text, &o, &py));
	o.type = (uintptr_t)type_strict;
	assert_false(host_python_text(&text, &o, &py));
	o.type = 0;
	assert_false(host_python_text(&text, &o, &py));
}

/* Neither of these is a text as CPython has it. */
static void what_is_none(void **state)
{
	static const uint32_t states[] = {STATE(1, 0, 1), STATE(0, 1, 1), 0};
	struct gn_interpreted_text text;
	struct object o;

	(void)state;
	assert_false(host_python_text(&text, NULL, versions));
	for (size_t i = 0; i < 3; i++) {
		make(&o, versions, 1, true, "f", 1);
		o.state = states[i];
		assert_false(host_python_text(&text, &o, versions));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form),
		cmocka_unit_test(long_texts),
		cmocka_unit_test(by_its_type),
		cmocka_unit_test(what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
