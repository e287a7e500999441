// SPDX-License-Identifier: BSD-2-Clause
#include "capture/interpreter_file.h"

#include <string.h>

#include "elf/exported.h"
#include "elf/variables.h"
#include "runtime/ruby_context.h"
#include "site/decode.h"

/* A function that the file exports; others are as good. */
#define CODE "ruby_run_node"
/* It loads a pointer of ruby_global_symbols, which the file does not export. */
#define SYMBOLS	   "rb_sym_all_symbols"
#define IN_SYMBOLS 8 /* where that pointer is */
#define CODE_SIZE  128

static const struct {
	int32_t major, minor;
	struct gn_ruby_layout at;
} layouts[] = {
	{3,
	 1,
	 {.frame = 64,
	  .location = 64,
	  .line_shift = 1,
	  .original_id = 32,
	  .last_op = 169,
	  .text = 16,
	  .variables = 8}},
	{3,
	 2,
	 {.frame = 64,
	  .location = 64,
	  .original_id = 32,
	  .last_op = 169,
	  .text = 24,
	  .variables = 32,
	  .shapes = 376}},
	{3,
	 3,
	 {.frame = 56,
	  .location = 64,
	  .original_id = 32,
	  .last_op = 169,
	  .text = 24,
	  .path = 152,
	  .attached = 128}},
};

/* Whether the file is a Ruby. Its layout may be unknown. */
static bool read_layout(const char *path, struct gn_interpreter_file *out)
{
	int32_t version[2];

	if (gn_ruby_version(path, version))
		return false;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].major == version[0] &&
		    layouts[i].minor == version[1]) {
			out->its.ruby = layouts[i].at;
			out->known = true;
		}
	return true;
}

/* The variable of the program that the code loads; 0: none, or several. */
static uint64_t find_loaded(const char *path, const uint8_t *code, size_t size,
			    uint64_t addr)
{
	uint64_t found = 0;
	struct gn_insn in;

	for (size_t at = 0; gn_decode(code + at, size - at, addr + at, &in);
	     at += in.len) {
		if (in.flow == GN_FLOW_RET)
			break;
		if (in.effect != GN_EFF_LOAD || in.mem.base != GN_NO_REG ||
		    in.mem.index != GN_NO_REG ||
		    !gn_variables_writable(path, (uint64_t)in.mem.disp))
			continue;
		if (found && found != (uint64_t)in.mem.disp)
			return 0;
		found = (uint64_t)in.mem.disp;
	}
	return found;
}

/* 0: not found. Then methods have no names but those of their code. */
static uint64_t find_symbols(const char *path)
{
	uint8_t code[CODE_SIZE];
	uint64_t addr, offset, at;

	if (gn_exported_code(path, SYMBOLS, &addr, &offset) ||
	    gn_exported_bytes(path, SYMBOLS, code, sizeof(code)))
		return 0;
	at = find_loaded(path, code, sizeof(code), addr);
	return at ? at - IN_SYMBOLS : 0;
}

bool gn_ruby_file_read(const char *path, struct gn_interpreter_file *out)
{
	uint64_t addr[GN_RUBY_ADDRESSES] = {0}, code, offset;
	int64_t context;

	if (!read_layout(path, out))
		return false;
	if (gn_ruby_context(path, &context, &addr[GN_RUBY_MODULE]) ||
	    gn_exported_code(path, CODE, &code, &offset) ||
	    context != (int32_t)context) {
		out->known = false;
		return true;
	}
	addr[GN_RUBY_SYMBOLS] = find_symbols(path);
	gn_interpreter_addresses(out, addr, GN_RUBY_ADDRESSES, code - offset);
	out->its.ruby.context = (int32_t)context;
	return true;
}
