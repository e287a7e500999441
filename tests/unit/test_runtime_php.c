/* SPDX-License-Identifier: BSD-2-Clause */
/* How names of PHP's functions are made of the texts of its probes, and which
 * globs match them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/runtime.h"

#define PART(text)                                   \
	{                                            \
		text, strlen(text), sizeof(text) - 1 \
	}

static char name[256], module[256];

static const char *made(const struct gn_name_part *part, unsigned int line)
{
	gn_runtime_of(GN_RUNTIME_PHP)
		->name(1, part, line, name, sizeof(name), module,
		       sizeof(module));
	return name;
}

#define MADE(line, func, class, file) \
	made((struct gn_name_part[]){PART(func), PART(class), PART(file)}, line)

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(MADE(3, "fib", "", "/www/app.php"), "fib");
	assert_string_equal(module, "/www/app.php");
	assert_string_equal(MADE(3, "App\\run", "", "/www/app.php"),
			    "App\\run");
	assert_string_equal(MADE(3, "find", "App\\Orders", "/www/app.php"),
			    "App\\Orders::find");
	assert_string_equal(MADE(3, "", "", "/www/app.php"), "{main} app.php");
	/* a method includes the file */
	assert_string_equal(MADE(3, "", "App\\Loader", "/www/app.php"),
			    "{main} app.php");
	/* a function of that name has its own length */
	assert_string_equal(MADE(3, "main", "", "/www/app.php"), "main");
	assert_string_equal(MADE(3, "main\0more", "", "/www/app.php"),
			    "{main} app.php");
}

static void test_closures(void **state)
{
	(void)state;
	assert_string_equal(MADE(12, "{closure}", "", "/www/app.php"),
			    "{closure:app.php:12}");
	assert_string_equal(MADE(12, "App\\{closure}", "", "/www/app.php"),
			    "App\\{closure:app.php:12}");
	assert_string_equal(MADE(12, "App\\{closure}", "App\\Orders", "a.php"),
			    "App\\Orders::{closure:a.php:12}");
	/* PHP 8.4 names them itself */
	/* as PHP 8.4 names them */
	assert_string_equal(
		MADE(12, "{closure:/www/app.php:12}", "", "/www/app.php"),
		"{closure:app.php:12}");
	assert_string_equal(MADE(12, "{closure:App\\Orders::find():12}",
				 "App\\Orders", "/www/app.php"),
			    "App\\Orders::{closure:app.php:12}");
	assert_string_equal(
		MADE(12,
		     "{closure:class@anonymous\0/www/app.php:10$0::run():12}",
		     "", "/www/app.php"),
		"{closure:app.php:12}");
	assert_string_equal(MADE(12, "no{closure}", "", "a.php"),
			    "no{closure}");
}

static void test_anonymous(void **state)
{
	(void)state;
	assert_string_equal(
		MADE(9, "run", "class@anonymous\0/www/app.php:23$0", "a.php"),
		"class@anonymous:app.php:23::run");
	/* cut short, as long texts are */
	assert_string_equal(MADE(9, "run", "class@anonymous\0/www/a", "a.php"),
			    "class@anonymous::run");
	assert_string_equal(MADE(9, "run", "App\\Base@anonymous\0x:1$f", "a"),
			    "App\\Base@anonymous:x:1::run");
	assert_string_equal(MADE(9, "run", "Odd\0x:1$f", "a"), "Odd::run");
}

/* Texts are any bytes, of any length; the result has room for a part of it. */
static void test_hostile(void **state)
{
	static char text[512];
	struct gn_name_part part[] = {{text, sizeof(text), sizeof(text)},
				      {text, sizeof(text), sizeof(text)},
				      {text, sizeof(text), sizeof(text)}};

	(void)state;
	memset(text, '/', sizeof(text));
	assert_true(strlen(made(part, 65535)) < sizeof(name));
	assert_true(strlen(module) < sizeof(module));
	memset(text, '@', sizeof(text));
	assert_true(strlen(made(part, 1)) < sizeof(name));
}

static void test_globs(void **state)
{
	static const struct {
		const char *glob, *name;
		bool matches;
	} rows[] = {
		{"fib", "fib", true},
		{"fib", "App\\fib", false},
		{"*fib", "App\\fib", true},
		{"App\\Orders::find", "App\\Orders::find", true},
		{"App\\Orders::*", "App\\Orders::find", true},
		{"App\\*", "App\\Orders::find", true},
		{"*::find", "App\\Orders::find", true},
		{"App\\Orders::find", "App\\Orders::findAll", false},
		{"app.php:*::find", "App\\Orders::find", true},
		{"*.php:*::find", "App\\Orders::find", true},
		{"other.php:*::find", "App\\Orders::find", false},
		{"{main}*", "{main} app.php", true},
		{"*{closure*", "App\\Orders::{closure:app.php:12}", true},
		{"!App\\*", "App\\Orders::find", false},
		{"!App\\*", "fib", true},
	};
	const struct gn_runtime *php = gn_runtime_of(GN_RUNTIME_PHP);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (php->matches(rows[i].glob, rows[i].name, "/www/app.php") !=
		    rows[i].matches)
			fail_msg("%s and %s", rows[i].glob, rows[i].name);
}

static void test_cores(void **state)
{
	const struct gn_runtime *php = gn_runtime_of(GN_RUNTIME_PHP);

	(void)state;
	assert_true(gn_runtime_is_core(php, "/usr/bin/php8.2"));
	assert_true(gn_runtime_is_core(php, "/usr/sbin/php-fpm8.2"));
	assert_true(gn_runtime_is_core(php, "/opt/php/bin/php"));
	assert_true(gn_runtime_is_core(
		php, "/usr/lib/apache2/modules/libphp8.2.so"));
	assert_true(gn_runtime_is_core(php, "/usr/lib/libphp.so"));
	assert_false(gn_runtime_is_core(php, "/usr/bin/graphp"));
	assert_false(gn_runtime_is_core(php, "/usr/lib/php/20220829/zip.so"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_closures),
		cmocka_unit_test(test_anonymous),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_globs),
		cmocka_unit_test(test_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
