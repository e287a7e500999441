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

/* Limit of shadow stacks of one thread. Beyond it, the one that was idle
 * longest is dropped. */
#define GN_STACKS_MAX 4096
/* How many frames are searched for a frame by its function only. If there is
 * none, the event counts as unmatched. */
#define GN_SEARCH_MAX 1024
/* Limits of pending leaves of return probes (the kernel allows 64 per thread),
 * and of open unwinds. */
#define GN_PENDING_MAX 64
#define GN_UNWIND_MAX  64

/* The observer, and where the walk is. */
struct gn_walk {
	const struct gn_observer *to; /* or NULL */
	struct gn_seen at;
	int err; /* the observer's first error */
};

/*
 * Later stages and sums, shared by the stacks of all threads. If a limit leaves
 * no room for a frame, the result is -ENOSPC and the frame is skipped, as if
 * its event were lost.
 */
struct gn_stage {
	struct gn_names names;
	struct gn_tree tree;
	struct gn_checks checks;
	uint64_t frames;      /* frames that all stacks have room for */
	uint64_t most_frames; /* limit of `frames`; 0: none */
	struct gn_walk walk;
};

enum gn_frame_flag {
	/* its event had no key: it uses that of the frame below */
	GN_FRAME_KEYLESS = 1,
	GN_FRAME_INHERITED = 2, /* copied at a fork: the call is the parent's */
	GN_FRAME_NUMBERED = 4,	/* it has a number instead of a key */
};

struct gn_frame {
	uint64_t key;	/* up to GN_KEY_MAX */
	uint64_t start; /* on the stack's clock */
	uint32_t func;	/* its id in records */
	uint32_t node;
	uint32_t number; /* see GN_FUNC_IS_NUMBERED() */
	uint32_t await;	 /* the number of its latest await */
	uint32_t flags;	 /* of GN_FRAME_* */
};

#define GN_KEY_MAX ((1ull << 48) - 1)

/* Begins a frame for the key of a record. No call with an address ends a
 * numbered frame: its own end always comes. It is set field by field: a frame
 * made in small parts and then copied costs the fast path a tenth of its time
 * (the copy waits for the parts). */
static inline void gn_frame_begin(struct gn_frame *f, uint64_t key,
				  uint32_t func)
{
	bool numbered = GN_FUNC_IS_NUMBERED(func);

	f->key = numbered ? GN_KEY_MAX : key & GN_KEY_MAX;
	f->start = 0;
	f->func = func;
	f->node = 0;
	f->number = numbered ? (uint32_t)key : 0;
	f->await = 0;
	f->flags = numbered ? GN_FRAME_NUMBERED : 0;
}

/* Whether number `a` is of a call within that of `b`, or the same. */
static inline bool gn_number_is_within(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) <= 0;
}

/* A frame that probably ended by a jump to another function, so its return
 * probe should still fire. If it does not, the frame was unwound. */
struct gn_pending {
	uint64_t key;
	uint64_t ns; /* how long the call took */
	uint32_t func;
	uint32_t node;
	bool inherited; /* the call is the parent's */
	/* the function that it jumped to has left: its own leave is next */
	bool due;
	bool crowded; /* entries at its key were dropped: no room */
};

/* A call at `key`, at `time`. */
struct gn_mark {
	uint64_t key, time;
};

#define GN_MARKS 16

/* Keys further apart than this are on different stacks of a mapping. */
#define GN_STACK_FAR 4096

struct gn_stack {
	uint64_t id;
	uint64_t lo, hi; /* both 0: not known */
	uint64_t end;	 /* end of the mapping, which can have several parts */
	bool part;
	bool signal;	/* signal handlers run on it (not set for a part) */
	uint64_t clock; /* time during which it was active */
	uint64_t used;	/* number of the switch that last made it active */
	/* no call from before the capture can be left below this key: those
	 * further in have all been left */
	uint64_t earlier;
	/* the latest calls for which no call at or above their key was made
	 * since: keys fall, times rise */
	struct gn_mark marks[GN_MARKS];
	uint32_t nmarks;
	struct gn_frame *frames;
	uint32_t n, cap;
	uint32_t npending, pending_cap;
	struct gn_pending *pending; /* keys fall towards the end */
};

/* Frames that ended without a leave, kept as long as it can come. If it does,
 * they are on another stack in the same mapping. */
struct gn_parked {
	uint64_t lo, hi; /* keys of the innermost and the outermost */
	uint64_t clock;	 /* their stack's clock when they ended */
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
	/* the stack that the thread left for the active one if that is a signal
	 * stack; else NULL */
	struct gn_stack *interrupted;
	struct gn_stack *first; /* the stack without a known mapping, or NULL */
	struct gn_stack **mapped; /* by address; they do not overlap */
	uint32_t nmapped, mapped_cap;
	struct gn_parked *parked; /* by address; they do not overlap */
	uint32_t nparked, parked_cap;
	uint64_t parked_frames;
	uint32_t root; /* tree node below the first frame */
	uint64_t main; /* id of the stack on which the thread began */
	uint64_t ids, switches;
	/* function on top of the stack that the thread was on at the previous
	 * event; 0: none, or the same stack */
	uint32_t left;
	uint64_t calls, unwound;
	/* function of the latest frame without a key that was suspended: Java
	 * can fail to unmount a virtual thread, and its call is left then; 0:
	 * none */
	uint32_t rested;
	struct gn_unwind *unwinds; /* at most GN_UNWIND_MAX */
	uint32_t nunwinds, unwinds_cap;
};

int gn_stacks_init(struct gn_stacks *st, uint32_t root);
/* Frees all frames without counting them. */
void gn_stacks_free(struct gn_stacks *st);

/* Marks a call. If all marks are used, a deeper call gets none: looking it up
 * finds an older one. */
static inline void gn_stack_mark(struct gn_stack *k, uint64_t key,
				 uint64_t time)
{
	while (k->nmarks && k->marks[k->nmarks - 1].key <= key)
		k->nmarks--;
	if (k->nmarks < GN_MARKS)
		k->marks[k->nmarks++] = (struct gn_mark){key, time};
}
/* The earliest time at which a call with this key can have been made; 0: no
 * mark shows it. */
uint64_t gn_stack_marked(const struct gn_stack *k, uint64_t key);

/*
 * Returns the tree node that owns the interval that ends now, and advances that
 * stack's clock. The stack of the ending event becomes active. If the thread
 * switched stacks in the interval, the frames of the last stack own it; if that
 * has none (a signal handler, a new fiber), those of the stack before. If no
 * frames are left on a signal stack, the interrupted stack owns it. `outside`:
 * no function owns it.
 */
uint32_t gn_stacks_charge(struct gn_stacks *st, uint64_t elapsed,
			  bool *outside);

/* The same for an open interval: the thread may still be on the same stack. */
uint32_t gn_stacks_charge_open(struct gn_stacks *st, uint64_t elapsed,
			       bool *outside);

/* The tree node that would own an interval that ended now, and its stack. */
uint32_t gn_stacks_owner(const struct gn_stacks *st);
uint64_t gn_stacks_owner_id(const struct gn_stacks *st);

/* The stack that the thread is on, as far as is known. No event reports the
 * return of a signal handler: if no frame is left, it has returned. */
struct gn_stack *gn_stacks_current(const struct gn_stacks *st);

/* The function on top of that stack; GN_NONE: none. */
uint32_t gn_stacks_top(const struct gn_stacks *st, const struct gn_tree *tree);

/* Events on the active stack. `fn` is the resolved `func`. 0, -ENOMEM,
 * -ENOSPC. */
int gn_stacks_enter(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		    uint32_t func, uint32_t fn);
/* The function goes on after an await. 1: it was suspended, as it is not on top
 * of the stack. 0: it was not. -ENOMEM, -ENOSPC. */
int gn_stacks_resume(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		     uint32_t func, uint32_t fn);
/* If the function is on top, it begins an await. */
void gn_stacks_await(struct gn_stacks *st, uint32_t func, uint64_t number);
/* Ends the frames up to the key: an exception has left them. */
void gn_stacks_land(struct gn_stacks *st, struct gn_stage *s, uint64_t key);
/* Ends the frames below the key: they are suspended. `func` is one of them. If
 * they have numbers, a frame without a key on top of the stack ends, too. */
void gn_stacks_suspend(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		       uint32_t func);
/* `jump`: it ends by a jump to another function (TAILCALL). */
void gn_stacks_leave(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		     uint32_t func, bool jump);
/* `muted`: the function has no frames. */
int gn_stacks_unwind_begin(struct gn_stacks *st, uint32_t func, bool muted);
int gn_stacks_unwind_end(struct gn_stacks *st, struct gn_stage *s,
			 uint32_t func);

/* The next events are on the stack mapped at [lo, hi). `signal`: it is the
 * signal stack. 0 or -ENOMEM. */
int gn_stacks_switch(struct gn_stacks *st, struct gn_stage *s, uint64_t lo,
		     uint64_t hi, bool signal);

/* In a mapping with several stacks, selects the one for an event with this key.
 * `func`: the function of a leave, else 0. 0 or -ENOMEM. */
int gn_stacks_place(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		    uint32_t func);

/* Between periods: frees parked frames and the room of a burst of frames, and
 * counts the room that the thread's stacks have. */
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

/* Ends all frames as unwound: the thread executes another program, whose stack
 * mapping is not known yet. 0 or -ENOMEM. */
int gn_stacks_restart(struct gn_stacks *st, struct gn_stage *s);

/* Gives the child of a fork the frames of the stack that the parent is on, or
 * none if there is no room for all. 0 or -ENOMEM. */
int gn_stacks_inherit(struct gn_stacks *st, struct gn_stage *s,
		      const struct gn_stacks *parent);

/* For the files of stacks among themselves. */
/* A stack that is not mapped yet; NULL: no memory. */
struct gn_stack *gn_stack_new(struct gn_stacks *st);
void gn_stack_free(struct gn_stack *k);
/* Needs room in st->mapped. */
void gn_stacks_map(struct gn_stacks *st, struct gn_stack *k, uint64_t lo,
		   uint64_t hi);
/* The stack whose frames own the time now. */
struct gn_stack *gn_stacks_owning(const struct gn_stacks *st);
/* Drops the open unwind of a frame that is gone. It cannot end any more, so the
 * exception was caught. */
void gn_stack_drop_unwind(struct gn_stacks *st, const struct gn_stack *k,
			  const struct gn_frame *f);
/* Moves the frames from `at` on to the tree path of the frame below them. 0,
 * -ENOMEM, or -ENOSPC: some were dropped. */
int gn_stack_hang(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		  uint32_t at);
/* The innermost frame of `func`; GN_NONE: not within GN_SEARCH_MAX frames. */
uint32_t gn_stack_find_func(const struct gn_stack *k, uint32_t func);
void gn_stack_end_frame(struct gn_stacks *st, struct gn_stage *s,
			const struct gn_stack *k, const struct gn_frame *f,
			enum gn_frame_end how);

void gn_stack_pop(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		  enum gn_frame_end how);
/* A new stack at [lo, hi), which must not overlap another. NULL: no memory. */
struct gn_stack *gn_stacks_add(struct gn_stacks *st, uint64_t lo, uint64_t hi);
/* The index of the first mapped stack that ends above `lo`. */
uint32_t gn_stacks_find(const struct gn_stacks *st, uint64_t lo);

/* Makes room for `need` frames in total. gn_stacks_settle() updates the count
 * of freed room. 0, -ENOMEM, -ENOSPC. */
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
/* A call overwrote the frame parked at `key`. Frames below that become a group
 * of their own. */
void gn_parked_overwrite(struct gn_stacks *st, struct gn_stage *s,
			 uint64_t key);
void gn_parked_forget(struct gn_stacks *st, struct gn_stage *s);
/* For a mapping with several parts, returns the part that ran last; NULL: it
 * has none. */
struct gn_stack *gn_stacks_parts(struct gn_stacks *st, uint64_t lo,
				 uint64_t hi);

/* In pending.c: leaves of return probes that come after their frames ended.
 * Whoever drops an entry says how its call ended. */
int gn_pending_add(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		   const struct gn_frame *f);
bool gn_pending_has(const struct gn_stack *k, uint64_t key, uint32_t func);
/* Removes the entry whose leave came. False: none. */
bool gn_pending_take(struct gn_stage *s, struct gn_stack *k, uint64_t key,
		     uint32_t func);
/* The function that others jumped to at `key` has left. */
void gn_pending_due(struct gn_stack *k, uint64_t key);
/*
 * Drop entries whose leave cannot come any more: those below `key`; those at
 * `key`, either all or only due ones; all (GN_END_OPEN applies only to those
 * that are not due).
 */
void gn_pending_below(struct gn_stacks *st, struct gn_stage *s,
		      struct gn_stack *k, uint64_t key);
void gn_pending_at(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		   uint64_t key, bool due_only);
void gn_pending_end(struct gn_stacks *st, struct gn_stage *s,
		    struct gn_stack *k, enum gn_frame_end how);

#endif
