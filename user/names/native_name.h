/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of native functions as people write them. */
#ifndef GNOMON_NAMES_NATIVE_NAME_H
#define GNOMON_NAMES_NATIVE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The name in the source, if `demangled` has more than that: "ns::Box::get" for
 * "int ns::Box<char>::get<int>(int) const [clone .isra.0]", and "work" for
 * "work.constprop.0", a copy that the compiler made. False: it has no more,
 * `size` is too small, or the function is only a part of the named one
 * (.part.0).
 */
bool gn_native_name(const char *name, const char *demangled, char *to,
		    size_t size);

#endif
