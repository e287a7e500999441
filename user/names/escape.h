/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names are hostile: what would control a terminal, and what is not UTF-8, is
 * escaped.
 */
#ifndef GNOMON_NAMES_ESCAPE_H
#define GNOMON_NAMES_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The next character of `text`: its code point, and its bytes in *len (>= 1).
 * -1 for a byte that is not UTF-8. 0 at the end.
 */
int32_t gn_utf8_next(const char *text, size_t *len);

/* False for characters that must not reach a terminal: controls, invisible
 * ones, and those that change the direction of text. */
bool gn_printable(int32_t c);

/* Cells of a terminal that the character takes: 0, 1 or 2. */
int gn_cells(int32_t c);

/*
 * `name` with escapes (\xNN for a byte, \u{N} for a character). A backslash
 * stays as it is. `utf8` false: only ASCII comes out. Freed by the caller; NULL
 * when there is no memory.
 */
char *gn_escape(const char *name, bool utf8);

/* The same of a string that is shown in quotes: of what comes out it can be
 * told what it was. It can hold NULs, and has one behind its `len` bytes. */
char *gn_escape_string(const char *text, size_t len, bool utf8);

#endif
