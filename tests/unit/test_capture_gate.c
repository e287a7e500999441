/* SPDX-License-Identifier: BSD-2-Clause */
/* What waits at the gate, and what the gate answers by itself. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/gate.h"
#include "capture/later_parts.h"

#define MOST   8
#define SILENT 300

/* A gate without the thread that gives programs their probes. */
struct sample {
	struct gn_session session;
	struct gn_later later;
	struct gn_gate *gate;
};

static void sample_make(struct sample *s)
{
	static const char *const globs[] = {"work"};

	*s = (struct sample){.gate = gn_gate_new(getuid())};
	assert_non_null(s->gate);
	s->session.filter = gn_filter_new(globs, 1);
	assert_non_null(s->session.filter);
	s->later.session = &s->session;
	pthread_mutex_init(&s->later.lock, NULL);
	pthread_cond_init(&s->later.wake, NULL);
	gn_gate_serve(s->gate, &s->later);
}

static void sample_clear(struct sample *s)
{
	gn_gate_free(s->gate);
	gn_later_let_go(&s->later);
	gn_filter_free(s->session.filter);
	pthread_cond_destroy(&s->later.wake);
	pthread_mutex_destroy(&s->later.lock);
	free(s->later.news);
}

static int connect_to(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				     1 + strlen(name));
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_true(s >= 0);
	strcpy(at.sun_path + 1, name);
	assert_int_equal(connect(s, (const void *)&at, size), 0);
	return s;
}

static void send_files(int s, const int *files, size_t n)
{
	char byte = 0;
	struct iovec data = {.iov_base = &byte, .iov_len = 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(MOST * sizeof(int))];
	} control = {.room = {0}};
	const struct msghdr message = {.msg_iov = &data,
				       .msg_iovlen = 1,
				       .msg_control = &control,
				       .msg_controllen =
					       CMSG_SPACE(n * sizeof(int))};

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(&control.head), files, n * sizeof(int));
	assert_int_equal(sendmsg(s, &message, MSG_NOSIGNAL), 1);
}

static size_t count_news(struct sample *s)
{
	size_t n;

	pthread_mutex_lock(&s->later.lock);
	n = s->later.nnews;
	pthread_mutex_unlock(&s->later.lock);
	return n;
}

/* Whether one who has connected, and asks about the files, waits for the
 * thread. */
static bool waits_at(struct sample *s, int socket, const int *files, size_t n)
{
	struct pollfd answer = {.fd = socket, .events = POLLIN};
	size_t before = count_news(s), now = before;

	send_files(socket, files, n);
	while (now == before && !poll(&answer, 1, 1))
		now = count_news(s);
	close(socket);
	return now > before;
}

static bool waits(struct sample *s, const int *files, size_t n)
{
	return waits_at(s, connect_to(gn_gate_name(s->gate)), files, n);
}

static size_t count_open(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* A hostile process can send any number of any files. */
static void nothing_is_left_open(void **state)
{
	struct sample s;
	int files[MOST];
	size_t before;

	(void)state;
	sample_make(&s);
	assert_int_equal(pipe(files), 0);
	for (size_t i = 2; i < MOST; i++)
		files[i] = files[0];
	before = count_open();
	for (size_t n = 1; n <= MOST; n++) {
		assert_false(waits(&s, files, n));
		assert_int_equal(count_open(), before);
	}
	close(files[0]);
	close(files[1]);
	sample_clear(&s);
}

/* Such as a shell's usual programs. */
static void what_has_no_functions_does_not_wait(void **state)
{
	char path[] = "/tmp/gnomon-gate-XXXXXX", other[] = "/proc/self/exe";
	struct gn_file_id id = {0, 0};
	struct sample s;
	int fd = mkstemp(path), another = open(other, O_RDONLY | O_CLOEXEC);
	struct stat st;

	(void)state;
	assert_true(fd >= 0 && another >= 0 && !fstat(fd, &st));
	sample_make(&s);
	assert_true(waits(&s, &fd, 1));
	gn_later_note_plain(&s.later, &id, &st);
	assert_false(waits(&s, &fd, 1));
	assert_true(waits(&s, &another, 1));
	/* it has changed */
	assert_int_equal(fchmod(fd, 0755), 0);
	assert_true(waits(&s, &fd, 1));
	/* its libraries can have functions that are probed for each process */
	assert_int_equal(fstat(fd, &st), 0);
	gn_later_note_plain(&s.later, &id, &st);
	assert_false(waits(&s, &fd, 1));
	s.later.privates = true;
	assert_true(waits(&s, &fd, 1));
	sample_clear(&s);
	close(another);
	close(fd);
	unlink(path);
}

/* What ended early and was at the gate is known; the rest is told. */
static void what_was_at_the_gate_was_seen(void **state)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct sample s;

	(void)state;
	sample_make(&s);
	assert_true(file >= 0);
	for (int i = 0; i < 3; i++)
		assert_true(waits(&s, &file, 1));
	s.later.quit = true;
	s.later.ngone = 3;
	s.later.programs = 3;
	assert_int_equal(gn_later_gone(&s.later), 0);
	s.later.programs = 4;
	assert_int_equal(gn_later_gone(&s.later), 1);
	s.later.programs = 100;
	assert_int_equal(gn_later_gone(&s.later), 3);
	/* a program that was at the gate may be unable to start */
	s.later.programs = 2;
	assert_int_equal(gn_later_gone(&s.later), 0);
	sample_clear(&s);
	close(file);
}

/* On a busy machine it can take long from the connection to the file. The later
 * one is served first here, however long that takes. */
static void nobody_waits_for_another(void **state)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), first, second;
	int silent[SILENT];
	struct sample s;

	(void)state;
	sample_make(&s);
	assert_true(file >= 0);
	first = connect_to(gn_gate_name(s.gate));
	second = connect_to(gn_gate_name(s.gate));
	assert_true(waits_at(&s, second, &file, 1));
	assert_true(waits_at(&s, first, &file, 1));
	/* who ends before it sends a file, or never does, keeps nobody out */
	close(connect_to(gn_gate_name(s.gate)));
	for (size_t i = 0; i < SILENT; i++)
		silent[i] = connect_to(gn_gate_name(s.gate));
	assert_true(waits(&s, &file, 1));
	sample_clear(&s);
	for (size_t i = 0; i < SILENT; i++)
		close(silent[i]);
	close(file);
}

/* What a traced process starts asks, as another user, and ends when it is
 * answered. Its own record, and its parent's, have not come yet. */
static void ask_as_nobody(const struct sample *s, int file)
{
	pid_t pid = fork();

	if (!pid && !setresuid(65534, 65534, 65534)) {
		struct pollfd answer = {.fd = connect_to(gn_gate_name(s->gate)),
					.events = POLLIN};

		send_files(answer.fd, &file, 1);
		poll(&answer, 1, -1);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	_exit(0);
}

/* su, and the like. */
static void who_became_another_user_is_served(void **state)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct sample s;
	pid_t pid;

	(void)state;
	if (getuid())
		skip();
	sample_make(&s);
	assert_true(file >= 0);
	pthread_mutex_lock(&s.later.lock);
	assert_int_equal(gn_later_add(&s.later, getpid(), 0), 1);
	pthread_mutex_unlock(&s.later.lock);
	pid = fork();
	if (!pid)
		ask_as_nobody(&s, file);
	while (!count_news(&s))
		assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	gn_gate_close(s.gate);
	gn_later_let_go(&s.later);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	free(s.later.process);
	sample_clear(&s);
	close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_left_open),
		cmocka_unit_test(what_has_no_functions_does_not_wait),
		cmocka_unit_test(what_was_at_the_gate_was_seen),
		cmocka_unit_test(nobody_waits_for_another),
		cmocka_unit_test(who_became_another_user_is_served),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
