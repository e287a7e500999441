/* SPDX-License-Identifier: BSD-2-Clause */
/* The bare programs of bare.bpf.c, and the consumer of the one's records. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <stdint.h>

struct bare;

/* Attaches to an offset of a file; a thread drains the ring every 5 ms. */
int bare_start(const char *path, uint64_t offset, struct bare **out);

/* Ends it. `records` (may be NULL): what was drained. -ENOBUFS: some record
 * had no room, so the runs were not what they should be. */
int bare_stop(struct bare *b, uint64_t *records);

/* A program at each switch of a thread that returns at once: no tracer of the
 * scheduler costs less. */
struct nothing;

int nothing_start(struct nothing **out);
void nothing_stop(struct nothing *n);

#endif
