/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENVIRON_MAX (1u << 20)
#define OPEN_TRIES  100

int gn_inside_proc(pid_t pid, const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* 0 or -errno; `to` keeps what was read before an error. */
static int read_file(pid_t pid, const char *name, char *to, size_t size,
		     size_t *have)
{
	int fd = gn_inside_proc(pid, name, O_RDONLY);
	int err = fd < 0 ? fd : 0;
	ssize_t n = 1;

	*have = 0;
	while (!err && n > 0 && *have < size - 1) {
		n = read(fd, to + *have, size - 1 - *have);
		err = n < 0 ? -errno : 0;
		*have += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	to[*have] = '\0';
	return err;
}

size_t gn_inside_read(pid_t pid, const char *name, char *to, size_t size)
{
	size_t have;

	read_file(pid, name, to, size, &have);
	return have;
}

int gn_inside_why(pid_t pid, const char *name)
{
	int fd = gn_inside_proc(pid, name, O_RDONLY);

	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	close(fd);
	return -EIO;
}

bool gn_inside_user(const char *status, uid_t *uid, gid_t *gid)
{
	const char *u = strstr(status, "\nUid:");
	const char *g = strstr(status, "\nGid:");

	return u && g && sscanf(u, "\nUid:%*u%u", uid) == 1 &&
	       sscanf(g, "\nGid:%*u%u", gid) == 1;
}

/* The last of its numbers in the nested namespaces. The line of the groups
 * before it can be very long; it is read in parts. */
pid_t gn_inside_number(pid_t pid)
{
	int fd = gn_inside_proc(pid, "status", O_RDONLY);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	pid_t number = pid;
	char line[512], *last;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		last = strrchr(line, '\t');
		number = last ? (pid_t)strtol(last, NULL, 10) : pid;
		break;
	}
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return number;
}

int gn_inside_env_open(struct gn_inside_env *env, pid_t pid)
{
	int err = -ENOMEM;

	*env = (struct gn_inside_env){.text = malloc(ENVIRON_MAX)};
	if (env->text)
		err = read_file(pid, "environ", env->text, ENVIRON_MAX,
				&env->size);
	if (err || !env->size)
		gn_inside_env_free(env);
	return err == -ENOENT ? -ESRCH : err;
}

const char *gn_inside_variable(const void *env, const char *name)
{
	const struct gn_inside_env *e = env;
	size_t n = strlen(name);

	for (const char *p = e->text; p && p < e->text + e->size;
	     p += strlen(p) + 1)
		if (!strncmp(p, name, n) && p[n] == '=')
			return p + n + 1;
	return NULL;
}

void gn_inside_env_free(struct gn_inside_env *env)
{
	free(env->text);
	*env = (struct gn_inside_env){0};
}

bool gn_inside_started(pid_t pid, long long *ticks)
{
	char text[1024];
	const char *line;

	gn_inside_read(pid, "stat", text, sizeof(text));
	line = strrchr(text, ')');
	return line && sscanf(line,
			      ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
			      "%*u %*u %*d %*d %*d %*d %*d %*d %lld",
			      ticks) == 1;
}

int gn_inside_open(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = -1;

	/* With ".." in the path it is EAGAIN where anybody on the machine
	 * renamed a folder meanwhile (openat2(2)). */
	errno = EAGAIN;
	for (int i = 0; fd < 0 && errno == EAGAIN && i < OPEN_TRIES; i++)
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

/* The process's working folder, with a slash. */
static int read_cwd(pid_t pid, char cwd[PATH_MAX])
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/cwd", (int)pid);
	n = readlink(link, cwd, PATH_MAX - 2);
	if (n < 0)
		return -errno;
	/* the folder is outside of the process's root */
	if (!n || *cwd != '/')
		return -ENOENT;
	cwd[n++] = '/';
	cwd[n] = '\0';
	return 0;
}

int gn_inside_folder(pid_t pid, char folder[PATH_MAX])
{
	struct gn_inside_env env;
	int err = gn_inside_env_open(&env, pid);
	const char *own;

	*folder = '\0';
	if (err)
		return err;
	own = gn_inside_variable(&env, "TMPDIR");
	if (!own || !*own)
		own = "/tmp";
	if (*own != '/')
		err = read_cwd(pid, folder);
	if (!err && strlen(folder) + strlen(own) >= PATH_MAX)
		err = -ENAMETOOLONG;
	if (!err)
		strcat(folder, own);
	gn_inside_env_free(&env);
	return err;
}
