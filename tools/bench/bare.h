/* SPDX-License-Identifier: BSD-2-Clause */
/* The bare two-record session program of bare.bpf.c, with its consumer. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <stdint.h>

struct bare;

/* Attaches to an offset of a file; a thread drains the ring every 5 ms. */
int bare_start(const char *path, uint64_t offset, struct bare **out);

/* Ends it. `records` (may be NULL): what was drained. -ENOBUFS: some record
 * had no room, so the runs were not what they should be. */
int bare_stop(struct bare *b, uint64_t *records);

#endif
