/* SPDX-License-Identifier: BSD-2-Clause */
/* The globs of -f: to which file a glob belongs, and what is not a glob. */
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/files.h"
#include "runtime/filter.h"
#include "runtime/native.h"

#define DIR_MAX PATH_MAX

/* A library, a link with the linker's name, and a link to its folder, like
 * /lib. */
static void make(char dir[DIR_MAX])
{
	snprintf(dir, DIR_MAX, "%s/filter.XXXXXX", GN_BUILD_DIR);
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
	char glob[DIR_MAX + 64], file[DIR_MAX + 64];
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

/* The path in the process and the path from the user may be links. */
static void a_library_by_any_path(void **state)
{
	char dir[DIR_MAX];

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

/* A pattern for the name in a folder that has several paths. */
static void libraries_in_a_folder(void **state)
{
	const char *near = "./lib?.so*:deflate";
	char dir[DIR_MAX], path[DIR_MAX + 32];
	struct gn_filter *f;

	(void)state;
	make(dir);
	assert_true(takes(dir, "lib?.so*", "libz.so.2"));
	assert_true(takes(dir, "link/lib?.so*", "libz.so.2"));
	assert_false(takes(dir, "link/lib?.so*", "other.so"));
	assert_false(takes(dir, "none/lib?.so*", "libz.so.2"));
	snprintf(path, sizeof(path), "%s/libz.so.2", dir);
	f = gn_filter_new(&near, 1);
	assert_non_null(f);
	assert_true(gn_filter_function(f, path, false, "deflate", "deflate"));
	assert_false(gn_filter_function(f, "/none/libz.so.2", false, "deflate",
					"deflate"));
	gn_filter_free(f);
	clear(dir);
}

static bool is_asked(struct gn_files *files, const char *path)
{
	char glob[DIR_MAX + 96];
	const char *globs[] = {glob};
	struct gn_filter *f;

	snprintf(glob, sizeof(glob), "%s:deflate", path);
	f = gn_filter_new(globs, 1);
	assert_non_null(f);
	assert_int_equal(gn_native_libraries(files, NULL, f), 0);
	gn_filter_free(f);
	return files->file[files->count - 1].asked;
}

/* A process has the previous file, which is traced, too. */
static void a_library_that_was_replaced(void **state)
{
	struct gn_files files = {0}, none = {0};
	char dir[DIR_MAX], path[DIR_MAX + 32];

	(void)state;
	make(dir);
	snprintf(path, sizeof(path), "%s/libz.so.1.2", dir);
	assert_int_equal(gn_files_add(&files, path, false, NULL), 0);
	assert_int_equal(rename("libz.so.2", "libz.so.1.2"), 0);
	assert_false(is_asked(&files, path));
	assert_int_equal(files.count, 2);
	assert_true(is_asked(&none, path));
	gn_files_free(&files);
	gn_files_free(&none);
	clear(dir);
}

static void a_comma_makes_a_list(void **state)
{
	(void)state;
	assert_true(gn_filter_is_list("a,b"));
	assert_true(gn_filter_is_list("List<int>.*,Other"));
	assert_true(gn_filter_is_list("f(int, int),g"));
	assert_true(gn_filter_is_list("p::operator->,g"));
	assert_false(gn_filter_is_list("f(int,int)"));
	assert_false(gn_filter_is_list("Map<int,int>.Add"));
	assert_false(gn_filter_is_list("(a,b)"));
	assert_false(gn_filter_is_list(",a"));
	assert_false(gn_filter_is_list("a,"));
	assert_false(gn_filter_is_list("a"));
}

static bool names(const char *glob, const char *demangled)
{
	struct gn_filter *f = gn_filter_new(&glob, 1);
	bool is;

	assert_non_null(f);
	is = gn_filter_function(f, "./app", true, "_Z", demangled);
	gn_filter_free(f);
	return is;
}

/* The names of operators contain brackets and spaces. */
static void operators_by_their_names(void **state)
{
	static const char new[] = "operator new(unsigned long)";
	static const char is[] = "v::X<int, int>::operator bool() const";
	static const char put[] = "v::X& v::operator<< <int>(v::X&, int)";

	(void)state;
	assert_true(names("operator new", new));
	assert_true(names("operator ne?", new));
	assert_true(names(new, new));
	assert_false(names("operator new", "operator new[](unsigned long)"));
	assert_true(names("operator new[]", "operator new[](unsigned long)"));
	assert_false(names("operator new()", new));
	assert_true(names("v::X::operator bool", is));
	assert_true(names("*operator bool", is));
	assert_false(names("v::X<char>::operator bool", is));
	assert_false(names("X::operator bool", is));
	assert_true(names("v::operator<<", put));
	assert_true(names("v::F::operator()", "v::F::operator()(int)"));
	assert_true(names("operator\"\" _km", "operator\"\" _km(char)"));
	assert_false(names("*(int)", "v::f(char)"));
	assert_true(names("*(int)", "v::f(int)"));
}

struct asker {
	const struct gn_filter *f;
	char is[DIR_MAX + 16], is_not[DIR_MAX + 16];
	unsigned int wrong;
};

static void *ask(void *asker)
{
	struct asker *a = asker;

	for (int i = 0; i < 20000; i++)
		a->wrong += !gn_filter_file(a->f, a->is, false) +
			    !!gn_filter_file(a->f, a->is_not, false);
	return NULL;
}

/* The session's thread and the one for later files ask at the same time. */
static void by_two_threads(void **state)
{
	char dir[DIR_MAX], glob[DIR_MAX + 16];
	const char *globs[] = {glob};
	struct asker a = {.wrong = 0}, b;
	struct gn_filter *f;
	pthread_t thread;

	(void)state;
	make(dir);
	snprintf(glob, sizeof(glob), "%s/libz.so.1:*", dir);
	snprintf(a.is, sizeof(a.is), "%s/libz.so.1.2", dir);
	snprintf(a.is_not, sizeof(a.is_not), "%s/libz.so.2", dir);
	a.f = f = gn_filter_new(globs, 1);
	assert_non_null(f);
	b = a;
	assert_int_equal(pthread_create(&thread, NULL, ask, &a), 0);
	ask(&b);
	pthread_join(thread, NULL);
	assert_int_equal(a.wrong + b.wrong, 0);
	gn_filter_free(f);
	clear(dir);
}

/* A library that never came is told from one without such a function. */
static void one_that_never_came(void **state)
{
	const char *globs[] = {"libz.so*:deflate", "libuv.so*:uv_*", "main"};
	struct gn_filter *f = gn_filter_new(globs, 3);

	(void)state;
	assert_non_null(f);
	assert_false(gn_filter_function(f, "/lib/libz.so.1", false, "inflate",
					"inflate"));
	assert_false(gn_filter_lacks(f, globs[0]));
	assert_true(gn_filter_lacks(f, globs[1]));
	assert_false(gn_filter_lacks(f, globs[2]));
	gn_filter_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_by_any_path),
		cmocka_unit_test(libraries_in_a_folder),
		cmocka_unit_test(a_library_that_was_replaced),
		cmocka_unit_test(by_two_threads),
		cmocka_unit_test(one_that_never_came),
		cmocka_unit_test(a_comma_makes_a_list),
		cmocka_unit_test(operators_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
