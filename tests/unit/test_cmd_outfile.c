/* SPDX-License-Identifier: BSD-2-Clause */
/* A report's file: complete or not there, and never in place of a device. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "cmd/outfile.h"
#include "trace/trace.h"

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
	assert_int_equal(rmdir(p->dir), 0); /* it has no other file */
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
	char got[128] = "";
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

/* The target of a link is never written. */
static void symbolic_link(void **state)
{
	struct place *p = *state;
	struct stat st;

	put(p->file, "a longer text");
	assert_int_equal(symlink(p->file, p->link), 0);
	put(p->link, "two");
	assert_int_equal(lstat(p->link, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	holds(p->link, "two");
	holds(p->file, "a longer text");
}

#define STRANGER 12345

/* A link to a directory: gnomon follows root's, and a user's only to his own
 * directory. */
static void linked_directory(void **state)
{
	struct place *p = *state;
	struct gn_textfile out;
	char path[400];
	struct stat st;

	if (geteuid())
		skip();
	assert_int_equal(symlink(p->dir, p->link), 0);
	snprintf(path, sizeof(path), "%s/report", p->link);
	put(path, "by root's link");
	holds(p->file, "by root's link");
	assert_int_equal(lchown(p->link, STRANGER, STRANGER), 0);
	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "12345", 1);
	assert_int_equal(gn_textfile_open(&out, path), -GN_TRACE_UNSAFE);
	assert_int_equal(gn_textfile_create(&out, path), -GN_TRACE_UNSAFE);
	assert_int_equal(chown(p->dir, STRANGER, STRANGER), 0);
	put(path, "his own");
	holds(p->file, "his own");
	assert_int_equal(stat(p->file, &st), 0);
	assert_int_equal(st.st_uid, STRANGER);
	/* a link of another user that leads to that user's directory */
	assert_int_equal(chown(p->dir, STRANGER + 1, STRANGER), 0);
	assert_int_equal(gn_textfile_open(&out, path), -GN_TRACE_UNSAFE);
	holds(p->file, "his own");
	assert_int_equal(unlink(p->link), 0);
	assert_int_equal(symlink("link", p->link), 0);
	assert_int_equal(gn_textfile_open(&out, path), -ELOOP);
}

/* A device behind a user's link could be any device. */
static void linked_device(void **state)
{
	struct place *p = *state;
	struct stat st;

	if (geteuid())
		skip();
	assert_int_equal(chown(p->dir, STRANGER, STRANGER), 0);
	assert_int_equal(symlink("/dev/full", p->link), 0);
	assert_int_equal(lchown(p->link, STRANGER, STRANGER), 0);
	put(p->link, "kept");
	assert_int_equal(lstat(p->link, &st), 0);
	assert_true(S_ISREG(st.st_mode));
}

/* A killed gnomon leaves nothing to clean up. */
static void killed(void **state)
{
	struct place *p = *state;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct gn_textfile out;

		if (gn_textfile_open(&out, p->file))
			_exit(1);
		fputs("half", out.f);
		fflush(out.f);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(access(p->file, F_OK), -1);
}

static void set_size_limit(rlim_t size)
{
	struct rlimit l;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
}

/* An incomplete file replaces no other file. */
static void too_large(void **state)
{
	struct place *p = *state;
	struct gn_textfile out;
	int err;

	put(p->file, "one");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(gn_textfile_open(&out, p->file), 0);
	for (int i = 0; i < 1000; i++)
		fputs("0123456789", out.f);
	set_size_limit(5000);
	err = gn_textfile_commit(&out);
	set_size_limit(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	holds(p->file, "one");
}

/* As after `>> file` in a shell: the existing content stays. */
static void open_file(void **state)
{
	struct place *p = *state;
	char path[32];
	int fd;

	put(p->file, "one");
	fd = open(p->file, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	put(path, "two");
	assert_int_equal(symlink(path, p->link), 0);
	put(p->link, "three");
	close(fd);
	holds(p->file, "onetwothree");
}

static void not_there_yet(void **state)
{
	struct place *p = *state;
	struct gn_textfile out;
	struct stat st;

	assert_int_equal(gn_textfile_create(&out, p->file), 0);
	assert_int_equal(stat(p->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	fputs("grows", out.f);
	gn_textfile_abort(&out);
	holds(p->file, "grows");
	assert_int_equal(gn_textfile_create(&out, p->file), -EEXIST);
	assert_int_equal(symlink("none", p->link), 0);
	assert_int_equal(gn_textfile_create(&out, p->link), -EEXIST);
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

/* A capture blocks the signals that end it. */
static void no_reader(void **state)
{
	struct place *p = *state;
	struct gn_textfile out;
	sigset_t end, before;

	assert_int_equal(mkfifo(p->file, 0600), 0);
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, &before);
	raise(SIGTERM);
	alarm(60);
	assert_int_equal(gn_textfile_open(&out, p->file), -EINTR);
	alarm(0);
	sigwait(&end, &(int){0});
	sigprocmask(SIG_SETMASK, &before, NULL);
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

static void told(const char *path, int err, const char *option,
		 const char *line)
{
	int stderr_was = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(stderr_was >= 0 && fd >= 0);
	dup2(fd, STDERR_FILENO);
	close(fd);
	assert_int_equal(gn_textfile_refused("a", err, option), 1);
	dup2(stderr_was, STDERR_FILENO);
	close(stderr_was);
	holds(path, line);
}

/* Another file would not need less memory. */
static void advice(void **state)
{
	struct place *p = *state;

	told(p->file, -ENOENT, "--prom",
	     "gnomon: cannot write a: No such file or directory; give another "
	     "file with --prom\n");
	told(p->file, -ENOMEM, "-o",
	     "gnomon: cannot write a: Cannot allocate memory; free some "
	     "memory\n");
}

/* A umask that removes all permissions. */
static void mask(void **state)
{
	struct place *p = *state;
	struct gn_textfile out;
	struct stat st;
	mode_t before = umask(0777);

	put(p->file, "mine");
	assert_int_equal(stat(p->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(unlink(p->file), 0);
	assert_int_equal(gn_textfile_create(&out, p->file), 0);
	assert_int_equal(gn_textfile_commit(&out), 0);
	assert_int_equal(stat(p->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	umask(before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_file),	     TEST(abandoned),
		TEST(symbolic_link), TEST(linked_directory),
		TEST(linked_device), TEST(killed),
		TEST(too_large),     TEST(open_file),
		TEST(not_there_yet), TEST(devices),
		TEST(bad_places),    TEST(standard_output),
		TEST(owner),	     TEST(no_reader),
		TEST(mask),	     TEST(advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
