/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of native functions as people write them. */
#ifndef GNOMON_NAMES_NATIVE_NAME_H
#define GNOMON_NAMES_NATIVE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The name in the source, where `demangled` has more: "ns::Box::get" of
 * "int ns::Box<char>::get<int>(int) const [clone .isra.0]", and "work" of
 * "work.constprop.0", which a compiler made of it. False: there is no other, it
 * is longer than `size`, or the function is only a part of that one (.part.0).
 */
bool gn_native_name(const char *name, const char *demangled, char *to,
		    size_t size);

#endif
