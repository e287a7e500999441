/* SPDX-License-Identifier: BSD-2-Clause */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS_MAX 32

static void replace(int fd, int by)
{
	if (by >= 0 && dup2(by, fd) < 0)
		_exit(125);
}

static int append(const char *argv[], size_t *n, args_t from)
{
	while (*from) {
		if (*n + 1 >= ARGS_MAX)
			return -E2BIG;
		argv[(*n)++] = *from++;
	}
	argv[*n] = NULL;
	return 0;
}

int process_start(const struct bench *b, args_t gnomon, args_t work,
		  const struct streams *s, pid_t *pid)
{
	const char *argv[ARGS_MAX];
	size_t n = 0;
	int err = 0;

	if (gnomon) {
		err = append(argv, &n, (args_t)(const char *[]){b->gnomon, 0});
		if (!err)
			err = append(argv, &n, gnomon);
		if (!err && work)
			err = append(argv, &n,
				     (args_t)(const char *[]){"--", 0});
	}
	if (!err && work)
		err = append(argv, &n, (args_t)(const char *[]){b->work, 0});
	if (!err && work)
		err = append(argv, &n, work);
	if (err)
		return err;
	fflush(NULL);
	*pid = fork();
	if (*pid < 0)
		return -errno;
	if (*pid)
		return 0;
	replace(STDIN_FILENO, s->in);
	replace(STDOUT_FILENO, s->out);
	replace(STDERR_FILENO, s->err);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

int process_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Runs a child to its end and keeps the beginning of its output. */
static int run_and_read(const struct bench *b, args_t gnomon, args_t work,
			char *text, size_t size)
{
	int fd[2], err;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	err = process_start(b, gnomon, work, &(struct streams){-1, fd[1], -1},
			    &pid);
	close(fd[1]);
	if (err) {
		close(fd[0]);
		return err;
	}
	while ((got = read(fd[0], text + n, size - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fd[0]);
	return process_wait(pid);
}

static int failed(const struct bench *b, args_t gnomon, args_t work, int status)
{
	if (status < 0)
		return status;
	fprintf(stderr, "bench: status %d of:", status);
	if (gnomon)
		fprintf(stderr, " %s", b->gnomon);
	for (; gnomon && *gnomon; gnomon++)
		fprintf(stderr, " %s", *gnomon);
	fprintf(stderr, "%s %s", gnomon ? " --" : "", b->work);
	for (; *work; work++)
		fprintf(stderr, " %s", *work);
	fputc('\n', stderr);
	return -ECHILD;
}

int run_work(const struct bench *b, args_t gnomon, args_t work, struct run *out)
{
	char text[256];
	int status = run_and_read(b, gnomon, work, text, sizeof(text));

	memset(out, 0, sizeof(*out));
	out->lost = gnomon && status == STATUS_LOST;
	if (status && !out->lost)
		return failed(b, gnomon, work, status);
	if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &out->ops, &out->elapsed, &out->cpu, &out->calls) != 4 ||
	    !out->ops)
		return -EPROTO;
	return 0;
}

/* Waits for the line that says that probes are in place; passes other lines
 * on. */
static int await_attached(int fd)
{
	char line[512];
	size_t n = 0;

	for (;;) {
		ssize_t got = read(fd, line + n, 1);

		if (got <= 0)
			return got < 0 ? -errno : -ECHILD;
		if (line[n++] != '\n' && n < sizeof(line) - 1)
			continue;
		line[n] = '\0';
		if (strstr(line, ": attached: "))
			return 0;
		fputs(line, stderr);
		n = 0;
	}
}

int beside_start(const struct bench *b, args_t gnomon, args_t work,
		 struct beside *s)
{
	int in[2], errors[2] = {-1, -1}, null, err = 0;

	if (pipe2(in, O_CLOEXEC))
		return -errno;
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0 || (gnomon && pipe2(errors, O_CLOEXEC)))
		err = -errno;
	if (!err)
		err = process_start(b, gnomon, work,
				    &(struct streams){in[0], null, errors[1]},
				    &s->pid);
	s->interrupt = !work;
	s->input = in[1];
	s->errors = errors[0];
	close(in[0]);
	if (errors[1] >= 0)
		close(errors[1]);
	if (null >= 0)
		close(null);
	if (err) {
		close(s->input);
		if (s->errors >= 0)
			close(s->errors);
		return err;
	}
	if (gnomon)
		err = await_attached(s->errors);
	if (err)
		beside_stop(s);
	return err;
}

int beside_stop(struct beside *s)
{
	char rest[256];
	int status;

	close(s->input);
	if (s->interrupt)
		kill(s->pid, SIGINT);
	/* until gnomon has ended, so that it never waits for us */
	while (s->errors >= 0 && read(s->errors, rest, sizeof(rest)) > 0)
		;
	status = process_wait(s->pid);
	if (s->errors >= 0)
		close(s->errors);
	return status < 0			 ? status
	       : status && status != STATUS_LOST ? -ECHILD
						 : 0;
}

int site_of(const struct bench *b, const char *function, uint64_t *offset)
{
	const char *const work[] = {"where", function, NULL};
	char text[64];
	int status = run_and_read(b, NULL, work, text, sizeof(text));

	if (status)
		return failed(b, NULL, work, status);
	return sscanf(text, "%" SCNu64, offset) == 1 ? 0 : -EPROTO;
}
