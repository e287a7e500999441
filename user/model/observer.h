/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface by which a pipeline shows its walk, besides the totals: all
 * events on the shadow stacks and of the threads, as they are replayed. Events
 * of one thread come in the order of time, except slices, which come when they
 * end; threads are mixed as their records are. Times are those of the records,
 * with the cost of probes in them.
 */
#ifndef GNOMON_MODEL_OBSERVER_H
#define GNOMON_MODEL_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/table.h" /* GN_NONE */

/* Where and when. A thread's number stands for one life of a thread, even if
 * its tid is reused. A stack's number is unique within its thread. */
struct gn_seen {
	uint64_t time;
	uint32_t thread;
	uint64_t stack;
};

/* How a frame came on top of a stack. */
enum gn_frame_begin {
	GN_BEGIN_CALL,
	GN_BEGIN_INHERITED, /* copied from the parent's stack at a fork */
	GN_BEGIN_AGAIN,	    /* goes on after a frame below it ended */
};

/* How a frame ends. */
enum gn_frame_end {
	GN_END_LEFT,	/* by a leave, or an event that counts as one */
	GN_END_UNWOUND, /* a later event showed that it is gone */
	GN_END_CAUGHT,	/* unwound at a time that the runtime reported */
	GN_END_OPEN,	/* the capture ended */
	GN_END_AGAIN,	/* only to begin again at once: GN_BEGIN_AGAIN */
};

/* Texts are valid during the call, are not NULL where that is not said, and can
 * hold any bytes. */
struct gn_seen_function {
	uint32_t fn;
	const char *name, *module;
	const char *shown; /* what people read */
	const char *file;  /* of its source; NULL: not known */
	uint32_t line;
	enum gn_runtime_id runtime;
};

struct gn_seen_thread {
	uint32_t thread, process; /* numbers of lives, not tid and pid */
	uint32_t pid, tid;	  /* as it began; exec can change its tid */
	uint64_t start;
	uint64_t session; /* the session's start, 0: not known */
	uint64_t stack;	  /* the stack on which it began */
	const char *name, *process_name;
};

struct gn_seen_slice {
	uint32_t thread;
	enum gn_class class;
	uint16_t reason; /* system call, GN_NO_SYSCALL = none */
	uint64_t start, end;
	/* who ended the wait; 0 and GN_NONE: not known, or not traced */
	uint32_t waker, waker_thread, waker_fn;
	const char *waker_name; /* NULL: not traced */
};

/* An interval of a thread as the totals have it: what its probes cost is taken
 * out. It belongs to what is open on the stack at->stack, and ends at at->time.
 */
struct gn_seen_interval {
	uint64_t elapsed, app;
	const uint64_t *classes; /* those in `mask`, by enum gn_class */
	uint32_t mask;
};

/* Bytes of a text at most: of UTF-16 each two can be three. */
#define GN_SEEN_TEXT (GN_VALUE_TEXT / 2 * 3)

/* An argument of the frame on top, or the result of the innermost frame of
 * `fn`, whose leave comes next. */
struct gn_seen_value {
	uint32_t fn;
	uint8_t which; /* as in gn_rec_value, and so on */
	enum gn_value_type type;
	uint8_t flags;
	uint64_t number;
	uint32_t class_fn; /* CLASS: what has its name; GN_NONE: nothing */
	const char *text;  /* `len` bytes without an end */
	size_t len;
};

/* What a thread does for its runtime, or to other threads. */
enum gn_activity_kind {
	GN_DOES_JIT,
	GN_DOES_GC,
	GN_DOES_SUSPEND,
	GN_DOES_COUNT
};

/* An event of a runtime that is no activity (gnomon/runtime_event.h). */
struct gn_seen_event {
	uint32_t event;	    /* enum gn_rt */
	uint32_t fn, other; /* GN_NONE: none */
	uint64_t value[GN_RT_VALUES];
};

/*
 * A function that is NULL is not called. Each returns 0 or -errno. The first
 * error is returned by the call that feeds or finishes the pipeline, and no
 * function is called after it.
 */
struct gn_observer {
	void *ctx;
	/* Comes before the first event of the function, and again when its name
	 * becomes known: an id can be used before it is named. */
	int (*function)(void *ctx, const struct gn_seen_function *f);
	/* Comes before the first event of the thread, and again when a name
	 * changed. */
	int (*thread)(void *ctx, const struct gn_seen_thread *t);
	/* The last event of the thread. */
	int (*thread_end)(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end);
	int (*enter)(void *ctx, const struct gn_seen *at, uint32_t fn,
		     enum gn_frame_begin how);
	/* The frame on top ends. */
	int (*leave)(void *ctx, const struct gn_seen *at,
		     enum gn_frame_end how);
	int (*slice)(void *ctx, const struct gn_seen_slice *s);
	int (*value)(void *ctx, const struct gn_seen *at,
		     const struct gn_seen_value *v);
	/* Before what ended it. */
	int (*interval)(void *ctx, const struct gn_seen *at,
			const struct gn_seen_interval *i);
	/* Records of the thread were lost between these times. What it did at
	 * the first, such as a collection, comes to its end after this: when it
	 * ended is not known. */
	int (*gap)(void *ctx, uint32_t thread, uint64_t start, uint64_t end);
	/* `fn`: the function that is compiled; GN_NONE = not known. They
	 * nest. */
	int (*begin)(void *ctx, const struct gn_seen *at,
		     enum gn_activity_kind what, uint32_t fn);
	int (*end)(void *ctx, const struct gn_seen *at,
		   enum gn_activity_kind what);
	/* Garbage was collected while the program went on. It comes when it
	 * ends, and can come after the last event of the thread that began
	 * it. */
	int (*background)(void *ctx, uint32_t thread, uint64_t start,
			  uint64_t end);
	/* A stretch has two, which need not nest with calls. */
	int (*event)(void *ctx, const struct gn_seen *at,
		     const struct gn_seen_event *e);
};

#endif
