/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types as Mono writes them, in the form of recorded names
 * (names/clr_name.h): "N.Outer`1/Inner`1<int16, T_REF>" becomes
 * "N.Outer<short>+Inner<T>". Pure code.
 */
#ifndef GNOMON_MONO_WRITTEN_H
#define GNOMON_MONO_WRITTEN_H

#include <stddef.h>

#include "hooksite/clr/text.h"

/* Appends the types of a list like "int, N.Type[]", with commas and no spaces
 * between them. */
void gn_mono_put_types(struct gn_text *out, const char *types, size_t n);

#endif
