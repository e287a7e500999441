/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf/elf_head.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_image.h"

int gn_elf_head_read(const struct gn_image *image, struct gn_elf_head *head)
{
	GElf_Phdr p;

	for (int i = 0; gelf_getphdr(image->elf, i, &p); i++) {
		if (p.p_type != PT_LOAD || p.p_offset)
			continue;
		head->first = p.p_vaddr;
		head->size =
			p.p_filesz < GN_ELF_HEAD ? p.p_filesz : GN_ELF_HEAD;
		return p.p_flags & PF_W || gn_image_read(image, 0, head->bytes,
							 head->size)
			       ? -ENOEXEC
			       : 0;
	}
	return -ENOEXEC;
}

int gn_elf_head_check(const struct gn_elf_head *head, int mem, uint64_t at)
{
	uint8_t bytes[GN_ELF_HEAD];
	ssize_t got = pread(mem, bytes, head->size, (off_t)at);

	if (!got)
		return -ESRCH;
	if (got != (ssize_t)head->size ||
	    memcmp(bytes, head->bytes, head->size))
		return -ENOENT;
	return 0;
}

int gn_elf_head_open(const struct gn_elf_head *head, pid_t pid, uint64_t at)
{
	char path[32];
	int mem, err;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	mem = open(path, O_RDWR | O_CLOEXEC);
	if (mem < 0)
		return -errno;
	err = gn_elf_head_check(head, mem, at);
	if (!err)
		return mem;
	close(mem);
	return err;
}
