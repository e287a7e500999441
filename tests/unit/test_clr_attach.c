// SPDX-License-Identifier: BSD-2-Clause
/* What gnomon says where a runtime does not end its session at once: only a
 * session that asked for functions has hooks. The runtime's answers are
 * fakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/clr_attach.h"
#include "runtime/clr_attach_parts.h"
#include "runtime/clr_ipc.h"

static int asked_err;
static int32_t asked_result;

int __wrap_gn_clr_ipc_ask(int fd, pid_t pid, const uint8_t *message,
			  size_t size, int ms, gn_wait_fn wait, void *ctx,
			  int32_t *result);
int __wrap_gn_clr_ipc_ask(int fd, pid_t pid, const uint8_t *message,
			  size_t size, int ms, gn_wait_fn wait, void *ctx,
			  int32_t *result)
{
	(void)fd, (void)pid, (void)message, (void)size, (void)ms, (void)wait;
	(void)ctx;
	*result = asked_result;
	return asked_err;
}

/* Ends a session in this process, which fails. */
static void end(bool functions, char *why)
{
	struct gn_attached a = {.pid = getpid(),
				.socket = -1,
				.lock = -1,
				.guard = {.leash = -1},
				.library = "/lib/libgnomon-clr.so",
				.begun = true,
				.served = true,
				.owed = true,
				.functions = functions};

	*why = '\0';
	assert_int_not_equal(gn_clr_attach.end(&a, NULL, NULL, why), 0);
}

static void expect(const char *what, const char *until)
{
	char why[GN_WHY_MAX];

	end(true, why);
	assert_non_null(strstr(why, what));
	assert_non_null(strstr(why, "functions keep"));
	assert_non_null(strstr(why, until));
	end(false, why);
	assert_non_null(strstr(why, what));
	assert_null(strstr(why, "functions"));
	assert_null(strstr(why, "hooks"));
	assert_non_null(strstr(why, "stays at work"));
	assert_non_null(strstr(why, until));
}

static void it_does_not_answer(void **state)
{
	(void)state;
	asked_err = -ETIMEDOUT;
	expect("does not answer", "until it does; a gnomon process waits");
}

static void it_has_no_thread(void **state)
{
	(void)state;
	asked_err = 0;
	asked_result = GN_CLR_NO_MEMORY;
	expect("cannot start another thread",
	       "until then; a gnomon process waits");
}

static void it_refuses(void **state)
{
	(void)state;
	asked_err = 0;
	asked_result = -1;
	expect("0xffffffff", "until the process ends or is traced again");
}

static void it_has_no_descriptors(void **state)
{
	struct rlimit was, few;
	int next = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	few = was;
	few.rlim_cur = (rlim_t)next + 4;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	asked_err = 0;
	asked_result = 0;
	expect("open files, and its limit is",
	       "until then; a gnomon process waits");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_does_not_answer),
		cmocka_unit_test(it_has_no_thread),
		cmocka_unit_test(it_refuses),
		cmocka_unit_test(it_has_no_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
