/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/namespaces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_proc(const char **what, const char **todo)
{
	char self[32];
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	if (n >= 0)
		self[n] = '\0';
	if (n > 0 && strtol(self, NULL, 10) == (long)getpid())
		return 0;
	*what = "/proc is missing, or is of another PID namespace than gnomon";
	*todo = "mount one here (unshare --mount-proc)";
	return -EXDEV;
}

/* time_namespaces(7): lines of a clock, seconds and nanoseconds. A kernel
 * without them has no such file. */
static int check_clock(const char **what, const char **todo)
{
	FILE *f = fopen("/proc/self/timens_offsets", "re");
	long long seconds, ns;
	char clock[32];
	int err = 0;

	if (!f)
		return errno == ENOENT ? 0 : -errno;
	while (!err && fscanf(f, "%31s %lld %lld", clock, &seconds, &ns) == 3)
		if (!strcmp(clock, "monotonic") && (seconds || ns))
			err = -EXDEV;
	fclose(f);
	*what = "gnomon is in a time namespace whose clock is not the "
		"machine's";
	*todo = "run it outside of that";
	return err;
}

int gn_namespaces_check(const char **what, const char **todo)
{
	int err = check_proc(what, todo);

	return err ? err : check_clock(what, todo);
}
