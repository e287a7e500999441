/* SPDX-License-Identifier: BSD-2-Clause */
/* Hook-site libraries that the dynamic linker loads before the command. */
#ifndef GNOMON_CAPTURE_PRELOAD_H
#define GNOMON_CAPTURE_PRELOAD_H

#include "process/files.h"
#include "runtime/runtime.h"

struct gn_session;

/* Finds the runtime's library for the command's user; `path` has PATH_MAX
 * bytes. Returns why it cannot be preloaded, or NULL. */
const char *gn_preload_find(const struct gn_session *s,
			    const struct gn_runtime *rt, char *path);

#endif
