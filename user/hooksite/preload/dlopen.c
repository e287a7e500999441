// SPDX-License-Identifier: BSD-2-Clause
#include "hooksite/preload/dlopen.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "hooksite/preload/lent.h"

/* A host tries several places. */
static bool is_there(const char *file)
{
	return !strchr(file, '/') || !access(file, R_OK);
}

static void before(const char *file)
{
	const char *slash = strrchr(file, '/');

	if (!strcmp(slash ? slash + 1 : file, "libcoreclr.so") &&
	    is_there(file))
		gn_lent_give();
}

void *gn_dlopen_before(const char *file, int mode)
{
	int err = errno;
	void *next;

	if (file && !(mode & RTLD_NOLOAD) && gn_lent_count())
		before(file);
	next = dlsym(RTLD_NEXT, "dlopen");
	errno = err;
	return next;
}
