/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths as text. */
#ifndef GNOMON_PATH_H
#define GNOMON_PATH_H

#include <string.h>

/* The part of a path after its last slash; the whole path if that is empty. */
static inline const char *gn_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
