/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The attach listener of HotSpot. A JVM that gets SIGQUIT and finds a file
 * .attach_pidN in its folder or in /tmp begins to listen on the socket
 * /tmp/.java_pidN. Without the file it writes what its threads do; and if it
 * does not handle the signal, it ends. So all is checked before.
 */
#include "runtime/java_attach_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gnomon/java.h>
#include "names/escape.h"
#include "process/inside.h"
#include "runtime/apart.h"

#define LISTEN_MS  10000
#define STEP_MS	   20
#define PATH_BYTES 1024 /* the JVM takes no longer argument */
#define ANSWER_MAX 4096
/* what the library returned; Java 8 says only the number */
#define DONE   "0\nreturn code: 0"
#define DONE_8 "0\n0\n"

static int tell_unseen(pid_t pid, int err, char *why)
{
	err = gn_attach_told_end(pid, err, why);
	if (err == -EACCES || err == -EPERM)
		snprintf(why, GN_WHY_MAX,
			 "only its own user may look at process %d; %s",
			 (int)pid, gn_attach_remedy());
	else if (err != -ESRCH)
		snprintf(why, GN_WHY_MAX,
			 "the status of process %d cannot be read (%s)",
			 (int)pid, strerror(-err));
	return err;
}

int gn_java_listener_open(struct gn_java_listener *l, pid_t pid, char *why)
{
	char status[2048];

	*l = (struct gn_java_listener){.pid = pid, .socket = -1};
	l->root = gn_inside_proc(pid, "root", O_PATH);
	if (l->root < 0)
		return tell_unseen(pid, l->root, why);
	gn_inside_read(pid, "status", status, sizeof(status));
	if (!gn_inside_user(status, &l->uid, &l->gid))
		return tell_unseen(pid, gn_inside_why(pid, "status"), why);
	l->number = gn_inside_number(pid);
	return 0;
}

void gn_java_listener_close(struct gn_java_listener *l)
{
	if (l->root >= 0)
		close(l->root);
	if (l->socket >= 0)
		close(l->socket);
	l->root = l->socket = -1;
}

static int open_tmp(const struct gn_java_listener *l)
{
	return gn_inside_open(l->root, "/tmp", O_RDONLY | O_DIRECTORY);
}

/* 0, if the JVM listens. */
static int find_socket(struct gn_java_listener *l)
{
	int dir = open_tmp(l);
	char name[32];

	if (dir < 0)
		return dir;
	snprintf(name, sizeof(name), ".java_pid%d", l->number);
	if (l->socket >= 0)
		close(l->socket);
	l->socket = gn_socket_open(dir, name, l->uid);
	close(dir);
	return l->socket < 0 ? l->socket : 0;
}

/* Whether the JVM handles the signal; -errno. */
static int handles(pid_t pid, int signal)
{
	unsigned long long caught;
	char status[4096];
	const char *line;

	gn_inside_read(pid, "status", status, sizeof(status));
	line = strstr(status, "\nSigCgt:");
	if (!line || sscanf(line, "\nSigCgt: %llx", &caught) != 1)
		return gn_inside_why(pid, "status");
	return caught >> (signal - 1) & 1;
}

/* The file that asks the JVM to listen. */
struct trigger {
	int dir; /* where gnomon has made it; -1: somebody else has */
	char name[32];
};

/* 1: it is there, and the JVM takes it; 0: it is not there. -EPERM: the JVM
 * does not take it. */
static int look_at(const struct gn_java_listener *l, int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, 0))
		return errno == ENOENT ? 0 : -EPERM;
	return st.st_uid == l->uid || !st.st_uid ? 1 : -EPERM;
}

/* The JVM takes a file of its own user only. */
static int make(const struct gn_java_listener *l, int dir, const char *name)
{
	int fd = openat(dir, name,
			O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC,
			0600);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (geteuid() != l->uid && fchown(fd, l->uid, l->gid))
		err = -errno;
	close(fd);
	if (err)
		unlinkat(dir, name, 0);
	return err;
}

/* The JVM looks in its folder first. */
static int make_trigger(const struct gn_java_listener *l, struct trigger *t)
{
	int cwd = gn_inside_proc(l->pid, "cwd", O_RDONLY | O_DIRECTORY);
	int err;

	snprintf(t->name, sizeof(t->name), ".attach_pid%d", l->number);
	t->dir = -1;
	err = cwd < 0 ? 0 : look_at(l, cwd, t->name);
	if (err) {
		close(cwd);
		return err < 0 ? err : 0;
	}
	t->dir = open_tmp(l);
	err = t->dir < 0 ? t->dir : make(l, t->dir, t->name);
	if (err && err != -EEXIST && cwd >= 0) {
		if (t->dir >= 0)
			close(t->dir);
		t->dir = cwd;
		return make(l, cwd, t->name);
	}
	if (cwd >= 0)
		close(cwd);
	if (err == -EEXIST) {
		err = look_at(l, t->dir, t->name) == 1 ? 0 : -EPERM;
		close(t->dir);
		t->dir = -1;
	}
	return err;
}

static void remove_trigger(const struct trigger *t)
{
	if (t->dir < 0)
		return;
	unlinkat(t->dir, t->name, 0);
	close(t->dir);
}

/* Whatever fails meanwhile, the JVM has the signal. */
static int await_socket(struct gn_java_listener *l, struct pollfd *ended)
{
	for (int ms = 0; ms < GN_APART_MS; ms += STEP_MS) {
		if (!find_socket(l))
			return 0;
		if (poll(ended, 1, STEP_MS) > 0)
			return -ESRCH;
	}
	return -ETIMEDOUT;
}

int gn_java_listener_explain(const struct gn_java_listener *l, int err,
			     char *why)
{
	const char *silence =
		err == -ETIMEDOUT ? gn_attach_silence(l->pid) : NULL;
	int pid = (int)l->pid;

	err = err ? gn_attach_told_end(l->pid, err, why) : 0;
	if (!err || err == -ESRCH)
		return err;
	if (err == -EINTR)
		snprintf(why, GN_WHY_MAX, "attaching was interrupted");
	else if (err == -ETIMEDOUT)
		snprintf(why, GN_WHY_MAX, "process %d does not answer%s%s", pid,
			 silence ? ": " : " tools that attach; ",
			 silence ?: "try again later");
	else if (err == -EACCES || err == -EPERM)
		snprintf(why, GN_WHY_MAX,
			 "the files by which tools attach to process %d, "
			 ".attach_pid%d and .java_pid%d in its /tmp, are not "
			 "its own user's, or cannot be made; remove them, or "
			 "run gnomon as root",
			 pid, l->number, l->number);
	else if (gn_attach_lacks(err))
		snprintf(why, GN_WHY_MAX,
			 "gnomon cannot attach to process %d (%s)", pid,
			 strerror(-err));
	else
		snprintf(why, GN_WHY_MAX,
			 "process %d does not listen to tools that attach "
			 "(%s); start the program under gnomon",
			 pid, strerror(-err));
	return err;
}

/* The file stays until the JVM has seen it. */
static int ask_to_listen(void *ctx, char *why)
{
	struct gn_java_listener *l = ctx;
	struct pollfd ended = {
		.fd = (int)syscall(SYS_pidfd_open, l->pid, 0),
		.events = POLLIN,
	};
	struct trigger t;
	int err = ended.fd < 0 ? -errno : make_trigger(l, &t);

	if (!err) {
		err = kill(l->pid, SIGQUIT) ? -errno : await_socket(l, &ended);
		remove_trigger(&t);
	}
	if (ended.fd >= 0)
		close(ended.fd);
	return gn_java_listener_explain(l, err, why);
}

static int await_listening(struct gn_java_listener *l, int lock,
			   gn_wait_fn wait, void *ctx, char *why)
{
	struct gn_socket_limits limits = gn_socket_limits(LISTEN_MS, wait, ctx);
	int *const kept[] = {&l->root, &lock};
	const struct gn_apart ask = {ask_to_listen, l, kept, 2};
	int err = gn_apart(&ask, &limits, why);

	if (!err)
		err = find_socket(l);
	else if (err != -EINTR && err != -ETIMEDOUT)
		return err;
	return gn_java_listener_explain(l, err, why);
}

int gn_java_listener_wake(struct gn_java_listener *l,
			  const struct gn_java_flags *f, int lock,
			  gn_wait_fn wait, void *ctx, char *why)
{
	int handled;

	if (!find_socket(l))
		return 0;
	handled = handles(l->pid, SIGQUIT);
	if (handled < 0)
		return gn_java_listener_explain(l, handled, why);
	if (f->deaf || !handled) {
		snprintf(why, GN_WHY_MAX,
			 "process %d was started with %s, so no tool can "
			 "attach to its JVM; start it again without that, or "
			 "under gnomon",
			 (int)l->pid,
			 f->deaf ? "-XX:+DisableAttachMechanism" : "-Xrs");
		return gn_attach_told_end(l->pid, -EOPNOTSUPP, why);
	}
	if (gn_attach_is_stopped(l->pid))
		return gn_java_listener_explain(l, -ETIMEDOUT, why);
	return await_listening(l, lock, wait, ctx, why);
}

/* What the JVM answered, for people. */
static int tell_answer(const struct gn_java_listener *l, char *answer,
		       char *why)
{
	char *text = strchr(answer, '\n'), *shown;

	text = text && text[1] ? text + 1 : answer;
	text[strcspn(text, "\n")] = '\0';
	shown = gn_escape(text, false);
	snprintf(why, GN_WHY_MAX,
		 "the JVM of process %d did not load gnomon's hook-site "
		 "library: '%.300s'",
		 (int)l->pid, shown ?: "");
	free(shown);
	return -EPROTO;
}

static int receive(const struct gn_java_listener *l, int s,
		   const struct gn_socket_limits *limits, char *why)
{
	char answer[ANSWER_MAX + 1];
	size_t have = 0;
	ssize_t n;

	do {
		n = gn_socket_receive(s, answer + have, ANSWER_MAX - have,
				      limits);
		have += n > 0 ? (size_t)n : 0;
	} while (n > 0 && have < ANSWER_MAX);
	answer[have] = '\0';
	if (n < 0 || !have)
		return gn_java_listener_explain(l, n < 0 ? (int)n : -ECONNRESET,
						why);
	if (!strncmp(answer, DONE, strlen(DONE)) || !strcmp(answer, DONE_8))
		return 0;
	return tell_answer(l, answer, why);
}

static size_t put(char *to, size_t at, const char *text)
{
	size_t n = strlen(text) + 1;

	memcpy(to + at, text, n);
	return at + n;
}

int gn_java_listener_load(struct gn_java_listener *l, const char *library,
			  const char *options,
			  const struct gn_socket_limits *limits, char *why)
{
	char message[PATH_BYTES + GN_JAVA_OPTIONS_MAX + 32];
	size_t n = 0;
	int s, err;

	if (strlen(library) >= PATH_BYTES) {
		snprintf(why, GN_WHY_MAX,
			 "the path of gnomon's hook-site library is too long "
			 "for a JVM; install gnomon in another folder");
		return -ENAMETOOLONG;
	}
	if (strlen(options) >= GN_JAVA_OPTIONS_MAX) {
		snprintf(why, GN_WHY_MAX,
			 "the patterns of -f are too long together for a JVM "
			 "that runs already (%d bytes); give fewer",
			 GN_JAVA_OPTIONS_MAX - 40);
		return -E2BIG;
	}
	n = put(message, n, "1");
	n = put(message, n, "load");
	n = put(message, n, library);
	n = put(message, n, "true");
	n = put(message, n, options);
	s = gn_socket_say(l->socket, l->pid, message, n, limits);
	if (s < 0)
		return gn_java_listener_explain(l, s, why);
	err = receive(l, s, limits, why);
	close(s);
	return err;
}
