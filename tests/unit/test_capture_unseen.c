/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages about requested functions that were not seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "capture/setter.h"
#include "capture/unseen.h"
#include "process/files.h"
#include "runtime/filter.h"
#include "runtime/native.h"
#include "runtime/runtime.h"

static void expect(const char *program, const char *library, const char *told)
{
	struct gn_file file[] = {{.path = (char *)"/lib/libc.so.6"},
				 {.path = (char *)library}};
	struct gn_files files = {.file = file, .count = 2};
	char line[GN_LANGUAGE_LINE] = "";

	assert_int_equal(gn_unseen_language(program, &files, line), !!told);
	if (told)
		assert_non_null(strstr(line, told));
}

/* A library that serves as the interpreter is named. */
static void interpreters_are_named(void **state)
{
	static const char own[] = "as the program's own; gnomon list";

	(void)state;
	expect("/bin/python3", "/lib/libpython3.11.so.1.0",
	       "as libpython3.11.so.1.0:GLOB; gnomon list -f "
	       "'libpython3.11.so.1.0:*'");
	expect("ruby", "/lib/libruby-3.1.so.3.1", NULL);
	expect("luajit", "/lib/libluajit-5.1.so.2", "libluajit-5.1.so.2:GLOB");
	expect("perl", "/lib/libperl.so", "as libperl.so:GLOB");
	expect("python3", "/lib/libpython3.11-extra.so", own);
	expect("python3", "/lib/libpython", own);
	expect("python3", "/lib/libpython3.source", own);
	expect("python3", "/lib/libruby-3.1.so.3.1", own);
	expect("/bin/sh", "/lib/libpython3.11.so.1.0", NULL);
	expect("/usr/bin/php8.2", "/lib/libphp8.2.so", NULL);
}

/* What gnomon can trace is none of them. */
static void languages_are_named(void **state)
{
	(void)state;
	assert_string_equal(gn_unseen_language_of("/usr/bin/pypy3"), "Python");
	assert_string_equal(gn_unseen_language_of("perl"), "Perl");
	assert_null(gn_unseen_language_of("/usr/bin/python3"));
	assert_null(gn_unseen_language_of("/bin/true"));
}

static void take_line(void *ctx, const char *line)
{
	strncpy(ctx, line, 255);
}

/* A runtime that has no thread of its own was reached too late. */
static void late_is_told(void **state)
{
	struct gn_unseen *u = gn_unseen_new(0, false, false, NULL, 0);
	struct gn_setter_late late = {.n = 0};
	char line[256] = "";

	(void)state;
	assert_non_null(u);
	gn_unseen_late(u, &late);
	gn_unseen_runtimes(u, take_line, line);
	assert_string_equal(line, "");
	gn_setter_note_late(&late, 7, gn_runtime_of(GN_RUNTIME_PHP));
	gn_unseen_late(u, &late);
	gn_unseen_runtimes(u, take_line, line);
	assert_non_null(strstr(line, "process 7 ran the PHP engine, but its "
				     "functions were not traced"));
	gn_unseen_free(u);
}

static void see_runtime(struct gn_unseen *u, uint32_t id)
{
	const struct gn_rec_thread r = {.f.h.kind = GN_KIND_RUNTIME,
					.pid = 7,
					.parent = GN_FUNC(id, 0)};

	gn_unseen_record(u, &r.f.h, NULL);
}

/* A PHP can be built without probes. */
static void hooks_show_php(void **state)
{
	struct gn_unseen *u = gn_unseen_new(0, false, false, NULL, 0);
	const struct gn_runtime *php = gn_runtime_of(GN_RUNTIME_PHP);

	(void)state;
	assert_non_null(u);
	see_runtime(u, GN_RUNTIME_JAVA);
	assert_false(gn_unseen_began(u, php));
	see_runtime(u, GN_RUNTIME_ZEND);
	assert_true(gn_unseen_began(u, php));
	gn_unseen_free(u);
}

/* What `named` makes gnomon tell of a JVM whose own probes report a method, and
 * whose methods can have `hooks`, too. */
static void see_method(bool named, bool hooks, char line[256])
{
	static const char *const globs[] = {"A.*"};
	static const char method[] = "A.b()";
	struct gn_filter *filter = gn_filter_new(globs, 1);
	struct gn_unseen *u = gn_unseen_new(0, false, named, NULL, 0);
	union {
		struct gn_rec_text r;
		char room[sizeof(struct gn_rec_text) + sizeof(method)];
	} name = {.r = {.h.kind = GN_KIND_NAME,
			.id = GN_FUNC(GN_RUNTIME_HOTSPOT, 1),
			.ref = 7,
			.len = {sizeof(method) - 1, 0}}};

	memcpy(name.room + offsetof(struct gn_rec_text, text), method,
	       sizeof(method));
	assert_non_null(filter);
	assert_non_null(u);
	line[0] = '\0';
	gn_unseen_record(u, &name.r.h, filter);
	if (hooks)
		see_runtime(u, GN_RUNTIME_JAVA);
	gn_unseen_runtimes(u, take_line, line);
	gn_unseen_free(u);
	gn_filter_free(filter);
}

/* Named methods get hooks, and a JVM without them is much slower. */
static void probed_is_told(void **state)
{
	char line[256];

	(void)state;
	see_method(false, true, line);
	assert_string_equal(line, "");
	see_method(true, true, line);
	assert_non_null(strstr(line, "each call is counted twice"));
	see_method(true, false, line);
	assert_non_null(strstr(line, "ran the HotSpot JVM without gnomon's "
				     "hook-site library (it or what"));
}

static void note_line(void *ctx, const char *line)
{
	if (strstr(line, "a Ruby that a program has as a library"))
		++*(int *)ctx;
}

/* How often it is told that methods of such a Ruby are not seen. */
static int see_library(const char *path, bool attached)
{
	static const char *const globs[] = {"Shop#total"};
	struct gn_file file[] = {{.path = (char *)"/usr/bin/vim"},
				 {.path = (char *)path}};
	const struct gn_files files = {.file = file, .count = 2};
	const struct gn_native_stats native = {.functions = 0};
	struct gn_filter *filter = gn_filter_new(globs, 1);
	struct gn_unseen *u = gn_unseen_new(0, attached, false, NULL, 0);
	int n = 0;

	assert_non_null(filter);
	assert_non_null(u);
	gn_unseen_globs(u, filter, &native, &files, false, note_line, &n);
	gn_unseen_free(u);
	gn_filter_free(filter);
	return n;
}

/* Attached to such a program, that was said before. */
static void libraries_are_told(void **state)
{
	(void)state;
	assert_int_equal(see_library("/lib/libruby-3.1.so.3.1", false), 1);
	assert_int_equal(see_library("/lib/libruby-3.1.so.3.1", true), 0);
	assert_int_equal(see_library("/lib/libpython3.11.so.1.0", false), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(interpreters_are_named),
		cmocka_unit_test(languages_are_named),
		cmocka_unit_test(late_is_told),
		cmocka_unit_test(hooks_show_php),
		cmocka_unit_test(probed_is_told),
		cmocka_unit_test(libraries_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
