/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognises a program or library in the memory of a process by the first bytes
 * of its file. */
#ifndef GNOMON_ELF_ELF_HEAD_H
#define GNOMON_ELF_ELF_HEAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GN_ELF_HEAD 4096

struct gn_image;

struct gn_elf_head {
	uint64_t first; /* virtual address of the file's offset 0 */
	size_t size;
	uint8_t bytes[GN_ELF_HEAD];
};

/* -ENOEXEC: they are not mapped, or are writable. */
int gn_elf_head_read(const struct gn_image *image, struct gn_elf_head *head);
/* `mem`: /proc/PID/mem, which keeps referring to the memory that the process
 * had when it was opened, whatever it executes later. `at`: where offset 0
 * should be. -ESRCH: the memory is gone; -ENOENT: something else is there. */
int gn_elf_head_check(const struct gn_elf_head *head, int mem, uint64_t at);
/* Opens /proc/PID/mem to write to that mapping. Errors: also -errno. */
int gn_elf_head_open(const struct gn_elf_head *head, pid_t pid, uint64_t at);

#endif
