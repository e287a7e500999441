// SPDX-License-Identifier: BSD-2-Clause
/* The kernel's classes of instructions, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "site/site.h"

struct insn {
	const char *text; /* the beginning of the formatter's text */
	enum gn_cost cost;
	size_t len;
	uint8_t bytes[16];
	uint64_t addr;
};

#define OPTI GN_COST_OPTIMIZED
#define EMUL GN_COST_EMULATED
#define STEP GN_COST_STEPPED
#define REFU GN_COST_REFUSED

static const struct insn table[] = {
	/* nops, by length */
	{"nop", EMUL, 1, {0x90}, 0x1000},
	{"nop", EMUL, 2, {0x66, 0x90}, 0x1000},
	{"nop", EMUL, 3, {0x0f, 0x1f, 0x00}, 0x1000},
	{"nop", EMUL, 4, {0x0f, 0x1f, 0x40, 0x00}, 0x1000},
	{"nop", OPTI, 5, {0x0f, 0x1f, 0x44, 0x00, 0x00}, 0x1000},
	/* other operands, like in clang's patchable entries: also optimised, as
	 * seen */
	{"nop", OPTI, 5, {0x0f, 0x1f, 0x44, 0x00, 0x08}, 0x1000},
	{"nop", OPTI, 5, {0x0f, 0x1f, 0x44, 0x20, 0x00}, 0x1000},
	{"nop", OPTI, 5, {0x0f, 0x1f, 0x44, 0x00, 0x00}, 0x1ffb},
	{"nop", EMUL, 5, {0x0f, 0x1f, 0x44, 0x00, 0x00}, 0x1ffc},
	{"nop", EMUL, 5, {0x0f, 0x1f, 0x44, 0x00, 0x00}, 0x1fff},
	{"nop", OPTI, 5, {0x66, 0x66, 0x66, 0x66, 0x90}, 0x1000},
	{"nop", OPTI, 5, {0x66, 0x0f, 0x1f, 0x40, 0x00}, 0x1000},
	{"nop", OPTI, 5, {0x64, 0x0f, 0x1f, 0x40, 0x00}, 0x1000},
	{"nop", OPTI, 5, {0x40, 0x0f, 0x1f, 0x40, 0x00}, 0x1000},
	{"nop", OPTI, 5, {0x41, 0x0f, 0x1f, 0x40, 0x00}, 0x1000},
	{"nop", OPTI, 5, {0x48, 0x0f, 0x1f, 0x40, 0x00}, 0x1000},
	{"nop", OPTI, 5, {0x67, 0x0f, 0x1f, 0x40, 0x00}, 0x1000},
	{"nop", OPTI, 5, {0xf3, 0x0f, 0x1f, 0x40, 0x00}, 0x1000},
	{"nop", OPTI, 5, {0x66, 0x66, 0x66, 0x48, 0x90}, 0x1000},
	{"nop", EMUL, 5, {0x66, 0x66, 0x66, 0x66, 0x90}, 0x1ffc},
	/* no nops by name, but the kernel turns them into calls, too */
	{"pause", OPTI, 5, {0x66, 0x66, 0x66, 0xf3, 0x90}, 0x1000},
	{"xchg", REFU, 5, {0x66, 0x66, 0x66, 0x41, 0x90}, 0x1000},
	/* it does not do that with these */
	{"lea", STEP, 5, {0x48, 0x8d, 0x74, 0x26, 0x00}, 0x1000},
	{"mov", STEP, 5, {0x64, 0x64, 0x48, 0x89, 0xc0}, 0x1000},
	{"nop", STEP, 5, {0x0f, 0x1e, 0x44, 0x00, 0x00}, 0x1000},
	{"nop", EMUL, 6, {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, 0x1000},
	{"nop", EMUL, 7, {0x0f, 0x1f, 0x80, 0, 0, 0, 0}, 0x1000},
	{"nop", EMUL, 8, {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, 0x1000},
	{"nop", STEP, 9, {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, 0x1000},
	/* a code segment prefix */
	{"nop", REFU, 10, {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, 0},
	/* only its opcode is that of a nop */
	{"xchg", REFU, 2, {0x41, 0x90}, 0},
	/* pushes */
	{"push rbp", EMUL, 1, {0x55}, 0},
	{"push r15", EMUL, 2, {0x41, 0x57}, 0},
	{"push", STEP, 2, {0x6a, 0x01}, 0},
	{"push", STEP, 5, {0x68, 1, 0, 0, 0}, 0},
	{"push", STEP, 2, {0xff, 0x37}, 0},
	{"push", STEP, 2, {0x66, 0x55}, 0},
	/* relative branches */
	{"jmp", EMUL, 2, {0xeb, 0x10}, 0},
	{"jmp", EMUL, 5, {0xe9, 0x10, 0, 0, 0}, 0},
	{"jz", EMUL, 2, {0x74, 0x10}, 0},
	{"jz", EMUL, 6, {0x0f, 0x84, 0x10, 0, 0, 0}, 0},
	{"call", EMUL, 5, {0xe8, 0x10, 0, 0, 0}, 0},
	{"bnd call", EMUL, 6, {0xf2, 0xe8, 0x10, 0, 0, 0}, 0},
	/* with an operand size prefix the kernel refuses all of them */
	{"jz", REFU, 3, {0x66, 0x74, 0x10}, 0},
	{"call", REFU, 6, {0x66, 0xe8, 0x10, 0, 0, 0}, 0},
	/* other branches */
	{"jmp", STEP, 2, {0xff, 0xe0}, 0},
	{"call", STEP, 2, {0xff, 0xd0}, 0},
	{"ret", STEP, 1, {0xc3}, 0},
	{"ret", STEP, 3, {0xc2, 8, 0}, 0},
	{"ret", STEP, 2, {0xf3, 0xc3}, 0},
	{"loop", STEP, 2, {0xe2, 0x10}, 0},
	/* notrack is a data segment prefix */
	{"notrack jmp", REFU, 3, {0x3e, 0xff, 0xe0}, 0},
	/* common first instructions */
	{"endbr64", STEP, 4, {0xf3, 0x0f, 0x1e, 0xfa}, 0},
	{"sub rsp", STEP, 4, {0x48, 0x83, 0xec, 0x08}, 0},
	{"mov", STEP, 3, {0x48, 0x89, 0xe5}, 0},
	{"lea", STEP, 4, {0x48, 0x8d, 0x3c, 0x24}, 0},
	{"xor", STEP, 2, {0x31, 0xc0}, 0},
	{"test", STEP, 2, {0x85, 0xff}, 0},
	{"pop", STEP, 1, {0x5d}, 0},
	{"leave", STEP, 1, {0xc9}, 0},
	/* never */
	{"int3", REFU, 1, {0xcc}, 0},
	{"hlt", REFU, 1, {0xf4}, 0},
	{"cli", REFU, 1, {0xfa}, 0},
	{"in", REFU, 1, {0xec}, 0},
	{"lock inc", REFU, 3, {0xf0, 0xff, 0x07}, 0},
	/* what the kernel accepts, and what would break there */
	{"pushfq", REFU, 1, {0x9c}, 0},
	{"popfq", STEP, 1, {0x9d}, 0},
	{"syscall", REFU, 2, {0x0f, 0x05}, 0},
	{"sysenter", REFU, 2, {0x0f, 0x34}, 0},
	{"int", REFU, 2, {0xcd, 0x80}, 0},
	{"iretq", REFU, 2, {0x48, 0xcf}, 0},
	{"mov ss", REFU, 2, {0x8e, 0xd0}, 0},
	{"mov eax, ss", STEP, 2, {0x8c, 0xd0}, 0},
	{"xbegin", REFU, 6, {0xc7, 0xf8, 0, 0, 0, 0}, 0},
	{"rep movsb", REFU, 2, {0xf3, 0xa4}, 0},
	{"rep stosq", REFU, 3, {0xf3, 0x48, 0xab}, 0},
	{"repne scasb", REFU, 2, {0xf2, 0xae}, 0},
	{"movsb", STEP, 1, {0xa4}, 0},
	/* what the kernel does not know */
	{"vfmaddpd", REFU, 6, {0xc4, 0xe3, 0xf1, 0x69, 0xc2, 0x30}, 0},
	{"blcfill", REFU, 5, {0x8f, 0xe9, 0x78, 0x01, 0xc8}, 0},
	{"pfadd", REFU, 4, {0x0f, 0x0f, 0xc1, 0x9e}, 0},
	/* vector instructions are judged by their opcode byte, whatever it
	 * means */
	{"vmovups", STEP, 4, {0xc5, 0xf8, 0x10, 0x07}, 0},
	{"vmovdqa", REFU, 4, {0xc5, 0xf9, 0x6f, 0x07}, 0},
	{"vzeroupper", STEP, 3, {0xc5, 0xf8, 0x77}, 0},
	{"vpxor", REFU, 4, {0xc5, 0xf9, 0xef, 0xc0}, 0},
	{"movdqa", STEP, 4, {0x66, 0x0f, 0x6f, 0x07}, 0},
};

static void test_classes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct insn *in = &table[i];
		char text[32];
		size_t len = 99;

		assert_int_equal(gn_cost_of(in->bytes, sizeof(in->bytes),
					    in->addr, text, &len),
				 in->cost);
		assert_int_equal(len, in->len);
		if (strncmp(text, in->text, strlen(in->text)))
			fail_msg("%s is read as %s", in->text, text);
	}
}

/* A truncated instruction is invalid, whatever follows in memory. */
static void test_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		for (size_t n = 0; n < table[i].len; n++) {
			size_t len = 99;

			/* the rest may be a prefix of nop or ret: then it is no
			 * truncation */
			enum gn_cost cost =
				gn_cost_of(table[i].bytes, n, 0, NULL, &len);

			assert_true(len <= n);
			if (!len)
				assert_int_equal(cost, GN_COST_REFUSED);
		}
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(gn_cost_name(GN_COST_OPTIMIZED), "optimized");
	assert_string_equal(gn_cost_name(GN_COST_REFUSED), "refused");
	assert_string_equal(gn_cost_name(GN_COST_COUNT), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
