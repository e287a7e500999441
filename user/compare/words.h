/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of comparisons as texts. */
#ifndef GNOMON_COMPARE_WORDS_H
#define GNOMON_COMPARE_WORDS_H

#include <stdio.h>

#include "compare/estimate.h"
#include "output/text.h"

/* "12.345 ms", "1,234", "12.3 %". */
void gn_format_reading(char buf[GN_CELL], int metric, enum gn_reading reading,
		       double value);

/* "+5.1 %", "from 0", "" when both are 0. */
void gn_format_change(char buf[GN_CELL], double base, double now);

#endif
