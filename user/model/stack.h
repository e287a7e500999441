/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shadow stacks of one thread, rebuilt from enter, leave, tailcall and
 * unwind events. Frames are keyed by the caller's stack pointer, so what was
 * missed heals: an enter ends the frames at or below its key, a leave those
 * below. A thread has one shadow stack for each stack it runs on (fibers, the
 * signal stack); only the active one's frames get time.
 */
#ifndef GNOMON_MODEL_STACK_H
#define GNOMON_MODEL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/calltree.h"
#include "model/model.h"
#include "model/names.h"
#include "model/observer.h"

/* Shadow stacks of one thread. Of more, the one idle longest is dropped. */
#define GN_STACKS_MAX 4096
/* How far down a frame is searched for by its function alone. Beyond it the
 * event counts as unmatched. */
#define GN_SEARCH_MAX 1024
/* Leaves of return probes that may still come (the kernel has 64 a thread at
 * most), and unwinds under way. */
#define GN_PENDING_MAX 64
#define GN_UNWIND_MAX  64

/* Who is told what happens, and where it does. */
struct gn_walk {
	const struct gn_observer *to; /* NULL: nobody is */
	struct gn_seen at;
	int err; /* the first one of the observer's */
};

/*
 * Later stages and sums that the stacks of all threads share. A frame for which
 * there is no room in the bounds is not there: what is returned is -ENOSPC, and
 * all else is as if its event had been lost.
 */
struct gn_stage {
	struct gn_names names;
	struct gn_tree tree;
	struct gn_checks checks;
	uint64_t frames;      /* that there is room for, of all stacks */
	uint64_t most_frames; /* 0: no bound */
	struct gn_walk walk;
};

enum gn_frame_flag {
	GN_FRAME_KEYLESS = 1,	/* its event had no key: has that below it */
	GN_FRAME_INHERITED = 2, /* came with a fork: the call is the parent's */
};

struct gn_frame {
	uint64_t key : 48;
	uint64_t flags : 16;
	uint64_t start; /* the stack's clock when it was entered */
	uint32_t func;	/* its id in the records */
	uint32_t node;
};

/* A frame that ended by a jump to another function, as it seems, and whose
 * return probe should still fire: if it does not, the frame was unwound. */
struct gn_pending {
	uint64_t key;
	uint64_t ns; /* how long the call took */
	uint32_t func;
	uint32_t node;
	bool inherited; /* the call is the parent's */
	bool due;	/* what it jumped to has left: its leave is next */
	bool crowded;	/* of more at its key than there was room for */
};

struct gn_stack {
	uint64_t id;
	uint64_t lo, hi; /* its mapping; both 0: not known */
	uint64_t clock;	 /* time that passed while it was active */
	uint64_t used;	 /* when it was made active last, in switches */
	struct gn_frame *frames;
	uint32_t n, cap;
	uint32_t npending, pending_cap;
	struct gn_pending *pending; /* keys fall towards the end */
};

struct gn_unwind {
	uint64_t stack;
	uint64_t key;
	uint32_t func;
	bool found; /* the frame is on the stack */
	bool muted; /* it is not meant to be */
};

struct gn_stacks {
	struct gn_stack *active;
	struct gn_stack *next;	  /* active from the next collect event on */
	struct gn_stack *first;	  /* the one without a mapping; NULL: has one */
	struct gn_stack **mapped; /* by address, no two overlap */
	uint32_t nmapped, mapped_cap;
	uint32_t root; /* tree node below the first frame */
	uint64_t main; /* id of the stack that it began on */
	uint64_t ids, switches;
	uint64_t calls, unwound;
	struct gn_unwind *unwinds; /* GN_UNWIND_MAX at most */
	uint32_t nunwinds, unwinds_cap;
};

int gn_stacks_init(struct gn_stacks *st, uint32_t root);
/* Forgets all frames without counting them. */
void gn_stacks_free(struct gn_stacks *st);

/*
 * Who owns the interval that ends now; advances that stack's clock and makes
 * the stack that the ending event runs on the active one. When the thread
 * changed stacks in the interval, the frames that it ended on own it, or if
 * that stack has none (a signal handler, a new fiber) those it came from.
 * `outside`: no function owns it.
 */
uint32_t gn_stacks_charge(struct gn_stacks *st, uint64_t elapsed,
			  bool *outside);

/* The same of an interval that goes on: it may be on the same stack. */
uint32_t gn_stacks_charge_open(struct gn_stacks *st, uint64_t elapsed,
			       bool *outside);

/* Whose it would be: the tree node. */
uint32_t gn_stacks_owner(const struct gn_stacks *st);

/* The function on top of the active stack, GN_NONE: none. */
uint32_t gn_stacks_top(const struct gn_stacks *st, const struct gn_tree *tree);

/* Events, on the active stack. `fn` is what func means. 0, -ENOMEM, -ENOSPC. */
int gn_stacks_enter(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		    uint32_t func, uint32_t fn);
/* `jump`: by a jump to another function (TAILCALL). */
void gn_stacks_leave(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		     uint32_t func, bool jump);
/* `muted`: the function has no frames. */
int gn_stacks_unwind_begin(struct gn_stacks *st, uint32_t func, bool muted);
int gn_stacks_unwind_end(struct gn_stacks *st, struct gn_stage *s,
			 uint32_t func);

/* The next events run on the mapping [lo, hi). 0 or -ENOMEM. */
int gn_stacks_switch(struct gn_stacks *st, struct gn_stage *s, uint64_t lo,
		     uint64_t hi);

/* Between periods: gives back what a burst of frames took, and counts what the
 * thread's stacks have. */
void gn_stacks_settle(struct gn_stacks *st, struct gn_stage *s);

/* The stacks of a thread, one after the other; NULL: that was all. */
static inline struct gn_stack *gn_stacks_at(const struct gn_stacks *st,
					    uint32_t i)
{
	if (i < st->nmapped)
		return st->mapped[i];
	return i == st->nmapped ? st->first : NULL;
}

/* All frames of all stacks. */
void gn_stacks_end_all(struct gn_stacks *st, struct gn_stage *s,
		       enum gn_frame_end how);

/* Ends all frames as unwound: the thread became another program, with one
 * stack whose mapping is not known. 0 or -ENOMEM. */
int gn_stacks_restart(struct gn_stacks *st, struct gn_stage *s);

/* The frames of the parent's active stack, as the child of a fork has them;
 * none if there is no room for all. 0 or -ENOMEM. */
int gn_stacks_inherit(struct gn_stacks *st, struct gn_stage *s,
		      const struct gn_stacks *parent);

/* For unwind.c. */
/* The frames from `at` on have what is below them as their callers. 0, -ENOMEM,
 * or -ENOSPC: some of them are gone. */
int gn_stack_hang(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		  uint32_t at);
/* The innermost frame of func, GN_NONE: none of the first GN_SEARCH_MAX. */
uint32_t gn_stack_find_func(const struct gn_stack *k, uint32_t func);
void gn_stack_end_frame(struct gn_stacks *st, struct gn_stage *s,
			const struct gn_stack *k, const struct gn_frame *f,
			enum gn_frame_end how);

/*
 * For pending.c: leaves of return probes that come after their frames' ends.
 * Whoever drops an entry says how its call ended.
 */
int gn_pending_add(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		   const struct gn_frame *f);
/* The leave of an entry came. False: there is none such. */
bool gn_pending_take(struct gn_stage *s, struct gn_stack *k, uint64_t key,
		     uint32_t func);
/* What was jumped to at `key` has left. */
void gn_pending_due(struct gn_stack *k, uint64_t key);
/* Drops what cannot come any more: entries below `key`; those at `key` whose
 * leave was due, or all of them; all there are (an open end only ends those
 * whose leave was not due). */
void gn_pending_below(struct gn_stacks *st, struct gn_stage *s,
		      struct gn_stack *k, uint64_t key);
void gn_pending_at(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		   uint64_t key, bool due_only);
void gn_pending_end(struct gn_stacks *st, struct gn_stage *s,
		    struct gn_stack *k, enum gn_frame_end how);

#endif
