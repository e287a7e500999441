/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/ruby_context.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "elf/exported.h"
#include "site/decode.h"

#define CONTEXT "ruby_current_ec"
/* A library that hides the context exports a function that loads it first. */
#define LOADS_CONTEXT "rb_thread_current"
#define CODE_SIZE     64
#define RDI	      7 /* has the first argument */

int gn_ruby_version(const char *path, int32_t version[2])
{
	return gn_exported_bytes(path, GN_RUBY_VERSION, version,
				 2 * sizeof(*version));
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

int gn_ruby_context(const char *path, int64_t *context, uint64_t *module)
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
	/* both are the file's; a sum that overflows is wrong, but defined */
	*context = (int64_t)((uint64_t)*context + (uint64_t)disp);
	return 0;
}
