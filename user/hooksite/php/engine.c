// SPDX-License-Identifier: BSD-2-Clause
#include "engine.h"

#include <dlfcn.h>
#include <string.h>

/* Where the code has its file, in words; it depends on the version. */
#define FILE_FIRST 6
#define FILE_LAST  24

/* Where executor_globals has the target of fatal errors, from PHP 7.4 to 8.5.
 */
#define BAILOUT 416

struct gn_php_engine gn_php;

static size_t file_at; /* 0: not found yet */

bool gn_php_find(void *library)
{
	void *handle = library ? library : dlopen(NULL, RTLD_LAZY);
	char *globals;

	if (!handle)
		return false;
	globals = dlsym(handle, "executor_globals");
	*(void **)&gn_php.execute = dlsym(handle, "zend_execute_ex");
	*(void **)&gn_php.own = dlsym(handle, "execute_ex");
	*(void **)&gn_php.file = dlsym(handle, "zend_get_executed_filename_ex");
	*(void **)&gn_php.on_switch =
		dlsym(handle, "zend_observer_fiber_switch_register");
	*(void **)&gn_php.on_destroy =
		dlsym(handle, "zend_observer_fiber_destroy_register");
	*(void **)&gn_php.started = dlsym(handle, "zend_post_startup_cb");
	if (gn_php.on_switch)
		*(void **)&gn_php.on_error = dlsym(handle, "zend_error_cb");
	/* with threads, it is not a variable */
	if (!globals || !gn_php.execute || !gn_php.own || !gn_php.file)
		return false;
	gn_php.bailout = (sigjmp_buf **)(globals + BAILOUT);
	return true;
}

static size_t find_file(const struct gn_php_code *code,
			const struct gn_php_string *file)
{
	const struct gn_php_string *const *word = (const void *)code;
	size_t i = FILE_FIRST;

	while (i <= FILE_LAST && word[i] != file)
		i++;
	return i <= FILE_LAST ? i : 0;
}

const struct gn_php_string *gn_php_place(const struct gn_php_code *code,
					 uint32_t *line)
{
	const struct gn_php_string *const *word = (const void *)code;
	const struct gn_php_string *file;

	if (!file_at) {
		file = gn_php.file();
		file_at = file ? find_file(code, file) : 0;
	}
	if (!file_at) {
		*line = 0;
		return gn_php.file();
	}
	memcpy(line, &word[file_at + 1], sizeof(*line));
	return word[file_at];
}
