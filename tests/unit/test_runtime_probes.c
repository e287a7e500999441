/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of probes, and the second address of a hook-site library's sites. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "runtime/probes.h"

enum { LIBRARY = 3, OTHER = 4 };

static uint64_t offset_of(const struct gn_probes *p, size_t file,
			  enum gn_prog prog)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->group[i].file == file && p->group[i].prog == prog)
			return p->group[i].offsets[0];
	return 0;
}

/* Functions of the library can be requested, too: a probe inside an instruction
 * would end the program. */
static void test_take_nop5(void **state)
{
	struct gn_probes p = {0};

	(void)state;
	assert_int_equal(
		gn_probes_add(&p, LIBRARY, GN_PROG_NATIVE, 0x100, 0, 0), 0);
	assert_false(gn_probes_take_nop5(&p, LIBRARY));
	assert_int_equal(
		gn_probes_add(&p, LIBRARY, GN_PROG_MANAGED, 0x200, 0, 0), 0);
	assert_int_equal(gn_probes_add(&p, LIBRARY, GN_PROG_NAME, 0x300, 0, 0),
			 0);
	assert_int_equal(
		gn_probes_add(&p, LIBRARY, GN_PROG_SESSION, 0x400, 0, 0), 0);
	assert_int_equal(gn_probes_add(&p, OTHER, GN_PROG_MANAGED, 0x500, 0, 0),
			 0);
	assert_true(gn_probes_take_nop5(&p, LIBRARY));
	assert_int_equal(offset_of(&p, LIBRARY, GN_PROG_NATIVE), 0x100);
	assert_int_equal(offset_of(&p, LIBRARY, GN_PROG_MANAGED), 0x201);
	assert_int_equal(offset_of(&p, LIBRARY, GN_PROG_NAME), 0x301);
	assert_int_equal(offset_of(&p, LIBRARY, GN_PROG_SESSION), 0x400);
	assert_int_equal(offset_of(&p, OTHER, GN_PROG_MANAGED), 0x500);
	gn_probes_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_take_nop5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
