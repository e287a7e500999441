/* SPDX-License-Identifier: BSD-2-Clause */
/* Which file a glob of -f is of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/filter.h"

/* A library, a link as the linker names it, and a link to its folder, as /lib
 * is one. */
static void make(char dir[64])
{
	snprintf(dir, 64, "%s", "/tmp/gnomon-filter-XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	fclose(fopen("libz.so.1.2", "w"));
	fclose(fopen("libz.so.2", "w"));
	assert_int_equal(symlink("libz.so.1.2", "libz.so.1"), 0);
	assert_int_equal(symlink(dir, "link"), 0);
}

static void clear(const char *dir)
{
	unlink("libz.so.1.2");
	unlink("libz.so.2");
	unlink("libz.so.1");
	unlink("link");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(dir), 0);
}

static bool takes(const char *dir, const char *lib, const char *path)
{
	char glob[128], file[128];
	const char *globs[] = {glob};
	struct gn_filter *f;
	bool is;

	snprintf(glob, sizeof(glob), "%s/%s:deflate", dir, lib);
	snprintf(file, sizeof(file), "%s/%s", dir, path);
	f = gn_filter_new(globs, 1);
	assert_non_null(f);
	is = gn_filter_function(f, file, false, "deflate", "deflate");
	assert_int_equal(gn_filter_file(f, file, false) != 0, is);
	gn_filter_free(f);
	return is;
}

/* The path that a process shows and the one that is given can be links. */
static void a_library_by_any_path(void **state)
{
	char dir[64];

	(void)state;
	make(dir);
	assert_true(takes(dir, "libz.so.1.2", "libz.so.1.2"));
	assert_true(takes(dir, "libz.so.1", "libz.so.1.2"));
	assert_true(takes(dir, "libz.so.1.2", "libz.so.1"));
	assert_true(takes(dir, "link/libz.so.1.2", "libz.so.1.2"));
	assert_true(takes(dir, "libz.so.1.2", "link/libz.so.1"));
	assert_false(takes(dir, "libz.so.1", "libz.so.2"));
	assert_false(takes(dir, "libz.so.1", "none.so"));
	assert_false(takes(dir, "none.so", "libz.so.1"));
	clear(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_by_any_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
