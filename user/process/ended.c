/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/ended.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t gn_process_living(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	pid_t other = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (!access(path, F_OK))
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !other && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != (int)pid)
			other = (pid_t)atoi(entry->d_name);
	if (dir)
		closedir(dir);
	return other;
}

bool gn_process_has_ended(pid_t pid)
{
	return !gn_process_living(pid);
}

int gn_process_open(pid_t pid, int ms)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0),
			   .events = POLLIN};

	if (p.fd < 0)
		return -errno;
	if (poll(&p, 1, ms) <= 0)
		return p.fd;
	close(p.fd);
	return -ESRCH;
}

bool gn_process_ends(pid_t pid, int ms)
{
	int fd = gn_process_open(pid, ms);

	if (fd >= 0)
		close(fd);
	return fd == -ESRCH;
}
