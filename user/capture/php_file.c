// SPDX-License-Identifier: BSD-2-Clause
#include "capture/interpreter_file.h"

#include "elf/exported.h"
#include "runtime/runtime.h"

#define GLOBALS "executor_globals" /* of a PHP without threads */
/* A function that the file exports; others are as good. */
#define CODE "get_zend_version"

/* For extensions, these places stay the same in all releases of a version. What
 * is behind them can grow: the globals of 8.2.36 are larger than those of
 * 8.2.32. */
static const struct {
	const char *version; /* a text in the file */
	struct gn_php_layout at;
} layouts[] = {
	/* 8.2 */
	{"Zend Engine v4.2.",
	 {.current = 488,
	  .code = 88,
	  .file = 152,
	  .line = 160,
	  .handler = 72,
	  .module = 80}},
	/* 8.3 */
	{"Zend Engine v4.3.",
	 {.current = 488,
	  .code = 80,
	  .file = 144,
	  .line = 152,
	  .handler = 72,
	  .module = 80}},
	/* 8.4 */
	{"Zend Engine v4.4.",
	 {.current = 488,
	  .code = 104,
	  .file = 168,
	  .line = 176,
	  .handler = 88,
	  .module = 96}},
	/* 8.5 */
	{"Zend Engine v4.5.",
	 {.current = 512,
	  .code = 104,
	  .file = 168,
	  .line = 176,
	  .handler = 88,
	  .module = 96}},
};

static bool read_layout(const char *path, uint64_t size,
			struct gn_php_layout *at)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (gn_runtime_file_has(path, layouts[i].version)) {
			*at = layouts[i].at;
			return at->current + sizeof(uint64_t) <= size;
		}
	return false;
}

bool gn_php_file_read(const char *path, struct gn_interpreter_file *out)
{
	uint64_t addr[GN_PHP_ADDRESSES], size, first, code, offset;

	if (gn_exported_variable(path, GLOBALS, &addr[GN_PHP_GLOBALS], &size,
				 &first))
		return false;
	if (gn_exported_code(path, CODE, &code, &offset))
		return true;
	gn_interpreter_addresses(out, addr, GN_PHP_ADDRESSES, code - offset);
	out->known = read_layout(path, size, &out->its.php);
	return true;
}
