/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/repeat.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "process/regular.h"
#include "trace/format.h"

static char *numbered(const char *path, uint64_t i)
{
	char *name = NULL;

	return asprintf(&name, "%s.%llu", path, (unsigned long long)i) < 0
		       ? NULL
		       : name;
}

/* Whether the file exists. If there is no memory, assumes that it does. */
static bool is_there(const char *path, uint64_t i)
{
	char *name = numbered(path, i);
	struct stat st;
	bool there = !name || !lstat(name, &st);

	free(name);
	return there;
}

bool gn_names_files(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") && (lstat(path, &st) || S_ISREG(st.st_mode)))
		return true;
	gn_error("%s is not a file, so it cannot name a set of them; give "
		 "another name with -o",
		 path);
	return false;
}

static bool check(const char *path, uint64_t times)
{
	if (!gn_names_files(path))
		return false;
	if (!times || times > GN_REPEAT_MAX) {
		gn_error("--repeat cannot be '%llu'; give 1 to %d",
			 (unsigned long long)times, GN_REPEAT_MAX);
		return false;
	}
	if (is_there(path, times + 1)) {
		gn_error("%s.%llu exists, from a larger set of captures; "
			 "remove that set, or give another name with -o",
			 path, (unsigned long long)times + 1);
		return false;
	}
	return true;
}

struct repeat {
	sigset_t signals, before;
	struct sigaction pipe, child; /* as they were before */
	int ended; /* the signal that ended the set, 0 = none */
};

static void block(struct repeat *r)
{
	struct sigaction usual = {.sa_handler = SIG_DFL};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, hup;

	sigemptyset(&usual.sa_mask);
	sigaction(SIGCHLD, &usual, &r->child);
	/* the reader of the messages may go away: the captures go on */
	sigaction(SIGPIPE, &ignore, &r->pipe);
	sigemptyset(&r->signals);
	sigaddset(&r->signals, SIGINT);
	sigaddset(&r->signals, SIGTERM);
	/* as gn_signals_open() does */
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN)
		sigaddset(&r->signals, SIGHUP);
	sigaddset(&r->signals, SIGQUIT);
	sigaddset(&r->signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &r->signals, &r->before);
}

/* Turns the status of waitpid() into an exit status. */
static int status_of(int told)
{
	if (WIFEXITED(told))
		return WEXITSTATUS(told);
	gn_error("the capture was killed by signal %d (%s); its file can be "
		 "read up to its last complete chunk, or is still the previous "
		 "one",
		 WTERMSIG(told), strsignal(WTERMSIG(told)));
	return GN_EXIT_FAILED;
}

/* Takes the signals that came before the child ended. */
static void take_rest(struct repeat *r)
{
	const struct timespec none = {0};
	int sig;

	while ((sig = sigtimedwait(&r->signals, NULL, &none)) > 0)
		if (sig != SIGCHLD)
			r->ended = sig;
}

/* Waits for the child; returns its exit status. */
static int await(struct repeat *r, pid_t child)
{
	for (;;) {
		siginfo_t info;
		int told, sig = sigwaitinfo(&r->signals, &info);

		if (sig > 0 && sig != SIGCHLD)
			r->ended = sig;
		if (waitpid(child, &told, WNOHANG) == child) {
			take_rest(r);
			return status_of(told);
		}
		if (sig < 0 || sig == SIGCHLD)
			continue;
		/* a signal from a key of the terminal has reached the child,
		 * too */
		if (info.si_code != SI_KERNEL)
			kill(child, sig);
	}
}

static int run(struct repeat *r, const char *path,
	       int (*once)(void *ctx, const char *path), void *ctx)
{
	pid_t self = getpid(), child;

	fflush(NULL);
	child = fork();
	if (child < 0) {
		gn_error("cannot start a process: %s; free some memory",
			 strerror(errno));
		return GN_EXIT_FAILED;
	}
	if (child)
		return await(r, child);
	/* if gnomon is killed, nobody waits for this child */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != self)
		_exit(GN_EXIT_FAILED);
	sigaction(SIGPIPE, &r->pipe, NULL);
	sigaction(SIGCHLD, &r->child, NULL);
	sigprocmask(SIG_SETMASK, &r->before, NULL);
	int status = once(ctx, path);

	fflush(NULL);
	_exit(status);
}

/* Reports that the set ended after run i. `status` is 0 if a signal ended
 * it. */
static void say_rest(const struct repeat *r, uint64_t i, uint64_t times,
		     int status)
{
	unsigned long long run = i, all = times;

	if (status)
		gn_error("run %llu of %llu ended with status %d; the others "
			 "were left out",
			 run, all, status);
	else
		gn_error("ended by SIG%s in run %llu of %llu; the others were "
			 "left out",
			 sigabbrev_np(r->ended), run, all);
}

int gn_repeat(const char *path, uint64_t times, bool quiet,
	      int (*once)(void *ctx, const char *path), void *ctx)
{
	struct repeat r = {0};
	int status = GN_EXIT_OK;

	if (!check(path, times))
		return GN_EXIT_USAGE;
	block(&r);
	for (uint64_t i = 1; i <= times && !status; i++) {
		char *name = numbered(path, i);

		if (!quiet)
			gn_error("run %llu of %llu", (unsigned long long)i,
				 (unsigned long long)times);
		status = name ? run(&r, name, once, ctx) : GN_EXIT_FAILED;
		free(name);
		if ((status || r.ended) && i < times)
			say_rest(&r, i, times, status);
		if (!status && r.ended)
			status = 128 + r.ended;
	}
	sigaction(SIGPIPE, &r.pipe, NULL);
	sigaction(SIGCHLD, &r.child, NULL);
	sigprocmask(SIG_SETMASK, &r.before, NULL);
	return status;
}

static int add(struct gn_traces *files, char *path)
{
	char **grown = reallocarray(files->path, files->n + 1, sizeof(*grown));

	if (grown)
		files->path = grown;
	if (!grown || !path) {
		free(path);
		return -ENOMEM;
	}
	grown[files->n++] = path;
	return 0;
}

/* A set ends at its first missing file. Warns if files follow the gap. */
static void tell_gap(const char *path, uint64_t missing)
{
	uint64_t i = missing + 1;

	while (i <= GN_REPEAT_MAX && !is_there(path, i))
		i++;
	if (i <= GN_REPEAT_MAX)
		gn_error("%s.%llu and what follows it are left out because "
			 "%s.%llu is missing; name each file to include them",
			 path, (unsigned long long)i, path,
			 (unsigned long long)missing);
}

/* Whether a file that is no trace has the set's name, such as the program or
 * its folder. */
static bool is_no_trace(const char *path)
{
	char magic[GN_TRACE_MAGIC_SIZE];
	int fd = gn_regular_open(path);
	ssize_t n;

	if (fd < 0)
		return fd == -EISDIR || fd == -ENOEXEC || fd == -ENOENT;
	n = read(fd, magic, sizeof(magic));
	close(fd);
	return n >= 0 && (n != sizeof(magic) ||
			  memcmp(magic, GN_TRACE_MAGIC, sizeof(magic)) != 0);
}

int gn_traces_add(struct gn_traces *files, const char *path)
{
	uint64_t i;
	int err = 0;

	if (!is_there(path, 1) || !is_no_trace(path))
		return add(files, strdup(path));
	for (i = 1; !err && i <= GN_REPEAT_MAX && is_there(path, i); i++)
		err = add(files, numbered(path, i));
	if (!err)
		tell_gap(path, i);
	return err;
}

void gn_traces_free(struct gn_traces *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->path[i]);
	free(files->path);
	*files = (struct gn_traces){0};
}
