/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shadow stacks of one thread, rebuilt from enter, leave, tailcall and
 * unwind events. The key of a frame is the caller's stack pointer. So the stack
 * recovers from lost events: an enter ends the frames at or below its key, a
 * leave those below. A thread has one shadow stack for each stack that it runs
 * on (fibers, the signal stack). Only frames of the active one get time.
 */
#ifndef GNOMON_MODEL_STACK_H
#define GNOMON_MODEL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/calltree.h"
#include "model/model.h"
#include "model/names.h"
#include "model/observer.h"

/* The limit of shadow stacks of one thread. Beyond it the one that was idle
 * longest is dropped. */
#define GN_STACKS_MAX 4096
/* How many frames are searched for a frame by its function alone. If it is not
 * found, the event counts as unmatched. */
#define GN_SEARCH_MAX 1024
/* Limits of leaves of return probes that can still come (the kernel has at most
 * 64 a thread), and of unwinds that have not ended. */
#define GN_PENDING_MAX 64
#define GN_UNWIND_MAX  64

/* The observer, and where the walk is. */
struct gn_walk {
	const struct gn_observer *to; /* or NULL */
	struct gn_seen at;
	int err; /* the observer's first error */
};

/*
 * Later stages and sums that the stacks of all threads share. If a limit leaves
 * no room for a frame, the result is -ENOSPC and the frame is left out, as if
 * its event were lost.
 */
struct gn_stage {
	struct gn_names names;
	struct gn_tree tree;
	struct gn_checks checks;
	uint64_t frames;      /* frames that all stacks have room for */
	uint64_t most_frames; /* 0: no bound */
	struct gn_walk walk;
};

enum gn_frame_flag {
	/* its event had no key: it has the key of the frame below */
	GN_FRAME_KEYLESS = 1,
	GN_FRAME_INHERITED = 2, /* copied at a fork: the call is the parent's */
};

struct gn_frame {
	uint64_t key : 48;
	uint64_t flags : 16;
	uint64_t start; /* the stack's clock when it was entered */
	uint32_t func;	/* its id in the records */
	uint32_t node;
};

/* A frame that probably ended by a jump to another function, and whose return
 * probe should still fire. If it does not, the frame was unwound. */
struct gn_pending {
	uint64_t key;
	uint64_t ns; /* how long the call took */
	uint32_t func;
	uint32_t node;
	bool inherited; /* the call is the parent's */
	/* the function that it jumped to has left: its leave is next */
	bool due;
	bool crowded; /* its key had more entries than there was room for */
};

/* A call at `key`, at `time`. */
struct gn_mark {
	uint64_t key, time;
};

#define GN_MARKS 16

/* Sites are at most a page below their frames. */
#define GN_STACK_FAR 4096

struct gn_stack {
	uint64_t id;
	uint64_t lo, hi; /* its place; both 0 = not known */
	uint64_t end;	 /* of its mapping, which can have several parts */
	bool part;
	bool signal; /* handlers of signals run on it; not where it is a part */
	uint64_t clock; /* time that passed while it was active */
	uint64_t used;	/* the number of the switch that last made it active */
	/* below this key no call can be left that began before the capture:
	 * those inside it have been left */
	uint64_t earlier;
	/* the latest calls that nothing at or above them was called after: keys
	 * fall, times rise */
	struct gn_mark marks[GN_MARKS];
	uint32_t nmarks;
	struct gn_frame *frames;
	uint32_t n, cap;
	uint32_t npending, pending_cap;
	struct gn_pending *pending; /* keys fall towards the end */
};

/* Frames that ended without a leave, kept while it can still come: then they
 * are those of another stack in the same mapping. */
struct gn_parked {
	uint64_t lo, hi; /* the keys of the innermost and of the outermost */
	uint64_t clock;	 /* of their stack when they ended */
	struct gn_frame *frames;
	uint32_t n;
};

struct gn_unwind {
	uint64_t stack;
	uint64_t key;
	uint32_t func;
	bool found; /* the frame was found on the stack */
	bool muted; /* the function is muted, so it has no frame */
};

struct gn_stacks {
	struct gn_stack *active;
	/* the stack that the next collect event makes active */
	struct gn_stack *next;
	/* the stack that the thread left for the active one, a signal stack;
	 * else NULL */
	struct gn_stack *interrupted;
	struct gn_stack *first;	  /* the stack without a mapping, or NULL */
	struct gn_stack **mapped; /* by address, no two overlap */
	uint32_t nmapped, mapped_cap;
	struct gn_parked *parked; /* by address, no two overlap */
	uint32_t nparked, parked_cap;
	uint64_t parked_frames;
	uint32_t root; /* tree node below the first frame */
	uint64_t main; /* id of the stack that the thread began on */
	uint64_t ids, switches;
	/* the function on top of the stack that the thread was on at the event
	 * before this one; 0: none, or it is on the same stack */
	uint32_t left;
	uint64_t calls, unwound;
	struct gn_unwind *unwinds; /* GN_UNWIND_MAX at most */
	uint32_t nunwinds, unwinds_cap;
};

int gn_stacks_init(struct gn_stacks *st, uint32_t root);
/* Forgets all frames without counting them. */
void gn_stacks_free(struct gn_stacks *st);

/* Notes a call. Where all marks are in use, a deeper call makes none: then an
 * older one is found for it. */
static inline void gn_stack_mark(struct gn_stack *k, uint64_t key,
				 uint64_t time)
{
	while (k->nmarks && k->marks[k->nmarks - 1].key <= key)
		k->nmarks--;
	if (k->nmarks < GN_MARKS)
		k->marks[k->nmarks++] = (struct gn_mark){key, time};
}
/* When a call with this key was made at the earliest; 0: no call shows it. */
uint64_t gn_stack_marked(const struct gn_stack *k, uint64_t key);

/*
 * Returns the tree node that owns the interval that ends now. Advances that
 * stack's clock, and makes the stack active on which the ending event runs. If
 * the thread changed stacks in the interval, the frames of the last stack own
 * it; if that one has none (a signal handler, a new fiber), the frames of the
 * stack before. When no frames are left on a signal stack, the stack that was
 * interrupted owns it. `outside`: no function owns it.
 */
uint32_t gn_stacks_charge(struct gn_stacks *st, uint64_t elapsed,
			  bool *outside);

/* The same for an interval that goes on. The thread may still be on the same
 * stack. */
uint32_t gn_stacks_charge_open(struct gn_stacks *st, uint64_t elapsed,
			       bool *outside);

/* The tree node that would own an interval that ends now. */
uint32_t gn_stacks_owner(const struct gn_stacks *st);
/* The stack that it would be on. */
uint64_t gn_stacks_owner_id(const struct gn_stacks *st);

/* The stack that the thread is on as far as is known. No event tells that a
 * handler has returned to what it interrupted; with no frame left, it has. */
struct gn_stack *gn_stacks_current(const struct gn_stacks *st);

/* The function on top of that, GN_NONE: none. */
uint32_t gn_stacks_top(const struct gn_stacks *st, const struct gn_tree *tree);

/* Events on the active stack. `fn` is func resolved. 0, -ENOMEM, -ENOSPC. */
int gn_stacks_enter(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		    uint32_t func, uint32_t fn);
/* `jump`: by a jump to another function (TAILCALL). */
void gn_stacks_leave(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		     uint32_t func, bool jump);
/* `muted`: the function has no frames. */
int gn_stacks_unwind_begin(struct gn_stacks *st, uint32_t func, bool muted);
int gn_stacks_unwind_end(struct gn_stacks *st, struct gn_stage *s,
			 uint32_t func);

/* The next events happen on the mapping [lo, hi). `signal`: it is the signal
 * stack. 0 or -ENOMEM. */
int gn_stacks_switch(struct gn_stacks *st, struct gn_stage *s, uint64_t lo,
		     uint64_t hi, bool signal);

/* Finds the stack of a mapping with several that an event with this key is on.
 * `func`: its function, if the event is a leave; else 0. 0 or -ENOMEM. */
int gn_stacks_place(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		    uint32_t func);

/* Between periods: frees what a burst of frames took and what is parked, and
 * counts what the thread's stacks have. */
void gn_stacks_settle(struct gn_stacks *st, struct gn_stage *s);

/* Iterates over the stacks of a thread; NULL: there are no more. */
static inline struct gn_stack *gn_stacks_at(const struct gn_stacks *st,
					    uint32_t i)
{
	if (i < st->nmapped)
		return st->mapped[i];
	return i == st->nmapped ? st->first : NULL;
}

/* Ends all frames of all stacks. */
void gn_stacks_end_all(struct gn_stacks *st, struct gn_stage *s,
		       enum gn_frame_end how);

/* Ends all frames as unwound: the thread executes another program, with one
 * stack whose mapping is not known. 0 or -ENOMEM. */
int gn_stacks_restart(struct gn_stacks *st, struct gn_stage *s);

/* Gives the child of a fork the frames of the stack that the parent is on; none
 * if there is no room for all. 0 or -ENOMEM. */
int gn_stacks_inherit(struct gn_stacks *st, struct gn_stage *s,
		      const struct gn_stacks *parent);

/* For unwind.c. */
/* Puts the frames from `at` on under the frame below them in the tree. 0,
 * -ENOMEM, or -ENOSPC: some of them are gone. */
int gn_stack_hang(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		  uint32_t at);
/* The innermost frame of func; GN_NONE if it is not among the first
 * GN_SEARCH_MAX. */
uint32_t gn_stack_find_func(const struct gn_stack *k, uint32_t func);
void gn_stack_end_frame(struct gn_stacks *st, struct gn_stage *s,
			const struct gn_stack *k, const struct gn_frame *f,
			enum gn_frame_end how);

void gn_stack_pop(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		  enum gn_frame_end how);
/* A new stack at [lo, hi), which no other overlaps; NULL: no memory. */
struct gn_stack *gn_stacks_add(struct gn_stacks *st, uint64_t lo, uint64_t hi);
/* The index of the first mapped stack that ends above `lo`. */
uint32_t gn_stacks_find(const struct gn_stacks *st, uint64_t lo);

/* Room for so many frames. 0, -ENOMEM, -ENOSPC. */
int gn_stack_grow(struct gn_stage *s, struct gn_stack *k, size_t need);

/* Whether an event with this key is on another stack of its mapping. */
static inline bool gn_stack_is_outside(const struct gn_stack *k, uint64_t key)
{
	return k->part && (key <= k->lo || key > k->hi);
}

/* In parts.c. */
/* Ends the frames below `key` as unwound, and parks them. */
void gn_stack_unwind(struct gn_stacks *st, struct gn_stage *s,
		     struct gn_stack *k, uint64_t key);
/* A call has written over what was parked at `key` and below. */
void gn_parked_overwrite(struct gn_stacks *st, struct gn_stage *s,
			 uint64_t key);
void gn_parked_forget(struct gn_stacks *st, struct gn_stage *s);
/* The mapping [lo, hi) is one with several parts. Returns the one that ran
 * last; NULL: it has none. */
struct gn_stack *gn_stacks_parts(struct gn_stacks *st, uint64_t lo,
				 uint64_t hi);

/* In pending.c: leaves of return probes that come after their frames ended. Who
 * drops an entry says how its call ended. */
int gn_pending_add(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		   const struct gn_frame *f);
bool gn_pending_has(const struct gn_stack *k, uint64_t key, uint32_t func);
/* Takes the entry whose leave came. False: there is none. */
bool gn_pending_take(struct gn_stage *s, struct gn_stack *k, uint64_t key,
		     uint32_t func);
/* The function that was jumped to at `key` has left. */
void gn_pending_due(struct gn_stack *k, uint64_t key);
/*
 * Drop entries whose leave cannot come any more: those below `key`; those at
 * `key`, either with a due leave or all; all there are (an open end only ends
 * those whose leave was not due).
 */
void gn_pending_below(struct gn_stacks *st, struct gn_stage *s,
		      struct gn_stack *k, uint64_t key);
void gn_pending_at(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		   uint64_t key, bool due_only);
void gn_pending_end(struct gn_stacks *st, struct gn_stage *s,
		    struct gn_stack *k, enum gn_frame_end how);

#endif
