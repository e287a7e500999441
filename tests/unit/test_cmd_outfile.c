/* SPDX-License-Identifier: BSD-2-Clause */
/* A report's file: whole or not at all, and never in place of a device. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cmd/outfile.h"

struct place {
	char dir[256], file[300], link[300];
};

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	snprintf(p->dir, sizeof(p->dir), "%s/outfile.XXXXXX", GN_BUILD_DIR);
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->file, sizeof(p->file), "%s/report", p->dir);
	snprintf(p->link, sizeof(p->link), "%s/link", p->dir);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	unlink(p->file);
	unlink(p->link);
	assert_int_equal(rmdir(p->dir), 0); /* and nothing else is in it */
	free(p);
	return 0;
}

static void put(const char *path, const char *text)
{
	struct gn_textfile out;

	assert_int_equal(gn_textfile_open(&out, path), 0);
	fputs(text, out.f);
	assert_int_equal(gn_textfile_commit(&out), 0);
}

static void holds(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_int_equal(fread(got, 1, sizeof(got) - 1, f), strlen(text));
	assert_string_equal(got, text);
	fclose(f);
}

static void new_file(void **state)
{
	struct place *p = *state;
	struct stat st;

	put(p->file, "one");
	holds(p->file, "one");
	assert_int_equal(stat(p->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	put(p->file, "two");
	holds(p->file, "two");
}

static void abandoned(void **state)
{
	struct place *p = *state;
	struct gn_textfile out;

	put(p->file, "one");
	assert_int_equal(gn_textfile_open(&out, p->file), 0);
	fputs("half", out.f);
	holds(p->file, "one");
	gn_textfile_abort(&out);
	holds(p->file, "one");
}

static void symbolic_link(void **state)
{
	struct place *p = *state;
	struct stat st;

	put(p->file, "a longer text");
	assert_int_equal(symlink(p->file, p->link), 0);
	put(p->link, "two");
	assert_int_equal(lstat(p->link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	holds(p->file, "two");
}

static void devices(void **state)
{
	struct gn_textfile out;
	struct stat st;

	(void)state;
	put("/dev/null", "nothing");
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(gn_textfile_open(&out, "/dev/full"), 0);
	fputs("text", out.f);
	assert_int_equal(gn_textfile_commit(&out), -ENOSPC);
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void bad_places(void **state)
{
	struct place *p = *state;
	struct gn_textfile out;
	char path[400];

	assert_int_equal(gn_textfile_open(&out, p->dir), -EISDIR);
	snprintf(path, sizeof(path), "%s/none/report", p->dir);
	assert_int_equal(gn_textfile_open(&out, path), -ENOENT);
	snprintf(path, sizeof(path), "%s/", p->file);
	assert_true(gn_textfile_open(&out, path) < 0);
}

static void standard_output(void **state)
{
	struct gn_textfile out;

	(void)state;
	assert_int_equal(gn_textfile_open(&out, NULL), 0);
	assert_ptr_equal(out.f, stdout);
	assert_int_equal(gn_textfile_commit(&out), 0);
	assert_int_equal(gn_textfile_open(&out, "-"), 0);
	assert_ptr_equal(out.f, stdout);
	gn_textfile_abort(&out);
	assert_true(fileno(stdout) == 1);
}

static void owner(void **state)
{
	struct place *p = *state;
	struct stat st;
	uid_t uid;
	gid_t gid;

	setenv("SUDO_UID", "1234", 1);
	assert_false(gn_invoker(&uid, &gid));
	setenv("SUDO_GID", "4294967295", 1);
	assert_false(gn_invoker(&uid, &gid));
	setenv("SUDO_GID", "56x", 1);
	assert_false(gn_invoker(&uid, &gid));
	setenv("SUDO_GID", "5678", 1);
	if (geteuid() != 0) {
		assert_false(gn_invoker(&uid, &gid));
		skip();
	}
	assert_true(gn_invoker(&uid, &gid));
	assert_int_equal(uid, 1234);
	assert_int_equal(gid, 5678);
	put(p->file, "mine");
	assert_int_equal(stat(p->file, &st), 0);
	assert_int_equal(st.st_uid, 1234);
	assert_int_equal(st.st_gid, 5678);
	assert_int_equal(st.st_mode & 07777, 0600);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_file), TEST(abandoned),  TEST(symbolic_link),
		TEST(devices),	TEST(bad_places), TEST(standard_output),
		TEST(owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
