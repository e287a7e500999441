/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that the filter leaves out, of runtimes that tell all they have.
 * Each of their records ends an interval as it did, but no frame begins or ends
 * by it: so the times of others stay right, and what the hits cost is known.
 */
#ifndef GNOMON_CAPTURE_UNWANTED_H
#define GNOMON_CAPTURE_UNWANTED_H

#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>

struct gn_unwanted {
	const char *filter; /* a glob a line; NULL: nothing is left out */
	uint64_t *bits;
	size_t words;
};

void gn_unwanted_free(struct gn_unwanted *u);

/* Each record, in its order: itself, or what stands for it in `room`. */
const struct gn_rec *gn_unwanted_record(struct gn_unwanted *u,
					const struct gn_rec *rec,
					struct gn_rec_func *room);

#endif
