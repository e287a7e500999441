// SPDX-License-Identifier: BSD-2-Clause
/* Sleds from the content of their section, and from what the dynamic linker
 * puts there. */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/elf_image.h"
#include "elf/sleds.h"

static void where(uint64_t *offset, size_t *size)
{
	struct gn_image image;
	GElf_Shdr sh;

	assert_int_equal(gn_image_open(GN_ELF_SLEDS, &image), 0);
	assert_non_null(
		gn_image_find(&image, "__patchable_function_entries", &sh));
	*offset = sh.sh_offset;
	*size = sh.sh_size;
	gn_image_close(&image);
}

/* A copy with an empty section, as lld leaves it. */
static void make_empty(char *path)
{
	static const char zeros[256];
	int from = open(GN_ELF_SLEDS, O_RDONLY), to = mkstemp(path);
	uint64_t offset;
	size_t size;
	char part[4096];

	where(&offset, &size);
	assert_true(from >= 0 && to >= 0 && size <= sizeof(zeros));
	for (ssize_t n; (n = read(from, part, sizeof(part))) > 0;)
		assert_int_equal(write(to, part, (size_t)n), n);
	assert_int_equal(pwrite(to, zeros, size, (off_t)offset), size);
	close(from);
	close(to);
}

static void test_relocated(void **state)
{
	char path[] = "sleds-XXXXXX"; /* in the build folder */
	struct gn_sled *full, *empty;
	size_t n, m, broken;

	(void)state;
	assert_int_equal(gn_sleds_read(GN_ELF_SLEDS, &full, &n, &broken), 0);
	assert_int_equal(broken, 0);
	assert_true(n >= 2);
	make_empty(path);
	assert_int_equal(gn_sleds_read(path, &empty, &m, &broken), 0);
	unlink(path);
	assert_int_equal(broken, 0);
	assert_int_equal(m, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(empty[i].addr, full[i].addr);
	free(full);
	free(empty);
}

#define SEGMENTS 1000
#define MANY	 200000 /* sleds */

/* A file whose only sled is in the last of many segments, and is listed many
 * times. */
struct costly {
	Elf64_Ehdr head;
	Elf64_Phdr segment[SEGMENTS];
	Elf64_Shdr section[3];
	uint8_t code[8];
	char names[48];
	uint64_t sled[MANY];
};

#define SLEDS "\0__patchable_function_entries"

static void fill_costly(struct costly *f)
{
	const uint64_t code = offsetof(struct costly, code);

	f->head = (Elf64_Ehdr){
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = offsetof(struct costly, segment),
		.e_shoff = offsetof(struct costly, section),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = SEGMENTS,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 1,
	};
	for (uint64_t i = 0; i < SEGMENTS; i++)
		f->segment[i] = (Elf64_Phdr){.p_type = PT_LOAD,
					     .p_flags = PF_R | PF_X,
					     .p_offset = code,
					     .p_vaddr = (i + 1) << 12,
					     .p_filesz = sizeof(f->code),
					     .p_memsz = sizeof(f->code)};
	f->section[1] =
		(Elf64_Shdr){.sh_type = SHT_STRTAB,
			     .sh_offset = offsetof(struct costly, names),
			     .sh_size = sizeof(f->names)};
	f->section[2] = (Elf64_Shdr){.sh_name = 1,
				     .sh_type = SHT_PROGBITS,
				     .sh_flags = SHF_ALLOC | SHF_WRITE,
				     .sh_offset = offsetof(struct costly, sled),
				     .sh_size = sizeof(f->sled),
				     .sh_addralign = 8};
	memset(f->code, 0x90, sizeof(f->code));
	memcpy(f->names, SLEDS, sizeof(SLEDS));
	for (size_t i = 0; i < MANY; i++)
		f->sled[i] = SEGMENTS << 12;
}

/* Such a file costs no more than others: the rest of its sleds is left out. */
static void test_many_segments(void **state)
{
	char path[] = "sleds-XXXXXX"; /* in the build folder */
	struct costly *f = calloc(1, sizeof(*f));
	int fd = mkstemp(path);
	struct gn_sled *sled;
	size_t n, broken;

	(void)state;
	assert_true(f && fd >= 0);
	fill_costly(f);
	assert_int_equal(write(fd, f, sizeof(*f)), sizeof(*f));
	close(fd);
	free(f);
	assert_int_equal(gn_sleds_read(path, &sled, &n, &broken), 0);
	unlink(path);
	free(sled);
	assert_int_equal(n + broken, MANY);
	assert_in_range(n, 1, MANY / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_relocated),
		cmocka_unit_test(test_many_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
