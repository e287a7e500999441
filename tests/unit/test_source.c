// SPDX-License-Identifier: BSD-2-Clause
/* Modules that the SDK's compiler made, with what they say of their lines; they
 * are there only with an SDK. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "source/module.h"

#define LINES GN_BUILD_DIR "/tests/fixtures/dotnet/lines"

/* As a root directory, so that paths begin there. */
static int root_or_skip(void)
{
	int root = open(LINES, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		skip();
	return root;
}

/* Each method begins where it says. */
static void is_true(const struct gn_source_module *m)
{
	FILE *truth = fopen(LINES "/truth", "re");
	unsigned int token, line, n = 0;

	assert_non_null(truth);
	while (fscanf(truth, "%x %u", &token, &line) == 2) {
		struct gn_pdb_point first;
		char file[GN_PDB_FILE_MAX];

		assert_int_equal(GN_TOKEN_TABLE(token), GN_TOKEN_METHODDEF);
		assert_true(gn_pdb_first(&m->pdb, GN_TOKEN_ROW(token), &first));
		assert_int_equal(first.line, line);
		assert_true(gn_pdb_file(&m->pdb, first.document, file));
		assert_string_equal(file, "/source/Lines.cs");
		n++;
	}
	fclose(truth);
	assert_int_equal(n, 6);
}

static void opens(const char *path, enum gn_source want)
{
	struct gn_source_module m;
	int root = root_or_skip();

	assert_int_equal(gn_source_open(&m, root, path, -1), want);
	if (want == GN_SOURCE_READ)
		is_true(&m);
	gn_source_close(&m);
	close(root);
}

static void a_pdb_is_beside_its_module(void **state)
{
	(void)state;
	opens("/lines.dll", GN_SOURCE_READ);
}

static void a_pdb_is_in_its_module(void **state)
{
	(void)state;
	opens("/within/lines.dll", GN_SOURCE_READ);
}

static void paths_do_not_lead_out(void **state)
{
	(void)state;
	opens("/../../lines.dll", GN_SOURCE_READ);
	opens("/missing.dll", GN_SOURCE_NONE);
	opens("/truth", GN_SOURCE_NONE);
	opens("/within", GN_SOURCE_NONE);
}

static struct gn_bytes read_bytes(const char *name)
{
	static const size_t most = 1 << 20;
	uint8_t *bytes = malloc(most);
	FILE *f = fopen(name, "re");
	size_t n;

	assert_non_null(bytes);
	if (!f) {
		free(bytes);
		skip();
	}
	n = fread(bytes, 1, most, f);
	fclose(f);
	return (struct gn_bytes){bytes, n};
}

static void a_pdb_of_another_build_is_refused(void **state)
{
	struct gn_bytes file = read_bytes(LINES "/lines.dll");
	struct gn_bytes pdb = read_bytes(LINES "/other/lines.pdb");
	struct gn_source_module m;

	(void)state;
	assert_int_equal(gn_source_take(&m, &file, &pdb), GN_SOURCE_OTHER);
	gn_source_close(&m);
}

/* Of a PDB that is cut off anywhere nothing is read that is not there: the
 * bytes end where their memory does. */
static void a_cut_pdb_is_bounded(void **state)
{
	struct gn_bytes pdb = read_bytes(LINES "/lines.pdb");

	(void)state;
	for (size_t n = 0; n < pdb.n; n += 7) {
		struct gn_bytes file = read_bytes(LINES "/lines.dll"), cut;
		uint8_t *copy = malloc(n + 1);
		struct gn_source_module m;
		struct gn_pdb_point point;

		assert_non_null(copy);
		memcpy(copy, pdb.at, n);
		cut = (struct gn_bytes){copy, n};
		assert_int_not_equal(gn_source_take(&m, &file, &cut),
				     GN_SOURCE_NONE);
		for (uint32_t row = 1; row < 16; row++)
			gn_pdb_first(&m.pdb, row, &point);
		gn_source_close(&m);
	}
	free((void *)(uintptr_t)pdb.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pdb_is_beside_its_module),
		cmocka_unit_test(a_pdb_is_in_its_module),
		cmocka_unit_test(paths_do_not_lead_out),
		cmocka_unit_test(a_pdb_of_another_build_is_refused),
		cmocka_unit_test(a_cut_pdb_is_bounded),
	};

	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
