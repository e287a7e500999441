/* SPDX-License-Identifier: BSD-2-Clause */
/* The bare programs of bare.bpf.c, and the consumer of the first one's
 * records. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct bare;

/* Where it is attached: to enter and leave by one link, or to the places where
 * a runtime reports them. */
struct bare_sites {
	char path[PATH_MAX];
	uint64_t offset[2];
	size_t count;
};

/* Attaches; a thread drains the ring every 5 ms. */
int bare_start(const struct bare_sites *sites, struct bare **out);

/* Ends it. `records` (may be NULL): how many were drained. -ENOBUFS: a record
 * had no room, so the runs are not valid. */
int bare_stop(struct bare *b, uint64_t *records);

/* A program at each switch of a thread that returns at once: no tracer of the
 * scheduler can cost less. */
struct nothing;

int nothing_start(struct nothing **out);
void nothing_stop(struct nothing *n);

#endif
