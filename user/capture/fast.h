/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges the records that threads of traced processes write themselves
 * (gnomon/fast.h) with the kernel's records, into one stream.
 *
 * One round: gn_fast_mark() notes how far each ring is written. Then the caller
 * drains the kernel's ring and calls gn_fast_record() for each record. All
 * kernel records from before the marks are then known, so gn_fast_merge() hands
 * on everything up to the marks.
 */
#ifndef GNOMON_CAPTURE_FAST_H
#define GNOMON_CAPTURE_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "capture/fast_thread.h"

struct gn_fast;

/* True: the sink takes no more for now. Called again and again. */
typedef bool (*gn_fast_enough_fn)(void *ctx);

struct gn_fast_opts {
	gn_fast_put_fn put;	/* takes merged records */
	gn_fast_calls_fn calls; /* takes many records of one thread at once */
	/* sends the kernel records that are due but that no event has caused
	 * so far. Called before rings are read, and once when a process is
	 * about to write its own records. Then <0: it must not. */
	int (*settle)(void *ctx);
	gn_fast_enough_fn enough;
	void *ctx;
	bool drops; /* a full ring loses records; else its thread waits */
};

/* `ring_fd`: the map of the kernel's ring. NULL: no memory, or the ring's
 * positions cannot be mapped. */
struct gn_fast *gn_fast_new(const struct gn_fast_opts *opts, int ring_fd);

/* Programs that write records go on without gnomon: their hooks pass the probed
 * sites again. */
void gn_fast_free(struct gn_fast *f);

/* Call for each kernel record, except those of gnomon's own threads. True: the
 * record is kept, and `put` gets it in its turn. False: it is not. */
bool gn_fast_record(struct gn_fast *f, const struct gn_rec *rec, size_t size);

void gn_fast_mark(struct gn_fast *f);

/* Call after draining. True: a thread got its ring after the mark, so all its
 * records would wait for the next round, and with them the names of functions
 * that other threads call in this round. Then mark and drain again. */
bool gn_fast_has_fresh(const struct gn_fast *f);

/* Call after the kernel's ring was drained at least to its position at the
 * mark; else this does nothing. 1: there is more to do. 0, or <0. */
int gn_fast_merge(struct gn_fast *f);

/* Call before and after a sleep, in which a thread whose ring fills wakes
 * gnomon. False: a thread already waits for room, so gnomon must not sleep. */
bool gn_fast_sleep(struct gn_fast *f);
void gn_fast_awake(struct gn_fast *f);

/* Stops all hooks from writing. Records of `end` or later are dropped. */
void gn_fast_stop(struct gn_fast *f, uint64_t end);

/* Call after the last drain: hands on all records that are kept. */
int gn_fast_flush(struct gn_fast *f);

struct gn_fast_facts {
	struct gn_fast_counts counts;
	uint64_t processes, threads;
	uint32_t bound_ns; /* the error of times */
	double drift;	   /* the largest change of the rate, as a fraction */
	uint64_t refused;  /* processes whose memory was refused */
	uint64_t none;	   /* the reason in the last GN_FAST_NONE */
	uint64_t ringless; /* threads that found no ring free */
	/* threads of forked children: that have a ring; that found none */
	uint64_t forked, crowded;
};

void gn_fast_tell(const struct gn_fast *f, struct gn_fast_facts *facts);

#endif
