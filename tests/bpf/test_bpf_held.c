/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of probes, and of tracepoints that can be interrupted, keep their
 * CPU. They disable preemption before they call or store anything, and enable
 * it again once on each way out. The main functions of probe programs use no
 * stack: outside of the held part, another thread can overwrite it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>
#include <cmocka.h>
#include <linux/bpf.h>

#include <gnomon/control.h>

#include "gnomon.skel.h"

#define STACK BPF_REG_10

static bool is_call_of(const struct bpf_insn *insn, int number)
{
	return insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg &&
	       insn->imm == number;
}

static bool is_probe(const struct bpf_program *prog)
{
	return !strcmp(bpf_program__section_name(prog), "uprobe");
}

static bool is_held(const struct bpf_program *prog)
{
	static const char *const held[] = {
		"on_fault", "on_signal", "on_sys_enter", "on_sys_exit",
		"on_fork",  "on_exec",	 "on_rename",	 "on_exit"};

	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++)
		if (!strcmp(bpf_program__name(prog), held[i]))
			return true;
	return is_probe(prog);
}

static void check(const struct bpf_program *prog)
{
	const struct bpf_insn *insn = bpf_program__insns(prog);
	size_t n = bpf_program__insn_cnt(prog), holds = 0, lets = 0;

	for (size_t i = 0; i < n; i++) {
		bool call = insn[i].code == (BPF_JMP | BPF_CALL);

		if (is_call_of(&insn[i], GN_CALL_HOLD))
			holds++;
		else if (call && !holds)
			fail_msg("%s calls before it keeps the CPU",
				 bpf_program__name(prog));
		lets += is_call_of(&insn[i], GN_CALL_LET);
		if (is_probe(prog) &&
		    (insn[i].dst_reg == STACK || insn[i].src_reg == STACK))
			fail_msg("%s has a stack", bpf_program__name(prog));
	}
	if (holds != 1 || lets != 1)
		fail_msg("%s keeps the CPU %zu times and lets it go %zu times",
			 bpf_program__name(prog), holds, lets);
}

static void test_held(void **state)
{
	struct gnomon_bpf *skel = gnomon_bpf__open();
	struct bpf_program *prog;
	size_t n = 0;

	(void)state;
	assert_non_null(skel);
	bpf_object__for_each_program(prog, skel->obj)
	{
		if (!is_held(prog))
			continue;
		check(prog);
		n++;
	}
	assert_int_equal(n, 8 + 11);
	gnomon_bpf__destroy(skel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_held)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
