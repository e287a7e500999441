// SPDX-License-Identifier: BSD-2-Clause
/* Lists of the mappings of a running process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "process/maps.h"

#define LIB " r--p 00003000 fe:01 42 /lib.so\n"

/* "START-END+OFFSET" for each mapping, and "-" with the error at the end. */
static const char *read_all(const char *text, bool runs)
{
	static char all[512];
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	struct gn_mapping m;
	struct gn_maps maps;
	size_t n = 0;
	int got;

	assert_non_null(f);
	all[0] = '\0';
	gn_maps_of(&maps, f);
	maps.runs = runs;
	while ((got = gn_maps_next(&maps, &m)) > 0)
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%x-%x+%x ",
				      (unsigned int)m.start,
				      (unsigned int)m.end,
				      (unsigned int)m.offset);
	if (got < 0)
		snprintf(all + n, sizeof(all) - n, "%s", strerrorname_np(-got));
	gn_maps_done(&maps);
	fclose(f);
	return all;
}

/* The kernel lists a mapping again if it grew downward, or was joined with the
 * previous one, between two reads. */
static void what_grew_is_given_once(void **state)
{
	(void)state;
	assert_string_equal(read_all("1000-4000" LIB "2000-9000" LIB, true),
			    "1000-4000+3000 4000-9000+5000 ");
	assert_string_equal(
		read_all("1000-4000" LIB "1000-4000" LIB "5000-6000" LIB, true),
		"1000-4000+3000 5000-6000+3000 ");
	assert_string_equal(
		read_all("1000-4000" LIB
			 "0-5000 rw-p 00000000 00:00 0 \n2000-3000" LIB,
			 true),
		"1000-4000+3000 4000-5000+0 ");
}

static void elsewhere_that_is_malformed(void **state)
{
	(void)state;
	assert_string_equal(read_all("1000-4000" LIB "2000-9000" LIB, false),
			    "1000-4000+3000 EILSEQ");
	assert_string_equal(read_all("1000-4000" LIB "1000-4000" LIB, false),
			    "1000-4000+3000 EILSEQ");
	assert_string_equal(read_all("1000-4000" LIB "9000-5000" LIB, true),
			    "1000-4000+3000 EILSEQ");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_grew_is_given_once),
		cmocka_unit_test(elsewhere_that_is_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
