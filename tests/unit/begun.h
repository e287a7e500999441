/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that a test looks at. */
#ifndef TESTS_UNIT_BEGUN_H
#define TESTS_UNIT_BEGUN_H

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Begins a program with one variable, or none, after `prepare`. */
static pid_t begin_other(bool (*prepare)(void), const char *variable)
{
	char *env[] = {(char *)variable, NULL};
	int ends[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (prepare())
			execle("/bin/sleep", "sleep", "60", NULL, env);
		_exit(1);
	}
	close(ends[1]);
	/* the exec closes its end */
	assert_int_equal(read(ends[0], &c, 1), 0);
	close(ends[0]);
	return pid;
}

static void end_other(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

#endif
