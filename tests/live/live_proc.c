/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts programs, sends them lines, and collects their output and exit
 * status. */
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE   4000 /* number of pauses */
#define READ_LEAST 4096

static void add_word(struct live *t, struct live_args *a, char *word)
{
	CHECK(t, a->n + 1 < sizeof(a->word) / sizeof(a->word[0]),
	      "too many words in a command");
	a->word[a->n++] = word;
	a->word[a->n] = NULL;
}

void live_add(struct live *t, struct live_args *a, ...)
{
	const char *word;
	va_list words;

	va_start(words, a);
	while ((word = va_arg(words, const char *)))
		add_word(t, a, live_text(t, "%s", word));
	va_end(words);
}

void live_split(struct live *t, struct live_args *a, const char *words)
{
	char *rest = live_text(t, "%s", words), *word;

	while ((word = strsep(&rest, " ")))
		if (*word)
			add_word(t, a, word);
}

void live_command(struct live *t, struct live_args *a, const char *command)
{
	size_t first = a->n;

	live_split(t, a, command);
	CHECK(t, a->n > first, "no command");
	if (a->word[first][0] != '/')
		a->word[first] = live_fixture(t, a->word[first]);
}

char *live_read(struct live *t, const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0, room = 0;
	char *bytes = NULL;
	ssize_t n;

	CHECK(t, fd >= 0, "%s: %s", path, strerror(errno));
	/* files in /proc do not tell their size */
	do {
		if (room - used < READ_LEAST) {
			room = room * 2 + READ_LEAST;
			bytes = realloc(bytes, room + 1);
			CHECK(t, bytes, "no memory");
		}
		n = read(fd, bytes + used, room - used);
		CHECK(t, n >= 0, "%s: cannot be read", path);
		used += (size_t)n;
	} while (n);
	bytes[used] = '\0';
	close(fd);
	if (size)
		*size = used;
	return bytes;
}

void live_copy(struct live *t, const char *from, const char *to)
{
	size_t size;
	char *bytes = live_read(t, from, &size);
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	CHECK(t,
	      fd >= 0 && write(fd, bytes, size) == (ssize_t)size &&
		      fchmod(fd, 0755) == 0 && close(fd) == 0,
	      "%s cannot be copied: %s", from, strerror(errno));
}

static void set_env(char *const *env)
{
	char *value;

	for (; env && *env; env++) {
		value = strchr(*env, '=');
		if (value)
			putenv(*env);
		else
			unsetenv(*env);
	}
}

static _Noreturn void become(const struct live_args *a,
			     const struct live_start *how, int in, int out,
			     int err)
{
	signal(SIGPIPE, SIG_DFL);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(125);
	if (how) {
		set_env(how->env);
		if (how->prepare)
			how->prepare();
	}
	execv(a->word[0], a->word);
	dprintf(2, "%s: %s\n", a->word[0], strerror(errno));
	_exit(125);
}

static int wait_code(struct live *t, pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) != pid)
		CHECK(t, errno == EINTR, "waitpid: %s", strerror(errno));
	if (WIFSIGNALED(*status))
		return 128 + WTERMSIG(*status);
	return WEXITSTATUS(*status);
}

static int open_input(struct live *t, const struct live_start *how)
{
	char *path;
	FILE *f;
	int fd;

	if (!how || !how->input) {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		CHECK(t, fd >= 0, "/dev/null: %s", strerror(errno));
		return fd;
	}
	path = live_path(t, "in");
	f = fopen(path, "we");
	CHECK(t, f && fputs(how->input, f) >= 0 && fclose(f) == 0, "%s: %s",
	      path, strerror(errno));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(t, fd >= 0, "%s: %s", path, strerror(errno));
	return fd;
}

void live_run(struct live *t, const struct live_args *a,
	      const struct live_start *how, struct live_end *end)
{
	const char *out_path = how ? how->out_path : NULL;
	char *out = live_path(t, "out"), *err = live_path(t, "err");
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	int in = open_input(t, how);
	int o = open(out_path ? out_path : out, flags, 0600);
	int e = open(err, flags, 0600);
	pid_t pid;

	CHECK(t, o >= 0 && e >= 0, "cannot keep a program's output: %s",
	      strerror(errno));
	pid = fork();
	CHECK(t, pid >= 0, "fork: %s", strerror(errno));
	if (pid == 0)
		become(a, how, in, o, e);
	close(in);
	close(o);
	close(e);
	end->code = wait_code(t, pid, &end->status);
	end->out_size = 0;
	end->out = out_path ? live_text(t, "%s", "")
			    : live_read(t, out, &end->out_size);
	end->err = live_read(t, err, &end->err_size);
}

void live_talk(struct live *t, const struct live_args *a,
	       struct live_talk *talk)
{
	int in[2], out[2], err[2];

	CHECK(t,
	      pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
		      pipe2(err, O_CLOEXEC) == 0,
	      "pipe: %s", strerror(errno));
	talk->pid = fork();
	CHECK(t, talk->pid >= 0, "fork: %s", strerror(errno));
	if (talk->pid == 0)
		become(a, NULL, in[0], out[1], err[1]);
	close(in[0]);
	close(out[1]);
	close(err[1]);
	talk->in = in[1];
	talk->out = out[0];
	talk->err = err[0];
}

/* A line, read byte by byte so that nothing after it is consumed. */
static bool read_line(int fd, char *line, size_t size)
{
	size_t n = 0;
	ssize_t r = 0;

	while (n + 1 < size) {
		r = read(fd, line + n, 1);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0 || line[n] == '\n')
			break;
		n++;
	}
	line[n] = '\0';
	return n || r > 0;
}

char *live_await_or_end(struct live *t, int fd, const char *prefix)
{
	char line[4096];

	while (read_line(fd, line, sizeof(line)))
		if (strncmp(line, prefix, strlen(prefix)) == 0)
			return live_text(t, "%s", line);
	return NULL;
}

char *live_await(struct live *t, int fd, const char *prefix)
{
	char line[4096], last[4096] = "";

	while (read_line(fd, line, sizeof(line))) {
		if (strncmp(line, prefix, strlen(prefix)) == 0)
			return live_text(t, "%s", line);
		memcpy(last, line, sizeof(last));
	}
	live_fail(t, "a program ended without a line \"%s\"; its last: \"%s\"",
		  prefix, last);
}

void live_tell(struct live *t, const struct live_talk *talk, const char *line)
{
	char *text = live_text(t, "%s\n", line);
	ssize_t n = write(talk->in, text, strlen(text));

	CHECK(t, n == (ssize_t)strlen(text), "cannot tell \"%s\": %s", line,
	      strerror(errno));
}

void live_ask(struct live *t, const struct live_talk *talk, const char *line)
{
	live_tell(t, talk, line);
	live_await(t, talk->out, "done");
}

int live_wait(struct live *t, struct live_talk *talk)
{
	int status;

	return wait_code(t, talk->pid, &status);
}

int live_finish(struct live *t, struct live_talk *talk)
{
	close(talk->in);
	return live_wait(t, talk);
}

pid_t live_child(struct live *t, pid_t pid,
		 bool (*is)(struct live *t, pid_t child))
{
	FILE *f = fopen(
		live_text(t, "/proc/%d/task/%d/children", (int)pid, (int)pid),
		"re");
	int child, found = 0;

	if (!f)
		return -1;
	while (!found && fscanf(f, "%d", &child) == 1)
		found = !is || is(t, child) ? child : 0;
	fclose(f);
	return found;
}

bool live_is_called(struct live *t, pid_t pid, const char *name)
{
	FILE *f = fopen(live_text(t, "/proc/%d/comm", (int)pid), "re");
	char is[32] = "";

	if (!f)
		return false;
	if (!fgets(is, sizeof(is), f))
		*is = '\0';
	fclose(f);
	is[strcspn(is, "\n")] = '\0';
	return !strcmp(is, name);
}

pid_t live_exchange(struct live *t, const char *a, const char *b)
{
	pid_t pid = fork();

	CHECK(t, pid >= 0, "fork: %s", strerror(errno));
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!renameat2(-1, a, -1, b, RENAME_EXCHANGE))
		;
	_exit(1);
}

void live_exchange_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

void live_await_call(struct live *t, pid_t pid, long call, long second)
{
	char *path = live_text(t, "/proc/%d/syscall", pid), line[256];
	long is, has;
	FILE *f;

	for (int i = 0; i < PATIENCE; i++) {
		f = fopen(path, "re");
		CHECK(t, f, "%s: %s", path, strerror(errno));
		if (!fgets(line, sizeof(line), f))
			*line = '\0';
		fclose(f);
		if (sscanf(line, "%ld %*x %lx", &is, &has) == 2 && is == call &&
		    (second < 0 || has == second))
			return;
		live_pause(5);
	}
	live_fail(t, "process %d is not in system call %ld: %s", pid, call,
		  line);
}

void live_beside(struct live *t, const char *options, struct live_talk *other)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, t->gnomon, "run", "-o", "/dev/null", NULL);
	live_split(t, &a, options);
	live_add(t, &a, "--", "/bin/sh", "-c", "echo runs; read line", NULL);
	live_talk(t, &a, other);
	free(live_await(t, other->out, "runs"));
}
