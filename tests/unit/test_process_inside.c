/* SPDX-License-Identifier: BSD-2-Clause */
/* How a process sees itself. */
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/inside.h"

#define GROUPS 2000

/* Begins a process of many groups, which is number 1 in its own namespace, and
 * tells its number here. */
static void begin_inside(int told)
{
	gid_t groups[GROUPS];
	pid_t pid;

	for (gid_t i = 0; i < GROUPS; i++)
		groups[i] = 1000000000 + i;
	if (setgroups(GROUPS, groups) || unshare(CLONE_NEWPID))
		_exit(1);
	pid = fork();
	if (pid)
		_exit(pid < 0 || write(told, &pid, sizeof(pid)) != sizeof(pid));
	pause();
	_exit(0);
}

static void number_behind_many_groups(void **state)
{
	pid_t outer, inner, number;
	int told[2];

	(void)state;
	assert_int_equal(gn_inside_number(getpid()), getpid());
	assert_int_equal(pipe(told), 0);
	outer = fork();
	if (!outer)
		begin_inside(told[1]);
	close(told[1]);
	if (read(told[0], &inner, sizeof(inner)) != sizeof(inner)) {
		waitpid(outer, NULL, 0);
		print_message("skipped: run as root\n");
		skip();
	}
	number = gn_inside_number(inner);
	kill(inner, SIGKILL);
	waitpid(outer, NULL, 0);
	close(told[0]);
	assert_int_equal(number, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(number_behind_many_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
