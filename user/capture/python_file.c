// SPDX-License-Identifier: BSD-2-Clause
#include "capture/interpreter_file.h"

#include <string.h>

#include "elf/exported.h"

/* What each version of CPython exports. */
#define RUNTIME "_PyRuntime"
#define CODE	"PyEval_EvalCode"
#define VERSION "Py_Version"		    /* from 3.11 on */
#define CONFIG	"PyConfig_InitPythonConfig" /* from 3.8 on */

#define MINOR(version) ((version) >> 16)

/* 3.8, 3.9 and 3.10 */
static const struct gn_python_layout layout_38 = {
	.interpreters = 32,
	.threads = 8,
	.next_interpreter = 0,
	.next = 8,
	.interpreter = 16,
	.thread_id = 176,
	.frame = 24,
	.current = GN_PYTHON_NONE,
	.code = 32,
	.previous = 24,
	.globals = 48,
	.owner = GN_PYTHON_NONE,
	.file = 104,
	.name = 112,
	.line = 40,
	.ascii = 48,
	.compact = 72,
};

static const struct gn_python_layout layout_311 = {
	.interpreters = 40,
	.threads = 16,
	.next_interpreter = 0,
	.next = 8,
	.interpreter = 16,
	.thread_id = 152,
	.frame = 56,
	.current = 8,
	.code = 32,
	.previous = 48,
	.globals = 8,
	.owner = GN_PYTHON_NONE,
	.file = 112,
	.name = 128,
	.line = 72,
	.ascii = 48,
	.compact = 72,
	.new_keys = 1,
};

static const struct gn_python_layout layout_312 = {
	.interpreters = 40,
	.threads = 72,
	.next_interpreter = 0,
	.next = 8,
	.interpreter = 16,
	.thread_id = 136,
	.frame = 56,
	.current = 0,
	.code = 0,
	.previous = 8,
	.globals = 24,
	.owner = 70,
	.file = 112,
	.name = 128,
	.line = 68,
	.ascii = 40,
	.compact = 56,
	.new_keys = 1,
};

/* The head of _PyRuntime from 3.13 on: offsets for debuggers. X(field of struct
 * gn_python_layout, the word that has it in 3.13, and in 3.14). */
#define WORDS	      45
#define COOKIE	      "xdebugpy"
#define FREE_THREADED 2
#define OFFSETS(X)                \
	X(interpreters, 5, 5)     \
	X(next_interpreter, 8, 8) \
	X(threads, 9, 9)          \
	X(next, 21, 24)           \
	X(interpreter, 22, 25)    \
	X(frame, 23, 26)          \
	X(thread_id, 24, 27)      \
	X(previous, 29, 32)       \
	X(code, 30, 33)           \
	X(owner, 33, 36)          \
	X(file, 35, 40)           \
	X(name, 37, 42)           \
	X(line, 39, 44)

static bool read_offsets(const char *path, bool is_14,
			 struct gn_python_layout *at)
{
	uint64_t word[WORDS];
	bool fit = true;

	if (gn_exported_bytes(path, RUNTIME, word, sizeof(word)) ||
	    memcmp(word, COOKIE, sizeof(word[0])) != 0 || word[FREE_THREADED])
		return false;
	*at = layout_312;
	at->current = GN_PYTHON_NONE;
#define TAKE(field, i, of_14)                            \
	fit &= word[is_14 ? of_14 : i] < GN_PYTHON_NONE; \
	at->field = (uint16_t)word[is_14 ? of_14 : i];
	OFFSETS(TAKE)
#undef TAKE
	return fit;
}

static bool read_layout(const char *path, bool configured,
			struct gn_python_layout *at)
{
	uint64_t version;

	if (gn_exported_bytes(path, VERSION, &version, sizeof(version))) {
		*at = layout_38;
		return configured;
	}
	switch (MINOR(version)) {
	case 0x30b:
		*at = layout_311;
		return true;
	case 0x30c:
		*at = layout_312;
		return true;
	case 0x30d:
	case 0x30e:
		return read_offsets(path, MINOR(version) == 0x30e, at);
	default:
		return false;
	}
}

bool gn_python_file_read(const char *path, struct gn_interpreter_file *out)
{
	static const char *const names[] = {RUNTIME, "PyCode_Type",
					    "PyUnicode_Type", "PyDict_Type",
					    CONFIG};
	uint64_t addr[GN_PYTHON_ADDRESSES + 1], code, offset;

	if (gn_exported(path, names, GN_PYTHON_ADDRESSES + 1, addr) ||
	    !addr[GN_PYTHON_RUNTIME])
		return false;
	if (gn_exported_code(path, CODE, &code, &offset))
		return true;
	gn_interpreter_addresses(out, addr, GN_PYTHON_ADDRESSES, code - offset);
	out->known =
		read_layout(path, addr[GN_PYTHON_ADDRESSES], &out->its.python);
	return true;
}
