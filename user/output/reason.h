/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a row that says why the row before it waited. */
#ifndef GNOMON_OUTPUT_REASON_H
#define GNOMON_OUTPUT_REASON_H

#include <stddef.h>
#include <stdio.h>

/*
 * Prints an escaped text in lines of `room` cells, the first of which begins
 * after `used` cells. Its end says what a wait was for and who ended it, so
 * none of it is left out. What comes before two blanks is a column of its own.
 * 0 or -ENOMEM.
 */
int gn_reason_print(FILE *f, const char *text, size_t used, size_t room);

#endif
