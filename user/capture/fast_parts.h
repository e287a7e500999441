/* SPDX-License-Identifier: BSD-2-Clause */
/* What fast.c (the writers), fast_area.c (their memory), fast_merge.c (reading
 * and merging) and fast_names.c share. */
#ifndef GNOMON_CAPTURE_FAST_PARTS_H
#define GNOMON_CAPTURE_FAST_PARTS_H

#include <stdatomic.h>

#include <gnomon/fast.h>
#include "capture/fast.h"
#include "capture/fast_clock.h"

#define GN_FAST_BUCKETS 1024u
#define GN_FAST_CALLS	48u

/* Memory of a process that offered it, or of all its forked children. */
struct gn_fast_area {
	struct gn_fast_area *next;
	uint32_t pid;	  /* 0: of children */
	uint32_t runtime; /* GN_FUNC() bits of its functions */
	struct gn_fast_page *page;
	struct gn_fast_ring *rings;
	const unsigned char *data;
	size_t size;
	uint32_t slots, slot;	       /* their number and size */
	struct gn_fast_area *children; /* those of this process; may be NULL */
	uint32_t token;		       /* which children know; 0: not theirs */
	bool kept;	   /* children: a process that can use it is alive */
	uint32_t threads;  /* that have rings */
	uint32_t ready;	   /* slots below this have their first memory */
	uint32_t named;	   /* names are read up to here, our own count */
	uint32_t names;	   /* and may be read up to here */
	bool over;	   /* the process, or its program, has ended */
	bool headless;	   /* its leader has ended; others can go on */
	bool broken;	   /* `taken` was changed: hooks write no more */
	bool nameless;	   /* its names are not read any more */
	uint64_t since;	   /* when it was offered, ns */
	long long started; /* of the process, clock ticks; 0: not known */
	bool bound[GN_FAST_SLOTS];
};

/* A ring that a thread took for its next program before the ring of the last
 * one was read to its end. */
struct gn_fast_claim {
	struct gn_fast_area *area; /* NULL: none */
	struct gn_rec_ring rec;
	size_t queued; /* bytes of kernel records up to `rec`; those after it
			  wait. SIZE_MAX: `rec` is not queued yet */
	bool ended;    /* this program has ended, too, or the thread */
	bool exits;    /* the thread has ended */
};

/* A thread of which a kernel record came while some process had rings. */
struct gn_fast_entry {
	struct gn_fast_entry *next, *next_of_all, **before_of_all;
	struct gn_fast_thread t;
	uint32_t tid; /* in the last record that came; t.tid: in the last one
			 handed on */
	struct gn_fast_area *area; /* NULL: it has no ring */
	/* the memory whose names can go out as this thread's records: the
	 * thread has offered it or taken a ring there, that record is handed
	 * on, and the thread's end is not */
	struct gn_fast_area *tells;
	/* where the children that it forks have rings; NULL: nowhere */
	struct gn_fast_area *children;
	struct gn_fast_claim claim;
	uint32_t slot;
	uint32_t pos;  /* its ring is read up to here, our own count */
	uint32_t mark; /* and may be read up to here */
	uint64_t stack, stacked; /* from its last STACK record */
	size_t queued; /* bytes of kernel records from before the mark */
	size_t sure;   /* the same up to the last one outside hooks */
	bool idle;     /* at the mark it was in no hook */
	bool fresh;    /* it got its ring after the mark */
	bool ended;    /* the thread or its program has ended */
	bool last;     /* it had ended at the mark */
	bool exits;    /* the thread has ended */
	bool hostile;  /* its ring is not read any more */
	bool ringless; /* it found no ring free */
	bool held;     /* its next kernel record cannot go in this round */
};

struct gn_fast {
	struct gn_fast_opts opts;
	struct gn_fast_clock clock;
	struct gn_fast_moment moment; /* at the mark */
	struct gn_fast_facts facts;
	struct gn_fast_area *areas;
	struct gn_fast_entry *all;
	struct gn_fast_entry *bucket[GN_FAST_BUCKETS];
	/* the threads of the kernel records that wait, in order of arrival:
	 * what one thread does to another goes out before the other's own
	 * records of it */
	struct gn_fast_entry **order;
	size_t waiting, room;
	const uint64_t *consumed, *produced; /* of the kernel's ring */
	/* its write position right before the mark and right after it */
	uint64_t produced_before, produced_mark;
	uint64_t limit; /* ticks: later records wait for the next mark */
	size_t page_size;
	uint64_t end;	/* of the session */
	double cost_ns; /* the smallest of hooks in a row; 0: not measured */
	uint32_t beat;
	size_t put; /* bytes handed on since the sink was asked */
	struct gn_rec_func calls[GN_FAST_CALLS]; /* handed on together */
	bool marked;
	bool has_fresh; /* a thread got its ring after the mark */
	bool stopped;
};

/* How far the thread has written its ring. */
static inline uint32_t gn_fast_written(const struct gn_fast_entry *e)
{
	return atomic_load_explicit(&e->area->rings[e->slot].head,
				    memory_order_acquire) &
	       (e->area->slot - 1);
}

/* fast_area.c */

/* The memory that the process offered last. NULL: none. */
struct gn_fast_area *gn_fast_find_area(struct gn_fast *f, uint32_t pid);
/* The memory in which the process has taken a ring. NULL: none. */
struct gn_fast_area *gn_fast_find_claimed(struct gn_fast *f,
					  const struct gn_rec_ring *r);
/* Maps the memory that a process offers, or refuses it. */
void gn_fast_offer(struct gn_fast *f, const struct gn_rec_ring *r);
/* Takes the initial memory of this slot and the next ones. */
void gn_fast_take_memory(struct gn_fast_area *a, uint32_t from);
/* The record ends a thread, or begins one with an old number: notes what that
 * means for its process. A leader can end before other threads, which still
 * take rings. */
void gn_fast_end_area(struct gn_fast *f, const struct gn_rec *rec);
/* Tells all hooks that nobody reads what they write. */
void gn_fast_close_areas(struct gn_fast *f);
void gn_fast_free_areas(struct gn_fast *f);

/* The creator of the thread that a THREAD record reports. NULL: it is not
 * known, or this is another record. */
struct gn_fast_entry *gn_fast_find_creator(struct gn_fast *f,
					   const struct gn_rec *rec);

/* NULL: no such thread. */
struct gn_fast_entry *gn_fast_find(struct gn_fast *f, uint32_t tid);

/* The old leader of the process, which ended when this thread called exec and
 * took its number. NULL: there is none, or all its records are handed on. */
struct gn_fast_entry *gn_fast_find_first(const struct gn_fast_entry *e);

/* Checks that the processes have not changed what only gnomon writes. If one
 * has, its records count as missing. */
void gn_fast_check(struct gn_fast *f);

/* Gives all hooks a sign of life: moves their deadline on. */
void gn_fast_beat(struct gn_fast *f);

/* Whether the sink takes no more for now. It always takes some bytes, and is
 * asked before these are used up. */
#define GN_FAST_SURE_BYTES 2048u
static inline bool gn_fast_is_enough(struct gn_fast *f)
{
	if (f->put < GN_FAST_SURE_BYTES)
		return false;
	f->put = 0;
	return f->opts.enough(f->opts.ctx);
}

/* Emits the names that the process wrote up to the mark as records of this
 * thread, if it can (`tells`). 1: there are more, but the sink takes no more.
 * 0, or <0. */
int gn_fast_put_names(struct gn_fast *f, struct gn_fast_entry *e);

/* The same for all processes. */
int gn_fast_put_all_names(struct gn_fast *f);

/* Frees a thread's ring, if the thread has ended and its ring is read to the
 * end. */
void gn_fast_end_thread(struct gn_fast *f, struct gn_fast_entry *e);

/* Drops the memory of processes that have ended with all their threads. */
void gn_fast_drop_areas(struct gn_fast *f);

#endif
