// SPDX-License-Identifier: BSD-2-Clause
/* Whether limits and filters of the process leave it room for fast hooks. */
#include "fast_state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Our memory counts towards these limits: the program could run into one, or
 * die of it. */
static bool is_limited(void)
{
	static const int limits[] = {RLIMIT_FSIZE, RLIMIT_AS};
	struct rlimit l;

	for (int i = 0; i < 2; i++)
		if (getrlimit(limits[i], &l) || l.rlim_cur != RLIM_INFINITY)
			return true;
	return false;
}

/* The byte after a text in a file; 0: the file does not have the text. */
static char byte_behind(int fd, const char *what)
{
	size_t len = strlen(what), kept = 0;
	char text[4096];
	ssize_t n;

	while ((n = read(fd, text + kept, sizeof(text) - 1 - kept)) > 0) {
		size_t end = kept + (size_t)n;
		const char *at;

		text[end] = '\0';
		at = strstr(text, what);
		if (at && at[len])
			return at[len];
		/* the text can continue in the next part */
		kept = end < len ? end : len;
		memmove(text, text + end - kept, kept);
	}
	return '\0';
}

/* A seccomp filter can forbid system calls that hooks need, and kill the
 * caller. What it forbids cannot be seen from here. A filter that the program
 * sets later is no problem: the program needs the same call (futex) itself.
 * The process's groups, which can be thousands, come first in the file. */
static bool is_filtered(void)
{
	int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
	char mode = fd < 0 ? '\0' : byte_behind(fd, "\nSeccomp:\t");

	if (fd >= 0)
		close(fd);
	return mode && mode != '0';
}

uint64_t gn_fast_forbidden(void)
{
	return is_filtered()  ? GN_FAST_FILTERED
	       : is_limited() ? GN_FAST_LIMITED
			      : 0;
}
