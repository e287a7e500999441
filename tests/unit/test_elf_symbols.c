// SPDX-License-Identifier: BSD-2-Clause
/* The symbols of elf_asm.S, complete and stripped, and where debug files
 * are. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/elf_file.h"
#include "elf/elf_internal.h"

static struct gn_elf *must_open(const char *path, const char *root)
{
	struct gn_elf *elf = NULL;

	assert_int_equal(gn_elf_open_root(path, path, root, &elf), 0);
	return elf;
}

static struct gn_elf *whole(void)
{
	return must_open(GN_ELF_WHOLE, "/nonexistent");
}

static const struct gn_elf_symbol *find(const struct gn_elf *elf,
					const char *name)
{
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].name, name))
			return &all[i];
	return NULL;
}

static void test_sizes(void **state)
{
	struct gn_elf *elf = whole();

	(void)state;
	assert_int_equal(find(elf, "sized")->size, 3);
	assert_int_equal(find(elf, "sizeless")->size, 16);
	assert_int_equal(find(elf, "last_one")->size, 3);
	assert_int_equal(find(elf, "until_label")->size, 5);
	assert_int_equal(find(elf, "until_start")->size, 6);
	/* an alias without a size has that of its target */
	assert_int_equal(find(elf, "weak_alias")->size, 3);
	assert_int_equal(find(elf, "local_alias")->size, 3);
	gn_elf_close(elf);
}

static void test_kinds(void **state)
{
	struct gn_elf *elf = whole();

	(void)state;
	assert_null(find(elf, "label_only"));
	assert_null(find(elf, "datum"));
	assert_null(find(elf, "elsewhere"));
	assert_true(find(elf, "resolver")->is_ifunc);
	assert_false(find(elf, "sized")->is_ifunc);
	assert_true(find(elf, "split.cold")->is_cold);
	assert_true(find(elf, "split.cold.7")->is_cold);
	assert_false(find(elf, "split.part.0")->is_cold);
	assert_non_null(find(elf, "split.isra.0.constprop.1"));
	gn_elf_close(elf);
}

static void test_order(void **state)
{
	struct gn_elf *elf = whole();
	const struct gn_elf_symbol *all, *s = find(elf, "aliased");
	size_t n = gn_elf_symbols(elf, &all);

	(void)state;
	assert_true(n > 10);
	for (size_t i = 1; i < n; i++)
		assert_true(all[i - 1].addr <= all[i].addr);
	/* .symtab and .dynsym contain most names twice */
	for (size_t i = 1; i < n; i++)
		assert_true(all[i - 1].addr != all[i].addr ||
			    strcmp(all[i - 1].name, all[i].name));
	/* global, underscored, weak, local */
	assert_string_equal(s[1].name, "_underscored");
	assert_string_equal(s[2].name, "weak_alias");
	assert_string_equal(s[3].name, "local_alias");
	assert_true(s == all || s[-1].addr < s->addr);
	gn_elf_close(elf);
}

static void test_demangled(void **state)
{
	struct gn_elf *elf = whole();

	(void)state;
	assert_string_equal(find(elf, "_ZN3sun4dial4castEi")->demangled,
			    "sun::dial::cast(int)");
	assert_string_equal(
		find(elf, "_ZN3sun4dial17h05af221e174051e9E")->demangled,
		"sun::dial");
	assert_string_equal(find(elf, "_RNvC3sun4dial")->demangled,
			    "sun::dial");
	assert_string_equal(find(elf, "_Znonsense")->demangled, "_Znonsense");
	assert_string_equal(find(elf, "sized")->demangled, "sized");
	gn_elf_close(elf);
}

static void test_versions(void **state)
{
	struct gn_elf *elf = whole();
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all), versions = 0;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_null(strchr(all[i].name, '@'));
		versions += !strcmp(all[i].name, "versioned");
	}
	assert_int_equal(versions, 2);
	gn_elf_close(elf);
}

/* The offset of an address is where the file has its byte. */
static void test_offsets(void **state)
{
	struct gn_elf *elf = whole();
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all);
	int fd = open(GN_ELF_WHOLE, O_RDONLY);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *code = gn_elf_code(elf, all[i].addr, 1);
		uint64_t offset;
		uint8_t byte;

		assert_non_null(code);
		assert_int_equal(gn_elf_offset(elf, all[i].addr, &offset), 0);
		assert_int_equal(offset, all[i].offset);
		assert_int_equal(pread(fd, &byte, 1, (off_t)offset), 1);
		assert_int_equal(byte, *code);
	}
	close(fd);
	assert_null(gn_elf_code(elf, all[0].addr, 1 << 30));
	assert_null(gn_elf_code(elf, UINT64_MAX, 1));
	assert_null(gn_elf_code(elf, UINT64_MAX, UINT64_MAX));
	assert_int_equal(gn_elf_offset(elf, UINT64_MAX, &(uint64_t){0}),
			 -ENOENT);
	gn_elf_close(elf);
}

static void test_facts(void **state)
{
	struct gn_elf *elf = whole();
	const uint64_t *starts;

	(void)state;
	assert_string_equal(gn_elf_soname(elf), "libgnomon-elf-test.so.1");
	assert_null(gn_elf_interp(elf));
	assert_int_equal(gn_elf_entry(elf), 0);
	assert_int_equal(strlen(gn_elf_build_id(elf)), 40);
	assert_false(gn_elf_stripped(elf));
	assert_false(gn_elf_opaque(elf));
	assert_true(gn_elf_mentions(elf, "elsewhere"));
	assert_true(gn_elf_mentions(elf, "versioned"));
	assert_false(gn_elf_mentions(elf, "elsewher"));
	assert_false(gn_elf_mentions(elf, "elsewheres"));
	assert_true(gn_elf_starts(elf, &starts) > 10);
	gn_elf_close(elf);
}

/* The test program itself: it has an interpreter and no soname. */
static void test_self(void **state)
{
	struct gn_elf *elf = must_open("/proc/self/exe", "/nonexistent");

	(void)state;
	assert_null(gn_elf_soname(elf));
	assert_non_null(strstr(gn_elf_interp(elf), "ld-linux"));
	assert_non_null(find(elf, "main"));
	assert_null(gn_elf_import(elf, 0));
	gn_elf_close(elf);
}

/* --- stripped files --- */

static void copy(const char *from, const char *to, const char *more)
{
	char block[4096];
	int in = open(from, O_RDONLY);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, block, sizeof(block))) > 0)
		assert_int_equal(write(out, block, (size_t)n), n);
	assert_int_equal(n, 0);
	if (more)
		assert_int_equal(write(out, more, strlen(more)),
				 (ssize_t)strlen(more));
	close(in);
	close(out);
}

struct place {
	char dir[64];
	char *binary;
	char *made[4]; /* files and folders, in the order of their creation */
	size_t n;
};

/* A path that is removed again at the end. */
__attribute__((format(printf, 2, 3))) static char *make(struct place *p,
							const char *format, ...)
{
	char *path;
	va_list args;

	va_start(args, format);
	assert_true(vasprintf(&path, format, args) > 0);
	va_end(args);
	assert_true(p->n < 4);
	p->made[p->n++] = path;
	return path;
}

static void setup(struct place *p, const char *binary)
{
	*p = (struct place){.dir = "/tmp/gnomon-elf-XXXXXX"};
	assert_non_null(mkdtemp(p->dir));
	p->binary = make(p, "%s/binary.so", p->dir);
	copy(binary, p->binary, NULL);
}

static void teardown(struct place *p)
{
	while (p->n--) {
		if (unlink(p->made[p->n]))
			rmdir(p->made[p->n]);
		free(p->made[p->n]);
	}
	rmdir(p->dir);
}

/* The stripped file has its local symbols again, at the right addresses. */
static void same_symbols(const struct gn_elf *stripped)
{
	struct gn_elf *elf = whole();
	const struct gn_elf_symbol *a, *b;
	size_t n = gn_elf_symbols(elf, &a);

	assert_int_equal(gn_elf_symbols(stripped, &b), n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(a[i].name, b[i].name);
		assert_int_equal(a[i].addr, b[i].addr);
		assert_int_equal(a[i].size, b[i].size);
		assert_int_equal(a[i].offset, b[i].offset);
	}
	gn_elf_close(elf);
}

static void test_stripped(void **state)
{
	struct gn_elf *elf;
	struct place p;
	bool go;

	(void)state;
	setup(&p, GN_ELF_STRIPPED);
	elf = must_open(p.binary, "/nonexistent");
	assert_true(gn_elf_stripped(elf));
	assert_true(gn_elf_is_stripped(p.binary, &go) && !go);
	assert_false(gn_elf_is_stripped("/proc/self/exe", &go));
	assert_false(gn_elf_is_stripped("/nonexistent", &go));
	assert_null(gn_elf_debug_path(elf));
	assert_null(find(elf, "sizeless"));
	assert_non_null(find(elf, "sized"));
	assert_true(gn_elf_mentions(elf, "elsewhere"));
	assert_false(gn_elf_opaque(elf));
	gn_elf_close(elf);
	teardown(&p);
}

static void test_by_build_id(void **state)
{
	struct gn_elf *elf = must_open(GN_ELF_STRIPPED, "/nonexistent");
	struct place p;
	char *path;

	(void)state;
	setup(&p, GN_ELF_STRIPPED);
	path = make(&p, "%s/.build-id", p.dir);
	mkdir(path, 0700);
	path = make(&p, "%s/.build-id/%.2s", p.dir, gn_elf_build_id(elf));
	mkdir(path, 0700);
	path = make(&p, "%s/.build-id/%.2s/%s.debug", p.dir,
		    gn_elf_build_id(elf), gn_elf_build_id(elf) + 2);
	copy(GN_ELF_DEBUG, path, NULL);
	gn_elf_close(elf);

	elf = must_open(p.binary, p.dir);
	assert_string_equal(gn_elf_debug_path(elf), path);
	assert_false(gn_elf_stripped(elf));
	same_symbols(elf);
	gn_elf_close(elf);

	/* another file with that name is not used */
	copy("/proc/self/exe", path, NULL);
	elf = must_open(p.binary, p.dir);
	assert_null(gn_elf_debug_path(elf));
	gn_elf_close(elf);
	teardown(&p);
}

static void test_by_link(void **state)
{
	static const char *const places[] = {"", "/.debug"};
	struct gn_elf *elf;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct place p;
		char *path;
		bool go;

		setup(&p, GN_ELF_STRIPPED);
		if (*places[i]) {
			path = make(&p, "%s%s", p.dir, places[i]);
			mkdir(path, 0700);
		}
		path = make(&p, "%s%s/gn-elf.debug", p.dir, places[i]);
		copy(GN_ELF_DEBUG, path, NULL);
		elf = must_open(p.binary, "/nonexistent");
		assert_string_equal(gn_elf_debug_path(elf), path);
		assert_false(gn_elf_is_stripped(p.binary, &go));
		same_symbols(elf);
		gn_elf_close(elf);
		/* one more byte, another checksum */
		copy(GN_ELF_DEBUG, path, "x");
		elf = must_open(p.binary, "/nonexistent");
		assert_null(gn_elf_debug_path(elf));
		assert_true(gn_elf_stripped(elf));
		gn_elf_close(elf);
		teardown(&p);
	}
}

/* --- no such file --- */

static void test_errors(void **state)
{
	struct gn_elf *elf = NULL;

	(void)state;
	assert_int_equal(gn_elf_open("/nonexistent/x", &elf), -ENOENT);
	assert_int_equal(gn_elf_open("/tmp", &elf), -EISDIR);
	assert_int_equal(gn_elf_open("/dev/null", &elf), -ENOEXEC);
	assert_int_equal(gn_elf_open("/etc/passwd", &elf), -ENOEXEC);
	assert_null(elf);
}

/* A name whose demangled form would use up the memory stays as it is. */
static void test_exploding_name(void **state)
{
	char name[1024] = "_Z1f1aIiiE", *title;
	size_t at = strlen(name);

	(void)state;
	/* thirty times: a pair of the previous pair */
	for (int i = 0; i < 30; i++) {
		char c = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];

		at += (size_t)snprintf(name + at, sizeof(name) - at,
				       "S_IS%c_S%c_E", c, c);
	}
	assert_int_equal(gn_demangle(name, 32 << 10, &title), 0);
	if (title)
		assert_true(strlen(title) <= 32 << 10);
	free(title);
	assert_int_equal(gn_demangle("_Z3fooi", 3, &title), 0);
	assert_null(title);
	assert_int_equal(gn_demangle("_Z3fooi", 8, &title), 0);
	assert_string_equal(title, "foo(int)");
	free(title);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_demangled),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_by_build_id),
		cmocka_unit_test(test_by_link),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_exploding_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
