/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats names and numbers for people. Names are hostile: what would control a
 * terminal, and what is not UTF-8, is escaped.
 */
#ifndef GNOMON_OUTPUT_TEXT_H
#define GNOMON_OUTPUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "names/escape.h"
#include "names/text_stream.h"

/* Begins and ends the colour of warnings. */
#define GN_ATTENTION "\033[1;31m"
#define GN_PLAIN     "\033[0m"

/* Room for the text of any number. */
#define GN_CELL 48

/* The number of cells of an escaped text. */
size_t gn_text_width(const char *text);

/* Shortens an escaped text in its middle to `width` cells (at least 8), in
 * place. Shorter texts stay. */
void gn_text_shorten(char *text, size_t width);

/* Cuts off the end of an escaped text, in place, so that at most `width` cells
 * (at least 8) remain. */
void gn_text_cut(char *text, size_t width);

/* 1,234,567 */
void gn_format_count(char buf[GN_CELL], uint64_t n);

/* The singular or the plural word for `n`. */
static inline const char *gn_word(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}
/* 12.345 ms; exact: 12,345,678 ns. All units have one width, so that columns
 * align. */
void gn_format_time(char buf[GN_CELL], uint64_t ns, bool exact);
/* The same without the blank behind "s", for running text. */
void gn_format_duration(char buf[GN_CELL], uint64_t ns, bool exact);
/* The same for a signed amount: -12.345 ms. */
void gn_format_difference(char buf[GN_CELL], int64_t ns, bool exact);
/* 12.3 */
void gn_format_pct(char buf[GN_CELL], uint64_t part, uint64_t whole);

/* 0, or -errno if a write to the stream failed. Call it after each row, while
 * errno still comes from the write. */
int gn_stream_status(FILE *f);

/* The words for an enum gn_polled and for an enum gn_wait_end. */
const char *gn_polled_text(int polled);
const char *gn_wait_end_text(int end);
/* What stopped a thread; "": nothing. */
const char *gn_halt_text(int halt);

/* Writes a field of CSV, escaped, and quoted if needed (RFC 4180). 0,
 * -ENOMEM. */
int gn_csv_text(FILE *f, const char *text);

#endif
