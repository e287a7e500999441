/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GNOMON_HOOKSITE_GLOB_H
#define GNOMON_HOOKSITE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the glob matches the whole text: * is any text, ? one character.
 * Time: at most the product of the lengths. */
bool gn_glob(const char *glob, size_t glob_len, const char *text,
	     size_t text_len);

#endif
