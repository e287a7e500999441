/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions where there is no room for all of them. */
#ifndef GNOMON_OUTPUT_SHORT_NAME_H
#define GNOMON_OUTPUT_SHORT_NAME_H

#include <stddef.h>

/*
 * `name` in at most `width` cells (at least 8): what fits stays as it is. Of
 * others the method's own name comes first: parameters go, then type arguments,
 * then the outermost types and name spaces, at last the end. Freed by the
 * caller; NULL: no memory.
 */
char *gn_short_name(const char *name, size_t width);

/* The bytes of a function's name up to its parameters, and what qualifies them,
 * as in "(int) const" and "(int)~string": all of a name that has none. */
size_t gn_name_parameters(const char *name);

#endif
