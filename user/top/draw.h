/* SPDX-License-Identifier: BSD-2-Clause */
/* The live view as cells: a function of a period, the view and the size. */
#ifndef GNOMON_TOP_DRAW_H
#define GNOMON_TOP_DRAW_H

#include "top/cells.h"
#include "top/top.h"
#include "top/view.h"

/*
 * Draws a period (NULL: none yet, says what it waits for) as the view has it
 * into `out`, whose size, utf8 and colours say for what terminal. The view is
 * brought up to the period (gn_top_view_update) and learns how much there was
 * room for. `p`, and all that it points to, is only read, and not kept. 0, or
 * -ENOMEM: `out` is whole cells, but not all of them are drawn.
 */
int gn_top_draw(const struct gn_top_period *p, struct gn_top_view *v,
		struct gn_cells *out);

#endif
