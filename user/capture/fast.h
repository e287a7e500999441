/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records that threads of traced processes write by themselves
 * (gnomon/fast.h), merged with the kernel's into one stream.
 *
 * A round: gn_fast_mark() notes how far each ring goes, then the kernel's ring
 * is drained, with gn_fast_record() for each record. What a thread did before
 * its records in its own ring is then there, so gn_fast_merge() hands on all up
 * to the marks.
 */
#ifndef GNOMON_CAPTURE_FAST_H
#define GNOMON_CAPTURE_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "capture/fast_thread.h"

struct gn_fast;

/* True: no more now. Asked again and again. */
typedef bool (*gn_fast_enough_fn)(void *ctx);

struct gn_fast_opts {
	gn_fast_put_fn put;	/* merged records */
	gn_fast_calls_fn calls; /* and many of one thread at once */
	/* a process is about to write records of its own; 0, or <0: it is not
	 * to */
	int (*begins)(void *ctx);
	gn_fast_enough_fn enough;
	void *ctx;
	bool drops; /* a full ring loses records; else its thread waits */
};

/* `ring_fd`: the map that is the kernel's ring. NULL: no memory, or it cannot
 * be watched. */
struct gn_fast *gn_fast_new(const struct gn_fast_opts *opts, int ring_fd);

/* Programs that write go on without gnomon: their hooks are probes again. */
void gn_fast_free(struct gn_fast *f);

/* True: the record is kept, and comes out in its place. Each record of the
 * kernel's, but those of gnomon's own threads. */
bool gn_fast_record(struct gn_fast *f, const struct gn_rec *rec, size_t size);

void gn_fast_mark(struct gn_fast *f);

/* After the draining: a thread has got its ring since the mark, so all that it
 * did would wait for the next round, and with it the names of functions that
 * other threads call in this one. To be marked, and drained, again. */
bool gn_fast_has_fresh(const struct gn_fast *f);

/* After the kernel's ring was drained, at least to where it was at the mark; if
 * it was not, nothing happens. 1 = there is more to do, 0, or <0. */
int gn_fast_merge(struct gn_fast *f);

/* Around a sleep: a thread whose ring fills wakes gnomon. False: one waits for
 * room already, so gnomon is not to sleep. */
bool gn_fast_sleep(struct gn_fast *f);
void gn_fast_awake(struct gn_fast *f);

/* No record of `end` or later counts, and none is written any more. */
void gn_fast_stop(struct gn_fast *f, uint64_t end);

/* After the last drain: all that is kept goes out. */
int gn_fast_flush(struct gn_fast *f);

struct gn_fast_facts {
	struct gn_fast_counts counts;
	uint64_t processes, threads;
	uint32_t bound_ns; /* by which a time can be wrong */
	double drift;	   /* the most that the rate changed, a share */
	uint64_t refused;  /* processes whose memory was none */
	uint64_t none;	   /* why the last that has none has none: GN_FAST_* */
	uint64_t ringless; /* threads that found no ring free */
};

void gn_fast_tell(const struct gn_fast *f, struct gn_fast_facts *facts);

#endif
