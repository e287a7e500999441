// SPDX-License-Identifier: BSD-2-Clause
/*
 * Functions that try to cost a planner time or memory: each one is quickly
 * refused or planned. The file around them is artificial.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/elf_internal.h"
#include "site/site_internal.h"

#define CODE  0x100000u /* its address */
#define NAMES 1024	/* the most names of one address that are examined */
/* Seconds: a fault would take hours. */
#define PATIENCE 300

/* A file with only code, and room for symbols. */
static struct gn_elf *made_file(uint8_t *code, size_t size, size_t symbols)
{
	struct gn_elf *elf = calloc(1, sizeof(*elf));

	assert_non_null(elf);
	assert_non_null(code);
	elf->main.fd = elf->debug.fd = -1;
	elf->path = strdup("/made/up");
	elf->place = strdup("/made/up");
	elf->segments = calloc(1, sizeof(*elf->segments));
	elf->symbols = calloc(symbols, sizeof(*elf->symbols));
	assert_true(elf->path && elf->place && elf->segments && elf->symbols);
	elf->segments[0] = (struct gn_segment){CODE, 0, size, true, code};
	elf->nsegments = 1;
	return elf;
}

static void add_symbol(struct gn_elf *elf, const char *name, uint64_t at,
		       uint64_t size)
{
	elf->symbols[elf->nsymbols++] = (struct gn_elf_symbol){
		.name = name,
		.demangled = name,
		.addr = CODE + at,
		.size = size,
		.offset = at,
		.is_cold = strstr(name, ".cold") != NULL,
	};
}

static uint8_t *filled(size_t size, uint8_t byte)
{
	uint8_t *code = malloc(size);

	assert_non_null(code);
	memset(code, byte, size);
	return code;
}

/* Why the first function is refused; NULL: it is not. */
static const char *refusal(struct gn_planner *p, struct gn_elf *elf)
{
	struct gn_plan plan;
	const char *why;

	assert_int_equal(gn_planner_plan(p, elf, &elf->symbols[0], &plan), 0);
	why = plan.refused;
	gn_plan_clear(&plan);
	return why;
}

/* The same for a file that has only one function and is planned once. */
static const char *refusal_of(uint8_t *code, size_t size)
{
	struct gn_elf *elf = made_file(code, size, 1);
	struct gn_planner *p = gn_planner_new(GN_LEAVE_RET);
	const char *why;

	assert_non_null(p);
	add_symbol(elf, "f", 0, size);
	why = refusal(p, elf);
	gn_planner_free(p);
	gn_elf_close(elf);
	return why ? why : "";
}

static void holds(const char *text, const char *piece)
{
	if (!strstr(text, piece))
		fail_msg("'%s' is not in '%s'", piece, text);
}

/* Each byte is a return: a leave, a block, an instruction. */
static void test_returns(void **state)
{
	const uint8_t ret = 0xc3;

	(void)state;
	holds(refusal_of(filled(100000, ret), 100000), "too many ways out");
	holds(refusal_of(filled(GN_INSNS_MAX / 2, ret), GN_INSNS_MAX / 2),
	      "could not be followed");
	holds(refusal_of(filled(GN_BODY_MAX, ret), GN_BODY_MAX), "too long");
}

/* The limit of returns, after as many single-stepped instructions, each of
 * which may be one of them. */
static void test_most_returns(void **state)
{
	const size_t begin = 2 * GN_EXITS_MAX;
	size_t size = begin + 3 * GN_EXITS_MAX;
	uint8_t *code = filled(size, 0x90);
	struct gn_elf *elf = made_file(code, size, 1);
	struct gn_planner *p = gn_planner_new(GN_LEAVE_RET);
	struct gn_plan plan;

	(void)state;
	for (size_t at = 0; at < begin; at += 2)
		memcpy(code + at, "\x31\xc0", 2); /* xor eax, eax */
	for (size_t at = begin; at + 3 < size; at += 3)
		memcpy(code + at, "\x74\x01\xc3", 3); /* je over a ret */
	code[size - 1] = 0xc3;
	add_symbol(elf, "f", 0, size);
	gn_planner_at_exits(p, true);
	assert_int_equal(gn_planner_plan(p, elf, &elf->symbols[0], &plan), 0);
	assert_null(plan.refused);
	assert_int_equal(plan.nleaves, GN_EXITS_MAX);
	for (size_t i = 0; i < plan.nleaves; i++)
		assert_int_equal(plan.leaves[i].addr, CODE + begin + 3 * i + 2);
	gn_plan_clear(&plan);
	gn_planner_free(p);
	gn_elf_close(elf);
}

/* Data inside the code of a file without handlers: it gets no probe, although
 * it looks like a jump to the epilogue and returns. */
static void test_data(void **state)
{
	static const uint8_t bytes[] = {
		0x53,			      /* push rbx */
		0x8b, 0x05, 2,	  0,	0, 0, /* mov eax, [rip + 2] */
		0xeb, 4,		      /* jmp over 4 bytes */
		0x75, 0x02, 0xc3, 0xc3,	      /* data */
		0x5b, 0xc3,		      /* pop rbx, ret */
	};
	uint8_t *code = filled(sizeof(bytes), 0);
	struct gn_elf *elf = made_file(code, sizeof(bytes), 1);
	struct gn_planner *p = gn_planner_new(GN_LEAVE_RET);
	struct gn_plan plan;

	(void)state;
	memcpy(code, bytes, sizeof(bytes));
	add_symbol(elf, "f", 0, sizeof(bytes));
	assert_int_equal(gn_planner_plan(p, elf, &elf->symbols[0], &plan), 0);
	assert_null(plan.refused);
	assert_int_equal(plan.nleaves, 1);
	assert_int_equal(plan.leaves[0].addr, CODE + sizeof(bytes) - 1);
	gn_plan_clear(&plan);
	gn_planner_free(p);
	gn_elf_close(elf);
}

/* Each jump leads to code that must be read to its end to find whether it
 * begins the function again. */
static void test_begins_again(void **state)
{
	const size_t jumps = 60000, nops = 400000;
	size_t at = 0, size = 6 * jumps + nops + 5;
	uint8_t *code = filled(size, 0x90);
	int32_t to;

	(void)state;
	for (; at < 6 * jumps; at += 6) {
		memcpy(code + at, "\x0f\x84", 2); /* je */
		to = (int32_t)(6 * jumps - at - 6);
		memcpy(code + at + 2, &to, sizeof(to));
	}
	code[size - 5] = 0xe9; /* jmp */
	to = -(int32_t)size;
	memcpy(code + size - 4, &to, sizeof(to));
	holds(refusal_of(code, size), "a loop");
}

/* A jump to code with many names, all of which must be compared with all names
 * of the function. That is work, and its amount is limited for each file. */
static void test_names(void **state)
{
	/* jne to the part, ret; ret */
	static const uint8_t bytes[] = {0x0f, 0x85, 1, 0, 0, 0, 0xc3, 0xc3};
	uint8_t *code = filled(sizeof(bytes), 0);
	struct gn_elf *elf = made_file(code, sizeof(bytes), 2 * NAMES);
	struct gn_planner *p = gn_planner_new(GN_LEAVE_RET);
	const char *why = NULL;

	(void)state;
	memcpy(code, bytes, sizeof(bytes));
	for (size_t i = 0; i < NAMES; i++)
		add_symbol(elf, "f", 0, 7);
	for (size_t i = 0; i < NAMES; i++)
		add_symbol(elf, "g.cold", 7, 1);
	holds(refusal(p, elf), "could not be followed");
	for (int i = 0; i < 20; i++)
		why = refusal(p, elf);
	holds(why, "too tangled");
	gn_planner_free(p);
	gn_elf_close(elf);
}

#define CHAIN 40000

static const char *not_benign(struct gn_proof *proof, struct gn_elf *elf,
			      size_t i)
{
	struct gn_body b = {0}, scratch = {0};
	const char *why;

	assert_int_equal(
		gn_body_read(&b, elf, gn_proof_facts(proof), CODE + 5 * i, 5),
		0);
	if (gn_proof_benign(proof, &b, &scratch, &why))
		why = NULL;
	gn_body_free(&b);
	gn_body_free(&scratch);
	return why;
}

/* Each function jumps to the next one, the last one to itself. A proof that is
 * too long fails, and does not claim that something was found. */
static void test_chain(void **state)
{
	uint8_t *code = filled(5 * CHAIN, 0);
	struct gn_elf *elf = made_file(code, 5 * CHAIN, CHAIN);
	struct gn_proof *proof;

	(void)state;
	for (size_t i = 0; i < CHAIN; i++) {
		memcpy(code + 5 * i, "\xe9\0\0\0", 5); /* jmp to the next */
		add_symbol(elf, "f", 5 * i, 5);
	}
	memcpy(code + 5 * (CHAIN - 1), "\xe9\xfb\xff\xff\xff", 5);
	proof = gn_proof_new(elf);
	assert_non_null(proof);
	holds(not_benign(proof, elf, 1), "too many functions");
	/* the same for callers of that function */
	holds(not_benign(proof, elf, 0), "too many functions");
	assert_null(not_benign(proof, elf, CHAIN - 10000));
	gn_proof_free(proof);
	gn_elf_close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_most_returns),
		cmocka_unit_test(test_begins_again),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_data),
	};

	alarm(PATIENCE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
