/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines before the rows of a period in batch mode. */
#ifndef GNOMON_TOP_BATCH_HEAD_H
#define GNOMON_TOP_BATCH_HEAD_H

#include <stdio.h>

#include "top/top.h"

/* Writes lines "# subject key=value ..."; `shown`: how many threads have rows.
 * 0, -errno of the stream, -ENOMEM. */
int gn_top_batch_head(const struct gn_top_period *p, size_t shown, bool utf8,
		      FILE *f);

#endif
