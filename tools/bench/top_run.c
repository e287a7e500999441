/* SPDX-License-Identifier: BSD-2-Clause */
#include "top_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Bytes without a longer pause between them belong to one drawing. */
#define QUIET_MS 30

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int null_input(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int top_start_rows(const struct bench *b, args_t args, struct top_run *t)
{
	int fd[2], in = null_input(), err;

	*t = (struct top_run){.screen = -1};
	if (in < 0)
		return in;
	if (pipe2(fd, O_CLOEXEC)) {
		err = -errno;
		close(in);
		return err;
	}
	t->rows = fdopen(fd[0], "r");
	err = t->rows ? process_start(b, args, NULL,
				      &(struct streams){in, fd[1], -1}, &t->pid)
		      : -errno;
	close(in);
	close(fd[1]);
	if (!err)
		return 0;
	if (t->rows)
		fclose(t->rows);
	else
		close(fd[0]);
	return err;
}

int top_start_screen(const struct bench *b, args_t args, struct top_run *t)
{
	const struct winsize size = {.ws_row = TOP_ROWS, .ws_col = TOP_COLS};
	int slave, err;

	*t = (struct top_run){.screen = -1};
	if (openpty(&t->screen, &slave, NULL, NULL, &size))
		return -errno;
	if (fcntl(t->screen, F_SETFD, FD_CLOEXEC) ||
	    setenv("TERM", "xterm-256color", 1) ||
	    setenv("LC_ALL", "C.UTF-8", 1))
		err = -errno;
	else
		err = process_start(b, args, NULL,
				    &(struct streams){slave, slave, slave},
				    &t->pid);
	close(slave);
	if (err)
		close(t->screen);
	return err;
}

/* Stores the number after a key in a line; leaves *value if the key is
 * missing. */
static void find(const char *line, const char *key, double *value)
{
	const char *at = strstr(line, key);

	if (at)
		*value = strtod(at + strlen(key), NULL);
}

static void take_line(struct top_run *t)
{
	double lost = (double)t->lost;

	if (!strncmp(t->line, "# period ", 9))
		find(t->line, " length=", &t->length);
	else if (!strncmp(t->line, "# classes ", 10))
		find(t->line, " calls/s=", &t->calls);
	else if (!strncmp(t->line, "# lost ", 7))
		find(t->line, " session=", &lost);
	t->lost = (unsigned long long)lost;
}

int top_read_period(struct top_run *t)
{
	while (getline(&t->line, &t->line_size, t->rows) > 0) {
		if (!strcmp(t->line, "\n"))
			return 0;
		take_line(t);
	}
	return -ECHILD;
}

/* 1: some bytes arrived; 0: none within `ms`. */
static int read_some(struct top_run *t, int ms)
{
	struct pollfd p = {.fd = t->screen, .events = POLLIN};
	static const char open[] = "\033[?1049h"; /* the alternate screen */
	char bytes[16384];
	ssize_t n;
	int ready = poll(&p, 1, ms);

	if (ready < 0)
		return -errno;
	if (!ready)
		return 0;
	/* EIO: nobody has the terminal open any more */
	n = read(t->screen, bytes, sizeof(bytes));
	if (n <= 0)
		return -ECHILD;
	t->opened |= memmem(bytes, (size_t)n, open, sizeof(open) - 1) != NULL;
	return 1;
}

int top_read_screen(struct top_run *t, int ms, struct burst *b)
{
	int more = read_some(t, ms);

	if (more <= 0)
		return more < 0 ? more : -ETIMEDOUT;
	b->begin = now_ns();
	do {
		b->end = now_ns();
		more = read_some(t, QUIET_MS);
	} while (more > 0);
	return more;
}

int top_press(struct top_run *t, char key)
{
	return write(t->screen, &key, 1) == 1 ? 0 : -errno;
}

uint64_t top_cpu(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t top_peak(pid_t pid)
{
	char path[64], line[256];
	uint64_t kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f) &&
	       sscanf(line, "VmHWM: %" SCNu64, &kib) != 1)
		;
	fclose(f);
	return kib * 1024;
}

int top_end(struct top_run *t)
{
	struct burst rest;
	int status;

	if (t->rows) {
		kill(t->pid, SIGINT);
		while (!top_read_period(t))
			;
	} else {
		top_press(t, 'q');
		while (!top_read_screen(t, 10000, &rest))
			;
	}
	status = process_wait(t->pid);
	free(t->line);
	if (t->rows)
		fclose(t->rows);
	else
		close(t->screen);
	return status;
}
