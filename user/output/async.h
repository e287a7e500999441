/* SPDX-License-Identifier: BSD-2-Clause */
/* Async methods and their await points, for each format that shows them. */
#ifndef GNOMON_OUTPUT_ASYNC_H
#define GNOMON_OUTPUT_ASYNC_H

#include <stdio.h>

#include "output/json.h"

/* Writes the CSV records: each method, followed by its await points. 0, -errno
 * of the stream, -ENOMEM, -EINVAL. */
int gn_async_csv(const struct gn_model *m, const struct gn_output_opts *o,
		 FILE *f);

/* Writes the array "async". */
void gn_json_async(struct gn_json *j);

#endif
