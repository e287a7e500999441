// SPDX-License-Identifier: BSD-2-Clause
#include "capture/interpreter_file.h"

#include <errno.h>
#include <string.h>

#include "elf/exported.h"
#include "elf/variables.h"
#include "site/decode.h"

#define CONTEXT "ruby_current_ec"
/* A library that hides the context exports a function that loads it first. */
#define LOADS_CONTEXT "rb_thread_current"
#define VERSION	      "ruby_api_version"
/* A function that the file exports; others are as good. */
#define CODE "ruby_run_node"
/* It loads a pointer of ruby_global_symbols, which the file does not export. */
#define SYMBOLS	   "rb_sym_all_symbols"
#define IN_SYMBOLS 8 /* where that pointer is */
#define CODE_SIZE  128
#define RDI	   7 /* has the first argument */

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

	if (gn_exported_bytes(path, VERSION, version, sizeof(version)))
		return false;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].major == version[0] &&
		    layouts[i].minor == version[1]) {
			out->its.ruby = layouts[i].at;
			out->known = true;
		}
	return true;
}

/* Code that loads a variable of its thread: the address of the two words that
 * it passes to ask where the variable's memory is; 0: there is none. */
static uint64_t find_passed(const uint8_t *code, size_t size, uint64_t addr,
			    int64_t *disp)
{
	uint64_t words = 0;
	bool asked = false;
	struct gn_insn in;

	for (size_t at = 0; gn_decode(code + at, size - at, addr + at, &in);
	     at += in.len) {
		if (in.effect == GN_EFF_CONST && in.dst == RDI && !asked)
			words = (uint64_t)in.imm;
		else if (in.flow == GN_FLOW_CALL && words && !asked)
			asked = true;
		else if (in.flow != GN_FLOW_NEXT)
			return 0;
		if (!asked || in.effect != GN_EFF_LOAD)
			continue;
		*disp = in.mem.disp;
		return in.mem.base == GN_RAX && in.mem.index == GN_NO_REG
			       ? words
			       : 0;
	}
	return 0;
}

static int find_context(const char *path, int64_t *context, uint64_t *module)
{
	uint64_t addr, offset, words;
	uint8_t code[CODE_SIZE];
	int64_t disp;

	if (!gn_exported_local(path, CONTEXT, context, module))
		return 0;
	if (gn_exported_code(path, LOADS_CONTEXT, &addr, &offset) ||
	    gn_exported_bytes(path, LOADS_CONTEXT, code, sizeof(code)))
		return -ENOENT;
	words = find_passed(code, sizeof(code), addr, &disp);
	if (!words || gn_passed_local(path, words, context, module))
		return -ENOENT;
	*context += disp;
	return 0;
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
	if (find_context(path, &context, &addr[GN_RUBY_MODULE]) ||
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
