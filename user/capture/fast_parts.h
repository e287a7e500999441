/* SPDX-License-Identifier: BSD-2-Clause */
/* What fast.c, which knows who writes, and fast_merge.c, which reads it, share.
 */
#ifndef GNOMON_CAPTURE_FAST_PARTS_H
#define GNOMON_CAPTURE_FAST_PARTS_H

#include <gnomon/fast.h>
#include "capture/fast.h"
#include "capture/fast_clock.h"

#define GN_FAST_BUCKETS 1024u
#define GN_FAST_CALLS	48u

/* A process that offered its memory. */
struct gn_fast_area {
	struct gn_fast_area *next;
	uint32_t pid;
	uint32_t runtime; /* bits of a function's id */
	struct gn_fast_page *page;
	struct gn_fast_ring *rings;
	const unsigned char *data;
	uint32_t threads;  /* that have rings */
	uint32_t ready;	   /* slots below it have memory to begin with */
	uint32_t named;	   /* up to where names were read, our own count */
	uint32_t names;	   /* up to where they may be read */
	bool over;	   /* the process, or its program, has ended */
	bool headless;	   /* its first thread has; others can go on */
	bool broken;	   /* its hooks were told that gnomon does not read */
	bool nameless;	   /* its names are not read any more */
	uint64_t since;	   /* when it was offered */
	long long started; /* the process, by the kernel; 0: not known */
	bool bound[GN_FAST_SLOTS];
};

/* A ring that a thread took for its next program, while that of the one before
 * is not read to its end. */
struct gn_fast_claim {
	struct gn_fast_area *area; /* NULL: none */
	struct gn_rec_ring rec;
	size_t queued; /* bytes of kernel records up to `rec`, from which on
			* they wait; SIZE_MAX: it is not among them yet */
	bool ended;    /* this program, too, or the thread */
	bool exits;    /* of the two */
};

/* A thread that the kernel told of while a process had rings. */
struct gn_fast_entry {
	struct gn_fast_entry *next, *next_of_all, **before_of_all;
	struct gn_fast_thread t;
	uint32_t tid; /* by the kernel's last record; t.tid: by the last that
		       * went */
	struct gn_fast_area *area; /* NULL: it has no ring */
	/* the process's whose names it can tell: it has offered the memory, or
	 * taken a ring, and that has been told, and not its end */
	struct gn_fast_area *tells;
	struct gn_fast_claim claim;
	uint32_t slot;
	uint32_t pos;  /* up to where its ring was read, our own count */
	uint32_t mark; /* up to where it may be read */
	uint64_t stack, stacked; /* the one that the kernel told of last */
	size_t queued; /* bytes of kernel records of before the mark */
	size_t sure;   /* bytes of those that it made in no hook */
	bool idle;     /* at the mark it was in no hook */
	bool fresh;    /* it got its ring after the mark */
	bool ended;    /* it, or its program */
	bool last;     /* it had ended at the mark */
	bool exits;    /* of the two */
	bool hostile;  /* its ring is not read any more */
	bool ringless; /* it found no ring free */
	bool held;     /* its next kernel record cannot go in this round */
};

struct gn_fast {
	struct gn_fast_opts opts;
	struct gn_fast_clock clock;
	struct gn_fast_moment moment; /* of the mark */
	struct gn_fast_facts facts;
	struct gn_fast_area *areas;
	struct gn_fast_entry *all;
	struct gn_fast_entry *bucket[GN_FAST_BUCKETS];
	/* whose are the kernel records that wait, as they came: what one thread
	 * does to another comes before what that one tells of it */
	struct gn_fast_entry **order;
	size_t waiting, room;
	const uint64_t *consumed, *produced; /* of the kernel's ring */
	/* where it was right before the mark, and right after it */
	uint64_t produced_before, produced_mark;
	size_t page_size;
	uint64_t end;	/* of the session */
	double cost_ns; /* the least of hooks in a row; 0: not measured */
	uint32_t beat;
	size_t put; /* bytes since the sink was asked */
	struct gn_rec_func calls[GN_FAST_CALLS]; /* that go on together */
	bool marked;
	bool has_fresh; /* a thread got its ring after the mark */
	bool stopped;
};

/* The last that the process offered. NULL: none. */
struct gn_fast_area *gn_fast_find_area(struct gn_fast *f, uint32_t pid);

/* NULL: no such thread. */
struct gn_fast_entry *gn_fast_find(struct gn_fast *f, uint32_t tid);

/* The first thread of a process, which ended when this one executed a program
 * and took its number. NULL: there is none, or all of it is told. */
struct gn_fast_entry *gn_fast_find_first(const struct gn_fast_entry *e);

/* What only gnomon writes, the processes have left as it is: if not, records
 * are missing. */
void gn_fast_check(struct gn_fast *f);

/* A sign of life, for all who write. */
void gn_fast_beat(struct gn_fast *f);

/* Whether the sink takes no more now. It is asked before what it surely takes
 * is used up. */
bool gn_fast_is_enough(struct gn_fast *f);

/* Names that the process told up to the mark, as records of this thread, if it
 * can tell any. 1 = there are more, but it is enough; 0, or <0. */
int gn_fast_put_names(struct gn_fast *f, struct gn_fast_entry *e);

/* The same of all processes. */
int gn_fast_put_all_names(struct gn_fast *f);

/* After all that it wrote before it ended, if it has ended. */
void gn_fast_end_thread(struct gn_fast *f, struct gn_fast_entry *e);

/* Processes that have ended, and all their threads. */
void gn_fast_drop_areas(struct gn_fast *f);

#endif
