// SPDX-License-Identifier: BSD-2-Clause
/* A dialogue at a diagnostics socket; the test is the other end. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/clr_ipc.h"

#define NAME	"clr-ipc-socket"
#define WAIT_MS 60000
#define MOST	8

static const struct sockaddr_un place = {.sun_family = AF_UNIX,
					 .sun_path = NAME};

struct server {
	int listens;
	int taken[MOST];
	size_t n;
};

static int connected(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	assert_true(s >= 0);
	if (!connect(s, (const struct sockaddr *)&place, sizeof(place)))
		return s;
	assert_int_equal(errno, EAGAIN);
	close(s);
	return -1;
}

static void answer(int s)
{
	static const uint8_t good[24] = {"DOTNET_IPC_V1\0\x18\0\xff\0"};
	uint8_t asked[64];

	if (recv(s, asked, sizeof(asked), MSG_DONTWAIT) > 0)
		assert_int_equal(send(s, good, sizeof(good), MSG_NOSIGNAL),
				 (ssize_t)sizeof(good));
}

/* Accepts one more connection of the queue at each call. */
static enum gn_wait serve(void *ctx)
{
	struct server *v = ctx;
	int s = accept4(v->listens, NULL, NULL, SOCK_NONBLOCK);

	if (s >= 0) {
		assert_true(v->n < MOST);
		v->taken[v->n++] = s;
	}
	for (size_t i = 0; i < v->n; i++)
		answer(v->taken[i]);
	return GN_WAIT_ON;
}

/* A runtime is late to accept waiting connections: gnomon asks as soon as its
 * queue has room. */
static void a_full_queue_is_waited_for(void **state)
{
	struct server v = {.listens = socket(AF_UNIX, SOCK_STREAM, 0)};
	int others[MOST], n = 0, fd;
	int32_t result = -1;

	(void)state;
	unlink(NAME);
	assert_int_equal(
		bind(v.listens, (const struct sockaddr *)&place, sizeof(place)),
		0);
	assert_int_equal(listen(v.listens, 0), 0);
	assert_int_equal(fcntl(v.listens, F_SETFL, O_NONBLOCK), 0);
	while (n < MOST && (others[n] = connected()) >= 0)
		n++;
	assert_true(n > 0 && n < MOST);
	fd = open(NAME, O_PATH);
	assert_true(fd >= 0);
	assert_int_equal(gn_clr_ipc_ask(fd, getpid(), (const uint8_t *)"ask", 3,
					WAIT_MS, serve, &v, &result),
			 0);
	assert_int_equal(result, 0);
	for (size_t i = 0; i < v.n; i++)
		close(v.taken[i]);
	while (n)
		close(others[--n]);
	close(fd);
	close(v.listens);
	unlink(NAME);
}

static void no_socket(void **state)
{
	char why[GN_WHY_MAX];

	(void)state;
	assert_int_equal(gn_clr_ipc_find(getpid(), why), -ENOENT);
	assert_non_null(strstr(why, "has no diagnostics socket"));
}

/* With so few more descriptors than are open, one of the steps fails. */
static void find_with(rlim_t more)
{
	int first = dup(0);
	struct rlimit was, few;
	char why[GN_WHY_MAX];
	int err;

	assert_true(first >= 0);
	close(first);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	few = was;
	few.rlim_cur = (rlim_t)first + more;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	err = gn_clr_ipc_find(getpid(), why);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	if (err != -EMFILE || strstr(why, "has ended") ||
	    strstr(why, "has no diagnostics socket") || strstr(why, "as root"))
		fail_msg("with %d: %d, %s", (int)more, err, why);
}

static void no_descriptor_is_not_no_socket(void **state)
{
	(void)state;
	find_with(0);
	find_with(1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_queue_is_waited_for),
		cmocka_unit_test(no_socket),
		cmocka_unit_test(no_descriptor_is_not_no_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
