// SPDX-License-Identifier: BSD-2-Clause
/* The plans for the functions of site_asm.S, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "site/site.h"

#define AUTO   GN_LEAVE_AUTO
#define RETURN GN_LEAVE_RETURN
#define RET    GN_LEAVE_RET

enum { EMUL = GN_COST_EMULATED, STEP = GN_COST_STEPPED };

struct expected {
	const char *name;
	enum gn_leave_mode wanted;
	const char *refused; /* a part of it, or NULL */
	uint64_t enter;	     /* offset in the function */
	uint32_t adjust;
	int cost;
	enum gn_leave_mode leave;
	const char *leaves; /* "L12 T4": kind and offset of each */
	const char *reason; /* a part of it; NULL: any */
};

static const struct expected table[] = {
	/* the place of the enter */
	{"leaf", AUTO, NULL, 0, 8, STEP, RETURN, "", "own return"},
	{"leaf", RET, NULL, 0, 8, STEP, RET, "L2", "asked"},
	{"endbr_push", AUTO, NULL, 4, 8, EMUL, RETURN, "", "own return"},
	{"endbr_push", RET, NULL, 4, 8, EMUL, RET, "L11", "asked"},
	{"sub_call", AUTO, NULL, 4, 16, EMUL, RET, "L13", "not cheaper"},
	{"sub_call", RET, NULL, 4, 16, EMUL, RET, "L13", "asked"},
	{"sub_call", RETURN, NULL, 0, 8, STEP, RETURN, "", "own return"},
	{"mov_push", AUTO, NULL, 6, 8, EMUL, RETURN, "", NULL},
	{"sub_jcc", AUTO, NULL, 6, 32, EMUL, RET, "L12 L19", "not cheaper"},
	{"huge_frame", RET, NULL, 0, 8, STEP, RET, "L19", NULL},
	{"only_ret", AUTO, NULL, 0, 8, STEP, RETURN, "", "own return"},
	{"only_ret", RET, "entry and leave", 0, 0, 0, 0, NULL, NULL},
	{"thunk", AUTO, NULL, 0, 8, EMUL, RETURN, "", NULL},
	{"thunk", RET, "entry and leave", 0, 0, 0, 0, NULL, NULL},
	{"endbr_thunk", AUTO, NULL, 4, 8, EMUL, RETURN, "", NULL},
	{"endbr_thunk", RET, NULL, 0, 8, STEP, RET, "T4", NULL},
	{"loop_first", AUTO, "loop", 0, 0, 0, 0, NULL, NULL},
	{"loop_second", AUTO, NULL, 0, 8, STEP, RETURN, "", NULL},
	{"loop_padded", AUTO, NULL, 2, 8, EMUL, RETURN, "", NULL},
	{"stack_check", RET, NULL, 6, 8, EMUL, RET, "L8", NULL},
	{"stack_checks", RET, NULL, 18, 8, EMUL, RET, "L20", NULL},
	{"stack_check_loop", AUTO, "loop", 0, 0, 0, 0, NULL, NULL},
	{"stack_check_end", AUTO, "loop", 0, 0, 0, 0, NULL, NULL},
	{"stack_check_wait", AUTO, "loop", 0, 0, 0, 0, NULL, NULL},
	{"nop5_push", AUTO, NULL, 5, 8, EMUL, RETURN, "", NULL},
	{"nop5_only", AUTO, NULL, 5, 8, STEP, RETURN, "", NULL},
	{"nop5_only", RET, NULL, 5, 8, STEP, RET, "L7", NULL},
	{"nop5_crossing", AUTO, NULL, 0, 8, EMUL, RETURN, "", NULL},
	{"nop4_push", AUTO, NULL, 4, 8, EMUL, RETURN, "", NULL},
	{"nop4_only", AUTO, NULL, 0, 8, EMUL, RETURN, "", NULL},
	{"locked_first", AUTO, NULL, 3, 8, EMUL, RETURN, "", NULL},
	{"vector_first", RET, NULL, 4, 8, STEP, RET, "L6", NULL},
	/* frames */
	{"framed", AUTO, NULL, 0, 8, EMUL, RETURN, "", "own return"},
	{"framed", RET, NULL, 0, 8, EMUL, RET, "L14", NULL},
	{"alloca_frame", AUTO, NULL, 0, 8, EMUL, RET, "L17", "unknown amount"},
	{"vla_block", AUTO, NULL, 0, 8, EMUL, RET, "L26", "unknown amount"},
	{"foreign_leave", AUTO, NULL, 0, 8, EMUL, RET, "L6", "loads the stack"},
	{"realigned", AUTO, NULL, 0, 8, STEP, RETURN, "", "own return"},
	{"unbalanced", AUTO, NULL, 0, 8, EMUL, RET, "L6", "followed"},
	{"pushes_and_returns", AUTO, "another stack", 0, 0, 0, 0, NULL, NULL},
	/* indirect jumps */
	{"switch_relative", AUTO, NULL, 3, 8, EMUL, RETURN, "", NULL},
	{"switch_relative", RET, NULL, 3, 8, EMUL, RET, "L26 L32 L35", NULL},
	{"switch_sum", RET, NULL, 0, 8, STEP, RET, "L20 L21", NULL},
	{"jump_sum", AUTO, "may leave", 0, 0, 0, 0, NULL, NULL},
	{"switch_back", AUTO, NULL, 0, 8, STEP, RETURN, "", NULL},
	{"tables_touch", RET, NULL, 0, 8, EMUL, RET, "T34 L43", NULL},
	{"table_ends", RET, NULL, 0, 8, STEP, RET, "L16", NULL},
	{"nowhere", RET, NULL, 0, 8, EMUL, RET, "L15", NULL},
	{"nowhere_jumps", RET, "own frame", 0, 0, 0, 0, NULL, NULL},
	{"switch_linked", RET, NULL, 0, 8, STEP, RET, "L12", NULL},
	{"tail_linked", AUTO, NULL, 0, 8, STEP, RET, "T7", "unknown code"},
	{"switch_hidden", AUTO, "may leave", 0, 0, 0, 0, NULL, NULL},
	{"switch_framed", AUTO, NULL, 0, 8, EMUL, RET, "L12", "table"},
	{"switch_notrack", AUTO, "none", 0, 0, 0, 0, NULL, NULL},
	{"switch_unframed", RET, NULL, 4, 16, EMUL, RET, "L24", NULL},
	{"threaded", AUTO, "may leave", 0, 0, 0, 0, NULL, NULL},
	{"threaded_code", AUTO, "may leave", 0, 0, 0, 0, NULL, NULL},
	{"threaded_not", RET, NULL, 0, 8, STEP, RET, "L24 T25", NULL},
	{"stray_label", RET, NULL, 0, 8, EMUL, RET, "L11", NULL},
	{"virtual_tail", AUTO, NULL, 3, 8, EMUL, RET, "T5", "unknown code"},
	/* ways out */
	{"framed_tail", AUTO, NULL, 0, 8, EMUL, RET, "T7", "not cheaper"},
	{"framed_tail", RET, NULL, 0, 8, EMUL, RET, "T7", NULL},
	{"with_cold", AUTO, NULL, 0, 8, EMUL, RETURN, "", NULL},
	{"with_cold.cold", AUTO, "a part", 0, 0, 0, 0, NULL, NULL},
	{"jcc_out", AUTO, NULL, 2, 8, EMUL, RETURN, "", NULL},
	{"jcc_out", RET, NULL, 0, 8, STEP, RET, "L2", "asked"},
	{"jrcxz_out", AUTO, NULL, 0, 8, STEP, RETURN, "", NULL},
	{"jrcxz_out", RET, "not in the flags", 0, 0, 0, 0, NULL, NULL},
	{"old_rets", RET, NULL, 0, 8, EMUL, RET, "L4", NULL},
	{"never_returns", AUTO, NULL, 0, 8, EMUL, RET, "", "never"},
	{"never_returns", RETURN, NULL, 0, 8, EMUL, RET, "", "never"},
	{"noreturn_between", RET, NULL, 2, 8, EMUL, RET, "T13", NULL},
	{"runs_on", AUTO, "runs on", 0, 0, 0, 0, NULL, NULL},
	{"crashes", RET, NULL, 0, 8, EMUL, RET, "L3?", NULL},
	{"writes_tls", AUTO, "runs on", 0, 0, 0, 0, NULL, NULL},
	{"writes_data", AUTO, "runs on", 0, 0, 0, 0, NULL, NULL},
	{"outer", RET, "inside it", 0, 0, 0, 0, NULL, NULL},
	{"inner", RET, "inside another", 0, 0, 0, 0, NULL, NULL},
	{"outer", AUTO, NULL, 0, 8, EMUL, RETURN, "", NULL},
	/* leaves before the epilogue */
	{"jumps_to_end", RET, NULL, 0, 8, EMUL, RET, "L5? L11", NULL},
	{"jumps_to_end", AUTO, NULL, 0, 8, EMUL, RET, "L5? L11", "not cheaper"},
	{"falls_to_end", RET, NULL, 0, 8, EMUL, RET, "L11", NULL},
	{"loads_at_end", RET, NULL, 0, 8, EMUL, RET, "L9", NULL},
	{"loops_at_end", RET, NULL, 0, 8, EMUL, RET, "L6", NULL},
	{"long_end", RET, NULL, 0, 8, EMUL, RET, "L38", NULL},
	{"tail_at_end", RET, NULL, 0, 8, EMUL, RET, "L7", NULL},
	/* proofs */
	{"own_return", AUTO, NULL, 0, 8, STEP, RET, "L4", "own return addr"},
	{"own_return", RETURN, NULL, 0, 8, STEP, RETURN, "", "forced"},
	{"own_return_framed", AUTO, NULL, 0, 8, EMUL, RET, "L9",
	 "own return addr"},
	{"tail_to_own_return", AUTO, NULL, 0, 8, STEP, RET, "T2", "harm"},
	{"calls_pointer", AUTO, NULL, 0, 8, EMUL, RET, "L4", "indirect call"},
	{"calls_pointer", RETURN, NULL, 0, 8, EMUL, RETURN, "", "forced"},
	{"calls_open", AUTO, NULL, 0, 8, EMUL, RET, "L7", "that it calls"},
	{"swap_stacks", AUTO, NULL, 0, 8, EMUL, RET, "L8", "stack pointer"},
	{"recursive", AUTO, NULL, 0, 8, EMUL, RETURN, "", "own return"},
	{"ping", AUTO, NULL, 0, 8, EMUL, RETURN, "", "own return"},
	{"pong", AUTO, NULL, 0, 8, EMUL, RETURN, "", "own return"},
	{"calls_plain", AUTO, NULL, 0, 8, EMUL, RETURN, "", "own return"},
	{"calls_library", AUTO, NULL, 0, 8, EMUL, RET, "L7", "another library"},
	{"locked_skipped", AUTO, NULL, 0, 8, EMUL, RETURN, "", NULL},
	/* code without a name */
	{"nameless_part", AUTO, NULL, 2, 8, EMUL, RETURN, "", "own return"},
	{"nameless_callee", RET, NULL, 0, 8, EMUL, RET, "T2", NULL},
	{"nameless_callee", AUTO, NULL, 0, 8, EMUL, RET, "T2", "not cheaper"},
	{"calls_nameless", AUTO, NULL, 0, 8, EMUL, RETURN, "", NULL},
	{"nameless_shared", RET, NULL, 0, 8, EMUL, RET, "T2", NULL},
	{"tail_in_cold", AUTO, NULL, 2, 8, EMUL, RETURN, "", NULL},
	{"cold_second", RET, "nameless", 0, 0, 0, 0, NULL, NULL},
	{"nameless_twice", RET, "nameless", 0, 0, 0, 0, NULL, NULL},
	{"nameless_framed", AUTO, NULL, 0, 8, EMUL, RETURN, "", "own return"},
	{"nameless_before", AUTO, NULL, 0, 8, EMUL, RETURN, "", "own return"},
	{"falls_off", RET, NULL, 0, 8, EMUL, RET, "L3?", NULL},
	{"falls_on", RET, NULL, 0, 8, EMUL, RET, "L3?", NULL},
	{"in_pieces", RET, "own frame", 0, 0, 0, 0, NULL, NULL},
	{"goes_on", RET, "own frame", 0, 0, 0, 0, NULL, NULL},
	{"nameless_middle", AUTO, NULL, 0, 8, EMUL, RETURN, "", "own return"},
	/* no code to plan */
	{"resolver", AUTO, "implementation", 0, 0, 0, 0, NULL, NULL},
	{"no_code", AUTO, "not all instructions", 0, 0, 0, 0, NULL, NULL},
	{"into_instruction", AUTO, "between", 0, 0, 0, 0, NULL, NULL},
};

static struct gn_elf *open_file(const char *path)
{
	struct gn_elf *elf;

	assert_int_equal(gn_elf_open(path, &elf), 0);
	return elf;
}

static struct gn_elf *open_cases(void)
{
	return open_file(GN_SITE_ASM);
}

static const struct gn_elf_symbol *find(struct gn_elf *elf, const char *name)
{
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].name, name))
			return &all[i];
	fail_msg("no symbol %s", name);
	return NULL;
}

static void say_leaves(const struct gn_plan *plan, uint64_t addr, char *text,
		       size_t room)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < plan->nleaves && at < room; i++)
		at += (size_t)snprintf(
			text + at, room - at, "%s%c%lld%s", i ? " " : "",
			plan->leaves[i].kind == GN_SITE_TAIL ? 'T' : 'L',
			(long long)(plan->leaves[i].addr - addr),
			plan->leaves[i].when ? "?" : "");
}

static void check(struct gn_elf *elf, struct gn_planner *p,
		  const struct expected *e)
{
	const struct gn_elf_symbol *sym = find(elf, e->name);
	struct gn_plan plan;
	char leaves[128];
	uint64_t offset;

	print_message("%s, %d\n", e->name, e->wanted);
	assert_int_equal(gn_planner_plan(p, elf, sym, &plan), 0);
	if (e->refused) {
		assert_non_null(plan.refused);
		assert_non_null(strstr(plan.refused, e->refused));
		gn_plan_clear(&plan);
		return;
	}
	if (plan.refused)
		fail_msg("refused: %s", plan.refused);
	assert_int_equal(plan.enter.addr - sym->addr, e->enter);
	assert_int_equal(plan.enter.adjust, e->adjust);
	assert_int_equal(plan.enter.cost, e->cost);
	assert_int_equal(gn_elf_offset(elf, plan.enter.addr, &offset), 0);
	assert_int_equal(plan.enter.offset, offset);
	assert_int_equal(plan.leave, e->leave);
	say_leaves(&plan, sym->addr, leaves, sizeof(leaves));
	assert_string_equal(leaves, e->leaves);
	if (e->reason && !strstr(plan.reason, e->reason))
		fail_msg("reason: %s", plan.reason);
	if (strstr(plan.reason, "not cheaper"))
		assert_false(plan.dear);
	gn_plan_clear(&plan);
}

/* If the user requested own returns, the plan says whether a return probe costs
 * less. It does not where the process has not been looked at: such a probe can
 * end a program that unwinds. */
static void dear_ones_are_told(void **state)
{
	static const struct {
		const char *name;
		bool dear;
	} cases[] = {{"leaf", true}, {"endbr_push", true}, {"sub_call", false}};
	struct gn_planner *p = gn_planner_new(RET);
	struct gn_elf *elf = open_cases();
	struct gn_plan plan;

	(void)state;
	assert_non_null(p);
	assert_int_equal(gn_planner_plan(p, elf, find(elf, "leaf"), &plan), 0);
	assert_false(plan.dear);
	gn_plan_clear(&plan);
	/* no file of the process unwinds */
	assert_int_equal(gn_planner_scan(p, NULL, 0), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("%s\n", cases[i].name);
		assert_int_equal(gn_planner_plan(p, elf,
						 find(elf, cases[i].name),
						 &plan),
				 0);
		assert_int_equal(plan.dear, cases[i].dear);
		gn_plan_clear(&plan);
	}
	gn_planner_free(p);
	gn_elf_close(elf);
}

/* A label may be where a function begins: its calls are counted after that
 * place. */
static void those_that_begin_again_are_told(void **state)
{
	static const struct {
		const char *name;
		bool again;
	} cases[] = {{"sub_call", false}, {"switch_unframed", true}};
	struct gn_planner *p = gn_planner_new(RET);
	struct gn_elf *elf = open_cases();
	struct gn_plan plan;

	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("%s\n", cases[i].name);
		assert_int_equal(gn_planner_plan(p, elf,
						 find(elf, cases[i].name),
						 &plan),
				 0);
		assert_null(plan.refused);
		assert_int_equal(plan.begins_again, cases[i].again);
		gn_plan_clear(&plan);
	}
	gn_planner_free(p);
	gn_elf_close(elf);
}

/* A planner for a process in which nothing can interrupt a function; some
 * functions switch stacks. */
static struct gn_planner *planner(struct gn_elf *elf, enum gn_leave_mode wanted)
{
	struct gn_planner *p = gn_planner_new(wanted);

	assert_non_null(p);
	assert_int_equal(gn_planner_scan(p, &elf, 1), 0);
	assert_non_null(strstr(gn_planner_verdict(p), "may switch stacks"));
	return p;
}

static void check_table(struct gn_elf *elf)
{
	for (int wanted = AUTO; wanted <= RET; wanted++) {
		struct gn_planner *p = planner(elf, wanted);

		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
			if ((int)table[i].wanted == wanted)
				check(elf, p, &table[i]);
		gn_planner_free(p);
	}
	gn_elf_close(elf);
}

static void test_table(void **state)
{
	(void)state;
	check_table(open_cases());
}

/* The same answers when the linker packs its relocations. */
static void test_packed(void **state)
{
	struct gn_elf *plain = open_cases();
	struct gn_elf *packed = open_file(GN_SITE_ASM_PACKED);
	const uint64_t *at;
	size_t n, packed_n;

	(void)state;
	assert_true(gn_elf_pointers(plain, &at, &n));
	assert_true(gn_elf_pointers(packed, &at, &packed_n));
	assert_int_equal(packed_n, n);
	gn_elf_close(plain);
	check_table(packed);
}

/* The same answers in any order of requests. */
static void test_order(void **state)
{
	struct gn_elf *elf = open_cases();
	struct gn_planner *p = planner(elf, AUTO);

	(void)state;
	for (size_t i = sizeof(table) / sizeof(table[0]); i--;)
		if (table[i].wanted == AUTO)
			check(elf, p, &table[i]);
	gn_planner_free(p);
	gn_elf_close(elf);
}

/* Leaves in a cold part are outside the function's range. */
static void test_cold(void **state)
{
	struct gn_elf *elf = open_cases();
	struct gn_planner *p = planner(elf, RET);
	const struct gn_elf_symbol *hot = find(elf, "with_cold");
	const struct gn_elf_symbol *cold = find(elf, "with_cold.cold");
	struct gn_plan plan;

	(void)state;
	assert_true(cold->is_cold);
	assert_int_equal(gn_planner_plan(p, elf, hot, &plan), 0);
	assert_null(plan.refused);
	assert_int_equal(plan.nleaves, 2);
	/* jne leads to the cold part */
	assert_int_equal(plan.leaves[0].addr, hot->addr + 3);
	assert_int_equal(plan.leaves[0].when, GN_WHEN(4));
	assert_int_equal(plan.leaves[0].adjust, 16);
	assert_int_equal(plan.leaves[1].addr, cold->addr + 6);
	assert_int_equal(plan.leaves[1].adjust, 8);
	gn_plan_clear(&plan);
	gn_planner_free(p);
	gn_elf_close(elf);
}

/* Sleds are at the begin, after an endbr, and at every end or at none. Then no
 * probe for the end is inside their bytes. */
static void test_sleds(void **state)
{
	static const struct {
		const char *name;
		int enter, ends[2]; /* offsets; 0: no others */
		bool fits;
	} cases[] = {
		{"leaf", 0, {0}, false},	{"leaf", 0, {2}, true},
		{"leaf", 0, {1}, false},	{"leaf", 1, {2}, false},
		{"endbr_push", 4, {0}, true},	{"endbr_push", 4, {11}, true},
		{"endbr_push", 0, {11}, false}, {"sub_jcc", 0, {12, 19}, true},
		{"sub_jcc", 0, {12}, false},
	};
	struct gn_elf *elf = open_cases();
	struct gn_planner *p = planner(elf, RET);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct gn_elf_symbol *sym = find(elf, cases[i].name);
		struct gn_sled sled[3] = {
			{.addr = sym->addr + (uint64_t)cases[i].enter}};
		struct gn_plan plan;
		size_t n = 1;

		for (; n < 3 && cases[i].ends[n - 1]; n++)
			sled[n] = (struct gn_sled){
				.addr = sym->addr +
					(uint64_t)cases[i].ends[n - 1],
				.ends = true,
			};
		assert_int_equal(gn_planner_plan(p, elf, sym, &plan), 0);
		if (gn_planner_sleds_fit(p, &plan, sled, n) != cases[i].fits)
			fail_msg("case %zu, %s", i, cases[i].name);
		/* one that only has ends fits nothing */
		sled->ends = true;
		assert_false(gn_planner_sleds_fit(p, &plan, sled, n));
		gn_plan_clear(&plan);
	}
	gn_planner_free(p);
	gn_elf_close(elf);
}

static void test_nameless(void **state)
{
	static const char *const names[] = {"nameless_part", "nameless_framed",
					    "nameless_middle"};
	static const uint64_t first[] = {8, 3, 3}, second[] = {2, 6, 12};
	struct gn_elf *elf = open_cases();
	struct gn_planner *p = planner(elf, RET);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct gn_elf_symbol *sym = find(elf, names[i]);
		struct gn_plan plan;
		uint64_t part;

		assert_int_equal(gn_planner_plan(p, elf, sym, &plan), 0);
		assert_null(plan.refused);
		assert_int_equal(plan.nleaves, 2);
		assert_int_equal(plan.leaves[0].addr, sym->addr + first[i]);
		/* parts begin at multiples of 16 */
		part = plan.leaves[1].addr - second[i];
		assert_int_equal(part % 16, 0);
		assert_true(part < sym->addr || part >= sym->addr + sym->size);
		gn_plan_clear(&plan);
	}
	gn_planner_free(p);
	gn_elf_close(elf);
}

/* In a program without relocations, taken addresses are not visible; calls
 * are. */
static void test_nameless_fixed(void **state)
{
	struct gn_elf *elf;
	struct gn_planner *p;
	struct gn_plan plan;

	(void)state;
	assert_int_equal(gn_elf_open(GN_SITE_ASM_FIXED, &elf), 0);
	p = planner(elf, RET);
	assert_int_equal(
		gn_planner_plan(p, elf, find(elf, "nameless_callee"), &plan),
		0);
	assert_null(plan.refused);
	assert_int_equal(plan.nleaves, 1);
	gn_plan_clear(&plan);
	assert_int_equal(
		gn_planner_plan(p, elf, find(elf, "nameless_part"), &plan), 0);
	assert_non_null(plan.refused);
	gn_plan_clear(&plan);
	gn_planner_free(p);
	gn_elf_close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dear_ones_are_told),
		cmocka_unit_test(those_that_begin_again_are_told),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_cold),
		cmocka_unit_test(test_sleds),
		cmocka_unit_test(test_nameless),
		cmocka_unit_test(test_nameless_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
