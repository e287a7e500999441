/* SPDX-License-Identifier: BSD-2-Clause */
/* The grid: the place and the width of texts. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "top/cells.h"
#include "top_model.h"

static void check_row(const struct gn_cells *g, int row, const char *wanted)
{
	char text[256];

	tm_row_text(g, row, text, sizeof(text));
	assert_string_equal(text, wanted);
}

static void sizes(void **state)
{
	struct gn_cells g = {0};

	(void)state;
	assert_int_equal(gn_cells_resize(&g, 0, 1), -EINVAL);
	assert_int_equal(gn_cells_resize(&g, 1, GN_CELLS_MAX + 1), -EINVAL);
	assert_int_equal(gn_cells_resize(&g, 2, 3), 0);
	assert_int_equal(g.rows, 2);
	assert_null(gn_cells_at(&g, 2, 0));
	assert_null(gn_cells_at(&g, 0, 3));
	assert_null(gn_cells_at(&g, -1, 0));
	assert_int_equal(gn_cells_put(&g, 5, 0, 3, GN_INK_PLAIN, "x"), 0);
	assert_int_equal(gn_cells_put(&g, 0, 1, 99, GN_INK_PLAIN, "abcd"), 3);
	check_row(&g, 0, " ab");
	assert_int_equal(gn_cells_put(&g, 1, 0, 2, GN_INK_PLAIN, "abcd"), 2);
	check_row(&g, 1, "ab");
	gn_cells_fill(&g, 1, -2, 99, GN_INK_BAD, '.');
	check_row(&g, 1, "...");
	gn_cells_free(&g);
}

static void wide_and_marks(void **state)
{
	struct gn_cells g = {.utf8 = true};

	(void)state;
	assert_int_equal(gn_cells_resize(&g, 1, 8), 0);
	/* wide, e with an acute accent, wide again: the last one does not
	 * fit */
	assert_int_equal(gn_cells_put(&g, 0, 0, 4, GN_INK_PLAIN,
				      "\xe6\x97\xa5"
				      "e\xcc\x81"
				      "\xe6\x9c\xac"),
			 3);
	check_row(&g, 0,
		  "\xe6\x97\xa5"
		  "e\xcc\x81");
	assert_int_equal(gn_cells_at(&g, 0, 0)->width, 2);
	assert_int_equal(gn_cells_at(&g, 0, 1)->c, 0);
	assert_int_equal(gn_cells_at(&g, 0, 2)->marks[0], 0x301);
	/* a wide character that loses a half disappears */
	gn_cells_put(&g, 0, 1, 2, GN_INK_PLAIN, "x");
	check_row(&g, 0, " xe\xcc\x81");
	gn_cells_put(&g, 0, 4, 8, GN_INK_PLAIN, "\xe6\x97\xa5");
	gn_cells_put(&g, 0, 4, 8, GN_INK_PLAIN, "y");
	check_row(&g, 0, " xe\xcc\x81 y");
	/* more marks than are kept */
	gn_cells_clear(&g);
	gn_cells_put(&g, 0, 0, 8, GN_INK_PLAIN,
		     "a\xcc\x81\xcc\x82\xcc\x83\xcc\x84"
		     "b");
	check_row(&g, 0,
		  "a\xcc\x81\xcc\x82"
		  "b");
	/* a mark without a character */
	gn_cells_clear(&g);
	gn_cells_put(&g, 0, 3, 8, GN_INK_PLAIN, "\xcc\x81z");
	check_row(&g, 0, "   z");
	gn_cells_free(&g);
}

static void nothing_that_a_terminal_obeys(void **state)
{
	struct gn_cells g = {.utf8 = true};

	(void)state;
	assert_int_equal(gn_cells_resize(&g, 1, 20), 0);
	gn_cells_put(&g, 0, 0, 20, GN_INK_PLAIN,
		     "a\033[2J\xff\xc2\x9b\xe2\x80\xae\tz");
	check_row(&g, 0, "a?[2J????z");
	g.utf8 = false;
	gn_cells_clear(&g);
	gn_cells_put(&g, 0, 0, 20, GN_INK_PLAIN, "\xe6\x97\xa5z");
	check_row(&g, 0, "?z");
	gn_cells_free(&g);
}

static void text_is_cut_whole(void **state)
{
	struct gn_cells g = {.utf8 = true};
	char text[4];

	(void)state;
	assert_int_equal(gn_cells_resize(&g, 1, 4), 0);
	gn_cells_put(&g, 0, 0, 4, GN_INK_PLAIN, "ab\xe6\x97\xa5");
	assert_int_equal(tm_row_text(&g, 0, text, sizeof(text)), 2);
	assert_string_equal(text, "ab");
	gn_cells_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(wide_and_marks),
		cmocka_unit_test(nothing_that_a_terminal_obeys),
		cmocka_unit_test(text_is_cut_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
