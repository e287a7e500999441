/* SPDX-License-Identifier: BSD-2-Clause */
/* Names are hostile: control characters for a terminal, and bytes that are not
 * UTF-8, are escaped. */
#ifndef GNOMON_NAMES_ESCAPE_H
#define GNOMON_NAMES_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the next character of `text`: returns its code point, and its length
 * in *len (>= 1). -1: a byte that is not UTF-8. 0: the end. */
int32_t gn_utf8_next(const char *text, size_t *len);

/* False for characters that must not reach a terminal: controls, invisible
 * ones, and those that change the direction of text. */
bool gn_printable(int32_t c);

/* Terminal cells that the character takes: 0, 1 or 2. */
int gn_cells(int32_t c);

/*
 * `name` with escapes (\xNN for a byte, \u{N} for a character). Backslashes are
 * not escaped. `utf8` false: the result is ASCII only. Freed by the caller;
 * NULL: no memory.
 */
char *gn_escape(const char *name, bool utf8);

/* The same for a string to be shown in quotes; the original can be recovered
 * from the result. It can contain NULs, and must have one after its `len`
 * bytes. */
char *gn_escape_string(const char *text, size_t len, bool utf8);

#endif
