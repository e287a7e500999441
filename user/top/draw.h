/* SPDX-License-Identifier: BSD-2-Clause */
/* The live view as cells: a function of a period, the view and the size. */
#ifndef GNOMON_TOP_DRAW_H
#define GNOMON_TOP_DRAW_H

#include "top/cells.h"
#include "top/top.h"
#include "top/view.h"

/*
 * Draws a period as the view shows it into `out`, whose size, utf8 and colours
 * describe the terminal. NULL: there is no period yet; this is drawn, too.
 * Updates the view for the period (gn_top_view_update), and sets how many rows
 * fit. `p` and the data behind it are only read, and not kept. 0, or -ENOMEM:
 * `out` is valid but incomplete.
 */
int gn_top_draw(const struct gn_top_period *p, struct gn_top_view *v,
		struct gn_cells *out);

#endif
