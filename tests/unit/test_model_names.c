// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/event.h>
#include "model/names.h"

#define CLR(i) GN_FUNC(GN_RUNTIME_CLR, i)

static void define(struct gn_names *n, uint32_t program, uint32_t func,
		   const char *name, const char *module)
{
	struct gn_fn def = {.func = func, .program = program};

	def.name = gn_pool_add(&n->pool, name, strlen(name));
	def.module = gn_pool_add(&n->pool, module, strlen(module));
	assert_int_equal(gn_names_define(n, &def), 0);
}

static uint32_t find(struct gn_names *n, uint32_t program, uint32_t func)
{
	uint32_t fn;

	assert_int_equal(gn_names_find(n, program, func, &fn), 0);
	return fn;
}

static void names_can_come_late(void **state)
{
	struct gn_names n;
	uint32_t a, fn;

	(void)state;
	assert_int_equal(gn_names_init(&n), 0);
	assert_int_equal(gn_names_program(&n, 0, &a), 0);
	fn = find(&n, a, CLR(5));
	assert_string_equal(gn_names_text(&n, fn), "[func 0x10000005]");
	assert_string_equal(gn_names_module_text(&n, fn), "");
	define(&n, a, CLR(5), "A.B", "a.dll");
	assert_int_equal(find(&n, a, CLR(5)), fn);
	assert_string_equal(gn_names_text(&n, fn), "A.B");
	assert_string_equal(gn_names_module_text(&n, fn), "a.dll");
	gn_names_free(&n);
}

static void another_definition_is_another_function(void **state)
{
	struct gn_names n;
	uint32_t a, fn, fn2;

	(void)state;
	assert_int_equal(gn_names_init(&n), 0);
	assert_int_equal(gn_names_program(&n, 0, &a), 0);
	define(&n, a, CLR(5), "A.B", "a.dll");
	fn = find(&n, a, CLR(5));
	define(&n, a, CLR(5), "A.B", "a.dll");
	assert_int_equal(find(&n, a, CLR(5)), fn);
	define(&n, a, CLR(5), "A.C", "a.dll");
	fn2 = find(&n, a, CLR(5));
	assert_int_not_equal(fn2, fn);
	assert_string_equal(gn_names_text(&n, fn), "A.B");
	assert_string_equal(gn_names_text(&n, fn2), "A.C");
	gn_names_free(&n);
}

static void ids_are_a_programs_own(void **state)
{
	struct gn_names n;
	uint32_t a, b, native;

	(void)state;
	assert_int_equal(gn_names_init(&n), 0);
	assert_int_equal(gn_names_program(&n, 0, &a), 0);
	assert_int_equal(gn_names_program(&n, 0, &b), 0);
	define(&n, a, CLR(5), "A.B", "a.dll");
	assert_int_not_equal(find(&n, a, CLR(5)), find(&n, b, CLR(5)));
	assert_string_equal(gn_names_text(&n, find(&n, b, CLR(5))),
			    "[func 0x10000005]");
	/* native functions belong to the session */
	native = GN_FUNC(GN_RUNTIME_NATIVE, 5);
	assert_int_equal(find(&n, a, native), find(&n, b, native));
	gn_names_free(&n);
}

static void a_fork_has_its_parents_functions(void **state)
{
	struct gn_names n;
	uint32_t a, b, c;

	(void)state;
	assert_int_equal(gn_names_init(&n), 0);
	assert_int_equal(gn_names_program(&n, 0, &a), 0);
	define(&n, a, CLR(5), "A.B", "a.dll");
	assert_int_equal(gn_names_program(&n, a, &b), 0);
	assert_int_equal(gn_names_program(&n, b, &c), 0);
	assert_string_equal(gn_names_text(&n, find(&n, c, CLR(5))), "A.B");
	/* from then on it has its own */
	define(&n, c, CLR(5), "C.D", "c.dll");
	assert_string_equal(gn_names_text(&n, find(&n, c, CLR(5))), "C.D");
	assert_string_equal(gn_names_text(&n, find(&n, a, CLR(5))), "A.B");
	gn_names_free(&n);
}

static void modules_by_id(void **state)
{
	struct gn_names n;
	struct gn_fn def = {.func = 3, .module_id = 9};
	uint32_t fn;

	(void)state;
	assert_int_equal(gn_names_init(&n), 0);
	def.name = gn_pool_add(&n.pool, "main", 4);
	assert_int_equal(gn_names_define(&n, &def), 0);
	fn = find(&n, 0, 3);
	assert_string_equal(gn_names_module_text(&n, fn), "");
	assert_int_equal(
		gn_names_module(&n, 9, &(struct gn_module){.name = "/bin/app"}),
		0);
	assert_int_equal(
		gn_names_module(&n, 9,
				&(struct gn_module){.name = "/bin/other"}),
		0);
	assert_string_equal(gn_names_module_text(&n, fn), "/bin/app");
	gn_names_free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_can_come_late),
		cmocka_unit_test(another_definition_is_another_function),
		cmocka_unit_test(ids_are_a_programs_own),
		cmocka_unit_test(a_fork_has_its_parents_functions),
		cmocka_unit_test(modules_by_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
