/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges the records that a thread writes itself with the kernel's records of
 * it, by time. No clock and no I/O here. What the traced process wrote comes as
 * struct gn_fast_event, one record at a time, and is not trusted.
 *
 * The kernel's records of a thread are in order, and so are the thread's own.
 * Own records can come between two kernel records, and the slices say how much
 * OS time each interval has. So all records get new numbers and new OS times.
 */
#ifndef GNOMON_CAPTURE_FAST_THREAD_H
#define GNOMON_CAPTURE_FAST_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>

/* Takes a record; 0, or <0, which ends the merging. */
typedef int (*gn_fast_put_fn)(void *ctx, const struct gn_rec *rec, size_t size);

/* The same for `n` ENTER and LEAVE records of one thread. */
typedef int (*gn_fast_calls_fn)(void *ctx, const struct gn_rec_func *recs,
				size_t n);

/* A record of the thread's own, as it was read. */
struct gn_fast_event {
	uint64_t time; /* ns */
	uint32_t sp;   /* JIT_END: the size of the code, bytes */
	uint32_t func; /* GN_FUNC() */
	uint8_t kind;  /* enum gn_kind; 0: `lost` */
	uint32_t lost; /* records that are missing */
	bool late;     /* they are from before the claim */
};

struct gn_fast_counts {
	uint64_t records;
	uint64_t dropped; /* that rings had no room for */
	uint64_t late;	  /* from before a claim that came late */
	uint64_t hostile; /* that no hook writes */
	/* whose times the kernel's records leave no room for */
	uint64_t unordered;
	uint64_t waits, waited_ns; /* of threads that wait for room */
};

#define GN_FAST_EARLY 4

struct gn_fast_thread {
	uint32_t tid;
	uint32_t bound; /* ns; the error of the thread's own times */
	/* kernel records that wait for the thread's own. Each follows its size
	 * in bytes (64 bits) and is padded to a multiple of 8 bytes. */
	unsigned char *queue;
	size_t first, end, room; /* bytes */
	/* the kernel's number of its last record handed on, and the last new
	 * number */
	uint32_t seq_in, seq_out;
	uint32_t missing; /* own records that are missing before the next one */
	uint32_t slice_seq; /* of the last slice that came */
	uint64_t slice_end;
	bool numbered, sliced; /* there was a record with a number, a slice */
	/* OS time since the last kernel record that ended an interval: the sum
	 * of the slices, and the part of it that own records have got */
	uint64_t slices, handed;
	uint64_t wide; /* ns that OS_NS adds to the next such record */
	/* slices that may belong to the interval after the next such record */
	struct {
		uint64_t start, ns;
	} early[GN_FAST_EARLY];
	uint32_t nearly;
	uint32_t events; /* slices since the last record of either stream */
	bool own;	 /* it wrote a record since the kernel's last */
	uint64_t last;	 /* time of its own last record */
	/* since when it waits for room in its ring; 0: it does not */
	uint64_t waits_since;
	uint64_t waited; /* ns that are not counted yet */
	bool unsure;	 /* the kernel's next record has a lost slice's time */
	/* a slice between these times is missing; 0: none */
	uint64_t doubt_from, doubt;
	uint64_t claimed; /* time of the kernel's record of its ring */
	uint64_t floor;	  /* no later record can have an earlier time */
	/* time of the last kernel record handed on, slices excepted */
	uint64_t told;
	uint64_t stack; /* an address of the stack that it runs on */
};

void gn_fast_thread_init(struct gn_fast_thread *t, uint32_t tid);
void gn_fast_thread_free(struct gn_fast_thread *t);

/* From its record `claim` on, the thread has a ring; what it writes there gets
 * no earlier time. */
void gn_fast_thread_claim(struct gn_fast_thread *t,
			  const struct gn_rec_ring *claim);

/* Counts `n` of its own records as missing here. */
void gn_fast_thread_lose(struct gn_fast_thread *t, uint64_t n);

/* Queues a kernel record, in the kernel's order. 0 or -ENOMEM. */
int gn_fast_thread_queue(struct gn_fast_thread *t, const struct gn_rec *rec,
			 size_t size);

/* The first record in the queue, or NULL. */
const struct gn_rec *gn_fast_thread_first(const struct gn_fast_thread *t);

size_t gn_fast_thread_first_size(const struct gn_fast_thread *t);

/* Whether an event of the thread's own comes before a kernel record. */
bool gn_fast_thread_before(const struct gn_fast_thread *t,
			   const struct gn_fast_event *e,
			   const struct gn_rec *rec);

/* Hands on the first record in the queue. */
int gn_fast_thread_put_first(struct gn_fast_thread *t, gn_fast_put_fn put,
			     void *ctx);

/* Makes a record of user space, of the stream NOTE, the thread's next one: sets
 * its time, thread and number. */
void gn_fast_thread_note(struct gn_fast_thread *t, struct gn_rec *rec);

/* The time up to which its own events are plain: calls and their ends that
 * follow an event of its own, with no kernel record in between. 0: no event is
 * plain. */
uint64_t gn_fast_thread_plain_until(const struct gn_fast_thread *t);

/* Makes the record of a plain event. False: the event is not plain. */
bool gn_fast_thread_make(struct gn_fast_thread *t,
			 const struct gn_fast_event *e, uint64_t until,
			 struct gn_rec_func *r);

/* Hands on any event of its own. A wait for room ends at the thread's next
 * event, even if that is a kernel record. */
int gn_fast_thread_put(struct gn_fast_thread *t, const struct gn_fast_event *e,
		       struct gn_fast_counts *counts, gn_fast_put_fn put,
		       void *ctx);

#endif
