/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The account of one thread: splits each interval into time classes so that
 * they sum to it. What is not known goes to `unclassified`; nothing is scaled.
 */
#ifndef GNOMON_MODEL_ACCOUNT_H
#define GNOMON_MODEL_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/model.h"

/* One interval as it was spent. */
struct gn_interval {
	uint64_t elapsed;
	uint64_t cost; /* of probes, taken out of it */
	uint64_t owed; /* and what of it found no room */
	/* what `cost` can be wrong by, and what more is owed than before */
	int64_t error;
	uint64_t app;  /* application time, by the classification */
	uint32_t mask; /* bit c: ns[c] is set; else it means 0 */
	bool gap;      /* records were lost in it */
	bool sliced;   /* its slices are in ns */
	uint64_t ns[GN_CLASS_COUNT];
};

#define GN_NEST_MAX 32

/* A runtime activity that is under way: JIT, GC. */
struct gn_nest {
	uint8_t class;
	uint32_t depth;	   /* frames of the shadow stack when it began */
	uint32_t activity; /* its number in gn_live, 0: none */
	uint64_t stack;	   /* which shadow stack that was */
};

/* All zeros, but for `since`, is a new account. */
struct gn_account {
	/* the open interval, from `since` on */
	uint64_t since;
	uint64_t os_notes; /* OS time beyond what its last record can say */
	uint64_t slices[GN_CLASS_COUNT];
	uint32_t slice_mask;
	bool slices_lost;
	bool gap;
	bool no_start;	      /* when it began was not seen */
	uint32_t after;	      /* what the probe that began it cost in it */
	uint32_t after_error; /* and what that can be wrong by */
	/* what was told of it already: [since - told, since) */
	uint64_t told;
	uint64_t told_os;     /* time that was given to other than a CPU */
	uint64_t told_slices; /* time of its slices that lies there */
	bool told_gap;	      /* records were lost in it */
	bool part_lost;	      /* slices were lost since then */
	uint64_t open_slices; /* in `slices`: of slices that go on */
	uint64_t slices_end;  /* the latest end of one */
	/* what runs on the CPU */
	struct gn_nest nest[GN_NEST_MAX];
	uint32_t nnest, nest_over; /* over: begins that found no room */
	/* intervals whose slices are too few: a mismatch, unless the next
	 * slice's number says that some were lost */
	uint64_t suspects;
	/* sums over closed intervals; outside: those that no function owned */
	uint64_t classes[GN_CLASS_COUNT];
	uint64_t outside[GN_CLASS_COUNT];
	uint64_t outside_elapsed;
	uint64_t app, outside_app;
	uint64_t elapsed, cost;
	int64_t error, outside_error;
};

/* What a record says of the interval that it ends. */
struct gn_ending {
	uint64_t time;
	uint64_t os_ns; /* OS time, besides the notes */
	bool os_event;	/* some OS event fell in it */
	/* What its probe cost, before and after `time`, and by how much each
	 * can be wrong; 0: leave it in. */
	uint32_t before, after, error_before, error_after;
	/* What of the cost of its owner's earlier intervals found no room. */
	uint64_t owed;
	enum gn_classify classify;
};

/* Begins an interval at `time`; what was noted of the open one is dropped. */
void gn_account_start(struct gn_account *a, uint64_t time);

/* A slice's record was read; `lost`: some before it were not. */
void gn_account_slice_seen(struct gn_account *a, bool lost,
			   struct gn_checks *checks);
/* A slice falls in the open interval. */
void gn_account_slice(struct gn_account *a, enum gn_class class, uint64_t ns);
/* So much of a slice [start, end) lies in what was told already, and its rest
 * alone is for gn_account_slice(). */
uint64_t gn_account_slice_told(struct gn_account *a, uint64_t start,
			       uint64_t end);
/* A slice of which no record has come yet, or which is to be told again. */
void gn_account_slice_open(struct gn_account *a, enum gn_class class,
			   uint64_t ns);
void gn_account_os_note(struct gn_account *a, uint64_t ns);

/*
 * Ends the open interval and begins the next. What its probes cost is taken
 * from its time on a CPU as far as there is such: an interval that was lost in
 * part stays whole. Hits cost more or less than they do on average, so what
 * finds no room in one interval is owed by the next of the same owner: else
 * short functions would be told as longer than they are.
 */
void gn_account_close(struct gn_account *a, const struct gn_ending *e,
		      struct gn_interval *iv, struct gn_checks *checks);

/* The same where no record ends the interval: what its slices do not cover is
 * not known. */
void gn_account_cut(struct gn_account *a, uint64_t time,
		    enum gn_classify classify, struct gn_interval *iv);

/*
 * Tells the open interval up to `time`, where the thread is known to do what
 * its slices say, those that go on among them, and else to be on a CPU. The
 * interval goes on: its end, whose OS time is of all of it, gives the rest.
 * A loss was before `time`: from there on all is known again. The cost of the
 * probe that began the interval is taken out as soon as there is room.
 */
void gn_account_tell(struct gn_account *a, uint64_t time,
		     enum gn_classify classify, struct gn_interval *iv);

/* Adds a closed interval to the thread's sums. */
void gn_account_add(struct gn_account *a, const struct gn_interval *iv,
		    bool outside);

/* Runtime activities begin and end; `stack` and `depth` say where, so that one
 * whose frame is gone without an end can be dropped. */
void gn_account_begin(struct gn_account *a, enum gn_class class, uint64_t stack,
		      uint32_t depth);
void gn_account_end(struct gn_account *a, enum gn_class class);
void gn_account_heal(struct gn_account *a, uint64_t stack, uint32_t depth);

#endif
