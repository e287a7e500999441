// SPDX-License-Identifier: BSD-2-Clause
/* Libraries that the program loads while it runs. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "hooksite/preload/later.h"
#include "hooksite/preload/lent.h"
#include "hooksite/preload/next.h"

/* dlopen.S calls these before the program's dlopen() and dlsym(), and then what
 * they return. */
gn_dlopen_fn gn_dlopen_before(const char *file, int mode);
gn_dlsym_fn gn_dlsym_before(void *library, const char *name);

/* The program loads libraries while it runs. */
static atomic_bool loads;

/* A host tries several places. */
static bool is_there(const char *file)
{
	return !strchr(file, '/') || !access(file, R_OK);
}

static void before(const char *file, int mode, gn_dlopen_fn next)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;

	if (!strcmp(name, "libcoreclr.so") && gn_lent_count() && is_there(file))
		gn_lent_give();
	/* a name alone can mean another file to the caller than here */
	if (!strcmp(name, "libjvm.so") && slash)
		gn_later_jvm(file, mode, next);
}

gn_dlopen_fn gn_dlopen_before(const char *file, int mode)
{
	int err = errno;
	gn_dlopen_fn next = gn_next_dlopen();

	if (file && !(mode & RTLD_NOLOAD)) {
		before(file, mode, next);
		atomic_store(&loads, true);
	}
	errno = err;
	return next;
}

/* A program that has loaded an interpreter, or a library that needs one, asks
 * for a function before it can use it. */
gn_dlsym_fn gn_dlsym_before(void *library, const char *name)
{
	int err = errno;
	gn_dlsym_fn next = gn_next_dlsym();

	(void)library, (void)name;
	if (atomic_load(&loads))
		gn_later_look();
	errno = err;
	return next;
}
