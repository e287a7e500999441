/* SPDX-License-Identifier: BSD-2-Clause */
/* How a cell's meaning looks on a terminal with a number of colours. */
#ifndef GNOMON_TOP_SCREEN_INK_H
#define GNOMON_TOP_SCREEN_INK_H

#include "top/cells.h"

struct gn_style {
	unsigned attributes; /* of curses: A_BOLD, A_REVERSE, ... */
	short pair;	     /* of colours */
};

/* Makes the colour pairs of curses. standard: -1 is the terminal's own colour.
 * 0, -ENOTSUP: the terminal has too few pairs. */
int gn_ink_pairs(int colours, int pairs, bool standard);

/* colours 0: attributes only. */
struct gn_style gn_ink_style(const struct gn_cell *cell, unsigned colours);

#endif
