/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of sleds that a program inherits. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "capture/sleds.h"

/* Only the first bytes matter. */
__attribute__((used, noinline)) static void code(void)
{
	__asm__ volatile(".globl gn_test_sleds\n"
			 "gn_test_sleds: jmp 1f; .skip 9, 0x90\n"
			 "1: ret; .skip 10, 0x90\n"
			 "jmp 2f; .skip 9, 0x90\n"
			 "2: .skip 5, 0x90\n"
			 ".byte 0x0f, 0x1f, 0x44, 0, 0");
}

extern const uint8_t gn_test_sleds[];

static uint64_t linked(const struct gn_elf *elf)
{
	const struct gn_elf_symbol *syms;
	size_t n = gn_elf_symbols(elf, &syms);

	(void)code;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(syms[i].name, "code"))
			for (uint64_t at = syms[i].addr;; at++)
				if (!memcmp(gn_elf_code(elf, at, 13),
					    gn_test_sleds, 13))
					return at;
	fail();
	return 0;
}

static void expect(const struct gn_sled_entry *e, uint64_t addr, int form,
		   uint32_t func, uint16_t file, uint8_t byte)
{
	assert_int_equal(e->addr, addr);
	assert_int_equal(e->form, form);
	assert_int_equal(e->func, func);
	assert_int_equal(e->file, file);
	assert_int_equal(e->byte, byte);
}

static void fill(struct gn_sled_table *t, const struct gn_elf *elf, uint64_t at)
{
	struct gn_site leave = {.addr = at + 22};
	const struct gn_sled xray[] = {
		{at, GN_SLED_XRAY, false},
		{at + 11, GN_SLED_XRAY, true},
		{at + 22, GN_SLED_XRAY, true},
	};
	const struct gn_sled nops = {at + 33, GN_SLED_NOPS, false};
	const struct gn_sled nop5 = {at + 38, GN_SLED_MCOUNT, false};
	struct gn_plan plan = {.leaves = &leave, .nleaves = 1};

	plan.enter.addr = at;
	plan.sleds = xray;
	plan.nsleds = 3;
	assert_int_equal(gn_sled_table_add(t, 4, "", elf, 7, &plan), 0);
	/* its end is still a probe; its begin is another instruction */
	plan.enter.addr = at + 11;
	plan.sleds = &nops;
	plan.nsleds = 1;
	assert_int_equal(gn_sled_table_add(t, 6, "/l/b.so", elf, 8, &plan), 0);
	plan.sleds = &nop5;
	assert_int_equal(gn_sled_table_add(t, 6, "/l/b.so", elf, 9, &plan), 0);
}

static void test_table(void **state)
{
	struct gn_sled_table *t = gn_sled_table_new();
	const struct gn_sled_head *head;
	const struct gn_sled_entry *e;
	struct gn_elf *elf;
	struct stat st;
	uint64_t at;
	int fd;

	(void)state;
	assert_non_null(t);
	assert_int_equal(gn_elf_open("/proc/self/exe", &elf), 0);
	at = linked(elf);
	fill(t, elf, at);
	fd = gn_sled_table_share(t);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW |
							 F_SEAL_WRITE |
							 F_SEAL_SEAL);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	head = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(head, MAP_FAILED);
	assert_int_equal(head->magic, GN_SLEDS_MAGIC);
	assert_int_equal(head->entries, 7);
	assert_int_equal(head->files, 2);
	e = (const void *)(head + 1);
	expect(&e[0], at, GN_SLED_ENTER_JUMP, 7, 0, 1);
	expect(&e[1], at + 11, GN_SLED_LEAVE_RET, 7, 0, 0);
	expect(&e[2], at + 22, GN_SLED_TAIL_JUMP, 7, 0, 1);
	expect(&e[3], at + 33, GN_SLED_ENTER_NOPS, 8, 1, 0);
	expect(&e[4], at + 11, GN_SLED_PROBE, 8, 1, 0xc3);
	expect(&e[5], at + 38, GN_SLED_ENTER_NOP5, 9, 1, 0);
	expect(&e[6], at + 11, GN_SLED_PROBE, 9, 1, 0xc3);
	assert_memory_equal(&e[7], "\0/l/b.so", 9);
	assert_int_equal(st.st_size,
			 (const char *)&e[7] + 9 - (const char *)head);
	munmap((void *)head, (size_t)st.st_size);
	close(fd);
	gn_elf_close(elf);
	gn_sled_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
