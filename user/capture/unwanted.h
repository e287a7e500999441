/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters functions of runtimes that report all their functions, and gnomon's
 * own. A record of an excluded function still ends an interval, but begins or
 * ends no frame. So the times of others stay right, and the cost of the hits is
 * known.
 */
#ifndef GNOMON_CAPTURE_UNWANTED_H
#define GNOMON_CAPTURE_UNWANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>

/* The function of the probes that gnomon measures with. They stay attached, and
 * another gnomon that is traced can hit them: its children do, and its threads
 * on kernels that do not check whose return a probe is for. */
#define GN_UNWANTED_METER GN_FUNC(GN_RUNTIME_NATIVE, 0)

struct gn_unwanted {
	const char *filter; /* a glob a line; NULL: nothing is left out */
	uint64_t *bits;
	size_t words;
};

void gn_unwanted_free(struct gn_unwanted *u);

/* Takes each record, in order. Returns the record, or its replacement in
 * `room`. */
const struct gn_rec *gn_unwanted_record(struct gn_unwanted *u,
					const struct gn_rec *rec,
					struct gn_rec_func *room);

/* Whether any of these ENTER and LEAVE records would be replaced. */
bool gn_unwanted_any(const struct gn_unwanted *u,
		     const struct gn_rec_func *recs, size_t n);

#endif
