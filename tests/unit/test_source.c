// SPDX-License-Identifier: BSD-2-Clause
/* Modules that the SDK's compiler made, with their line numbers; they exist
 * only with an SDK. And handmade PDBs. */
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

/* Changes the root directory, so that paths begin there. */
static int root_or_skip(void)
{
	int root = open(LINES, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		skip();
	return root;
}

/* Each method begins where the module says. */
static void is_true(struct gn_source_module *m)
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

/* A PDB that is truncated anywhere is not read beyond its end: the bytes end at
 * the end of their memory. */
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

/* A handmade PDB with one file. Half of its methods have no points; each of
 * them became a state machine of the other half, whose points are all the same
 * blob. */
#define METHODS 2000u

struct made {
	uint8_t *bytes;
	size_t n;
};

static void put(struct made *to, uint32_t v, size_t n)
{
	for (size_t i = 0; i < n; i++, v >>= 8)
		to->bytes[to->n++] = (uint8_t)v;
}

static void put_stream(struct made *to, const char *name, uint32_t from,
		       uint32_t size)
{
	size_t len = (strlen(name) + 4) & ~(size_t)3;

	put(to, from, 4);
	put(to, size, 4);
	strncpy((char *)to->bytes + to->n, name, len);
	to->n += len;
}

static void put_tables(struct made *to)
{
	put(to, 0, 4);
	put(to, 0x01040002, 4); /* offsets of blobs have four bytes */
	put(to, 0, 4);
	put(to, 1u << 17 | 1u << 22, 4); /* methods and state machines */
	put(to, 0, 8);
	put(to, METHODS, 4);
	put(to, METHODS / 2, 4);
	for (uint32_t i = 0; i < METHODS; i++) {
		put(to, 1, 2);
		put(to, i < METHODS / 2 ? 0 : 1, 4);
	}
	for (uint32_t i = METHODS / 2; i; i--) {
		put(to, METHODS + 1 - i, 2);
		put(to, i, 2);
	}
}

/* Hidden points at 0, 1, ..., followed by one with line 7. */
static void put_points(struct made *to, uint32_t hidden)
{
	put(to, 0, 1);
	put(to, __builtin_bswap32(0xc0000000u | (3 * hidden + 6)), 4);
	put(to, 0, 1);
	for (uint32_t i = 0; i < hidden; i++)
		put(to, i ? 1 : 0, 3);
	put(to, 1, 2); /* one step further, on the same line */
	put(to, 5, 1);
	put(to, 7, 1);
	put(to, 1, 1);
}

static struct gn_bytes make_pdb(uint32_t hidden)
{
	enum { ROOT = 32 + 3 * 16, ID = 36, TABLES = 32 + 8 * METHODS };
	uint32_t blobs = 3 * hidden + 11;
	struct made to = {calloc(1, ROOT + ID + TABLES + blobs), 0};

	assert_non_null(to.bytes);
	put(&to, 0x424a5342, 4);
	put(&to, 0x00010001, 4);
	put(&to, 0, 4);
	put(&to, 12, 4);
	to.n += 12; /* a version */
	put(&to, 3u << 16, 4);
	put_stream(&to, "#Pdb", ROOT, ID);
	put_stream(&to, "#~", ROOT + ID, TABLES);
	put_stream(&to, "#Blob", ROOT + ID + TABLES, blobs);
	to.n = ROOT + 24;
	put(&to, 1u << 6, 4);
	put(&to, 0, 4);
	put(&to, METHODS, 4);
	put_tables(&to);
	put_points(&to, hidden);
	assert_true(to.n <= ROOT + ID + TABLES + blobs);
	return (struct gn_bytes){to.bytes, to.n};
}

static void a_machine_has_the_lines_of_its_method(void **state)
{
	struct gn_bytes bytes = make_pdb(0);
	struct gn_pdb_point point;
	struct gn_pdb pdb;
	uint64_t left;

	(void)state;
	assert_true(gn_pdb_open(&pdb, &bytes));
	left = pdb.left;
	for (uint32_t row = 1; row <= METHODS; row++) {
		assert_true(gn_pdb_first(&pdb, row, &point));
		assert_int_equal(point.line, 7);
	}
	assert_false(gn_pdb_first(&pdb, METHODS + 1, &point));
	assert_true(left - pdb.left < 8 * METHODS);
	gn_pdb_close(&pdb);
	free((void *)(uintptr_t)bytes.at);
}

/* All methods of a PDB may share a blob that takes long to read: then it has no
 * more lines. */
static void a_pdb_cannot_be_read_for_ever(void **state)
{
	static const uint32_t hidden = 1u << 18;
	struct gn_bytes bytes = make_pdb(hidden);
	struct gn_pdb_point point;
	struct gn_pdb pdb;
	uint32_t row = 1;

	(void)state;
	assert_true(gn_pdb_open(&pdb, &bytes));
	while (row <= METHODS && gn_pdb_first(&pdb, row, &point))
		row++;
	assert_in_range(row, 2, 99);
	assert_int_equal(pdb.left, 0);
	assert_false(gn_pdb_first(&pdb, 1, &point));
	gn_pdb_close(&pdb);
	free((void *)(uintptr_t)bytes.at);
}

/* The points are read once, for any number of offsets. */
static void points_are_walked_once(void **state)
{
	static const uint32_t hidden = 1u << 18;
	struct gn_bytes bytes = make_pdb(hidden);
	struct gn_pdb_points points;
	struct gn_pdb_point point;
	struct gn_pdb pdb;
	uint64_t left;

	(void)state;
	assert_true(gn_pdb_open(&pdb, &bytes));
	left = pdb.left;
	gn_pdb_points(&pdb, METHODS, &points);
	for (uint32_t il = 0; il < hidden; il++)
		assert_false(gn_pdb_before(&points, il, &point));
	assert_true(gn_pdb_before(&points, hidden, &point));
	assert_int_equal(point.il, hidden);
	assert_int_equal(point.line, 7);
	assert_true(gn_pdb_before(&points, UINT32_MAX, &point));
	assert_int_equal(point.line, 7);
	assert_true(left - pdb.left < bytes.n);
	gn_pdb_close(&pdb);
	free((void *)(uintptr_t)bytes.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pdb_is_beside_its_module),
		cmocka_unit_test(a_pdb_is_in_its_module),
		cmocka_unit_test(paths_do_not_lead_out),
		cmocka_unit_test(a_pdb_of_another_build_is_refused),
		cmocka_unit_test(a_cut_pdb_is_bounded),
		cmocka_unit_test(a_machine_has_the_lines_of_its_method),
		cmocka_unit_test(a_pdb_cannot_be_read_for_ever),
		cmocka_unit_test(points_are_walked_once),
	};

	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
