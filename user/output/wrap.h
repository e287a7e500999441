/* SPDX-License-Identifier: BSD-2-Clause */
/* Breaks text into lines of a given width. */
#ifndef GNOMON_OUTPUT_WRAP_H
#define GNOMON_OUTPUT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* The prefixes of the first and the other lines, what ends a line that is
 * continued ("" unless the text is a command), and the line's width. */
struct gn_wrap {
	const char *first, *rest;
	const char *broken;
	size_t used; /* cells used on the first line before its prefix */
	size_t width;
};

/* Prints an escaped text, broken at blanks. A number and its unit stay
 * together, and so do the quoted words of a command. A word that is wider than
 * a line is not broken. */
void gn_wrap(FILE *f, const char *text, const struct gn_wrap *w);

/* Copies text line by line. Lines of notes ("# label       text") are wrapped,
 * the others stay as they are. */
void gn_wrap_notes(FILE *f, const char *text, size_t width);

#endif
