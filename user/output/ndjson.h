/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields that all rows of ndjson have. */
#ifndef GNOMON_OUTPUT_NDJSON_H
#define GNOMON_OUTPUT_NDJSON_H

#include <stddef.h>

#include "output/emit.h"

/* The members of an object `labels`: "name=value" each, as of --label. */
void gn_ndjson_labels(struct gn_emit *e, const char *const *labels, size_t n);

#endif
