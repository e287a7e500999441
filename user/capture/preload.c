/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/preload.h"

#include <limits.h>
#include <string.h>

#include "capture/session_internal.h"

/* LD_PRELOAD has no way to quote a path. */
const char *gn_preload_find(const struct gn_session *s,
			    const struct gn_runtime *rt, char *path)
{
	const struct gn_user *u = &s->opts.user;

	if (gn_runtime_library(rt, false, path, PATH_MAX))
		return "gnomon's hook-site library is not installed";
	if (strpbrk(path, ": "))
		return "the path of gnomon's hook-site library has a space or "
		       "a colon";
	return u->other && !gn_user_can_read(u, path)
		       ? "the user cannot read gnomon's hook-site library"
		       : NULL;
}
