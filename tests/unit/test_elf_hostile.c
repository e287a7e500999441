// SPDX-License-Identifier: BSD-2-Clause
/*
 * Damaged ELF files: truncated at many places, bytes changed at random. Nothing
 * may crash or hang, and all answers must lie within the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "site/site.h"
#include "elf/elf_internal.h"

static uint8_t *base;
static size_t size;

static int load(void **state)
{
	int fd = open(*state, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	size = (size_t)st.st_size;
	base = malloc(size);
	if (!base || read(fd, base, size) != (ssize_t)size)
		return -1;
	close(fd);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	free(base);
	return 0;
}

static uint32_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (uint32_t)(*seed >> 16);
}

static void plan_all(struct gn_elf *elf)
{
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all);
	struct gn_planner *p = gn_planner_new(GN_LEAVE_AUTO);

	assert_non_null(p);
	assert_int_equal(gn_planner_scan(p, &elf, 1), 0);
	for (size_t i = 0; i < n; i++) {
		struct gn_plan plan;

		assert_true(strlen(all[i].name) > 0);
		assert_non_null(gn_elf_code(elf, all[i].addr, 1));
		assert_int_equal(gn_planner_plan(p, elf, &all[i], &plan), 0);
		if (!plan.refused) {
			assert_true(plan.enter.offset < size);
			assert_true(plan.enter.addr - all[i].addr <
				    all[i].size);
		}
		gn_plan_clear(&plan);
	}
	gn_planner_free(p);
}

/* Opens `n` bytes as a file; its path is that of the descriptor. */
static void try_bytes(const uint8_t *bytes, size_t n)
{
	struct gn_elf *elf = NULL;
	char path[64];
	int fd = memfd_create("hostile", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!gn_elf_open_root(path, path, "/nonexistent", &elf)) {
		plan_all(elf);
		gn_elf_mentions(elf, "elsewhere");
		gn_elf_close(elf);
	}
	close(fd);
}

static void test_cut(void **state)
{
	(void)state;
	for (size_t n = 0; n < size; n += n < 1024 ? 1 : 37)
		try_bytes(base, n);
}

/* `rounds` of random damage in tools/test --long, a part of them in all other
 * runs, where fuzzers run on the same code. */
static void flip(uint64_t seed, size_t from, size_t to, int rounds)
{
	uint8_t *bytes = malloc(size);

	assert_non_null(bytes);
	if (!getenv("LIVE_LONG"))
		rounds /= 4;
	for (int i = 0; i < rounds; i++) {
		uint32_t changes = 1 + next_random(&seed) % 4;

		memcpy(bytes, base, size);
		while (changes--) {
			size_t at = from + next_random(&seed) % (to - from);

			/* any value, but often one that overflows */
			bytes[at] = next_random(&seed) % 3
					    ? (uint8_t)next_random(&seed)
					    : 0xff;
		}
		try_bytes(bytes, size);
	}
	free(bytes);
}

static void test_headers(void **state)
{
	uint64_t shoff;

	(void)state;
	/* the file header and the program headers */
	flip(1, 4, 64 + 8 * 56, 1500);
	memcpy(&shoff, base + 40, sizeof(shoff));
	assert_true(shoff < size);
	flip(2, shoff, size, 1500);
}

static void test_anywhere(void **state)
{
	(void)state;
	flip(3, 0, size, 3000);
}

/* Random code that no compiler would make. */
static void test_code(void **state)
{
	uint64_t begin = SIZE_MAX, end = 0;
	const struct gn_elf_symbol *all;
	struct gn_elf *elf;
	size_t n;

	assert_int_equal(gn_elf_open(*state, &elf), 0);
	n = gn_elf_symbols(elf, &all);
	for (size_t i = 0; i < n; i++) {
		begin = all[i].offset < begin ? all[i].offset : begin;
		end = all[i].offset > end ? all[i].offset : end;
	}
	gn_elf_close(elf);
	assert_true(begin < end && end < size);
	flip(4, begin, end, 600);
}

/* A name that leads to a device: opening one may have an effect. Here it is a
 * pipe, for which the kernel reports who opens it. */
static void test_device(void **state)
{
	static const char path[] = "elf-hostile-pipe";
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct inotify_event event;
	struct gn_elf *elf;

	(void)state;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	assert_int_equal(gn_elf_open(path, &elf), -ENOEXEC);
	assert_int_equal(read(watch, &event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
	close(watch);
	unlink(path);
}

/* The file followed by new section headers: copies of the first one of a
 * type. */
static int with_copies(uint32_t type, uint16_t copies, char path[64])
{
	Elf64_Ehdr head;
	Elf64_Shdr section = {0};
	int fd = memfd_create("copies", 0);

	memcpy(&head, base, sizeof(head));
	for (size_t i = 1; i < head.e_shnum && section.sh_type != type; i++)
		memcpy(&section, base + head.e_shoff + i * sizeof(section),
		       sizeof(section));
	assert_int_equal(section.sh_type, type);
	assert_true(copies * section.sh_size > 4 * size);
	assert_int_equal(write(fd, base, size), (ssize_t)size);
	assert_int_equal(
		write(fd, base + head.e_shoff, head.e_shnum * sizeof(section)),
		(ssize_t)(head.e_shnum * sizeof(section)));
	for (uint16_t i = 0; i < copies; i++)
		assert_int_equal(write(fd, &section, sizeof(section)),
				 (ssize_t)sizeof(section));
	head.e_shoff = size;
	head.e_shnum = (uint16_t)(head.e_shnum + copies);
	assert_int_equal(pwrite(fd, &head, sizeof(head), 0),
			 (ssize_t)sizeof(head));
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static void count(void *ctx, uint64_t slot, uint64_t value)
{
	(void)slot;
	(void)value;
	++*(size_t *)ctx;
}

/* Many sections in one place: their content is not read again for each, or a
 * small file could use up all memory. */
static void test_copies(void **state)
{
	const uint16_t copies = 20000;
	struct gn_image image;
	struct gn_elf *elf;
	struct stat st;
	size_t n = 0;
	char path[64];
	int fd = with_copies(SHT_RELA, copies, path);

	(void)state;
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(gn_elf_open_root(path, path, "/nonexistent", &elf), 0);
	assert_true(gn_elf_opaque(elf));
	gn_elf_close(elf);
	assert_int_equal(gn_image_open(path, &image), 0);
	gn_image_relatives(&image, count, &n);
	assert_true(n > 0);
	assert_true(n <= (size_t)st.st_size / sizeof(Elf64_Rela));
	gn_image_close(&image);
	close(fd);
}

/* An unterminated text is only searched up to the longest allowed name. */
static void test_long_string(void **state)
{
	size_t n = 2 * GN_STRING_MAX;
	char *text = malloc(n);
	Elf_Data strs = {.d_buf = text, .d_size = n};

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	text[n - 1] = '\0';
	assert_null(gn_string(&strs, 0));
	assert_null(gn_string(&strs, n - GN_STRING_MAX - 1));
	assert_ptr_equal(gn_string(&strs, n - GN_STRING_MAX),
			 text + n - GN_STRING_MAX);
	assert_null(gn_string(&strs, n));
	free(text);
}

#define ON(test, file) \
	cmocka_unit_test_prestate_setup_teardown(test, load, unload, file)

int main(void)
{
	static char symbols[] = GN_ELF_WHOLE, code[] = GN_SITE_ASM;
	static char packed[] = GN_SITE_ASM_PACKED;
	const struct CMUnitTest tests[] = {
		ON(test_cut, symbols),
		ON(test_headers, symbols),
		ON(test_anywhere, symbols),
		ON(test_code, code),
		ON(test_anywhere, packed),
		ON(test_copies, code),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_long_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
