// SPDX-License-Identifier: BSD-2-Clause
/*
 * Files with a thousand sections in one place, or with relocations of one
 * place. Each one that is read takes its own memory, so a small file could use
 * up all memory.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/elf_internal.h"
#include "elf/notes.h"
#include "elf/variables.h"

#define NOTE   0x100u /* offsets in the file */
#define PLACE  0x1000u
#define SIZE   (1u << 20)
#define COPIES 1000u
#define FIRST  3u	 /* of the copies */
#define DATA   0x200000u /* an address that is not in code */
/* The limit for reading a file: all copies are ten times that. */
#define ENOUGH ((long)(SIZE / 1024 * COPIES / 10)) /* KiB */

/* A note of a probe with an argument that names a symbol. */
static const char probe[] = "\x08\0\0\0"
			    "\x26\0\0\0"
			    "\x03\0\0\0"
			    "stapsdt\0"
			    "\0\x10\0\0\0\0\0\0"
			    "\0\0\0\0\0\0\0\0"
			    "\0\0\0\0\0\0\0\0"
			    "p\0n\0"
			    "8@x(%rip)\0\0";

struct file {
	int fd;
	char path[64];
	Elf64_Shdr sections[FIRST + 2 * COPIES];
	uint16_t n;
};

static void add(struct file *f, Elf64_Shdr section)
{
	f->sections[f->n++] = section;
}

/* The copies are of `section`, which otherwise equals that of the strings. */
static void make(struct file *f, Elf64_Shdr section)
{
	*f = (struct file){.fd = memfd_create("overlap", MFD_CLOEXEC)};
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
	add(f, (Elf64_Shdr){0});
	add(f, (Elf64_Shdr){.sh_type = SHT_NOTE,
			    .sh_offset = NOTE,
			    .sh_size = sizeof(probe),
			    .sh_addralign = 4});
	add(f, (Elf64_Shdr){.sh_type = SHT_STRTAB,
			    .sh_offset = PLACE,
			    .sh_size = SIZE,
			    .sh_addralign = 1});
	section.sh_addralign = 8;
	section.sh_offset = section.sh_offset ?: PLACE;
	section.sh_size = section.sh_size ?: SIZE;
	for (unsigned int i = 0; i < COPIES; i++)
		add(f, section);
}

/* Each copy gets its own string section, again in the same place. */
static void add_strings(struct file *f)
{
	for (unsigned int i = 0; i < COPIES; i++) {
		f->sections[FIRST + i].sh_link = f->n;
		add(f, f->sections[2]);
	}
}

static void put(const struct file *f, const void *bytes, size_t size,
		uint64_t at)
{
	assert_int_equal(pwrite(f->fd, bytes, size, (off_t)at), (ssize_t)size);
}

static void finish(const struct file *f)
{
	Elf64_Ehdr head = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_shoff = PLACE + SIZE,
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = f->n,
	};
	const Elf64_Phdr segments[] = {
		{.p_type = PT_LOAD,
		 .p_flags = PF_R | PF_X,
		 .p_filesz = PLACE + SIZE,
		 .p_memsz = PLACE + SIZE},
		{.p_type = PT_LOAD,
		 .p_flags = PF_R | PF_W,
		 .p_vaddr = DATA,
		 .p_filesz = PLACE + SIZE,
		 .p_memsz = PLACE + SIZE},
		{.p_type = PT_GNU_RELRO,
		 .p_vaddr = DATA,
		 .p_memsz = PLACE + SIZE},
	};

	assert_true(f->fd >= 0);
	put(f, &head, sizeof(head), 0);
	put(f, segments, sizeof(segments), sizeof(head));
	put(f, probe, sizeof(probe), NOTE);
	/* strings that are no symbols: a search finds no end */
	for (unsigned int at = 0; at < SIZE; at += 4)
		put(f, "abc", 4, PLACE + at);
	put(f, f->sections, f->n * sizeof(*f->sections), PLACE + SIZE);
}

/* The peak of memory in KiB from now on; returns its start. */
static long begin_memory(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY);
	struct rusage usage;

	assert_int_equal(write(fd, "5", 1), 1);
	close(fd);
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

static void check_memory(long before)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	if (usage.ru_maxrss - before >= ENOUGH)
		fail_msg("%ld KiB were taken", usage.ru_maxrss - before);
}

static void test_symbols(void **state)
{
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct gn_note *notes;
		struct file f;
		size_t n;
		long before;

		make(&f,
		     (Elf64_Shdr){.sh_type = types[i],
				  .sh_link = 2,
				  .sh_size = SIZE - SIZE % sizeof(Elf64_Sym),
				  .sh_entsize = sizeof(Elf64_Sym)});
		finish(&f);
		before = begin_memory();
		assert_int_equal(gn_notes_read(f.path, &notes, &n, NULL), 0);
		assert_int_equal(n, 1);
		assert_int_equal(notes->nargs, 1);
		assert_int_equal(notes->arg[0].how, GN_HOW_NONE);
		check_memory(before);
		free(notes);
		close(f.fd);
	}
}

static void test_variables(void **state)
{
	static const char *const names[] = {"a name"};
	struct file f;
	uint64_t addr;
	long before;

	(void)state;
	make(&f, (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC});
	finish(&f);
	before = begin_memory();
	assert_int_equal(gn_variables(f.path, names, 1, &addr), 0);
	assert_int_equal(addr, 0);
	check_memory(before);
	close(f.fd);
}

static void open_file(const struct file *f)
{
	long before = begin_memory();
	struct gn_elf *elf;

	finish(f);
	assert_int_equal(gn_elf_open(f->path, &elf), 0);
	check_memory(before);
	gn_elf_close(elf);
	close(f->fd);
}

/* Sections of strings; some of them cannot be read. */
static void test_strings(void **state)
{
	struct file f;

	(void)state;
	make(&f, (Elf64_Shdr){.sh_type = SHT_DYNAMIC,
			      .sh_size = sizeof(Elf64_Dyn),
			      .sh_entsize = sizeof(Elf64_Dyn)});
	add_strings(&f);
	open_file(&f);
	make(&f, (Elf64_Shdr){.sh_type = SHT_SYMTAB,
			      .sh_offset = 1u << 30,
			      .sh_size = sizeof(Elf64_Sym),
			      .sh_entsize = sizeof(Elf64_Sym)});
	add_strings(&f);
	open_file(&f);
}

/* Packed relocations that return to the same slots. */
static void test_packed(void **state)
{
	enum { WORDS = SIZE / COPIES / sizeof(uint64_t) };
	static const uint64_t
		slots[63 * WORDS]; /* each has address 0, which is code */
	const uint64_t *pointers;
	uint64_t words[WORDS];
	struct gn_elf *elf;
	struct file f;
	long before;
	size_t n;

	(void)state;
	memset(words, 0xff, sizeof(words));
	words[0] = DATA + PLACE + SIZE / 2;
	make(&f, (Elf64_Shdr){.sh_type = 19, /* SHT_RELR */
			      .sh_size = sizeof(words),
			      .sh_entsize = sizeof(*words)});
	finish(&f);
	put(&f, words, sizeof(words), PLACE);
	put(&f, slots, sizeof(slots), PLACE + SIZE / 2);
	before = begin_memory();
	assert_int_equal(gn_elf_open(f.path, &elf), 0);
	check_memory(before);
	assert_false(gn_elf_pointers(elf, &pointers, &n));
	/* as many as there is room for */
	assert_true(n > 0 && n <= (PLACE + 2 * SIZE) / sizeof(uint64_t));
	gn_elf_close(elf);
	close(f.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
