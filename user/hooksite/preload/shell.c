// SPDX-License-Identifier: BSD-2-Clause
/*
 * The C library's system() and popen() start a shell with the environment of
 * the process, past functions that this library has in front. To add to it for
 * that time would be seen by other threads, and getenv() in one of them can
 * read what is freed meanwhile. So these do the same as the C library's, and
 * start the shell as the program starts others.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooksite/preload/exec.h"
#include "hooksite/preload/next.h"

#define EXPORT __attribute__((visibility("default")))

/* 0 or an error. */
static int start_shell(pid_t *pid, const char *command,
		       const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};

	return gn_exec_spawn(pid, "/bin/sh", actions, attr, argv, environ);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return -1;
	return status;
}

/* While threads are in system(), the process does not take these signals. */
static struct {
	pthread_mutex_t lock;
	size_t threads;
	struct sigaction interrupt, quit; /* before that */
} ignored = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void ignore(void)
{
	const struct sigaction none = {.sa_handler = SIG_IGN};

	pthread_mutex_lock(&ignored.lock);
	if (!ignored.threads++) {
		sigaction(SIGINT, &none, &ignored.interrupt);
		sigaction(SIGQUIT, &none, &ignored.quit);
	}
	pthread_mutex_unlock(&ignored.lock);
}

static void take_again(void)
{
	pthread_mutex_lock(&ignored.lock);
	if (!--ignored.threads) {
		sigaction(SIGINT, &ignored.interrupt, NULL);
		sigaction(SIGQUIT, &ignored.quit, NULL);
	}
	pthread_mutex_unlock(&ignored.lock);
}

/* The shell gets the signals as the program had them. */
static int start_command(pid_t *pid, const char *command, const sigset_t *mask)
{
	posix_spawnattr_t attr;
	sigset_t usual;
	int err;

	sigemptyset(&usual);
	if (ignored.interrupt.sa_handler != SIG_IGN)
		sigaddset(&usual, SIGINT);
	if (ignored.quit.sa_handler != SIG_IGN)
		sigaddset(&usual, SIGQUIT);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, mask);
	posix_spawnattr_setsigdefault(&attr, &usual);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF |
						POSIX_SPAWN_SETSIGMASK);
	err = start_shell(pid, command, NULL, &attr);
	posix_spawnattr_destroy(&attr);
	return err;
}

/* The thread is cancelled. */
static void cancel(void *pid)
{
	kill(*(pid_t *)pid, SIGKILL);
	wait_for(*(pid_t *)pid);
	take_again();
}

static int run(const char *command)
{
	sigset_t child, mask;
	int status, err;
	pid_t pid;

	ignore();
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &mask);
	err = start_command(&pid, command, &mask);
	if (err) {
		/* as if the shell had ended with 127 */
		status = 127 << 8;
	} else {
		pthread_cleanup_push(cancel, &pid);
		status = wait_for(pid);
		pthread_cleanup_pop(0);
		err = errno;
	}
	take_again();
	sigprocmask(SIG_SETMASK, &mask, NULL);
	errno = err;
	return status;
}

EXPORT int system(const char *command)
{
	return command ? run(command) : !run("exit 0");
}

/* A stream of popen(). */
struct opened {
	struct opened *next;
	FILE *stream;
	int fd; /* of the stream */
	pid_t pid;
};

/* Who closes a stream does not wait for who opens one: a shell can wait for
 * gnomon before it starts. */
static struct {
	pthread_mutex_t opens; /* one thread at a time */
	pthread_mutex_t lock;  /* of the list */
	struct opened *_Atomic first;
} opened = {.opens = PTHREAD_MUTEX_INITIALIZER,
	    .lock = PTHREAD_MUTEX_INITIALIZER};

/* What popen() is asked for. False: nothing that there is. */
static bool parse(const char *mode, bool *reads, bool *on_exec)
{
	bool writes = false;

	*reads = *on_exec = false;
	for (; *mode; mode++)
		if (*mode == 'r')
			*reads = true;
		else if (*mode == 'w')
			writes = true;
		else if (*mode == 'e')
			*on_exec = true;
		else
			return false;
	return *reads != writes;
}

/* The shell gets no streams of earlier popen(), unless they have the place of
 * its own. 0 or an error. */
static int close_others(posix_spawn_file_actions_t *actions, int place)
{
	int err = 0;

	pthread_mutex_lock(&opened.lock);
	for (const struct opened *o = opened.first; o && !err; o = o->next)
		if (o->fd != place)
			err = posix_spawn_file_actions_addclose(actions, o->fd);
	pthread_mutex_unlock(&opened.lock);
	return err;
}

/* The shell gets `theirs` in place of its output or input. 0 or an error. */
static int start_piped(pid_t *pid, const char *command, int theirs, int place)
{
	posix_spawn_file_actions_t actions;
	int err;

	posix_spawn_file_actions_init(&actions);
	err = posix_spawn_file_actions_adddup2(&actions, theirs, place);
	if (!err)
		err = close_others(&actions, place);
	if (!err)
		err = start_shell(pid, command, &actions, NULL);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

/* At the start: to find it takes the dynamic linker's lock. */
__attribute__((constructor)) static void *find_fclose(void)
{
	static void *_Atomic next;
	void *at = next;

	if (!at)
		next = at = gn_next("fclose");
	return at;
}

static int close_stream(FILE *stream)
{
	int (*next)(FILE *);

	*(void **)&next = find_fclose();
	return next(stream);
}

/* Takes over `o` and the pipe. 0 or an error. */
static int open_piped(struct opened *o, const char *command, const int ends[2],
		      bool reads, bool on_exec)
{
	int err;

	pthread_mutex_lock(&opened.opens);
	err = start_piped(&o->pid, command, ends[reads],
			  reads ? STDOUT_FILENO : STDIN_FILENO);
	if (!err) {
		if (!on_exec)
			fcntl(o->fd, F_SETFD, 0);
		pthread_mutex_lock(&opened.lock);
		o->next = opened.first;
		opened.first = o;
		pthread_mutex_unlock(&opened.lock);
	}
	pthread_mutex_unlock(&opened.opens);
	close(ends[reads]);
	if (!err)
		return 0;
	close_stream(o->stream);
	free(o);
	return err;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	bool reads, on_exec;
	struct opened *o;
	FILE *stream;
	int ends[2], err;

	if (!parse(mode, &reads, &on_exec)) {
		errno = EINVAL;
		return NULL;
	}
	o = malloc(sizeof(*o));
	if (!o || pipe2(ends, O_CLOEXEC)) {
		free(o);
		return NULL;
	}
	stream = fdopen(ends[!reads], reads ? "r" : "w");
	if (!stream) {
		close(ends[0]);
		close(ends[1]);
		free(o);
		return NULL;
	}
	*o = (struct opened){.stream = stream, .fd = ends[!reads]};
	err = open_piped(o, command, ends, reads, on_exec);
	if (!err)
		return stream;
	errno = err;
	return NULL;
}

/* Takes the stream out of the list. NULL: it is none of popen(). */
static struct opened *take(const FILE *stream)
{
	struct opened *o, *before = NULL;

	if (!opened.first)
		return NULL;
	pthread_mutex_lock(&opened.lock);
	for (o = opened.first; o && o->stream != stream; o = o->next)
		before = o;
	if (o && before)
		before->next = o->next;
	else if (o)
		opened.first = o->next;
	pthread_mutex_unlock(&opened.lock);
	return o;
}

/* To the C library these two are the same. */
EXPORT int fclose(FILE *stream)
{
	struct opened *o = take(stream);
	int closed = close_stream(stream), status;

	if (!o)
		return closed;
	status = wait_for(o->pid);
	free(o);
	return status ? status : closed;
}

EXPORT int pclose(FILE *stream)
{
	return fclose(stream);
}
