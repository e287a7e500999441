/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of Ruby and PHP tell. The dynamic linker, which maps these
 * files, is the truth. test_capture_python.c has Python. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/lock.h>

#include "capture/interpreter_file.h"
#include "interpreter_base.h"

/* What __tls_get_addr() takes: the number of a library, and an offset. */
struct place {
	uint64_t module, offset;
};

void *__tls_get_addr(struct place *at);

static bool read_as(const char *path, enum gn_interpreter_kind kind,
		    struct gn_interpreter_file *out)
{
	*out = (struct gn_interpreter_file){.its = {.kind = kind}};
	return kind == GN_INTERPRETER_RUBY ? gn_ruby_file_read(path, out)
					   : gn_php_file_read(path, out);
}

static uint64_t told(void *library, const char *function)
{
	void *(*ask)(void);

	*(void **)&ask = dlsym(library, function);
	assert_non_null(ask);
	return (uint64_t)(uintptr_t)ask();
}

static void expect_context(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct gn_interpreter_file file;
	struct place at;
	uint64_t base;

	assert_non_null(library);
	base = base_of((uintptr_t)dlsym(library, "ruby_run_node"));
	assert_true(read_as(path, GN_INTERPRETER_RUBY, &file));
	assert_true(file.known);
	assert_int_not_equal(file.its.addr[GN_RUBY_MODULE], 0);
	at.module =
		*(const uint64_t *)(uintptr_t)(base +
					       file.its.addr[GN_RUBY_MODULE]);
	at.offset = (uint64_t)(int64_t)file.its.ruby.context;
	assert_int_equal((uintptr_t)__tls_get_addr(&at),
			 told(library, "truth_context"));
	assert_int_equal(base + file.its.addr[GN_RUBY_SYMBOLS],
			 told(library, "truth_symbols"));
	dlclose(library);
}

static void the_context_of_a_library(void **state)
{
	(void)state;
	expect_context(GN_RUBY_WHOLE);
}

/* Then the code of a function that is exported shows where it is. */
static void a_hidden_context(void **state)
{
	struct gn_interpreter_file file;

	(void)state;
	expect_context(GN_RUBY_HIDDEN);
	expect_context(GN_RUBY_STATIC);
	assert_true(read_as(GN_RUBY_NO_LOAD, GN_INTERPRETER_RUBY, &file));
	assert_false(file.known);
}

/* The program prints where its variable is. */
static void the_context_of_a_program(void **state)
{
	FILE *f = popen(GN_RUBY_PROGRAM, "r");
	struct gn_interpreter_file file;
	int context;

	(void)state;
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &context), 1);
	assert_int_equal(pclose(f), 0);
	assert_true(read_as(GN_RUBY_PROGRAM, GN_INTERPRETER_RUBY, &file));
	assert_true(file.known);
	assert_int_equal(file.its.addr[GN_RUBY_MODULE], 0);
	assert_int_equal(file.its.ruby.context, context);
}

static void versions_of_ruby(void **state)
{
	struct gn_interpreter_file file;

	(void)state;
	assert_true(read_as(GN_RUBY_WHOLE, GN_INTERPRETER_RUBY, &file));
	assert_true(file.known);
	assert_int_equal(file.its.ruby.frame, 64);
	assert_int_equal(file.its.ruby.location, 64);
	assert_int_equal(file.its.ruby.original_id, 32);
	assert_int_equal(file.its.ruby.last_op, 169);
	assert_int_equal(file.its.ruby.text, 16);
	assert_int_equal(file.its.ruby.line_shift, 1);
	assert_int_equal(file.its.ruby.variables, 8);
	assert_int_equal(file.its.ruby.shapes, 0);
	assert_int_equal(file.its.ruby.path, 0);
	assert_true(read_as(GN_RUBY_NEXT, GN_INTERPRETER_RUBY, &file));
	assert_false(file.known);
	/* it is not known where such a file is mapped */
	assert_true(read_as(GN_RUBY_NO_CODE, GN_INTERPRETER_RUBY, &file));
	assert_false(file.known);
	/* so are those of Debian's Ruby 2.7 */
	assert_true(read_as(GN_RUBY_NO_CONTEXT, GN_INTERPRETER_RUBY, &file));
	assert_false(file.known);
	assert_false(read_as(GN_RUBY_NO_VERSION, GN_INTERPRETER_RUBY, &file));
	assert_false(read_as("/proc/self/nothing", GN_INTERPRETER_RUBY, &file));
	assert_false(read_as("/etc/passwd", GN_INTERPRETER_RUBY, &file));
}

/* As compiled with the headers of 3.2.3 of Ubuntu 24.04 and of 3.3.8 of Debian
 * 13 and Ubuntu 26.04. */
static void later_versions_of_ruby(void **state)
{
	struct gn_interpreter_file file;

	(void)state;
	assert_true(read_as(GN_RUBY_SECOND, GN_INTERPRETER_RUBY, &file));
	assert_true(file.known);
	assert_int_equal(file.its.ruby.frame, 64);
	assert_int_equal(file.its.ruby.location, 64);
	assert_int_equal(file.its.ruby.original_id, 32);
	assert_int_equal(file.its.ruby.last_op, 169);
	assert_int_equal(file.its.ruby.text, 24);
	assert_int_equal(file.its.ruby.line_shift, 0);
	assert_int_equal(file.its.ruby.variables, 32);
	assert_int_equal(file.its.ruby.shapes, 376);
	assert_int_equal(file.its.ruby.path, 0);
	assert_true(read_as(GN_RUBY_HIDDEN, GN_INTERPRETER_RUBY, &file));
	assert_true(file.known);
	assert_int_equal(file.its.ruby.frame, 56);
	assert_int_equal(file.its.ruby.location, 64);
	assert_int_equal(file.its.ruby.original_id, 32);
	assert_int_equal(file.its.ruby.last_op, 169);
	assert_int_equal(file.its.ruby.text, 24);
	assert_int_equal(file.its.ruby.line_shift, 0);
	assert_int_equal(file.its.ruby.shapes, 0);
	assert_int_equal(file.its.ruby.path, 152);
	assert_int_equal(file.its.ruby.attached, 128);
}

static void locks_of_later_versions(void **state)
{
	(void)state;
	assert_int_equal(gn_lock_of_ruby(3, 1), GN_LOCK_RUBY_BEFORE);
	assert_int_equal(GN_LOCK_PLACE(gn_lock_of_ruby(3, 2)), 56);
	assert_int_equal(GN_LOCK_COND(gn_lock_of_ruby(3, 2)), 32);
	assert_int_equal(GN_LOCK_PLACE(gn_lock_of_ruby(3, 3)), 72);
	assert_int_equal(GN_LOCK_COND(gn_lock_of_ruby(3, 3)), 40);
}

/* Of two variables that the code loads, neither is taken for the symbols. */
static void symbols_are_not_guessed(void **state)
{
	struct gn_interpreter_file file;

	(void)state;
	assert_true(read_as(GN_RUBY_TWO_LOADS, GN_INTERPRETER_RUBY, &file));
	assert_true(file.known);
	assert_int_equal(file.its.addr[GN_RUBY_SYMBOLS], 0);
	assert_int_not_equal(file.its.addr[GN_RUBY_MODULE], 0);
}

static void the_globals_of_php(void **state)
{
	void *library = dlopen(GN_PHP_WHOLE, RTLD_NOW | RTLD_LOCAL);
	struct gn_interpreter_file file;
	uint64_t base;

	(void)state;
	assert_non_null(library);
	base = base_of((uintptr_t)dlsym(library, "get_zend_version"));
	assert_true(read_as(GN_PHP_WHOLE, GN_INTERPRETER_PHP, &file));
	assert_true(file.known);
	assert_int_equal(base + file.its.addr[GN_PHP_GLOBALS],
			 (uintptr_t)dlsym(library, "executor_globals"));
	assert_int_equal(file.its.php.current, 488);
	assert_int_equal(file.its.php.code, 88);
	assert_int_equal(file.its.php.file, 152);
	assert_int_equal(file.its.php.line, 160);
	assert_int_equal(file.its.php.handler, 72);
	assert_int_equal(file.its.php.module, 80);
	dlclose(library);
}

static void versions_of_php(void **state)
{
	static const char *const unknown[] = {GN_PHP_NEXT, GN_PHP_SHORT,
					      GN_PHP_NO_CODE};
	struct gn_interpreter_file file;

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		assert_true(read_as(unknown[i], GN_INTERPRETER_PHP, &file));
		assert_false(file.known);
	}
	/* the globals grow from release to release */
	assert_true(read_as(GN_PHP_OLDER, GN_INTERPRETER_PHP, &file));
	assert_true(file.known);
	assert_int_equal(file.its.php.current, 488);
	assert_false(read_as(GN_PHP_NO_GLOBALS, GN_INTERPRETER_PHP, &file));
	assert_false(read_as("/proc/self/nothing", GN_INTERPRETER_PHP, &file));
	assert_false(read_as("/etc/passwd", GN_INTERPRETER_PHP, &file));
}

static void expect_kind(const char *path, bool is, uint32_t kind)
{
	struct gn_interpreter_file file;
	struct gn_elf *elf;

	assert_int_equal(gn_elf_open(path, &elf), 0);
	assert_int_equal(gn_interpreter_file_read(elf, path, &file), is);
	if (is)
		assert_int_equal(file.its.kind, kind);
	gn_elf_close(elf);
}

static void the_kind_of_a_file(void **state)
{
	(void)state;
	expect_kind(GN_RUBY_WHOLE, true, GN_INTERPRETER_RUBY);
	expect_kind(GN_PHP_WHOLE, true, GN_INTERPRETER_PHP);
	expect_kind(GN_RUBY_NO_CONTEXT, true, GN_INTERPRETER_RUBY);
	expect_kind(GN_RUBY_NO_VERSION, false, 0);
	expect_kind(GN_PHP_NO_GLOBALS, false, 0);
}

static void the_names_of_files(void **state)
{
	static const char *const its[] = {
		"python3.11", "libpython3.11.so.1.0", "ruby",
		"ruby3.1",    "libruby-3.1.so.3.1",   "php8.2",
		"libphp.so",  "php-fpm8.2",
	};
	static const char *const others[] = {
		"",	 "lib",		  "py",	    "libc.so.6",
		"jruby", "liblibruby.so", "Python",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(its) / sizeof(*its); i++)
		if (!gn_interpreter_named(its[i]))
			fail_msg("'%s' is one", its[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (gn_interpreter_named(others[i]))
			fail_msg("'%s' is none", others[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_context_of_a_library),
		cmocka_unit_test(a_hidden_context),
		cmocka_unit_test(the_context_of_a_program),
		cmocka_unit_test(versions_of_ruby),
		cmocka_unit_test(later_versions_of_ruby),
		cmocka_unit_test(locks_of_later_versions),
		cmocka_unit_test(symbols_are_not_guessed),
		cmocka_unit_test(the_globals_of_php),
		cmocka_unit_test(versions_of_php),
		cmocka_unit_test(the_kind_of_a_file),
		cmocka_unit_test(the_names_of_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
