// SPDX-License-Identifier: BSD-2-Clause
/* What is told of functions and threads, with a runtime that answers as the
 * test says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hooksite/clr/profiler.h"
#include "hooksite/clr/sites.h"

static uint64_t no_room;

void gn_site_clr_selected(uint64_t what, uint64_t n)
{
	assert_int_equal(what, GN_SELECTED_NO_ROOM);
	no_room += n;
}

void gn_site_clr_jit_begin(uint64_t index, uint64_t frame)
{
	(void)index, (void)frame;
}

void gn_site_clr_jit_end(uint64_t index, uint64_t size, uint64_t hr)
{
	(void)index, (void)size, (void)hr;
}

void gn_site_clr_jit_dynamic(uint64_t index)
{
	(void)index;
}

static struct gn_clr *new_clr(void)
{
	struct gn_clr *clr = calloc(1, sizeof(*clr));

	assert_non_null(clr);
	no_room = 0;
	return clr;
}

/* Each function and dynamic method that comes to a full table is told. */
static void full(void **state)
{
	struct gn_clr *clr = new_clr();

	(void)state;
	atomic_store(&clr->ids.used, GN_IDS_MAX);
	gn_clr_jit_started(clr, 64, 0);
	assert_int_equal(no_room, 0); /* nobody asks for functions */
	clr->functions = true;
	gn_clr_jit_started(clr, 64, 0);
	assert_int_equal(no_room, 1);
	gn_clr_dynamic_jit_started(clr, 72, 0, NULL, 0);
	assert_int_equal(no_room, 2);
	free(clr);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
