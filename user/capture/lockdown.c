/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/lockdown.h"

#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

/* Loads a program that would read eight bytes at address 0 onto its stack. */
int gn_lockdown_check(void)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_X,
		 .dst_reg = 1,
		 .src_reg = 10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = -8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = 0},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "gn_read", "Dual BSD/GPL",
			       insns, sizeof(insns) / sizeof(insns[0]), NULL);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}
