/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon reports files of a program that could not be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/native.h"

static int take(void *ctx, size_t file, struct gn_elf *elf,
		const struct gn_elf_symbol *sym, const struct gn_plan *plan)
{
	(void)ctx;
	(void)file;
	(void)elf;
	(void)sym;
	(void)plan;
	return 0;
}

static const char *walk(struct gn_files *files, struct gn_native_stats *stats,
			char text[GN_NATIVE_TEXT])
{
	const char *glob = "main";
	struct gn_native_opts opts = {
		.filter = gn_filter_new(&glob, 1),
		.leave = GN_LEAVE_AUTO,
		.return_is_private = true,
	};
	const char *told;

	assert_non_null(opts.filter);
	assert_int_equal(gn_native_walk(files, &opts, take, NULL, stats), 0);
	assert_int_equal(stats->functions, 1);
	told = gn_native_unknown(stats, text);
	gn_filter_free(opts.filter);
	return told;
}

static void open_self(struct gn_files *files)
{
	*files = (struct gn_files){0};
	assert_int_equal(gn_files_add(files, "/proc/self/exe", true, NULL), 0);
}

static void libraries_without_a_list(void **state)
{
	struct gn_native_stats stats;
	char text[GN_NATIVE_TEXT];
	struct gn_files files;

	(void)state;
	open_self(&files);
	assert_null(walk(&files, &stats, text));
	files.unlisted = true;
	assert_non_null(walk(&files, &stats, text));
	assert_non_null(strstr(text, "the libraries of '/proc/self/exe'"));
	gn_files_free(&files);
}

static void a_library_that_is_not_read(void **state)
{
	struct gn_file lost = {.path = strdup("/lib/lost.so"), .fd = -1};
	struct gn_native_stats stats;
	char text[GN_NATIVE_TEXT];
	struct gn_files files;

	(void)state;
	open_self(&files);
	assert_int_equal(gn_files_move(&files, &lost), 0);
	assert_non_null(walk(&files, &stats, text));
	assert_non_null(strstr(text, "'/lib/lost.so' cannot be read"));
	gn_files_free(&files);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries_without_a_list),
		cmocka_unit_test(a_library_that_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
