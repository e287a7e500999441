/* SPDX-License-Identifier: BSD-2-Clause */
/* Shortens names of functions where there is no room for the full name. */
#ifndef GNOMON_OUTPUT_SHORT_NAME_H
#define GNOMON_OUTPUT_SHORT_NAME_H

#include <stddef.h>

/*
 * Shortens `name` to `width` cells (at least 8). A name that fits stays as it
 * is. To keep the method's own name, drops parameters first, then type
 * arguments, then the outermost types and namespaces, and last shortens the
 * middle. The method's own type is shortened rather than dropped if both stay
 * readable. The caller frees it; NULL: no memory.
 */
char *gn_short_name(const char *name, size_t width);

/* The length in bytes of a function's name without its parameters and their
 * qualifiers, as in "(int) const" and "(int)~string". The whole length if the
 * name has no parameters. */
size_t gn_name_parameters(const char *name);

#endif
