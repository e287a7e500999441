/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon's own priority follows the amount of records; the kernel confirms
 * it. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/priority.h"

#define SECOND 1000000000u

static bool is_plain(int nice)
{
	return sched_getscheduler(0) == SCHED_OTHER &&
	       getpriority(PRIO_PROCESS, 0) == nice;
}

static bool is_raised(void)
{
	return sched_getscheduler(0) == SCHED_RR ||
	       getpriority(PRIO_PROCESS, 0) == -20;
}

static bool may_raise(void)
{
	cap_flag_value_t has = CAP_CLEAR;
	cap_t caps = cap_get_proc();

	cap_get_flag(caps, CAP_SYS_NICE, CAP_EFFECTIVE, &has);
	cap_free(caps);
	return has == CAP_SET;
}

/* The line at which something was wrong; 0 = nothing was. */
static int follow_both_ways(struct gn_priority *p)
{
	uint64_t now = 5 * (uint64_t)SECOND;

	if (setpriority(PRIO_PROCESS, 0, 3))
		return __LINE__;
	gn_priority_init(p);
	gn_priority_follow(p, false, now);
	if (!is_plain(3))
		return __LINE__;
	gn_priority_follow(p, true, now);
	if (!is_raised())
		return __LINE__;
	/* a short pause does not end it */
	gn_priority_follow(p, false, now + SECOND);
	gn_priority_follow(p, true, now + SECOND + 1);
	gn_priority_follow(p, false, now + 2 * (uint64_t)SECOND);
	if (!is_raised())
		return __LINE__;
	gn_priority_follow(p, false, now + 2 * (uint64_t)SECOND + 2);
	if (!is_plain(3))
		return __LINE__;
	gn_priority_follow(p, true, now + 3 * (uint64_t)SECOND);
	return is_raised() ? 0 : __LINE__;
}

static int without_capability(struct gn_priority *p)
{
	int nice = getpriority(PRIO_PROCESS, 0);
	cap_t none = cap_init();

	if (!none || cap_set_proc(none))
		return __LINE__;
	cap_free(none);
	gn_priority_init(p);
	gn_priority_follow(p, true, SECOND);
	if (!is_plain(nice))
		return __LINE__;
	gn_priority_follow(p, false, 3 * (uint64_t)SECOND);
	return is_plain(nice) ? 0 : __LINE__;
}

static int own_priority(struct gn_priority *p)
{
	const struct sched_param none = {.sched_priority = 0};

	if (sched_setscheduler(0, SCHED_BATCH, &none))
		return __LINE__;
	gn_priority_init(p);
	gn_priority_follow(p, true, SECOND);
	return sched_getscheduler(0) == SCHED_BATCH ? 0 : __LINE__;
}

/* In a separate process, which may change its priority freely. */
static int run(int (*body)(struct gn_priority *p))
{
	struct gn_priority p = {0};
	pid_t pid = fork();
	int status;

	if (!pid) {
		status = body(&p);
		/* its thread uses `p` */
		gn_priority_end(&p);
		_exit(status);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_follow(void **state)
{
	(void)state;
	if (!may_raise()) {
		print_message(
			"skipped: CAP_SYS_NICE is missing; run as root\n");
		skip();
	}
	assert_int_equal(run(follow_both_ways), 0);
}

static void test_without_capability(void **state)
{
	(void)state;
	assert_int_equal(run(without_capability), 0);
}

static void test_own_priority(void **state)
{
	(void)state;
	assert_int_equal(run(own_priority), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_without_capability),
		cmocka_unit_test(test_own_priority),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
