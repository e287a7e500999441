/* SPDX-License-Identifier: BSD-2-Clause */
/* What gnomon does not trace of a program's native code, and what it says of
 * it. */
#include <fcntl.h>
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

static const char *walk_for(const char *glob, struct gn_files *files,
			    struct gn_native_stats *stats,
			    char text[GN_NATIVE_TEXT])
{
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

static const char *walk(struct gn_files *files, struct gn_native_stats *stats,
			char text[GN_NATIVE_TEXT])
{
	return walk_for("main", files, stats, text);
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

/* A function that an interpreter also has. */
#define FUNCTION(name, more)                       \
	__attribute__((noinline)) int name(int n); \
	int name(int n)                            \
	{                                          \
		__asm__ volatile("" : "+r"(n));    \
		return n + more;                   \
	}

FUNCTION(call_trace_protected, 1)
FUNCTION(rb_exec_event_hooks_here, 2)
FUNCTION(mono_profiler_raise_method_here, 3)
FUNCTION(zend_fiber_here, 4)

/* How many functions are refused for the glob, if the program has the name. */
static size_t refused(const char *name, const char *glob)
{
	struct gn_file self = {.path = strdup(name),
			       .program = true,
			       .fd = open("/proc/self/exe", O_RDONLY)};
	struct gn_native_stats stats;
	char text[GN_NATIVE_TEXT];
	struct gn_files files = {0};

	assert_true(self.fd >= 0);
	assert_int_equal(gn_files_move(&files, &self), 0);
	walk_for(glob, &files, &stats, text);
	gn_files_free(&files);
	return stats.refused;
}

/* They are open when a function of the program begins or ends. */
static void what_calls_a_hook_is_refused(void **state)
{
	(void)state;
	assert_int_equal(call_trace_protected(1), 2);
	assert_int_equal(refused("/bin/python3.11", "call_trace*"), 1);
	assert_int_equal(refused("/bin/program", "call_trace*"), 0);
	assert_int_equal(refused("/bin/python3.11", "main"), 0);
	assert_int_equal(rb_exec_event_hooks_here(1), 3);
	assert_int_equal(refused("/lib/libruby-3.1.so.3.1", "rb_exec_*"), 1);
	assert_int_equal(refused("/bin/python3.11", "rb_exec_*"), 0);
	assert_int_equal(mono_profiler_raise_method_here(1), 4);
	assert_int_equal(refused("/usr/bin/mono", "mono_pro*"), 1);
	assert_int_equal(refused("/usr/bin/mono-sgen", "mono_pro*"), 1);
	assert_int_equal(refused("/lib/libmonosgen-2.0.so.1", "mono_pro*"), 1);
	assert_int_equal(refused("/lib/libmonolith.so.1", "mono_pro*"), 0);
	assert_int_equal(zend_fiber_here(1), 5);
	assert_int_equal(refused("/usr/bin/php8.2", "zend_fi*"), 1);
	assert_int_equal(refused("/usr/lib/libphp8.2.so", "zend_fi*"), 1);
	assert_int_equal(refused("/usr/bin/mono", "zend_fi*"), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries_without_a_list),
		cmocka_unit_test(a_library_that_is_not_read),
		cmocka_unit_test(what_calls_a_hook_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
