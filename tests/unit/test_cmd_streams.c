// SPDX-License-Identifier: BSD-2-Clause
/* Standard streams that the starter of gnomon left non-blocking: gnomon waits
 * for a slow reader or writer, and no output is cut. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "cmd_run.h"
#include "trace/trace.h"

static char whole[1 << 20], got[1 << 20];

static void rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* The other end of a stream never blocks, and fails if it would have to wait.
 * The pipe is small, so that this happens. */
static void make_pipe(int ends[2], int hasty)
{
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) > 0);
	assert_int_equal(fcntl(ends[hasty], F_SETFL, O_NONBLOCK), 0);
}

/* Starts `gnomon WORDS` in a shell in the test's folder, with one given
 * stream. */
static pid_t start(const char *words, int stream, int fd)
{
	char line[1024];
	pid_t pid;

	snprintf(line, sizeof(line), "cd '%s' && exec '%s' %s", path_of(""),
		 GN_COMMAND, words);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (dup2(fd, stream) == stream)
			execl("/bin/sh", "sh", "-c", line, NULL);
		_exit(127);
	}
	close(fd);
	return pid;
}

static void ends_well(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Slowly reads the output of `gnomon WORDS`, which must equal the file
 * "whole". */
static void takes_slowly(const char *words, int stream, int ends[2])
{
	pid_t pid = start(words, stream, ends[1]);
	size_t size = 0;
	ssize_t n;

	slurp("whole", whole, sizeof(whole));
	assert_true(strlen(whole) > 65536);
	while ((n = read(ends[0], got + size, 8192)) > 0) {
		size += (size_t)n;
		assert_true(size + 8192 < sizeof(got));
		rest();
	}
	got[size] = '\0';
	close(ends[0]);
	ends_well(pid);
	assert_string_equal(got, whole);
}

static void out_to_a_pipe(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(gnomon("report --schema >whole")->status, 0);
	make_pipe(ends, 1);
	takes_slowly("report --schema", STDOUT_FILENO, ends);
}

/* Runs gnomon with this stdout, and checks that the open file, which others
 * share, is still non-blocking. */
static void stays(int end)
{
	int theirs = fcntl(end, F_DUPFD_CLOEXEC, 0);

	assert_true(theirs >= 0);
	ends_well(start("--version", STDOUT_FILENO, end));
	assert_true(fcntl(theirs, F_GETFL) & O_NONBLOCK);
	close(theirs);
}

static void others_keep_theirs(void **state)
{
	int ends[2];

	(void)state;
	make_pipe(ends, 1);
	stays(ends[1]);
	close(ends[0]);
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	stays(ends[1]);
	close(ends[0]);
}

static void make_trace(void)
{
	const struct gn_rec_session session = {
		.h = {.time = 1000, .kind = GN_KIND_SESSION}, .end = 2000};
	struct gn_trace_writer_opts opts = {.uid = (uid_t)-1, .gid = (gid_t)-1};
	struct gn_trace_writer *w;

	assert_int_equal(gn_trace_writer_open(path_of("trace"), &opts, &w), 0);
	assert_int_equal(gn_trace_writer_append(w, &session.h, sizeof(session)),
			 0);
	assert_int_equal(gn_trace_writer_close(w, NULL), 0);
}

static void a_file_that_was_open(void **state)
{
	int ends[2];

	(void)state;
	make_trace();
	assert_int_equal(gnomon("report -i trace --format html >whole")->status,
			 0);
	make_pipe(ends, 1);
	takes_slowly("report -i trace --format html -o /dev/fd/3 >&-", 3, ends);
}

static void in_from_a_pipe(void **state)
{
	char trace[1 << 16];
	int ends[2];
	FILE *f;
	pid_t pid;
	size_t n;

	(void)state;
	make_trace();
	f = fopen(path_of("trace"), "r");
	assert_non_null(f);
	n = fread(trace, 1, sizeof(trace), f);
	fclose(f);
	make_pipe(ends, 0);
	pid = start("report -q -i - >out", STDIN_FILENO, ends[0]);
	for (size_t i = 0; i < n; i++) {
		rest();
		assert_int_equal(write(ends[1], trace + i, 1), 1);
	}
	close(ends[1]);
	ends_well(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CMD_TEST(out_to_a_pipe),
		CMD_TEST(others_keep_theirs),
		CMD_TEST(a_file_that_was_open),
		CMD_TEST(in_from_a_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
