// SPDX-License-Identifier: BSD-2-Clause
/* What the header says of the first hits in many processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/header.h"

#define MOST 12

/* The line of so many processes with calls, beside one without; NULL: none. */
static bool says(size_t n, int class, const char *text)
{
	struct gn_model_process processes[MOST + 1] = {{.pid = 1}};
	struct gn_model m = {.processes = processes, .nprocesses = n + 1};
	const struct gn_output_opts opts = {.bare = false};
	char *said = NULL;
	size_t size;
	FILE *f = open_memstream(&said, &size);
	bool found;

	assert_non_null(f);
	for (size_t i = 1; i <= n; i++)
		processes[i].v.calls = i;
	m.costs[class] = (struct gn_model_cost){.hits = 100, .samples = 8};
	gn_header_probe_cost(&m, &opts, f);
	fclose(f);
	found = strstr(said, text);
	free(said);
	return found;
}

static void first_hits_of_many_processes_are_told(void **state)
{
	static const char text[] = "the first hit in each of 12 processes ";

	(void)state;
	assert_true(says(MOST, GN_PROBE_RETURN, text));
	assert_true(says(MOST, GN_PROBE_STEPPED_CALL, text));
	assert_false(says(MOST, GN_PROBE_FAST, "first hit"));
	assert_false(says(9, GN_PROBE_RETURN, "first hit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_hits_of_many_processes_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
