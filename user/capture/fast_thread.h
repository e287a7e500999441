/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread that writes records of its own: they and those of the kernel are
 * merged by time. No clock and no I/O here; what the traced process wrote comes
 * through `gn_fast_next`, one record at a time, and is not believed.
 *
 * The kernel's records of a thread are in their order, and so are its own. What
 * was done between two records of the kernel side can be among its own, and the
 * OS time of an interval is what the slices in it say. So the records get new
 * numbers, and OS time again.
 */
#ifndef GNOMON_CAPTURE_FAST_THREAD_H
#define GNOMON_CAPTURE_FAST_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>

/* Takes a record; 0, or <0, which ends the merging. */
typedef int (*gn_fast_put_fn)(void *ctx, const struct gn_rec *rec, size_t size);

/* The same of `n` ENTER and LEAVE records of one thread. */
typedef int (*gn_fast_calls_fn)(void *ctx, const struct gn_rec_func *recs,
				size_t n);

/* A record of the thread's own as it was read. */
struct gn_fast_event {
	uint64_t time; /* ns */
	uint32_t sp;   /* JIT_END: the bytes of the code */
	uint32_t func; /* GN_FUNC() */
	uint8_t kind;  /* enum gn_kind; 0: `lost` */
	uint32_t lost; /* records that are missing */
	bool late;     /* they are those of before the ring was known */
};

struct gn_fast_counts {
	uint64_t records;
	uint64_t dropped;   /* that rings had no room for */
	uint64_t late;	    /* in rings of which the kernel could not tell */
	uint64_t hostile;   /* that no hook writes */
	uint64_t unordered; /* of whose time the kernel's records leave no room
			     */
	uint64_t waits, waited_ns; /* of threads, for room */
};

#define GN_FAST_EARLY 4

struct gn_fast_thread {
	uint32_t tid;
	uint32_t bound; /* ns; by which times of its own can be wrong */
	/* the kernel's records that wait for its own: one after the other, each
	 * a multiple of 8 bytes */
	unsigned char *queue;
	size_t first, end, room; /* bytes */
	/* numbers: of the last record that came, and of the last that went */
	uint32_t seq_in, seq_out;
	uint32_t missing;   /* its own that are, before the next that goes */
	uint32_t slice_seq; /* of the last slice that came */
	uint64_t slice_end;
	bool numbered, sliced; /* there has been one */
	/* OS time since the last record of the kernel's that ended an interval:
	 * by slices, and what of it was handed out */
	uint64_t slices, handed;
	uint64_t wide; /* what OS_NS adds to the next such record */
	/* slices that may belong to what follows that record */
	struct {
		uint64_t start, ns;
	} early[GN_FAST_EARLY];
	uint32_t nearly;
	uint32_t events; /* slices since the last record of either stream */
	bool own;	 /* one of its own since the kernel's last */
	uint64_t last;	 /* its time */
	/* it waits since then for room; 0: it does not */
	uint64_t waits_since;
	uint64_t waited; /* ns that are not counted yet */
	bool unsure;	 /* the kernel's next record has time of a lost slice */
	/* a slice between these times is missing; 0: none */
	uint64_t doubt_from, doubt;
	uint64_t claimed; /* when the kernel told of its ring */
	uint64_t floor;	  /* nothing more comes of before */
	uint64_t told;	  /* the time of the kernel's last that went */
	uint64_t stack;	  /* an address of the stack that it runs on */
};

void gn_fast_thread_init(struct gn_fast_thread *t, uint32_t tid);
void gn_fast_thread_free(struct gn_fast_thread *t);

/* It has a ring from its record `claim` on; nothing that it writes is of
 * before. */
void gn_fast_thread_claim(struct gn_fast_thread *t,
			  const struct gn_rec_ring *claim);

/* So many records of its own are missing here. */
void gn_fast_thread_lose(struct gn_fast_thread *t, uint64_t n);

/* A record of the kernel's, in its order. -ENOMEM. */
int gn_fast_thread_queue(struct gn_fast_thread *t, const struct gn_rec *rec,
			 size_t size);

/* The first of these, or NULL. */
const struct gn_rec *gn_fast_thread_first(const struct gn_fast_thread *t);

size_t gn_fast_thread_first_size(const struct gn_fast_thread *t);

/* Whether an event of the thread's own was before that. */
bool gn_fast_thread_before(const struct gn_fast_thread *t,
			   const struct gn_fast_event *e,
			   const struct gn_rec *rec);

/* Hands the first record of the kernel's on. */
int gn_fast_thread_put_first(struct gn_fast_thread *t, gn_fast_put_fn put,
			     void *ctx);

/* A record of user space's becomes the thread's, after all that went. It is of
 * the stream NOTE. */
void gn_fast_thread_note(struct gn_fast_thread *t, struct gn_rec *rec);

/* Up to which time its own events are plain: calls and their ends that follow
 * one of its own, with nothing of the kernel's in between. 0: no event is. */
uint64_t gn_fast_thread_plain_until(const struct gn_fast_thread *t);

/* The record of a plain event; false: it is none. */
bool gn_fast_thread_make(struct gn_fast_thread *t,
			 const struct gn_fast_event *e, uint64_t until,
			 struct gn_rec_func *r);

/* Hands any event of its own on. After a wait for room, the thread's next event
 * ends that, also one of the kernel's. */
int gn_fast_thread_put(struct gn_fast_thread *t, const struct gn_fast_event *e,
		       struct gn_fast_counts *counts, gn_fast_put_fn put,
		       void *ctx);

#endif
