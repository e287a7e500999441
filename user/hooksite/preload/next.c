// SPDX-License-Identifier: BSD-2-Clause
#include "hooksite/preload/next.h"

#include <dlfcn.h>
#include <stdatomic.h>

gn_dlsym_fn gn_next_dlsym(void)
{
	static _Atomic(void *) next;
	void *at = atomic_load(&next);

	if (!at) {
		/* dlsym() would find this library's */
		at = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
		atomic_store(&next, at);
	}
	return (gn_dlsym_fn)at;
}

gn_dlopen_fn gn_next_dlopen(void)
{
	return (gn_dlopen_fn)gn_next("dlopen");
}

void *gn_next(const char *name)
{
	return gn_next_dlsym()(RTLD_NEXT, name);
}
