/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_CLR_CONVERSION_H
#define GNOMON_CLR_CONVERSION_H

#include <stdbool.h>
#include <string.h>

/* Whether a method of that name is a conversion operator. Those can differ in
 * their result only, so their names show it. */
static inline bool gn_is_conversion(const char *name)
{
	return !strcmp(name, "op_Implicit") || !strcmp(name, "op_Explicit") ||
	       !strcmp(name, "op_CheckedExplicit");
}

#endif
