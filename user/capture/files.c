/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files a program or a process maps. */
#include "capture/target.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_FILES 4096
#define LOADER	  "/lib64/ld-linux-x86-64.so.2"

int gn_paths_add(struct gn_paths *p, const char *path)
{
	char **list;
	char *copy;

	for (size_t i = 0; i < p->count; i++)
		if (!strcmp(p->path[i], path))
			return 0;
	if (p->count >= MAX_FILES)
		return -E2BIG;
	list = realloc(p->path, (p->count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	p->path = list;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	p->path[p->count++] = copy;
	return 0;
}

void gn_paths_free(struct gn_paths *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->path[i]);
	free(p->path);
	memset(p, 0, sizeof(*p));
}

/*
 * The system's own dynamic linker lists; the program's is not run, nor the
 * program, and neither is done with gnomon's privileges.
 */
static void list_child(int out, const char *program, const struct gn_user *u)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
	    dup2(null, 2) < 0)
		_exit(127);
	if (u->other &&
	    (setgroups(1, &u->gid) || setgid(u->gid) || setuid(u->uid)))
		_exit(127);
	execl(LOADER, LOADER, "--list", program, (char *)NULL);
	_exit(127);
}

/* "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x...)" */
static int take_line(struct gn_paths *out, char *line)
{
	char *path = strchr(line, '/');
	char *end = path ? strstr(path, " (0x") : NULL;

	if (!end)
		return 0;
	*end = 0;
	return gn_paths_add(out, path);
}

int gn_target_files(const char *program, const struct gn_user *u,
		    struct gn_paths *out)
{
	char line[PATH_MAX + 256];
	int fds[2], err, status;
	pid_t pid;
	FILE *f;

	err = gn_paths_add(out, program);
	if (err)
		return err;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fflush(NULL);
	pid = fork();
	if (!pid)
		list_child(fds[1], program, u);
	close(fds[1]);
	f = fdopen(fds[0], "r");
	if (pid < 0 || !f) {
		err = -errno;
		close(fds[0]);
		return err;
	}
	while (!err && fgets(line, sizeof(line), f))
		err = take_line(out, line);
	fclose(f);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return err; /* a static program has none: not an error */
}

/* "7f..-7f.. r-xp 00000000 08:01 1234   /usr/lib/libc.so.6" */
static int take_map(pid_t pid, struct gn_paths *out, char *line)
{
	char path[PATH_MAX + 64];
	char *name = strchr(line, '/');
	int perms;

	if (!name || sscanf(line, "%*s %n", &perms) < 0 ||
	    strncmp(line + perms, "r-xp", 4))
		return 0;
	name[strcspn(name, "\n")] = 0;
	/* seen from the process's own root: it can be in a container */
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, name);
	if (access(path, R_OK))
		return 0; /* deleted or a device: it cannot be read anyway */
	return gn_paths_add(out, path);
}

int gn_process_files(pid_t pid, struct gn_paths *out)
{
	char line[PATH_MAX + 256], path[64], real[PATH_MAX];
	ssize_t len;
	int err;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	len = readlink(path, real, sizeof(real) - 1);
	if (len < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	real[len] = 0;
	snprintf(line, sizeof(line), "/proc/%d/root%s", pid, real);
	err = gn_paths_add(out, access(line, R_OK) ? path : line);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!err && fgets(line, sizeof(line), f))
		err = take_map(pid, out, line);
	fclose(f);
	return err;
}
