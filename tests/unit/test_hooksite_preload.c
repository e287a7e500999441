/* SPDX-License-Identifier: BSD-2-Clause */
/* Restores the environment of a program with a preloaded library. */
#include <elf.h>
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

#include <gnomon/hooksite.h>
#include <gnomon/preload.h>
#include "hooksite/preload/environment.h"
#include "hooksite/preload/program.h"

#define MOST 8

/* Writable texts, like those of a program. */
static void restore(const char *const *before, const char *const *after)
{
	char *envp[MOST] = {NULL}, *own[MOST] = {NULL};
	size_t n = 0;

	for (; before[n]; n++)
		envp[n] = own[n] = strdup(before[n]);
	gn_environment_drop(envp, "GNOMON_X");
	gn_environment_drop_library(envp, "g.so");
	for (n = 0; after[n]; n++)
		assert_string_equal(envp[n], after[n]);
	assert_null(envp[n]);
	for (n = 0; n < MOST; n++)
		free(own[n]);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_restore(void **state)
{
	(void)state;
	restore(LIST("A=1", "LD_PRELOAD=/l/g.so", "GNOMON_X=7"), LIST("A=1"));
	restore(LIST("GNOMON_X=12", "LD_PRELOAD=/l/g.so:own.so b.so", "B=2"),
		LIST("LD_PRELOAD=own.so b.so", "B=2"));
	/* it was set, but empty */
	restore(LIST("LD_PRELOAD=/l/g.so:", "GNOMON_X=3"), LIST("LD_PRELOAD="));
	/* another library of gnomon's is before it */
	restore(LIST("LD_PRELOAD=/l/h.so:/l/g.so", "B=2"),
		LIST("LD_PRELOAD=/l/h.so", "B=2"));
	restore(LIST("LD_PRELOAD=/l/h.so:/l/g.so:own.so"),
		LIST("LD_PRELOAD=/l/h.so:own.so"));
	restore(LIST("LD_PRELOAD=g.so:own.so"), LIST("LD_PRELOAD=own.so"));
	/* not gnomon's */
	restore(LIST("LD_PRELOAD=own.so:/l/bag.so", "GNOMON_XX=3"),
		LIST("LD_PRELOAD=own.so:/l/bag.so", "GNOMON_XX=3"));
	restore(LIST("LD_PRELOAD=own.so:/l/g.so.1", "GNOMON_=3"),
		LIST("LD_PRELOAD=own.so:/l/g.so.1", "GNOMON_=3"));
}

static void test_get(void **state)
{
	char *envp[] = {"GNOMON_XX=1", "GNOMON_X=a=b", "E=", NULL};

	(void)state;
	assert_string_equal(gn_environment_get(envp, "GNOMON_X"), "a=b");
	assert_string_equal(gn_environment_get(envp, "E"), "");
	assert_null(gn_environment_get(envp, "GNOMON"));
	assert_null(gn_environment_get(NULL, "E"));
	gn_environment_drop(NULL, "E");
	gn_environment_drop_library(NULL, "g.so");
}

static void test_kind(void **state)
{
	(void)state;
	assert_true(gn_environment_is_kind("fast", "fast"));
	assert_true(gn_environment_is_kind("fast.12", "fast"));
	assert_false(gn_environment_is_kind("faster.12", "fast"));
	assert_false(gn_environment_is_kind("fas", "fast"));
	assert_false(gn_environment_is_kind("", "fast"));
}

/* The number of gnomon's own site; else the number after the last one. */
static void test_own(void **state)
{
	(void)state;
	assert_int_equal(gn_environment_own("fast.0"), 0);
	assert_int_equal(gn_environment_own("none.1023"), 1023);
	assert_int_equal(gn_environment_own("fast.1024"), GN_SITE_OWN_MOST);
	assert_int_equal(gn_environment_own("fast.99999999999999999999"),
			 GN_SITE_OWN_MOST);
	assert_int_equal(gn_environment_own("fast.-1"), GN_SITE_OWN_MOST);
	assert_int_equal(gn_environment_own("fast.1x"), GN_SITE_OWN_MOST);
	assert_int_equal(gn_environment_own("fast."), GN_SITE_OWN_MOST);
	assert_int_equal(gn_environment_own("fast"), GN_SITE_OWN_MOST);
}

static void test_has_library(void **state)
{
	(void)state;
	assert_true(gn_environment_has_library("/l/g.so", "g.so"));
	assert_true(gn_environment_has_library("own.so b.so:/l/g.so", "g.so"));
	assert_false(gn_environment_has_library("", "g.so"));
	assert_false(gn_environment_has_library("/l/bag.so:g.so.1", "g.so"));
}

static char *write_file(const char *text)
{
	static char path[] = "/tmp/gnomon-preload-XXXXXX";
	int fd;

	strcpy(path + sizeof(path) - 7, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, 0755), 0);
	close(fd);
	return path;
}

static void expect(enum gn_program_fit fit, const char *text)
{
	char *path = write_file(text);

	assert_int_equal(gn_program_fit(path, 0), fit);
	unlink(path);
}

static void copy(const char *from, const char *to)
{
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	char part[4096];
	size_t n;

	assert_non_null(in);
	assert_non_null(out);
	while ((n = fread(part, 1, sizeof(part), in)) > 0)
		assert_int_equal(fwrite(part, 1, n, out), n);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

static void test_programs(void **state)
{
	char text[64], *path;
	FILE *f;

	(void)state;
	assert_int_equal(gn_program_fit("/bin/sh", 0), GN_PROGRAM_FITS);
	assert_int_equal(gn_program_fit("/bin/true", 0), GN_PROGRAM_ALONE);
	assert_int_equal(gn_program_fit("/nowhere", 0), GN_PROGRAM_FOREIGN);
	/* who owns the file gets no privileges by it */
	path = write_file("");
	copy("/bin/sh", path);
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(gn_program_fit(path, getuid()), GN_PROGRAM_FITS);
	assert_int_equal(gn_program_fit(path, getuid() + 1),
			 GN_PROGRAM_PRIVILEGED);
	unlink(path);
	/* scripts, by their interpreters */
	expect(GN_PROGRAM_FITS, "#! \t/bin/sh -e\n");
	expect(GN_PROGRAM_ALONE, "#!/bin/true");
	expect(GN_PROGRAM_FOREIGN, "#!\n/bin/sh");
	expect(GN_PROGRAM_FITS, "echo");
	/* too little of a program */
	expect(GN_PROGRAM_FOREIGN, "\177ELF\2\1\1");
	/* one that starts itself */
	path = write_file("");
	snprintf(text, sizeof(text), "#!%s\n", path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(gn_program_fit(path, 0), GN_PROGRAM_FOREIGN);
	unlink(path);
}

/* Moves the names of the libraries and functions that a program imports into a
 * hole of `size` bytes behind it. */
static void dig(const char *path, uint64_t size)
{
	int fd = open(path, O_RDWR), dynamic = -1;
	const uint64_t hole = 1 << 20;
	Elf64_Phdr all[32];
	Elf64_Ehdr h;
	Elf64_Dyn d;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(hole + size)), 0);
	assert_int_equal(pread(fd, &h, sizeof(h), 0), sizeof(h));
	assert_in_range(h.e_phnum, 1, 32);
	assert_int_equal(pread(fd, all, sizeof(all), (off_t)h.e_phoff),
			 sizeof(all));
	for (int i = 0; i < h.e_phnum; i++)
		if (all[i].p_type == PT_LOAD)
			all[i].p_filesz = hole + size - all[i].p_offset;
		else if (all[i].p_type == PT_DYNAMIC)
			dynamic = i;
	assert_true(dynamic >= 0);
	assert_int_equal(
		pwrite(fd, all, h.e_phnum * sizeof(*all), (off_t)h.e_phoff),
		h.e_phnum * sizeof(*all));
	for (uint64_t at = 0; at < all[dynamic].p_filesz; at += sizeof(d)) {
		off_t to = (off_t)(all[dynamic].p_offset + at);

		assert_int_equal(pread(fd, &d, sizeof(d), to), sizeof(d));
		if (d.d_tag == DT_NEEDED)
			d.d_tag = DT_DEBUG;
		else if (d.d_tag == DT_STRTAB)
			d.d_un.d_ptr = hole; /* the first segment's address
						is 0 */
		else if (d.d_tag == DT_STRSZ)
			d.d_un.d_val = size;
		assert_int_equal(pwrite(fd, &d, sizeof(d), to), sizeof(d));
	}
	close(fd);
}

/* Whoever reads all of them holds an exec up. */
static void test_many_names(void **state)
{
	char *path = write_file("");

	(void)state;
	copy("/bin/true", path);
	dig(path, 1 << 20);
	assert_int_equal(gn_program_fit(path, 0), GN_PROGRAM_ALONE);
	copy("/bin/true", path);
	dig(path, 64 << 20);
	assert_int_equal(gn_program_fit(path, 0), GN_PROGRAM_FITS);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_restore),
		cmocka_unit_test(test_get),
		cmocka_unit_test(test_kind),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_has_library),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
