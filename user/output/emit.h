/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams JSON. Depth and length are not limited, and integers are unsigned
 * with 64 bits (jansson's are signed, and its writer recurses). The caller
 * opens and closes in pairs. Names are escaped so that the file can be shown on
 * a terminal; bytes that are not UTF-8 become the text \xNN.
 */
#ifndef GNOMON_OUTPUT_EMIT_H
#define GNOMON_OUTPUT_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "output/text.h"

struct gn_emit {
	FILE *f;	/* used by one thread only, and not locked */
	bool comma;	/* this level already has an element */
	bool flat;	/* all on one line: gn_emit_line() does nothing */
	bool in_markup; /* text is escaped so that it cannot end an HTML element
			 */
};

/*
 * Formats a number for programs: with a decimal point in every locale, and
 * without an exponent. `value` is finite and below 1e40; from 1e12 on it has no
 * decimals. 0 <= decimals <= 6.
 */
void gn_format_fixed(char buf[GN_CELL], double value, int decimals);

/* `key` is NULL in an array and at the top. */
void gn_emit_open(struct gn_emit *e, const char *key, char bracket);
void gn_emit_close(struct gn_emit *e, char bracket);
void gn_emit_u64(struct gn_emit *e, const char *key, uint64_t n);
void gn_emit_i64(struct gn_emit *e, const char *key, int64_t n);
/* A number whose digits are given as text. */
void gn_emit_number(struct gn_emit *e, const char *key, const char *digits);
void gn_emit_bool(struct gn_emit *e, const char *key, bool value);
void gn_emit_null(struct gn_emit *e, const char *key);
/* A percent, with 6 decimals. */
void gn_emit_pct(struct gn_emit *e, const char *key, double pct);
void gn_emit_text(struct gn_emit *e, const char *key, const char *text);
/* The same for `len` bytes, which can include NULs. A NUL must follow them. */
void gn_emit_string(struct gn_emit *e, const char *key, const char *text,
		    size_t len);
/* Begins a new line for the next row, so that files can be read and
 * compared. */
void gn_emit_line(struct gn_emit *e);

#endif
