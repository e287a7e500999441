/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PHP, by the USDT probes of the Zend engine. Where a library of gnomon gets
 * into the engine, it hooks functions (zend.c), and only the other probes are
 * used.
 *
 * The engine has probes around each function of the program if its variable
 * zend_execute_ex names dtrace_execute_ex, which also makes each call of PHP a
 * call in C. USE_ZEND_DTRACE=1 in the environment does that; gnomon does the
 * same in the memory of the process, where the engine has just begun and no
 * extension has seen it yet. The hook for functions of extensions stays off,
 * because its probes do not name them.
 *
 * The probes report name, file, class and the line where the function is. A
 * function ends where its call in C does, also if an exception ends it. What
 * the engine leaves by a jump, at a fatal error, is found by the frame keys.
 */
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include "hooksite/clr/filter.h"
#include "names/php_name.h"
#include "process/target.h"
#include "runtime/php.h"
#include "runtime/runtime.h"

#define CORE	 "php*"
#define EMBEDDED "libphp*.so*" /* such as Apache's mod_php */
#define VARIABLE "USE_ZEND_DTRACE"
#define SAMPLED	 "--snapshot 99 samples those of 8.2 to 8.5"

/* Where a frame has its bits, ZEND_CALL_GENERATOR and ZEND_CALL_CODE among
 * them, and where it has its function; how long the header of a string is. In
 * all versions from 7.4 on. */
#define BITS_AT	    40
#define GENERATOR   (1u << 24)
#define CODE	    (1u << 16) /* outside of functions */
#define FUNCTION_AT 24
#define HEADER	    24

#define CALL(name, kind, ...)                                                  \
	{                                                                      \
		name, NULL, GN_PROG_INTERNED, GN_KIND_##kind,                  \
			.text = {1, 4, 2}, .form = GN_PHP_FUNCTION, .func = 5, \
			.flags = GN_SPEC_SIZED, .value = {0, 3}, __VA_ARGS__   \
	}

static const struct gn_runtime_site sites[] = {
	CALL("function__entry", ENTER, .stack_key = true, .resumes = GENERATOR,
	     .unnamed = CODE, .state = BITS_AT, .function = FUNCTION_AT,
	     .header = HEADER),
	CALL("function__return", LEAVE, .stack_key = true),
	{"compile__file__entry", NULL, GN_PROG_MANAGED, GN_KIND_JIT_BEGIN,
	 .stack_key = true},
	{"compile__file__entry", NULL, GN_PROG_INTERNED, GN_KIND_JIT_BEGIN,
	 .text = {2}, .form = GN_PHP_FILE_ONLY,
	 /* its text is freed soon */
	 .flags = GN_SPEC_SIZED | GN_SPEC_FORGETS, .stack_key = true},
	{"compile__file__return", NULL, GN_PROG_MANAGED, GN_KIND_JIT_END,
	 .func = 0},
	{"exception__thrown", NULL, GN_PROG_INTERNED, GN_KIND_EVENT,
	 .text = {1}, .form = GN_PHP_CLASS_ONLY, .flags = GN_SPEC_SIZED,
	 .event = GN_RT_THROW},
	{"request__startup", NULL, GN_PROG_MANAGED, GN_KIND_RUNTIME, .func = 0},
	/* the engine frees names at the end of a request */
	{"request__shutdown", NULL, GN_PROG_MANAGED, 0,
	 .flags = GN_SPEC_FORGETS},
};

static const struct gn_runtime_option options[] = {
	{.name = "zend_compile_file",
	 .size = 8,
	 .beside = true,
	 .to = "dtrace_compile_file",
	 .from = "compile_file"},
	{.name = "zend_execute_ex",
	 .size = 8,
	 .to = "dtrace_execute_ex",
	 .from = "execute_ex"},
	{.name = "zend_dtrace_enabled", .value = 1, .size = 1, .needed = true},
	{.name = NULL},
};

/* The program is the engine. */
static int find_core(const char *program, char *path)
{
	if (!realpath(program, path))
		return -errno;
	return fnmatch(CORE, gn_base_name(path), 0) ? -ENOENT : 0;
}

typedef int (*found_fn)(void *ctx, const char *path);

static const char *const programs[] = {
	"/usr/bin/php[0-9]*", "/usr/bin/php-cgi[0-9]*",
	"/usr/sbin/php-fpm[0-9]*", "/usr/local/bin/php", NULL};

/* Calls `each` for every installed one. */
static int each_at(const char *const *places, found_fn each, void *ctx)
{
	glob_t found;
	int err = 0;

	for (size_t i = 0; !err && places[i]; i++) {
		if (glob(places[i], 0, NULL, &found))
			continue;
		for (size_t k = 0; !err && k < found.gl_pathc; k++)
			err = each(ctx, found.gl_pathv[k]);
		globfree(&found);
	}
	return err;
}

/* First the one that a script would find. */
static int find_cores(gn_runtime_core_fn each, void *ctx)
{
	static const char *const libraries[] = {
		"/usr/lib/apache2/modules/" EMBEDDED, "/usr/lib/" EMBEDDED,
		NULL};
	char php[PATH_MAX], core[PATH_MAX];
	int err = 0;

	if (!gn_target_resolve("php", php) && !find_core(php, core))
		err = each(ctx, core);
	return err ?: each_at(programs, each, ctx)
			      ?: each_at(libraries, each, ctx);
}

struct each_found {
	gn_runtime_found_fn fn;
	void *ctx;
};

/* The version is in the file's name. */
static int take_found(void *ctx, const char *path)
{
	const struct each_found *each = ctx;

	return each->fn(each->ctx, path, path + strcspn(path, "0123456789"));
}

static int find(const char *home, gn_runtime_found_fn fn, void *ctx)
{
	struct each_found each = {fn, ctx};

	(void)home;
	return each_at(programs, take_found, &each);
}

static struct gn_php_text text_of(const struct gn_name_part *part)
{
	return (struct gn_php_text){{part->text, part->len}, part->all};
}

static void name(unsigned int form, const struct gn_name_part *part,
		 unsigned int number, char *out, size_t size, char *module,
		 size_t module_size)
{
	const struct gn_name_part none = {"", 0, 0};
	const struct gn_name_part *file = form == GN_PHP_FUNCTION
						  ? &part[GN_PHP_SCRIPT]
					  : form == GN_PHP_FILE_ONLY ? &part[0]
								     : &none;
	const struct gn_span script = {file->text, file->len};
	struct gn_php_text first = text_of(&part[0]), class;
	struct gn_spell o = {.at = out, .left = size};

	*out = '\0';
	if (form == GN_PHP_FUNCTION) {
		class = text_of(&part[GN_PHP_CLASS]);
		gn_php_put_function(&o, &first, &class, script, number);
	} else if (form == GN_PHP_FILE_ONLY) {
		gn_php_put_base(&o, script);
	} else {
		gn_php_put_class(&o, &first);
	}
	snprintf(module, module_size, "%.*s", (int)file->len, file->text);
}

static const char *const limits[] = {
	"functions are seen only if PHP starts under gnomon or with " VARIABLE
	"=1; compilations, threads and time classes are seen in a running PHP, "
	"too",
	"functions of extensions and of PHP itself (strlen, array_map) are not "
	"seen; what they call back is",
	NULL};

/* A fiber's functions are suspended, or go on, within them; the last one is
 * below all functions of a fiber. */
static const char *const around[] = {
	"zend_fiber*", "zend_observer_fiber*",
	"zim_Fiber*",  "zend_call_function*",
	NULL,
};

static const char *const interpreters[] = {"php", "php-cgi", "php-fpm", NULL};

extern const struct gn_runtime gn_runtime_php;
const struct gn_runtime gn_runtime_php = {
	.id = GN_RUNTIME_PHP,
	.title = "PHP engine",
	.provider = "php",
	.methods = &gn_runtime_zend,
	.hooks_all = true,
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
	.core = CORE,
	.interpreters = interpreters,
	.language = "PHP",
	.interpreter = "*php*",
	.around = around,
	.core_library = EMBEDDED,
	.marker = "Zend Engine v",
	.lacking = ", but its functions were not traced: gnomon was too late; "
		   "trace again, or start php with " VARIABLE "=1",
	.find_core = find_core,
	.find_cores = find_cores,
	.options = options,
	.options_read = "zend_startup_modules",
	.options_begin = "zend_update_current_locale",
	/* a call takes some 260 bytes there, and none without the options; the
	 * library makes room for itself */
	.stack = 256 << 20,
	.matches = gn_filter_hooks,
	.name = name,
	.sampled = true,
	.attached = "its functions are seen only if it was started "
		    "with " VARIABLE "=1 and has probes; " SAMPLED,
	.untold = "its functions are not seen, because it was started "
		  "without " VARIABLE "=1; " SAMPLED,
	.limits = limits,
	.find = find,
	.get = "install php-cli",
};
