/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/target.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gnomon/path.h>

static int parse_id(const char *text, unsigned int *id)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || v >= UINT_MAX)
		return -EINVAL;
	*id = (unsigned int)v;
	return 0;
}

static int take_account(struct gn_user *u, const struct passwd *pw)
{
	if ((size_t)snprintf(u->name, sizeof(u->name), "%s", pw->pw_name) >=
		    sizeof(u->name) ||
	    (size_t)snprintf(u->home, sizeof(u->home), "%s", pw->pw_dir) >=
		    sizeof(u->home) ||
	    (size_t)snprintf(u->shell, sizeof(u->shell), "%s", pw->pw_shell) >=
		    sizeof(u->shell))
		return -ENAMETOOLONG;
	return 0;
}

static int find_invoker(struct gn_user *u)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	const struct passwd *pw;

	if (getuid() || !uid || !gid)
		return 0;
	if (parse_id(uid, &u->uid) || parse_id(gid, &u->gid))
		return -EINVAL;
	u->other = u->uid != 0;
	pw = getpwuid(u->uid);
	return pw ? take_account(u, pw) : 0;
}

int gn_user_find(struct gn_user *u, const char *name)
{
	const struct passwd *pw;
	struct sigaction pipe, child;

	memset(u, 0, sizeof(*u));
	if (sigprocmask(SIG_SETMASK, NULL, &u->mask) ||
	    sigaction(SIGPIPE, NULL, &pipe) || sigaction(SIGCHLD, NULL, &child))
		return -errno;
	u->no_pipe = pipe.sa_handler == SIG_IGN;
	u->no_child = child.sa_handler == SIG_IGN;
	u->uid = getuid();
	u->gid = getgid();
	if (!name)
		return find_invoker(u);
	if (getuid() || geteuid())
		return -EPERM;
	errno = 0;
	pw = getpwnam(name);
	if (!pw)
		return errno == ENOMEM || errno == EMFILE || errno == EIO
			       ? -errno
			       : -ENOENT;
	u->other = true;
	u->uid = pw->pw_uid;
	u->gid = pw->pw_gid;
	return take_account(u, pw);
}

/* Where execvp() looks without PATH; confstr() does not tell that of musl. */
#ifdef __GLIBC__
static const char default_dirs[] = "/bin:/usr/bin";
#else
static const char default_dirs[] = "/usr/local/bin:/bin:/usr/bin";
#endif

/* -EACCES beats -ENOENT, as in execvp(). */
static int try_program(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == EACCES ? -EACCES : -ENOENT;
	if (!S_ISREG(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return -EACCES;
	return 0;
}

int gn_target_resolve(const char *name, char *path)
{
	const char *dirs = getenv("PATH");
	int err = -ENOENT;

	if (!*name)
		return -ENOENT;
	if (strchr(name, '/')) {
		if (strlen(name) >= PATH_MAX)
			return -ENAMETOOLONG;
		strcpy(path, name);
		return try_program(path);
	}
	if (!dirs)
		dirs = default_dirs;
	for (const char *d = dirs; d;) {
		const char *end = strchrnul(d, ':');
		int len = (int)(end - d), got;

		if (snprintf(path, PATH_MAX, "%.*s%s%s", len, d,
			     len ? "/" : "./", name) < PATH_MAX) {
			got = try_program(path);
			if (!got)
				return 0;
			if (got == -EACCES)
				err = got;
		}
		d = *end ? end + 1 : NULL;
	}
	return err;
}

/* They execute a program that is among their words. Those that could read its
 * code as a file, run it elsewhere or change it (debuggers, valgrind, chroot)
 * are not here. */
static bool is_launcher(const char *path)
{
	static const char *const names[] = {
		"chrt",	   "doas",    "env",	    "find",    "flock",
		"ionice",  "nice",    "nohup",	    "numactl", "prlimit",
		"runuser", "setarch", "setpriv",    "setsid",  "stdbuf",
		"strace",  "sudo",    "taskset",    "time",    "timeout",
		"unshare", "xargs",   "systemd-run"};
	const char *name = gn_base_name(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

bool gn_target_launched(char *const argv[], char *path)
{
	if (gn_target_resolve(argv[0], path) || !is_launcher(path))
		return false;
	while (*++argv)
		if (**argv != '-' && !strchr(*argv, '=') &&
		    !gn_target_resolve(*argv, path) && !is_launcher(path))
			return true;
	return false;
}

static int become(const struct gn_user *u)
{
	if (!u->other)
		return 0;
	if (u->name[0] ? initgroups(u->name, u->gid) : setgroups(1, &u->gid))
		return -errno;
	if (setgid(u->gid) || setuid(u->uid))
		return -errno;
	if (u->uid && !setuid(0)) /* make sure that it cannot become root
				     again */
		return -EPERM;
	return 0;
}

static int user_environment(const struct gn_user *u, char *const env[])
{
	if (u->other && u->name[0] &&
	    (setenv("HOME", u->home, 1) || setenv("USER", u->name, 1) ||
	     setenv("LOGNAME", u->name, 1) || setenv("SHELL", u->shell, 1)))
		return -errno;
	for (; env && *env; env++) {
		const char *eq = strchr(*env, '=');
		char name[64];

		if (!eq || (size_t)(eq - *env) >= sizeof(name))
			return -EINVAL;
		memcpy(name, *env, (size_t)(eq - *env));
		name[eq - *env] = 0;
		if (setenv(name, eq + 1, 1))
			return -errno;
	}
	return 0;
}

/* Undoes gnomon's changes to itself that a program inherits. */
static void give_back(const struct gn_user *u)
{
	struct rlimit lim;

	if (u->nofile && !getrlimit(RLIMIT_NOFILE, &lim)) {
		lim.rlim_cur = u->nofile;
		setrlimit(RLIMIT_NOFILE, &lim);
	}
	signal(SIGPIPE, u->no_pipe ? SIG_IGN : SIG_DFL);
	signal(SIGCHLD, u->no_child ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &u->mask, NULL);
}

/* Redirects the command's input and output: see struct gn_user. */
static int redirect(const struct gn_user *u)
{
	int in;

	/* without a stderr there is nowhere to write */
	if (u->no_stdout && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		close(STDOUT_FILENO);
	if (u->out <= 0)
		return 0;
	in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (in < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(u->out, STDOUT_FILENO) < 0 || dup2(u->out, STDERR_FILENO) < 0)
		return -errno;
	return 0;
}

/* In the child: the program must not inherit anything from gnomon. */
static void run_child(int gate, int fail, char *const argv[],
		      const struct gn_user *u, char *const env[], int keep)
{
	char byte = 0;
	int err;

	while (read(gate, &byte, 1) < 0 && errno == EINTR)
		;
	err = byte == 'g' ? 0 : -ECANCELED;
	if (!err)
		err = user_environment(u, env);
	if (!err)
		err = redirect(u);
	if (!err)
		err = become(u);
	if (!err) {
		give_back(u);
		if (keep > 0)
			fcntl(keep, F_SETFD, 0);
		execvp(argv[0], argv);
		err = -errno;
	}
	err = -err;
	while (write(fail, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(127);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int gn_child_fork(struct gn_child *c, char *const argv[],
		  const struct gn_user *u, char *const env[], int keep)
{
	int gate[2] = {-1, -1}, fail[2] = {-1, -1};
	int err;

	*c = (struct gn_child){-1, -1, -1, -1, 0};
	if (pipe2(gate, O_CLOEXEC) || pipe2(fail, O_CLOEXEC)) {
		err = -errno;
		goto out;
	}
	fflush(NULL);
	c->pid = fork();
	if (c->pid < 0) {
		err = -errno;
		goto out;
	}
	if (!c->pid) {
		close(gate[1]);
		close(fail[0]);
		run_child(gate[0], fail[1], argv, u, env, keep);
	}
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	err = c->pidfd < 0 ? -errno : 0;
	c->gate = gate[1];
	c->fail = fail[0];
	gate[1] = -1;
	fail[0] = -1;
out:
	close_fd(&gate[0]);
	close_fd(&gate[1]);
	close_fd(&fail[0]);
	close_fd(&fail[1]);
	if (err)
		gn_child_close(c);
	return err;
}

int gn_child_go(struct gn_child *c)
{
	int err = 0;
	ssize_t n;

	if (write(c->gate, "g", 1) != 1)
		err = -errno;
	/* the child ends if this is closed before it got the byte */
	close_fd(&c->gate);
	if (err)
		return err;
	do {
		n = read(c->fail, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	close_fd(&c->fail);
	return n == (ssize_t)sizeof(err) ? -err : 0;
}

static int status_of(int status)
{
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

static int reap(struct gn_child *c, int flags)
{
	int status;
	pid_t got;

	if (c->pid <= 0)
		return -ECHILD;
	do {
		got = waitpid(c->pid, &status, flags);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	if (!got)
		return -EAGAIN;
	c->pid = -1;
	c->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return status_of(status);
}

int gn_child_wait(struct gn_child *c)
{
	return reap(c, 0);
}

int gn_child_poll(struct gn_child *c)
{
	return reap(c, WNOHANG);
}

void gn_child_close(struct gn_child *c)
{
	bool waiting = c->gate >= 0;

	close_fd(&c->gate);
	close_fd(&c->fail);
	close_fd(&c->pidfd);
	if (waiting && c->pid > 0)
		reap(c, 0);
}
